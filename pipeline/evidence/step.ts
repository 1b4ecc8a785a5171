// The parts of an explanation: steps from a figure down to the record behind it, and that record as received.
import type { Cell } from '../output/cell.ts'

/** What is known about one thing, by column name; columns without a value are left out. */
export type Fields = Readonly<Record<string, Cell>>

/** A row of a journaled frame, or the whole frame. */
export interface Place {
  readonly frame: number
  /** From 0; null for the whole frame. */
  readonly row: number | null
}

export interface Step {
  /** disposal, piece, lot, event, trade, transaction, entry, record, imported row, deal, valuation, price, break, line, frame, withdrawn row or quarantined row. */
  readonly what: string
  readonly id: string
  readonly fields: Fields
  /** The position of the record in the journal, for steps that are records. */
  readonly place: Place | null
  readonly steps: readonly Step[]
  /** How many further steps are not shown. */
  readonly omitted: number
}

export function step(what: string, id: string, fields: Fields, parts: Partial<Step> = {}): Step {
  return { what, id, fields, place: null, steps: [], omitted: 0, ...parts }
}
