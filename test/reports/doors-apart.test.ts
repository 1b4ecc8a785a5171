// The real `tieout sql`: its query runs in a process apart, which ends with what outgrows its memory or its time, and
// with the process that started it; whatever the query, the books and the temporary folder are as they were.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mostResident } from '../../pipeline/reports/memory.ts'
import { type Outcome, startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { publish } from './books.ts'
import { HAZARDS, type Places, TOO_LARGE } from './hazards.ts'

let published: string
beforeAll(async () => {
  published = await publish(["insert into balances values ('main', 'UNIFIED', 'BTC', 1, null, now())"])
})
afterAll(() => rmSync(published, { recursive: true, force: true }))

let root: string
let places: Places
beforeEach(() => {
  root = temporaryFolder()
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  places = { books: folder('books'), outside: folder('outside'), temporary: folder('temporary') }
  writeFileSync(join(places.outside, 'canary.csv'), 'canary\n1\n')
  cpSync(published, places.books, { recursive: true })
})

const state = (): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
  })

const start = (query: string, ...options: string[]) =>
  startTieout(['sql', query, '--dir', places.books, ...options], { TMPDIR: places.temporary })

const ask = async (query: string, ...options: string[]): Promise<Outcome> =>
  (await start(query, ...options)).ended

/** The same from the process of the test: what answers is a process apart all the same. */
async function askFromHere(query: string, ...options: string[]): Promise<Outcome> {
  const machine = process.env.TMPDIR
  process.env.TMPDIR = places.temporary
  try {
    return await command(['sql', query, '--dir', places.books, ...options])
  } finally {
    if (machine === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = machine
  }
}

/** A typed error: what happened, then what to do; no stack, no words of the runtime. */
function mustBeRefused({ code, stdout, stderr }: Outcome): void {
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^tieout: .+\n( {2}(where|expected|found): .*\n|\s{12}.*\n)* {2}next: {5}.+\n$/)
  expect(stderr).not.toMatch(/^\s+at /m)
}

const children = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** The most real memory that the process and those it started had at any time, in bytes, as Linux keeps it. */
async function peakOf(pid: number, ended: Promise<unknown>): Promise<number> {
  let peak = 0
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    try {
      for (const one of [pid, ...children(pid)]) {
        const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${one}/status`, 'utf8')) ?? []
        peak = Math.max(peak, Number(kib) * 1024)
      }
    } catch {
      // It has just ended.
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return peak
}

describe('the separate process', { timeout: 180_000 }, () => {
  const worst = HAZARDS.filter(([kind]) => /^overwrites/.test(kind))

  test.each(worst.map(([, sql]) => [sql({ books: '…', outside: '…', temporary: '…' }), sql] as const))(
    'refuses with code 2, leaving the ledger unchanged: %s',
    async (_text, sql) => {
      const before = state()
      mustBeRefused(await askFromHere(sql(places)))
      expect(state()).toEqual(before)
    },
  )

  test.each(TOO_LARGE)(
    'ends what is too large with code 2, and never grows large itself: %s',
    async (query) => {
      const before = state()
      const { child, ended } = await start(query, '--memory', '60MB', '--timeout', '100')
      const peak = process.platform === 'linux' ? await peakOf(child.pid as number, ended) : 0
      mustBeRefused(await ended)
      expect(state()).toEqual(before)
      expect(peak).toBeLessThan(mostResident('60MB') * 1.2)
    },
  )

  test('states how much memory there was, and how to have more', async () => {
    const { stderr } = await askFromHere("select repeat('x', 1000000000)", '--memory', '200MB')
    expect(stderr).toBe(
      [
        'tieout: The query needs more memory than it may use.',
        '  expected: work within 190.7 MiB of memory: --memory',
        '  next:     Ask for less: one account or a shorter period. Or allow more with --memory.',
        '',
      ].join('\n'),
    )
  })

  test('answers as the query does in every format', async () => {
    const out = join(root, 'balances.parquet')
    const table = await ask('select 1 as n')
    const csv = await askFromHere('select 1 as n', '--format', 'csv')
    const json = await askFromHere('select 1 as n', '--format', 'json')
    const parquet = await askFromHere('from balances', '--format', 'parquet', '--out', out)
    expect([table.stderr, csv.stderr, json.stderr, parquet.stderr]).toEqual(['', '', '', expect.any(String)])
    expect([table.stdout, csv.stdout, json.stdout]).toEqual(['n\n─\n1\n', 'n\n1\n', '[\n{"n":1}\n]\n'])
    expect([parquet.code, readFileSync(out).subarray(0, 4).toString()]).toEqual([0, 'PAR1'])
    expect(readdirSync(places.temporary)).toEqual([])
  })

  test('leaves no file when a query fails after its first rows', async () => {
    const late = "select case when i = 150000 then error('late') else i end from range(200000) r(i)"
    const before = state()
    for (const format of ['csv', 'parquet'])
      mustBeRefused(await askFromHere(late, '--format', format, '--out', join(root, `late.${format}`)))
    expect(state()).toEqual(before)
  })

  test('ends when its time is over', async () => {
    const endless = 'select count(*) from range(1000000000) a, range(1000000000) b'
    const end = await askFromHere(endless, '--timeout', '1')
    mustBeRefused(end)
    expect(end.stderr).toContain('an answer within 1 s')
  })

  test('stops when the user stops it', async () => {
    const { child, ended } = await start('from range(1000000000000)', '--format', 'csv')
    child.stdout?.once('data', () => child.kill('SIGINT'))
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([5, expect.stringContaining('The query was stopped.')])
    expect(readdirSync(places.temporary)).toEqual([])
  })

  test('ends without an error when nobody reads any longer', async () => {
    const { child, ended } = await start('from range(1000000000000)', '--format', 'csv')
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect((await ended).code).toBe(0)
    expect(readdirSync(places.temporary)).toEqual([])
  })

  test('is gone when the process that started it is gone', async () => {
    const { child, ended } = await start('select count(*) from range(1000000000) a, range(1000000000) b')
    const pid = child.pid as number
    if (process.platform !== 'linux') {
      child.kill('SIGKILL')
      return
    }
    let apart: number | undefined
    while (apart === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      apart = children(pid)[0]
    }
    child.kill('SIGKILL')
    await ended
    while (
      existsSync(`/proc/${apart}`) &&
      !/^State:\s+Z/m.test(readFileSync(`/proc/${apart}/status`, 'utf8'))
    )
      await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await ask('select 1 as n')).stdout).toBe('n\n─\n1\n')
  })
})
