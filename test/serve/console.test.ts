// The console over HTTP: rows line by line with a last line that states the outcome of the query, limits, cancelling,
// downloads, and every hazard refused with the books as they were.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { Completion, ConsoleEnd, ConsoleLine, ConsoleTicket } from '../../pipeline/serve/api.ts'
import { answerConsole, answerConsoleFrom } from '../../pipeline/serve/console-answer.ts'
import { openSealed } from '../../pipeline/serve/published.ts'
import { publish } from '../reports/books.ts'
import { HAZARDS, type Places } from '../reports/hazards.ts'
import { type Serving, startServing } from './serving.ts'

let root: string
let places: Places
let serving: Serving & { readonly end: () => Promise<void> }
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tieout-console-'))
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  places = { books: folder('books'), outside: folder('outside'), temporary: folder('temporary') }
  writeFileSync(join(places.outside, 'canary.csv'), 'canary\n1\n')
  await publish(["insert into balances values ('main', 'UNIFIED', 'BTC', 1.5, null, now())"], places.books)
  // As little as an honest question needs: what takes too much is to reach the limit soon.
  writeFileSync(join(places.books, 'tieout.yaml'), 'engine:\n  memory: 200MB\n  threads: 2\n')
  serving = await startServing(places.books, [], { TMPDIR: places.temporary })
})
afterAll(async () => {
  await serving.end()
  rmSync(root, { recursive: true, force: true })
})

let queries = 0
const run = (sql: string, more: object = {}): Promise<ConsoleLine[]> => {
  queries += 1
  return serving.lines<ConsoleLine>('/api/console/run', { id: `q${queries}`, sql, ...more })
}

const endOf = (lines: readonly ConsoleLine[]): ConsoleEnd => lines.at(-1) as ConsoleEnd

const rowsOf = (lines: readonly ConsoleLine[]): (readonly unknown[])[] =>
  lines.flatMap((line) => (line.kind === 'rows' ? line.rows : []))

/** The books and the folder beside them, to the byte. */
const state = (): string[] =>
  [places.books, places.outside].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path} ${entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
    }),
  )

test('a query: the stamp, the columns, the exact rows, and that they are complete', async () => {
  const lines = await run('select coin, quantity, now() is null as is_null from balances')
  const [begun, columns, rows, end] = lines
  expect(begun).toMatchObject({
    kind: 'begun',
    stamp: { publication: expect.stringMatching(/^[0-9a-f]{16}$/) },
  })
  expect(columns).toEqual({
    kind: 'columns',
    columns: [
      { name: 'coin', kind: 'text' },
      { name: 'quantity', kind: 'amount' },
      { name: 'is_null', kind: 'text' },
    ],
  })
  expect(rows).toEqual({ kind: 'rows', total: 1, rows: [['BTC', '1.5', false]] })
  expect(end).toMatchObject({ kind: 'end', how: 'complete', rows: 1 })
})

test('ten thousand rows are complete; with one more the answer is cut, and says so', async () => {
  expect(endOf(await run('from range(10000)'))).toMatchObject({ how: 'complete', rows: 10_000 })
  const cut = await run('from range(10001)')
  expect(endOf(cut)).toMatchObject({ how: 'cut', rows: 10_000, limit: '10000 rows' })
  expect(rowsOf(cut)).toHaveLength(10_000)
})

test('rows that are too wide are cut by their size', async () => {
  expect(endOf(await run("select repeat('x', 4000) from range(9999)"))).toMatchObject({
    how: 'cut',
    limit: '16 MB',
  })
})

test('a query that fails at its last row ends as failed, not as complete', async () => {
  const lines = await run("select case when i = 9000 then error('late') else i end from range(9001) t(i)")
  expect(endOf(lines)).toMatchObject({ how: 'failed', error: { name: 'UsageError' } })
})

test('DuckDB’s error for a wrong query is passed on', async () => {
  const { error } = endOf(await run('select nonsense from balances'))
  expect(error?.found).toMatch(/^Binder Error: Referenced column "nonsense" not found/)
})

test('a timeout ends a query, and says so', async () => {
  const end = endOf(await run('select count(*) from range(100000000) a, range(1000) b', { timeout: 0.3 }))
  expect(end).toMatchObject({
    how: 'stopped',
    error: { message: 'The query took too long and was stopped.' },
  })
})

