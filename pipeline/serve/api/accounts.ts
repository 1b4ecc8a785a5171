// Accounts: wallets, their balances and the daily history of one.
import type { Amount, Day, Rows, Stamped, Time } from './shapes.ts'

/** GET /api/accounts?account=&ledger=&coin=&from=&to= (days; they limit the trial balance; `to` is inclusive) */
export interface Accounts extends Stamped {
  readonly accounts: Rows<AccountRow>
  readonly balances: Rows<BalanceRow>
  readonly trialBalance: Rows<TrialBalanceRow>
  /** Days of the trial balance, both inclusive: as requested, else the month of the last day in the books. */
  readonly period: { readonly from: Day | null; readonly to: Day | null }
}

export interface AccountRow {
  readonly account: string
  readonly venue: string | null
  readonly uid: string | null
  readonly kind: string | null
  readonly account_mode: string | null
}

export interface BalanceRow {
  readonly account: string
  readonly ledger: string
  readonly coin: string
  /** The balance in the books. */
  readonly quantity: Amount
  readonly borrowed: Amount
  readonly own: Amount
  /** The last balance the venue reported; null if its feed has no balances. */
  readonly venue_balance: Amount | null
  /** quantity − venue_balance. */
  readonly difference: Amount | null
  readonly as_of: Time | null
  /** Value of what is owned on the last day in the books; null without a price. */
  readonly own_value: Amount | null
  readonly currency: string | null
}

export interface TrialBalanceRow {
  readonly account: string
  readonly ledger: string
  readonly coin: string
  readonly opening: Amount
  readonly incoming: Amount
  /** Negative or zero. */
  readonly outgoing: Amount
  /** opening + incoming + outgoing. */
  readonly closing: Amount
}

/** GET /api/accounts/history?account=&ledger=&coin= (all three required; from=&to= as days) */
export interface BalanceHistory extends Stamped {
  readonly history: Rows<BalanceDay>
}

export interface BalanceDay {
  readonly day: Day
  readonly change: Amount
  readonly quantity: Amount
  readonly borrowed: Amount
  readonly value: Amount | null
  readonly currency: string | null
}
