// What is stated about a failure, of which ranges, and how its feed ends.
import { expect, it } from 'vitest'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import { ClockRefused, CredentialRefused, type Refusal, TimeRangeRefused } from '../../connectors/errors.ts'
import type { Range } from '../../models/ranges.ts'
import type { SyncContext } from '../../pipeline/sync/context.ts'
import { stateFailure, stateRest } from '../../pipeline/sync/failure.ts'
import type { PartitionPlan } from '../../pipeline/sync/plan.ts'

const documented: Endpoint = orderHistory
const undocumented: Endpoint = { ...documented, window: { ...documented.window!, retentionMs: null } }

const refusal = (code: string, body: Buffer | null = null): Refusal => ({
  endpoint: documented,
  account: 'main',
  code,
  status: 400,
  message: 'as the venue says',
  request: { method: 'GET', path: documented.path },
  body,
})
const times = new TimeRangeRefused(refusal('00001'))

const plan: PartitionPlan = {
  partition: documented.partitions[0]!,
  needs: [{ start: 70, end: 90 }],
  resume: [{ window: { start: 40, end: 50 }, cursor: '7' }],
  lost: [{ start: 10, end: 20 }],
  saidLost: [],
  requests: 2,
}

type Recorded = { kind: string; status: string; code: string; range?: Range }

/** A context, and what is recorded in it: kind or status, code, and the range. */
function recording() {
  const said: unknown[] = []
  const outcome = { refusals: [], failures: [], incomplete: false, answered: 0, givenUp: 0 }
  const context = {
    run: 'a run',
    venue: { venueAt: () => null },
    recorder: {
      record: async ({ kind, status, code, range }: Recorded) =>
        void said.push([kind === 'statement' ? status : kind, code, range?.start, range?.end]),
    },
    clock: { monotonic: () => 0, wall: () => 0 },
    signal: new AbortController().signal,
    config: { history: {} },
    outcome,
  } as unknown as SyncContext
  return { context, said, outcome }
}

/** States a failure of the range from 80 to 90, where the partition also needs what is from 70. */
async function failed(
  error: unknown,
  { endpoint = documented, isNewest = false, isForgotten = false, answeredBefore = 0 as number | null } = {},
) {
  const { context, said, outcome } = recording()
  const end = await stateFailure(context, 'main', endpoint, plan, error, answeredBefore, {
    gone: [{ start: 80, end: 90 }],
    all: [{ start: 70, end: 90 }],
    isNewest,
    isForgotten,
  })
  return { end, said, outcome }
}

it('what a feed does not reach any more is stated in full: what is needed, what was begun, and what has expired', async () => {
  const { context, said } = recording()
  await stateRest(context, 'main', documented, plan, 'refused')
  expect(said).toEqual([
    ['lost', 'retention', 10, 20],
    ['failed', 'not asked', 70, 90],
    ['failed', 'not asked', 40, 50],
  ])
})

it('of a feed that does not apply, nothing is needed and nothing lost', async () => {
  const { context, said } = recording()
  await stateRest(context, 'main', documented, plan, 'not_applicable')
  expect(said).toEqual([['not_applicable', 'not asked', undefined, undefined]])
})

it('a list without times has no range that could be named', async () => {
  const { context, said } = recording()
  await stateRest(context, 'main', { ...documented, window: null }, { ...plan, lost: [] }, 'pending')
  expect(said).toEqual([['pending', 'not asked', undefined, undefined]])
})

it('the venue’s own words are recorded before the statement, if there are any', async () => {
  const { said } = await failed(new TimeRangeRefused(refusal('00001', Buffer.from('{}'))))
  expect(said).toEqual([
    ['refusal', '00001', undefined, undefined],
    ['failed', '00001', 70, 90],
  ])
  expect((await failed(times)).said).toEqual([['failed', '00001', 70, 90]])
})

it('times that are refused are lost, and they alone, if the retention is not documented', async () => {
  const { end, said, outcome } = await failed(times, { endpoint: undocumented })
  expect([end, said, outcome.incomplete]).toEqual(['done', [['lost', '00001', 80, 90]], false])
})

it('times that are refused are not lost if they reach up to now', async () => {
  const { end, said, outcome } = await failed(times, { endpoint: undocumented, isNewest: true })
  expect([end, said, outcome.incomplete]).toEqual(['failed', [['failed', '00001', 70, 90]], true])
})

it('times that are refused are lost if they have expired by the venue’s own clock', async () => {
  const { end, said } = await failed(times, { isForgotten: true })
  expect([end, said]).toEqual(['done', [['lost', 'retention', 80, 90]]])
})

it('a clock that is refused leaves everything for a later run', async () => {
  const { end, said, outcome } = await failed(new ClockRefused(refusal('40008')))
  expect([end, said, outcome.incomplete]).toEqual(['pending', [['pending', '40008', 70, 90]], true])
})

it('a credential that is refused ends the feed, and is told to people', async () => {
  const error = new CredentialRefused(refusal('40006'))
  const { end, said, outcome } = await failed(error)
  expect([end, said]).toEqual(['refused', [['failed', '40006', 70, 90]]])
  expect(outcome.refusals).toEqual([error.describe()])
})
