// What is going to happen, in whatever order it was planned; it then happens in order of time. Events see the state
// that the earlier ones left, for all accounts, so that ids rise as balances move.

import { HOUR_MS, WEEK_MS } from '../core/clock.ts'
import type { Random } from '../core/random.ts'

export interface Span {
  startMs: number
  endMs: number
}

export class Agenda {
  readonly span: Span
  readonly #events: { atMs: number; happen: (atMs: number) => void }[] = []

  constructor(span: Span) {
    this.span = span
  }

  /** An event beyond the end of the history never happens. */
  at(atMs: number, happen: (atMs: number) => void): void {
    if (atMs <= this.span.endMs) this.#events.push({ atMs, happen })
  }

  run(): void {
    this.#events.sort((a, b) => a.atMs - b.atMs)
    for (const { atMs, happen } of this.#events) happen(atMs)
  }
}

const SETTLING_MS = 2 * HOUR_MS

/** The part of a history in which accounts act, after their first deposits. */
export function activeSpan({ startMs, endMs }: Span): Span {
  return { startMs: Math.min(startMs + SETTLING_MS, endMs), endMs }
}

/** Times of something that happens a given number of times a week, each at a random distance from the one before. */
export function occasions(random: Random, { startMs, endMs }: Span, perWeek: number): number[] {
  const meanMs = WEEK_MS / perWeek
  const times: number[] = []
  let atMs = startMs + random.int(0, Math.floor(meanMs))
  while (atMs < endMs) {
    times.push(atMs)
    atMs += random.int(Math.floor(meanMs * 0.2), Math.ceil(meanMs * 1.8))
  }
  return times
}

const SPELL_MS = 3 * 24 * HOUR_MS

/** A few busy days, on the same dates in every history, on which an account trades many times its usual volume. */
export function busySpells({ startMs, endMs }: Span): Span[] {
  const lengthMs = endMs - startMs
  const places = lengthMs >= 90 * 24 * HOUR_MS ? [0.22, 0.57, 0.93] : lengthMs >= WEEK_MS ? [0.5] : []
  return places.map((place) => {
    const spellStartMs = Math.floor(startMs + lengthMs * place)
    return { startMs: spellStartMs, endMs: Math.min(spellStartMs + SPELL_MS, endMs) }
  })
}
