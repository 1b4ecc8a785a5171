// The walk of one partition, request by request: what it does with a failure, and what it states about what is missing.
import { expect, it } from 'vitest'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import {
  PassingFailure,
  PermissionRefused,
  type Refusal,
  TimeRangeRefused,
  UnknownRefusal,
} from '../../connectors/errors.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { beginWalk, resumeWalk } from '../../connectors/walk.ts'
import type { WalkState } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import type { SyncContext } from '../../pipeline/sync/context.ts'
import { type FeedRun, PartitionWalk } from '../../pipeline/sync/partition.ts'
import { Skips } from '../../pipeline/sync/passed-over.ts'
import { START } from '../support/venue.ts'

const HOUR = 3_600_000

/** Two rows to a page; how far back the venue goes is not documented. */
const feed = {
  ...orderHistory,
  page: { ...orderHistory.page, size: 2 },
  window: { ...orderHistory.window!, retentionMs: null },
} as Endpoint

/** By hours before the start. */
const range = (from: number, to: number) => ({ start: START - from * HOUR, end: START - to * HOUR })
const hours = (from: number, to: number): WalkState => beginWalk(feed, range(from, to))

const refusal = (code: string): Refusal => ({
  endpoint: feed,
  account: 'main',
  code,
  status: 400,
  message: 'as the venue says',
  request: { method: 'GET', path: feed.path },
  body: null,
})
const times = new TimeRangeRefused(refusal('00001'))
const unknown = new UnknownRefusal(refusal('99999'))

/** Hours before the start from which and to which it is requested, the cursor, and what failed before. */
type Asked = readonly [from: number, to: number, cursor: string | null, failedBefore: string | null]

interface Page {
  /** Hours before the start at which its rows were created. */
  readonly rows?: readonly number[]
  readonly cursor?: string
}

/** Walks these, the first of them up to now, and returns how that ended, what was requested and what was stated. */
async function walked(
  walks: readonly WalkState[],
  answer: (asked: Asked, count: number) => Page | Error,
  { skips = new Skips(), givenUp = 0 } = {},
) {
  const asked: Asked[] = []
  const said: unknown[] = []
  const before = (at: unknown): number => (START - Number(at)) / HOUR
  let rows = 0
  const client: AccountClient = {
    async request(endpoint, given, options) {
      const { startTime, endTime, cursor = null } = typeof given === 'function' ? given() : given
      const { failedBefore = null } = options ?? {}
      asked.push([before(startTime), before(endTime), cursor as string | null, failedBefore])
      const page = answer(asked.at(-1)!, asked.length)
      if (page instanceof Error) throw page
      const list = (page.rows ?? []).map((hour) => {
        rows += 1
        return { orderId: String(rows), createdTime: String(START - hour * HOUR) }
      })
      const request = { method: endpoint.method, path: endpoint.path }
      const envelope = { data: { list, cursor: page.cursor ?? null }, requestTime: 1 }
      return { request, status: 200, body: Buffer.alloc(0), envelope, sentAt: 0 }
    },
  }
  const record = async (meta: { kind: string; status: string; code: string; range: Range }) => {
    if (meta.kind !== 'statement') return
    said.push([meta.status, meta.code, before(meta.range.start), before(meta.range.end)])
  }
  const context = {
    run: 'a run',
    venue: { venueAt: () => null },
    recorder: { record },
    clock: { monotonic: () => 0, wall: () => START },
    now: () => 0,
    signal: new AbortController().signal,
    config: { history: {}, venue: { retention_days: {} } },
    progress: () => undefined,
    outcome: { refusals: [], failures: [], incomplete: false, answered: 0, givenUp },
  } as unknown as SyncContext
  const plan = {
    partition: feed.partitions[0]!,
    needs: walks.map(({ window }) => window),
    resume: [],
    lost: [],
    saidLost: [],
    requests: 1,
  }
  const run: FeedRun = { context, account: 'main', client, endpoint: feed, skips }
  const end = await new PartitionWalk(run, plan, walks).toItsEnd()
  return { end, asked, said, incomplete: context.outcome.incomplete }
}

const arrived = (): Skips => {
  const skips = new Skips()
  skips.had(false)
  return skips
}

it('requests nothing more once the venue is considered unreachable', async () => {
  const { end, asked, said } = await walked([hours(2, 0)], () => ({}), { givenUp: 3 })
  expect([end, asked]).toEqual([{ end: 'pending', isStopped: true }, []])
  expect(said).toEqual([['pending', 'stopped', 2, 0]])
})

