// How long a lot was held: days and term from purchase to sale, on the days that the rules count.
import { dayIn } from './day.ts'
import type { DisposalPiece } from './event.ts'

/** How rules count a holding. Days are numbered from 1970-01-01. */
export interface HoldingRules {
  /** For the column `rules`. */
  readonly rules: string
  /** IANA name of the zone whose days are counted. */
  readonly timeZone: string
  /** Null if the rules do not distinguish terms. */
  readonly termOf: ((acquiredDay: number, disposedDay: number) => string) | null
}

export interface Held {
  readonly days: number | null
  readonly term: string | null
}

const unknown: Held = { days: null, term: null }

/** Unknown without a date, or if the purchase came later. */
export function heldBy({
  timeZone,
  termOf,
}: HoldingRules): (piece: Pick<DisposalPiece, 'acquiredAtUs' | 'disposedAtUs'>) => Held {
  const dayOf = dayIn(timeZone)
  return ({ acquiredAtUs, disposedAtUs }) => {
    if (acquiredAtUs === null || acquiredAtUs > disposedAtUs) return unknown
    const acquired = dayOf(acquiredAtUs)
    const disposed = dayOf(disposedAtUs)
    return { days: disposed - acquired, term: termOf === null ? null : termOf(acquired, disposed) }
  }
}
