// The options of a report as a filing stores them, in plain JSON, and back again.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import type { Allocation, Selections } from '../lots/event.ts'
import type { ReportDefaults, ReportOptions } from '../reports/catalogue.ts'

export type StoredOptions = Readonly<Record<string, unknown>>

interface StoredLot {
  readonly disposal_id?: string
  readonly account?: string
  readonly coin?: string
  readonly lot_id: string
  readonly quantity: string
}

/** Only what was given; lots that the owner named are in the order of the file. */
export function storeOptions({ selection, allocation, ...plain }: ReportOptions): StoredOptions {
  return {
    ...definite(plain),
    ...(selection === undefined ? {} : { selection: storeSelection(selection) }),
    ...(allocation === undefined ? {} : { allocation: allocation.map(storeAllocation) }),
  }
}

export function restoreOptions({ selection, allocation, ...plain }: StoredOptions): ReportOptions {
  return {
    ...(plain as ReportOptions),
    ...(selection === undefined ? {} : { selection: restoreSelection(selection as StoredLot[]) }),
    ...(allocation === undefined ? {} : { allocation: (allocation as StoredLot[]).map(restoreAllocation) }),
  }
}

/** The configuration's choice of lots at the time. */
export const storeDefaults = (defaults: ReportDefaults): StoredOptions => definite(defaults)

function definite(options: object): StoredOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function storeSelection(selections: Selections): StoredLot[] {
  return [...selections].flatMap(([disposalId, lots]) =>
    lots.map(({ lotId, quantity, coin }) => ({
      disposal_id: disposalId,
      ...(coin === undefined ? {} : { coin }),
      lot_id: lotId,
      quantity: formatAmount(quantity),
    })),
  )
}

function restoreSelection(lots: readonly StoredLot[]): Selections {
  const selections = new Map<string, { lotId: string; quantity: bigint; coin?: string }[]>()
  for (const { disposal_id: id = '', lot_id: lotId, quantity, coin } of lots) {
    const lot = { lotId, quantity: unitsOf(quantity), ...(coin === undefined ? {} : { coin }) }
    selections.set(id, [...(selections.get(id) ?? []), lot])
  }
  return selections
}

function storeAllocation({ account, coin, lotId, quantity }: Allocation): StoredLot {
  return { account, coin, lot_id: lotId, quantity: formatAmount(quantity) }
}

function restoreAllocation({ account = '', coin = '', lot_id: lotId, quantity }: StoredLot): Allocation {
  return { account, coin, lotId, quantity: unitsOf(quantity) }
}

/** The filing's own hash has been checked before, so its amounts are those that were written. */
function unitsOf(text: string): bigint {
  const parsed = parseAmount(text)
  return parsed.ok ? parsed.units : 0n
}
