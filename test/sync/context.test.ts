// When the venue counts as out of reach, and what is stated about a range, without a venue.
import { describe, expect, it } from 'vitest'
import {
  noteAnswer,
  noteGivenUp,
  type Outcome,
  outOfReach,
  type SyncContext,
  state,
} from '../../pipeline/sync/context.ts'
import { START } from '../support/venue.ts'

/** A context with what these functions use; the venue's clock is known to be at `venueNow`, if it is. */
function contextOf(venueNow: number | null) {
  const outcome: Outcome = {
    ...{ refusals: [], failures: [], incomplete: false, misconfigured: false },
    ...{ answered: 0, givenUp: 0 },
  }
  const recorded: unknown[] = []
  const context = {
    ...{ run: 'r1', outcome, clock: { wall: () => START, monotonic: () => 0 } },
    venue: { venueAt: () => venueNow },
    recorder: { record: async ({ range }: { range?: unknown }) => void recorded.push(range) },
    config: { history: {} },
  } as unknown as SyncContext
  return { context, recorded }
}

describe('the venue', () => {
  it('is out of reach after three requests that were given up while nothing was answered', () => {
    const { context } = contextOf(null)
    for (const expected of [false, false, true]) {
      noteGivenUp(context, 0)
      expect(outOfReach(context)).toBe(expected)
    }
  })

  it('is in reach as long as requests are answered in between', () => {
    const { context } = contextOf(null)
    for (let count = 0; count < 4; count += 1) {
      const { answered } = context.outcome
      noteGivenUp(context, answered)
      noteGivenUp(context, answered)
      noteAnswer(context)
      // Begun before that answer, so it proves nothing.
      noteGivenUp(context, answered)
      expect(context.outcome.givenUp).toBe(0)
    }
  })
})

describe('a statement about a range', () => {
  const word = { status: 'pending', code: '40725', reason: 'busy' } as const
  const of = { account: 'main', feed: 'tax.records', partition: 'SPOT' }

  it('ends at the venue’s now, and there is none about the future', async () => {
    const { context, recorded } = contextOf(START)
    for (const [start, end] of [
      [-2, -1],
      [-1, 0],
      [-1, 1],
      [0, 1],
      [1, 2],
    ] as const)
      await state(context, of, { ...word, range: { start: START + start, end: START + end } })
    await state(context, of, word)
    expect(recorded).toEqual([
      { start: START - 2, end: START - 1 },
      { start: START - 1, end: START },
      { start: START - 1, end: START },
      { start: START, end: START },
      undefined,
    ])
  })

  it('is about the whole range as long as the venue’s time is not known', async () => {
    const { context, recorded } = contextOf(null)
    await state(context, of, { ...word, range: { start: START, end: START + 1 } })
    expect(recorded).toEqual([{ start: START, end: START + 1 }])
  })
})
