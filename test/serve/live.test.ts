// A run in progress, as another process sees it: over HTTP and by events, while it runs, after it was killed, and after it has
// ended.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { RUN_STATE_FILE, readRun, tellRun } from '../../pipeline/books/run-state.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { acquireLock } from '../../pipeline/journal/lock.ts'
import type { LiveRun, OneBreak, ServerEvent } from '../../pipeline/serve/api.ts'
import { publish } from '../reports/books.ts'
import { startTieout } from '../support/cli.ts'
import { type Serving, servingFor } from './serving.ts'

let dir: string
beforeEach(async () => {
  dir = await publish([
    `insert into breaks values ('b1', 'coverage', 'warning', 'main', null, null, null, null, null, null, 'x', '[]', now(), 'open')`,
    'alter table breaks add column note varchar',
    'alter table breaks add column noted_at timestamptz',
    "alter table breaks add column figures_hash varchar default 'f'",
  ])
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

interface Following {
  /** The next event that is what is waited for; one that has come already counts, but only once. */
  readonly until: (isIt: (event: ServerEvent) => boolean) => Promise<ServerEvent>
}

/** Listens from now on to the end of the test, so that none is missed between two that are waited for. */
function follow(serving: Serving): Following {
  const events: ServerEvent[] = []
  let wake = (): void => {}
  let rest = ''
  const asked = get(
    {
      host: '127.0.0.1',
      port: serving.port,
      path: '/api/events',
      agent: false,
      headers: { authorization: `Bearer ${serving.secret}` },
    },
    (answer) => {
      answer.on('error', () => undefined)
      answer.setEncoding('utf8').on('data', (piece: string) => {
        const blocks = (rest + piece).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
          if (data === undefined) continue
          const event = JSON.parse(data) as ServerEvent
          expect(event.kind).toBe(kind)
          events.push(event)
        }
        wake()
      })
    },
  )
  asked.on('error', () => undefined)
  onTestFinished(() => void asked.destroy())
  return {
    until: async (isIt) => {
      for (;;) {
        const event = events.shift()
        if (event !== undefined && isIt(event)) return event
        if (event === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

const runs = (phase: LiveRun['phase'] | null) => (event: ServerEvent) =>
  event.kind === 'run' && (event.run?.phase ?? null) === phase

test('a real run is shown while it fetches and builds, reported as dead once killed, and gone once it has ended', {
  timeout: 400_000,
}, async () => {
  writeFileSync(join(dir, '.tieout-demo'), '')
  const serving = await servingFor(dir)
  const { until } = follow(serving)
  const demo = () => startTieout(['demo', '--days', '3', '--dir', dir])
  const killed = await demo()
  onTestFinished(() => void killed.child.kill('SIGKILL'))
  const event = await until((one) => one.kind === 'run' && (one.run?.requestsDone ?? 0) > 0)
  if (event.kind !== 'run' || event.run === null) throw new Error('no run')
  expect(event.run).toMatchObject({ command: 'demo', pid: killed.child.pid, phase: 'fetching' })
  expect(event.run.requestsPlanned).toBeGreaterThanOrEqual(event.run.requestsDone)
  expect(event.run.feeds[0]?.budgetPerMinute).toBeGreaterThan(0)
  killed.child.kill('SIGKILL')
  await until(runs('died'))
  expect(await serving.get<LiveRun>('/api/runs/live')).toMatchObject({ phase: 'died' })
  const second = await demo()
  await until(runs('fetching'))
  await until(runs('building'))
  expect((await second.ended).code).toBe(0)
  await until(runs(null))
  expect(await serving.get<LiveRun | null>('/api/runs/live')).toBeNull()
  expect(existsSync(join(dir, RUN_STATE_FILE))).toBe(false)
})

describe('the state of a run', () => {
  const options = { run: 'r', command: 'sync', config: emptyConfig }

  test('is written at most four times a second, completely, with what was reported', async () => {
    const clock = heldClock()
    const told = await tellRun(dir, { ...options, clock })
    const read = () => JSON.parse(readFileSync(join(dir, RUN_STATE_FILE), 'utf8'))
    told.report({ kind: 'planned', account: 'main', feed: 'tax.records', requests: 3 })
    told.report({ kind: 'page', account: 'main', feed: 'tax.records', rows: 40, done: 1 })
    expect(read().feeds).toEqual([])
    await clock.pass(249)
    expect(read().feeds).toEqual([])
    await clock.pass(1)
    expect(read().feeds).toMatchObject([
      {
        account: 'main',
        feed: 'tax.records',
        requestsDone: 1,
        requestsPlanned: 3,
        rows: 40,
        budgetPerMinute: 60,
      },
    ])
    told.building()
    expect(read().phase).toBe('building')
    told.end()
    expect(existsSync(join(dir, RUN_STATE_FILE))).toBe(false)
  })

  test('of this process is alive; a damaged file is treated as absent', async () => {
    const told = await tellRun(dir, { ...options, clock: systemClock })
    expect(await readRun(dir)).toMatchObject({ isDead: false, state: { run: 'r' } })
    told.end()
    for (const text of ['', '{', '{}', 'null', '{"process":{}}']) {
      writeFileSync(join(dir, RUN_STATE_FILE), text)
      expect(await readRun(dir)).toBeNull()
    }
  })
})

describe('a note that cannot be saved', () => {
  test('while another process writes to the books, the page says which', async () => {
    const serving = await servingFor(dir)
    const lock = await acquireLock(dir, 'nightly', systemClock)
    const { noNote } = await serving.get<OneBreak>('/api/breaks/b1')
    expect(noNote).toMatch(
      new RegExp(
        `^The command nightly \\(process ${process.pid} on .+\\) has been writing to these books since`,
      ),
    )
    const { status, text } = await serving.post('/api/breaks/b1/note', { note: 'It’s known.' })
    expect([status, JSON.parse(text).error]).toMatchObject([
      409,
      {
        name: 'Busy',
        found: expect.stringContaining(`process ${process.pid} on `),
        action: `Wait until it has ended, then save the note again, or run: tieout explain-break b1 --note 'It’s known.' --dir ${dir}`,
      },
    ])
    const dashed = await serving.post('/api/breaks/b1/note', { note: '-5 USDT' })
    expect(JSON.parse(dashed.text).error.action).toContain(`explain-break b1 --note='-5 USDT' --dir ${dir}`)
    await lock.release()
    expect((await serving.get<OneBreak>('/api/breaks/b1')).noNote).toBeNull()
  })

  test('with --read-only there are none', async () => {
    const serving = await servingFor(dir, ['--read-only'])
    expect((await serving.get<OneBreak>('/api/breaks/b1')).noNote).toBe('This page is read-only.')
    expect((await serving.post('/api/breaks/b1/note', { note: 'x' })).status).toBe(403)
  })
})

/** Time that the test moves; who sleeps wakes when it has come. */
function heldClock() {
  let now = 0
  let sleepers: { at: number; wake: () => void }[] = []
  return {
    wall: () => now,
    monotonic: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake })),
    pass: async (ms: number) => {
      now += ms
      for (const { wake } of sleepers.filter(({ at }) => at <= now)) wake()
      sleepers = sleepers.filter(({ at }) => at > now)
      await Promise.resolve()
    },
  }
}