it('states a refused hour with nothing behind it as lost, and is done', async () => {
  const { end, said, incomplete } = await walked([hours(2, 0), hours(9, 8)], ([from]) =>
    from === 9 ? times : {},
  )
  expect(end).toEqual({ end: 'done', isStopped: false })
  expect(said).toEqual([['lost', '00001', 9, 8]])
  expect(incomplete).toBe(false)
})

it('states a refused hour as failed if anything behind it is answered: it is within the venue’s reach', async () => {
  const { end, said, incomplete } = await walked([hours(2, 0), hours(9, 8), hours(19, 18)], ([from]) =>
    from === 9 ? times : {},
  )
  expect(end).toEqual({ end: 'failed', isStopped: false })
  expect(said).toEqual([['failed', '00001', 9, 8]])
  expect(incomplete).toBe(true)
})

it('does not take a refusal behind a refused hour up to now for the edge of what the venue has', async () => {
  const { end, said } = await walked([hours(1, 0), hours(9, 8)], () => times, { skips: arrived() })
  expect(end).toEqual({ end: 'failed', isStopped: false })
  expect(said).toEqual([
    ['failed', '00001', 1, 0],
    ['failed', '00001', 9, 8],
  ])
})

it('gives a refused hour its own reason if what follows is refused for another', async () => {
  const permission = new PermissionRefused(refusal('40014'))
  const { end, said } = await walked([hours(2, 0), hours(9, 8), hours(19, 18)], ([from]) =>
    from === 9 ? times : from === 19 ? permission : {},
  )
  expect(end).toEqual({ end: 'failed', isStopped: false })
  expect(said).toEqual([
    ['failed', '00001', 9, 8],
    ['failed', '40014', 19, 18],
  ])
})

it('divides an hour that hides rows behind a full page', async () => {
  const { end, asked } = await walked([hours(1, 0)], ([from, to, cursor]) => {
    if (cursor !== null) return unknown
    return from === 1 && to === 0 ? { rows: [0.25, 0.75], cursor: 'c1' } : {}
  })
  expect(asked).toEqual([
    [1, 0, null, null],
    [1, 0, 'c1', null],
    [0.5, 0, null, 'window'],
    [1, 0.5, null, 'window'],
  ])
  expect(end).toEqual({ end: 'done', isStopped: false })
})

it('does not divide an hour whose first page was short: its cursor hides nothing', async () => {
  const { end, asked } = await walked([hours(1, 0)], ([, , cursor]) =>
    cursor === null ? { rows: [0.25], cursor: 'c1' } : unknown,
  )
  expect(asked).toEqual([
    [1, 0, null, null],
    [1, 0, 'c1', null],
  ])
  expect(end).toEqual({ end: 'pending', isStopped: false })
})

it('says of a cursor that others failed before if it is that of a part', async () => {
  const { asked } = await walked([hours(1, 0)], ([, , cursor], count) =>
    cursor === null ? { rows: [0.25, 0.25], cursor: `c${count}` } : unknown,
  )
  expect(asked.slice(0, 4)).toEqual([
    [1, 0, null, null],
    [1, 0, 'c1', null],
    [0.5, 0, null, 'window'],
    [0.5, 0, 'c3', 'cursor'],
  ])
})

it('says of a cursor that others failed before if three have led nowhere', async () => {
  const skips = arrived()
  for (let count = 0; count < 3; count += 1) skips.hadNoneByCursor()
  const page = (count: number): Page => (count === 1 ? { rows: [0.25, 0.75], cursor: 'c1' } : {})
  const { asked } = await walked([hours(1, 0)], (_, count) => page(count), { skips })
  expect(asked).toEqual([
    [1, 0, null, null],
    [1, 0, 'c1', 'cursor'],
  ])
})

it('goes on if nine pages beside the window are followed by one of the window', async () => {
  const { end, asked } = await walked([hours(1, 0)], (_, count) => {
    if (count === 20) return {}
    return { rows: count === 10 ? [0.25, 0.75] : [5, 6], cursor: `c${count}` }
  })
  expect(asked).toHaveLength(20)
  expect(end).toEqual({ end: 'done', isStopped: false })
})

it('does not count a kept cursor that is not answered as an outage: its first page shows whether it is one', async () => {
  const skips = new Skips()
  const open: boolean[] = []
  const kept = resumeWalk(range(1, 0), range(1, 0), 'c7')
  const { asked, end } = await walked(
    [kept],
    ([, , cursor]) => {
      open.push(skips.goesOn)
      return cursor === null ? {} : new PassingFailure(refusal('HTTP 502'))
    },
    { skips },
  )
  expect(asked).toEqual([
    [1, 0, 'c7', null],
    [1, 0, null, null],
  ])
  expect(open).toEqual([false, false])
  expect(end).toEqual({ end: 'done', isStopped: false })
})