describe('cancelling', () => {
  const endless = 'select count(*) from range(100000000) a, range(1000) b'

  test('a running query is stopped in the engine, and the waiting ones run next', async () => {
    const first = serving.lines<ConsoleLine>('/api/console/run', {
      id: 'endless',
      sql: endless,
      timeout: 600,
    })
    const second = serving.lines<ConsoleLine>('/api/console/run', { id: 'next', sql: 'select 1 as one' })
    await serving.post('/api/console/cancel', { id: 'endless' })
    expect(endOf(await first)).toMatchObject({ how: 'stopped' })
    expect(endOf(await second)).toMatchObject({ how: 'complete', rows: 1 })
  })

  test('a waiting query is stopped without having run', async () => {
    const first = serving.lines<ConsoleLine>('/api/console/run', { id: 'before', sql: endless, timeout: 600 })
    const waiting = serving.lines<ConsoleLine>('/api/console/run', { id: 'waits', sql: 'select 1' })
    await serving.post('/api/console/cancel', { id: 'waits' })
    const lines = await waiting
    // Which of the two came first is the network's matter; both end as stopped.
    await serving.post('/api/console/cancel', { id: 'before' })
    expect(endOf(await first).how).toBe('stopped')
    expect(['stopped', 'complete']).toContain(endOf(lines).how)
  })

  test('a client that leaves ends its query', async () => {
    const left = request({
      host: '127.0.0.1',
      port: serving.port,
      path: '/api/console/run',
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${serving.secret}`, 'content-type': 'application/json' },
    })
    const begun = new Promise<void>((resolve) =>
      left.on('response', (answer) => answer.once('data', () => resolve())),
    )
    left.on('error', () => undefined)
    left.end(JSON.stringify({ id: 'leaves', sql: endless, timeout: 600 }))
    await begun
    left.destroy()
    expect(endOf(await run('select 1 as one'))).toMatchObject({ how: 'complete', rows: 1 })
  })

  test('a sixth query is refused while one runs and four wait', async () => {
    const ids = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6']
    const asked = ids.map((id) => serving.post('/api/console/run', { id, sql: endless, timeout: 600 }))
    const refused = await Promise.race(asked)
    expect([refused.status, JSON.parse(refused.text).error.name]).toEqual([429, 'Busy'])
    for (const id of ids) await serving.post('/api/console/cancel', { id })
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429])
  })
})

describe('hazards', () => {
  const question = {
    engine: { memoryLimit: '500MB', memoryFrom: 'the test', threads: 1 },
    timeoutMs: 60_000,
    rowsMax: 10,
    bytesMax: 1e6,
    known: { publication: '', ledgerHash: null, publishedAt: '', openErrors: 0, openWarnings: 0 },
  }

  test('each is refused by what answers the console, and the books are as they were', async () => {
    const before = state()
    const passed: string[] = []
    const stopping = { clock: systemClock, signal: new AbortController().signal }
    const edition = await openSealed(places.books, { ...question, ...stopping })
    const opened = new Set<string>()
    for (const [kind, sqlOf] of HAZARDS) {
      const sql = sqlOf(places)
      const pieces: string[] = []
      const asked = { ...question, dir: places.books, sql }
      const take = async (lines: AsyncIterable<string | Uint8Array>): Promise<void> => {
        for await (const line of lines) pieces.push(String(line))
      }
      // To open a ledger takes longer than to ask it: the first of each kind has one of its own.
      const answered = opened.has(kind)
        ? answerConsoleFrom(edition, asked, stopping.clock, take)
        : answerConsole(asked, stopping, take)
      opened.add(kind)
      const refused = await answered.then(
        () => null,
        (error: unknown) => error,
      )
      if (!(refused instanceof UsageError) || pieces.length > 1) passed.push(`${kind}: ${sql}`)
    }
    edition.ledger.close()
    expect(passed).toEqual([])
    expect(state()).toEqual(before)
  })

  test('one of each kind is refused over HTTP, and the books are as they were', async () => {
    const before = state()
    const kinds = new Map(HAZARDS.toReversed())
    for (const [kind, sqlOf] of kinds) {
      const lines = await run(sqlOf(places))
      expect([kind, endOf(lines).how, endOf(lines).error?.name, lines.length]).toEqual([
        kind,
        'failed',
        'UsageError',
        2,
      ])
    }
    expect(state()).toEqual(before)
  })

  test('a download is behind the same gate', async () => {
    const before = state()
    for (const format of ['csv', 'parquet']) {
      const asked = await serving.post('/api/console/download', {
        sql: `copy (select 1) to '${places.outside}/out.csv'`,
        format,
      })
      const { url } = JSON.parse(asked.text) as ConsoleTicket
      const { status } = await serving.ask(url, { headers: { authorization: `Bearer ${serving.secret}` } })
      expect(status).toBe(400)
    }
    expect(state()).toEqual(before)
  })

  test('SQL in an address is not run', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    expect((await serving.ask('/api/console/run?id=x&sql=select%201', { headers })).status).toBe(404)
  })

  test('exceeding the memory limit ends only the process of the query', async () => {
    const end = endOf(await run('select list(i) from range(1000000000) r(i)'))
    expect(end.how).toBe('failed')
    expect(endOf(await run('select 1'))).toMatchObject({ how: 'complete' })
  })
})

describe('downloads', () => {
  const fetched = async (sql: string, format: string) => {
    const { url } = JSON.parse(
      (await serving.post('/api/console/download', { sql, format })).text,
    ) as ConsoleTicket
    const headers = { authorization: `Bearer ${serving.secret}` }
    return { url, answer: await serving.ask(url, { headers }), again: await serving.ask(url, { headers }) }
  }

  test('CSV holds every row, beyond what the screen shows, and its address works once', async () => {
    const { answer, again } = await fetched(
      'select i, i::decimal(38, 18) / 8 as x from range(25000) t(i)',
      'csv',
    )
    expect(answer.headers['content-disposition']).toBe('attachment; filename="query.csv"')
    expect(answer.text.split('\n')).toHaveLength(25_002)
    expect(again.status).toBe(404)
  })

  test('a download that fails half-way breaks the connection', async () => {
    const sql = "select case when i = 400000 then error('late') else i end as i from range(400001) t(i)"
    const { url } = JSON.parse(
      (await serving.post('/api/console/download', { sql, format: 'csv' })).text,
    ) as ConsoleTicket
    const asked = serving.ask(url, { headers: { authorization: `Bearer ${serving.secret}` } })
    await expect(asked).rejects.toThrow('aborted')
  })

  test('a HEAD request for a download leaves nothing running', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const sql = `select ${at} from range(100000)`
      const asked = await serving.post('/api/console/download', { sql, format: 'csv' })
      const { url } = JSON.parse(asked.text) as ConsoleTicket
      expect(await serving.ask(url, { method: 'HEAD', headers })).toMatchObject({ status: 200, text: '' })
    }
    expect((await fetched('select 1 as one', 'csv')).answer.text).toBe('one\n1\n')
  })

  test('Parquet is a complete file', async () => {
    const { answer } = await fetched('from range(25000)', 'parquet')
    expect([answer.text.slice(0, 4), answer.text.slice(-4)]).toEqual(['PAR1', 'PAR1'])
  })
})

describe('completion', () => {
  const complete = async (sql: string, position = sql.length): Promise<Completion['suggestions']> =>
    (JSON.parse((await serving.post('/api/console/complete', { sql, position })).text) as Completion)
      .suggestions

  test('offers the names in the ledger, at the position of the word', async () => {
    expect(await complete('from bal')).toContainEqual({ text: 'balances', from: 5 })
    expect(await complete("select 'ä€😀' as x, quant from balances", 25)).toContainEqual({
      text: 'quantity',
      from: 20,
    })
  })

  test('offers no file names', async () => {
    expect(JSON.stringify(await complete(`from '${places.outside}/`))).not.toContain('canary')
  })
})

test('the next ledger is noticed, and a query after it says so', async () => {
  const ask = async () => {
    const [begun, , rows] = await run('select quantity from balances')
    return { begun, rows }
  }
  const before = await ask()
  const next = join(places.books, 'next.duckdb')
  const instance = await DuckDBInstance.create(next)
  const connection = await instance.connect()
  await connection.run(`attach '${join(places.books, 'ledger.duckdb')}' as old (read_only)`)
  await connection.run('copy from database old to next')
  await connection.run('update balances set quantity = 2')
  connection.closeSync()
  instance.closeSync()
  renameSync(next, join(places.books, 'ledger.duckdb'))
  const after = await ask()
  expect([before.rows, after.rows]).toEqual([
    { kind: 'rows', total: 1, rows: [['1.5']] },
    { kind: 'rows', total: 1, rows: [['2']] },
  ])
  expect(after.begun).not.toEqual(before.begun)
})
