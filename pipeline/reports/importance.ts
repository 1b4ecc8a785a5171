// Which columns of a report answer its question: what a narrow terminal shows first. Files and pipes contain
// all of them.
import type { Importance } from '../output/screen.ts'

/** What leads from a month's opening value to its closing value. */
const BRIDGE = [
  'realised_gains',
  'unrealised_change',
  'deposits',
  'initial_balances',
  'transfers',
  'futures_pnl',
  'income',
  'interest',
  'fees',
  'funding',
  'unknown_cost_change',
]

/** By report name; a column that is not listed is shown only if all columns fit. */
export const importance: Readonly<Record<string, Importance>> = {
  balances: [
    'account',
    'coin',
    'ledger',
    'quantity',
    ['value', 'currency'],
    'borrowed',
    'venue_balance',
    'as_of',
  ],
  pnl: [
    'account',
    'month',
    'symbol',
    ['net_pnl', 'coin'],
    'product_line',
    'unknown_pieces',
    'fees',
    'realised_pnl',
  ],
  gains: [
    'coin',
    'disposed_at',
    ['gain', 'currency'],
    'quantity',
    'account',
    'term',
    'proceeds',
    'cost_basis',
    'acquired_at',
  ],
  taxes: ['figure', ['value', 'currency'], 'line', 'form'],
  'form-8949': [
    'description',
    ['proceeds', 'cost_basis', 'gain'],
    'gain',
    'sold_on',
    'acquired_on',
    'code',
    'adjustment',
    'box',
  ],
  income: ['occurred_at', 'account', 'kind', ['amount', 'coin'], ['value', 'currency'], 'product_line'],
  'net-worth': [
    'account',
    'month',
    ['closing_value', 'currency'],
    'opening_value',
    'realised_gains',
    // Without everything that leads from one value to the other, it would read as a missing amount.
    ['difference', 'opening_value', ...BRIDGE],
  ],
  'account-values': [
    'account',
    ['highest_value', 'currency'],
    'of_which_borrowed',
    'highest_on',
    'end_value',
    'unpriced_days',
    'uid',
    'venue',
    'end_on',
  ],
  statement: [
    'account',
    'coin',
    'line',
    'kind',
    'amount',
    // Two wallets of one coin would look the same.
    'ledger',
    // The notes state the currency as well.
    'value',
    ['value', 'currency'],
    ['value', 'no_value_because'],
    'entries',
  ],
  breaks: ['severity', 'check_name', ['account', 'coin'], 'difference', 'explanation', 'break_id', 'status'],
  coverage: ['account', 'feed', 'partition', 'status', 'starts_at', 'ends_at', 'reason'],
}
