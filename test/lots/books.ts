// Small books for the tests of the lots engine, written and read as an accountant would write them.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import type { EventKind, LotEvent } from '../../pipeline/lots/event.ts'
import type { LotResult } from './compute.ts'

export function units(text: string): bigint {
  const amount = parseAmount(text)
  if (!amount.ok) throw new Error(`${text}: ${amount.problem}`)
  return amount.units
}

export function at(time: string): bigint {
  return BigInt(Date.parse(time.length === 10 ? `${time}T12:00:00Z` : time)) * 1_000n
}

interface Extra {
  readonly account?: string
  readonly coin?: string
  /** Of a loan, the wallet that owes it. */
  readonly transferId?: string
}

let places = 0n

function event(
  kind: EventKind,
  id: string,
  time: string,
  quantity: string,
  value: string | null,
  extra: Extra,
): LotEvent {
  places += 1n
  return {
    account: 'main',
    coin: 'BTC',
    ...extra,
    happenedAtUs: at(time),
    place: places,
    id,
    kind,
    quantity: units(quantity),
    value: value === null ? null : units(value),
    ...(kind.startsWith('transfer') ? { transferId: id.split(':')[0]! } : {}),
  }
}

/** `value` is the basis with its fee, null when unknown. */
export const buy = (id: string, time: string, quantity: string, value: string | null, extra: Extra = {}) =>
  event('acquire', id, time, quantity, value, extra)

/** `value` is the proceeds after the fee, null when unknown. */
export const sell = (id: string, time: string, quantity: string, value: string | null, extra: Extra = {}) =>
  event('dispose', id, time, quantity, value, extra)

/** The part of the id before the colon ties the two legs; `value` is what the network fee was worth. */
export const out = (id: string, time: string, quantity: string, extra: Extra, value: string | null = null) =>
  event('transfer_out', id, time, quantity, value, extra)

export const into = (id: string, time: string, quantity: string, extra: Extra) =>
  event('transfer_in', id, time, quantity, null, extra)

/** The principal of a loan. */
export const borrow = (id: string, time: string, quantity: string, extra: Extra = {}) =>
  event('borrow', id, time, quantity, null, extra)

export const repay = (id: string, time: string, quantity: string, extra: Extra = {}) =>
  event('repay', id, time, quantity, null, extra)

const shown = (amount: bigint | null): string => (amount === null ? '?' : formatAmount(amount))

/** `s1 <- b1: 2 for 300 cost 200 gain 100`; `?` is unknown, `-` a pool or a missing lot. */
export function disposals(result: LotResult): string[] {
  return result.disposals.map((piece) => {
    const denied = piece.deniedLoss === null ? '' : ` denied ${shown(piece.deniedLoss)}`
    const fee = piece.kind === 'network fee' ? 'fee of ' : ''
    const what = `${shown(piece.quantity)} for ${shown(piece.proceeds)} cost ${shown(piece.costBasis)}`
    return `${fee}${piece.disposalId} <- ${piece.lotId ?? '-'}: ${what}${denied} gain ${shown(piece.gain)}`
  })
}

/** `main b1: 2 cost 200`. */
export function lots(result: LotResult): string[] {
  return result.lots.map(
    (lot) =>
      `${lot.account ?? '-'} ${lot.lotId ?? '-'}: ${shown(lot.quantityLeft)} cost ${shown(lot.costBasisLeft)}`,
  )
}

export function problems(result: LotResult): string[] {
  return result.problems.map(
    ({ problem, eventId, lotId, quantity }) =>
      `${eventId}: ${problem}, ${shown(quantity)}${lotId === null ? '' : ` of ${lotId}`}`,
  )
}

/** `s1 by b2: 1 for 300 cost 250`; `open` has no closing. */
export function shortSales(result: LotResult): string[] {
  return result.shortSales.map(({ sale, quantity, proceeds, closing }) => {
    const what = `${shown(quantity)} for ${shown(proceeds)}`
    return closing === null
      ? `${sale.id} open: ${what}`
      : `${sale.id} by ${closing.event.id}: ${what} cost ${shown(closing.cost)}`
  })
}
