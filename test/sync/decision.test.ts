// What a failed request means for the walk of its partition, case by case.
import { describe, expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import {
  MalformedAnswer,
  ParameterRefused,
  PassingFailure,
  type Refusal,
  TimeRangeRefused,
  UnknownRefusal,
} from '../../connectors/errors.ts'
import { beginWalk, resumeWalk } from '../../connectors/walk.ts'
import { decide, type Failed, mayBeOutage, reachesNow } from '../../pipeline/sync/decision.ts'
import type { PartitionPlan } from '../../pipeline/sync/plan.ts'
import { START } from '../support/venue.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const documented = findEndpoint('tax.records') as Endpoint
/** Its retention is not documented: a refusal shows how far back it goes. */
const undocumented: Endpoint = { ...documented, window: { ...documented.window!, retentionMs: null } }

const refusal = (code: string): Refusal => ({
  endpoint: documented,
  account: 'main',
  code,
  status: 400,
  message: 'as the venue says',
  request: { method: 'GET', path: documented.path },
  body: null,
})
const times = new TimeRangeRefused(refusal('00001'))
const parameter = new ParameterRefused(refusal('40017'))
const unknown = new UnknownRefusal(refusal('99999'))
const silence = new PassingFailure(refusal('HTTP 502'))

const window = { start: START - 2 * DAY, end: START }
const first = beginWalk(documented, window)
const byCursor = resumeWalk(window, window, '7')
const hour = beginWalk(documented, { start: START - HOUR, end: START })

const plan: PartitionPlan = {
  partition: documented.partitions[0]!,
  needs: [window],
  resume: [],
  lost: [],
  saidLost: [],
  requests: 1,
}

const decided = (failed: Partial<Failed>) =>
  decide({
    endpoint: documented,
    plan,
    asked: first,
    error: unknown,
    isKept: false,
    isForgotten: false,
    isNewest: false,
    hours: 0,
    hasHad: true,
    isAnswered: true,
    mayBeSkipped: true,
    partMayBeSkipped: true,
    othersMayGoOn: true,
    ...failed,
  })

const kind = (failed: Partial<Failed>): string => decided(failed).kind

describe('a window refused for its times', () => {
  it('is requested in halves, and if it is too small for that what is behind it', () => {
    expect(kind({ error: times })).toBe('divide')
    expect(kind({ error: times, asked: hour })).toBe('look behind')
  })

  it('is the third in a row that is too small, or one more than may be skipped: the rest is left', () => {
    expect(kind({ error: times, asked: hour, hours: 1 })).toBe('look behind')
    expect(kind({ error: times, asked: hour, hours: 2 })).toBe('give up')
    expect(kind({ error: times, asked: hour, partMayBeSkipped: false })).toBe('give up')
  })

  it('may be meant by a refused parameter only if the partition was answered with other times', () => {
    expect(kind({ error: parameter })).toBe('divide')
    expect(kind({ error: parameter, isAnswered: false })).toBe('give up')
  })

  it('is not meant by the refusal of a cursor, which is skipped once pages of the feed have arrived', () => {
    for (const error of [times, parameter]) {
      expect(kind({ error, asked: byCursor })).toBe('skip')
      expect(kind({ error, asked: byCursor, hasHad: false })).toBe('give up')
    }
  })

  it('has expired if the venue’s clock agrees: nothing is searched, and nothing skipped', () => {
    expect(decided({ error: times, isForgotten: true })).toMatchObject({ kind: 'give up', isOfTimes: false })
    expect(decided({ error: times, isForgotten: true, asked: byCursor })).toMatchObject({
      kind: 'give up',
      goesOn: false,
    })
  })

  it('is searched for the edge of what the venue keeps, unless it is stated as lost', () => {
    const beyond = { error: times, endpoint: undocumented }
    expect(decided(beyond)).toMatchObject({ kind: 'divide', isBeyond: true })
    expect(decided({ ...beyond, isNewest: true })).toMatchObject({ kind: 'divide', isBeyond: false })
    expect(decided({ ...beyond, plan: { ...plan, saidLost: [window] } })).toMatchObject({
      kind: 'give up',
      isOfTimes: true,
    })
    const partly = { ...plan, saidLost: [{ ...window, end: window.end - 1 }] }
    expect(kind({ ...beyond, plan: partly })).toBe('divide')
  })
})

describe('a window without a proper answer', () => {
  it('is skipped as long as more may be, with what is missing of it', () => {
    for (const error of [unknown, silence, new MalformedAnswer(refusal('00000'))])
      expect(decided({ error, hasHad: false })).toMatchObject({ kind: 'skip', gone: [window], next: null })
    expect(decided({ mayBeSkipped: false })).toMatchObject({ kind: 'give up', goesOn: true })
    expect(decided({ mayBeSkipped: false, othersMayGoOn: false })).toMatchObject({ goesOn: false })
  })

  it('begins anew if it was requested by a cursor of an earlier run', () => {
    for (const error of [unknown, silence, times, parameter])
      expect(decided({ error, asked: byCursor, isKept: true })).toMatchObject({
        kind: 'begin anew',
        next: { window, cursor: null },
      })
  })
})

it('a list without times is left, and the feed with it unless pages of it have arrived', () => {
  const list = { cursor: null, cursors: [] }
  expect(decided({ asked: list, error: parameter })).toMatchObject({ gone: [undefined], isStopped: false })
  expect(decided({ asked: list, error: parameter, hasHad: false })).toMatchObject({ isStopped: true })
  expect(decided({ asked: list, error: unknown })).toMatchObject({ kind: 'give up', isStopped: true })
})

it('a missing answer may be an outage, and an unknown code of the venue’s own is none', () => {
  expect([mayBeOutage(silence), mayBeOutage(unknown), mayBeOutage(times)]).toEqual([true, false, false])
  expect(mayBeOutage(new MalformedAnswer(refusal('00000')))).toBe(false)
  expect(mayBeOutage(new MalformedAnswer({ ...refusal('HTTP 502'), status: 502 }))).toBe(true)
})

it('a range reaches now with the newest of the plan, or if it is requested again and not stated as lost', () => {
  const older = beginWalk(documented, { start: window.start, end: window.end - 1 })
  expect(reachesNow(plan, first, false)).toBe(true)
  expect(reachesNow(plan, older, false)).toBe(false)
  expect(reachesNow(plan, older, true)).toBe(true)
  expect(reachesNow({ ...plan, saidLost: [window] }, older, true)).toBe(false)
})
