// How the v2 tax feeds name their types. The books keep the names of the document (2.10 and 2.11). Live accounts were
// sent the futures ledger's own names, in lower case, with one name for funding in both directions, and hyphens in the
// P2P feed. The names come from the venue's public facts; all but `open_*`, `close_*`, funding and the transfers are
// known only from its list of ledger types.

import type { FuturesRecord, P2pRecord } from './records.ts'

export type Spelling = 'recorded' | 'documented'

const RECORDED_FUTURES: Record<string, string> = {
  TRANSFER_IN: 'trans_from_exchange',
  TRANSFER_OUT: 'trans_to_exchange',
  OPEN_LONG: 'open_long',
  OPEN_SHORT: 'open_short',
  CLOSE_LONG: 'close_long',
  CLOSE_SHORT: 'close_short',
  // In the one-way mode these are results of futures, never spot trades.
  BUY_DEAL: 'buy',
  SELL_DEAL: 'sell',
  BURST_CLOSE_LONG: 'burst_close_long',
  BURST_CLOSE_SHORT: 'burst_close_short',
  BURST_BUY_SSM: 'burst_buy',
  BURST_SELL_SSM: 'burst_sell',
  CONTRACT_MAIN_SETTLE_FEE_USER_IN: 'contract_main_settle_fee',
  CONTRACT_MAIN_SETTLE_FEE_USER_OUT: 'contract_main_settle_fee',
}

/** A type that no ledger names, such as one invented by a fault, stays as it is. */
export function spelledFutures(row: FuturesRecord, spelling: Spelling): FuturesRecord {
  const recorded = spelling === 'recorded' ? RECORDED_FUTURES[row.futureTaxType] : undefined
  return recorded === undefined ? row : { ...row, futureTaxType: recorded }
}

export function spelledP2p(
  row: P2pRecord,
  spelling: Spelling,
): Omit<P2pRecord, 'p2pTaxType'> & { p2pTaxType: string } {
  const isTransfer = row.p2pTaxType === 'transfer_in' || row.p2pTaxType === 'transfer_out'
  if (spelling === 'documented' || !isTransfer) return row
  return { ...row, p2pTaxType: row.p2pTaxType.replace('_', '-') }
}
