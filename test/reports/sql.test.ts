// The published ledger to its readers: any reading question is answered exactly, anything else is refused.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../models/clock.ts'
import { CorruptionError, type TieoutError, UsageError } from '../../models/error.ts'
import { NoLedger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { QueryStopped } from '../../pipeline/ledger/limits.ts'
import { readValue } from '../../pipeline/output/value.ts'
import { answerHere } from '../../pipeline/reports/answer.ts'
import { QUERY_FORMATS, type QueryFormat } from '../../pipeline/reports/question.ts'
import { type QueryOptions, runQuery as runQueryBy } from '../../pipeline/reports/sql.ts'
import { memoryTerminal, publish } from './books.ts'

const balance = (coin: string, quantity: string): string =>
  `insert into balances values ('main', 'UNIFIED', '${coin}', ${quantity}, null, '2025-03-01 00:00:00+00')`

const runQuery = (
  dir: string,
  query: string,
  options: Omit<QueryOptions, 'answer'>,
): Promise<string | null> => runQueryBy(dir, query, { ...options, answer: answerHere })

async function ask(dir: string, query: string, format: QueryFormat = 'json'): Promise<string> {
  const terminal = memoryTerminal()
  await runQuery(dir, query, { format, terminal })
  return terminal.text()
}

describe('a query of the published ledger', () => {
  const books = publish([balance('BTC', '12345678901234567890.123456789012345678'), balance('USDT', '-1.5')])

  test('is answered in each text format with every digit', async () => {
    const query = 'select coin, quantity, as_of from balances order by coin'
    expect(await ask(await books, query, 'csv')).toBe(
      [
        'coin,quantity,as_of',
        'BTC,12345678901234567890.123456789012345678,2025-03-01T00:00:00.000Z',
        'USDT,-1.5,2025-03-01T00:00:00.000Z',
        '',
      ].join('\n'),
    )
    expect(JSON.parse(await ask(await books, query, 'json'))).toEqual([
      { coin: 'BTC', quantity: '12345678901234567890.123456789012345678', as_of: '2025-03-01T00:00:00.000Z' },
      { coin: 'USDT', quantity: '-1.5', as_of: '2025-03-01T00:00:00.000Z' },
    ])
    expect((await ask(await books, query, 'table')).split('\n')[3]).toBe(
      'USDT                    -1.5                   2025-03-01T00:00:00.000Z',
    )
  })

  test.each([
    'select count(*) from balances',
    'with b as (from balances) select count(*) from b',
    'from balances',
    'table balances',
    'values (1)',
    'describe balances',
    'show tables',
    'summarize balances',
    'explain select 1',
    'explain analyze from balances',
    "pivot balances on coin in ('BTC', 'USDT') using sum(quantity)",
    '-- a comment\nselect 1;',
  ])('may read: %s', async (query) => {
    expect(JSON.parse(await ask(await books, query)).length).toBeGreaterThan(0)
  })

  test.each([
    ['delete from balances', 'The statement does more than read, and the published ledger is read-only.'],
    [
      'with b as (select 1) insert into balances select * from balances',
      'The statement does more than read, and the published ledger is read-only.',
    ],
    [
      'create temp table t as select 1',
      'The statement does more than read, and the published ledger is read-only.',
    ],
    [
      "set memory_limit = '100GB'",
      'The statement does more than read, and the published ledger is read-only.',
    ],
    ['pragma threads = 8', 'The statement does more than read, and the published ledger is read-only.'],
    [
      "attach ':memory:' as other",
      'The statement does more than read, and the published ledger is read-only.',
    ],
    ['load json', 'The statement does more than read, and the published ledger is read-only.'],
    ['begin', 'The statement does more than read, and the published ledger is read-only.'],
    ['checkpoint', 'The statement does more than read, and the published ledger is read-only.'],
    ['select 1; drop table balances', 'The query is more than one statement.'],
    ['  -- nothing\n /* at all */ ;', 'The query is empty.'],
    ['explain', 'The query is empty.'],
    ['explain analyze ;', 'The query is empty.'],
    ['…', 'The query is not an SQL statement.'],
    ['é é', 'The query is not an SQL statement.'],
    ['\u200b', 'The query is not an SQL statement.'],
    ['explain …', 'The query is not an SQL statement.'],
    [
      'select * from balances where coin = $coin',
      'The query has parameters, and values for them cannot be given.',
    ],
    [
      "select * from read_csv('/etc/hostname')",
      'The query reads a file; only the published ledger can be read here.',
    ],
    ["select * from '/etc/hostname'", 'The query was refused.'],
    ["select * from glob('/*')", 'The query reads a file; only the published ledger can be read here.'],
    [
      "copy balances to '/tmp/balances.csv'",
      'The statement does more than read, and the published ledger is read-only.',
    ],
    [
      "explain analyze copy balances to '/tmp/balances.csv'",
      'The statement does more than read, and the published ledger is read-only.',
    ],
    [
      "select * from read_parquet('https://example.org/a.parquet')",
      'The query reads a file; only the published ledger can be read here.',
    ],
    ["select 1 / 'x'", 'The query was refused.'],
  ])('is refused with code 2: %s', async (query, message) => {
    await expect(ask(await books, query)).rejects.toMatchObject({ exitCode: 2, message })
    expect(await ask(await books, 'select count(*) as n from balances')).toBe('[\n{"n":2}\n]\n')
  })

  test.each([
    ['delete from balances', 'DELETE'],
    ["copy balances from '/tmp/balances.csv'", 'COPY'],
    ["/* one */ explain copy balances to '/tmp/balances.csv'", 'COPY'],
    ["import database '/tmp/balances'", 'IMPORT'],
    ['select 1; select 2; select 3', '3 statements'],
    ['select $1, $2', '$1'],
    ['select * from balances where coin = $coin', '$coin'],
    [`  … ${'é '.repeat(100)}`, `… ${'é '.repeat(39)}… (201 characters)`],
    ["select * from range(3), read_csv('/etc/hostname')", 'the table function read_csv'],
    ["select * from read_text('a'), read_csv('b')", 'the table functions read_text, read_csv'],
    ["with a as (select 1) select * from a, Read_Text('/etc/hostname')", 'the table function read_text'],
    ["select * from range(3), '/tmp/balances.csv'", 'a file in place of a table'],
    ['from duckdb_secrets()', 'the table function duckdb_secrets'],
    ["from query('select 1')", 'the table function query'],
  ])('is refused with what was found: %s', async (query, found) => {
    await expect(ask(await books, query)).rejects.toMatchObject({ exitCode: 2, details: { found } })
  })

  test.each([
    ['select * from RANGE(2)', [{ range: 0 }, { range: 1 }]],
    ['select * from range(3) t(i), lateral (select * from Range(i)) where i = 1', [{ i: 1, range: 0 }]],
    ["select v.j, value from (values ('[7]')) v(j), json_each(v.j)", [{ j: '[7]', value: '7' }]],
    ['select unnest([4, 5]) as n', [{ n: 4 }, { n: 5 }]],
  ])('may call what only makes rows of its arguments, in any spelling: %s', async (query, rows) => {
    expect(JSON.parse(await ask(await books, query))).toEqual(rows)
  })

  test('is examined behind a view too', async () => {
    const dir = await publish(['create view behind as from duckdb_secrets()'])
    await expect(ask(dir, 'select * from behind')).rejects.toMatchObject({
      message: 'The statement does more than read, and the published ledger is read-only.',
      details: { found: 'the step DUCKDB_SECRETS in the plan of the query' },
    })
  })

  test('that explains is explained in its format, and its statement is the one examined', async () => {
    const [row] = JSON.parse(await ask(await books, 'explain (format json) select 1'))
    expect(JSON.parse(row.explain_value)[0].name.trim()).toBe('PROJECTION')
  })

  test('that DuckDB does not understand is returned with the place, and with the list of tables if one does not exist', async () => {
    const refused = ask(await books, 'select coin,\n  quantty\nfrom balances')
    await expect(refused).rejects.toBeInstanceOf(UsageError)
    const text = await refused.catch((error: TieoutError) => error.describe())
    expect(text).toContain('Referenced column "quantty" not found')
    expect(text).toContain('LINE 2:   quantty\n')
    const there = await ask(await books, 'select * from balancs').catch((error: TieoutError) =>
      error.describe(),
    )
    expect(there).toContain('Tables: accounts, balances, beginnings, breaks, coverage, disposals,')
  })

  test('whose product overflows is told which function does not', async () => {
    const product = ask(
      await books,
      "select cast('1e10' as decimal(38, 18)) * cast('1e10' as decimal(38, 18))",
    )
    const text = await product.catch((error: TieoutError) => error.describe())
    expect(text).toContain('Use exact_multiply(a, b) instead of a * b.')
  })

  test('that takes too long is stopped by the clock', async () => {
    const sleeping = new Set<() => void>()
    const clock: Clock = {
      wall: () => 0,
      monotonic: () => 0,
      sleep: () => new Promise((resolve) => sleeping.add(resolve)),
    }
    const ledger = await openLedger(await books, { clock, timeoutMs: 5_000 })
    const stopped = ledger
      .query('select count(*) from range(10000000000) a, range(10000000000) b')
      .catch((error: unknown) => error)
    let answer: unknown
    void stopped.then((error) => {
      answer = error
    })
    while (answer === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      for (const wake of sleeping) wake()
    }
    expect(answer).toBeInstanceOf(QueryStopped)
    expect(answer).toMatchObject({ exitCode: 2, details: { expected: 'an answer within 5 s' } })
    ledger.close()
  })

  test('that the user stops ends between two batches', async () => {
    const stop = new AbortController()
    const ledger = await openLedger(await books, { signal: stop.signal })
    const { rows } = await ledger.stream('from range(1000000000000)')
    const reading = async (): Promise<void> => {
      for await (const _ of rows) stop.abort()
    }
    await expect(reading()).rejects.toBeInstanceOf(QueryStopped)
    await expect(ledger.query('select 1')).rejects.toBeInstanceOf(QueryStopped)
    ledger.close()
  })

  test('of a database beside the ledger ends in the middle of filling it, and leaves no spill files', async () => {
    const stop = new AbortController()
    const dir = await books
    const ledger = await openLedger(dir, { signal: stop.signal })
    const spills = (): string[] => (existsSync(join(dir, 'tmp')) ? readdirSync(join(dir, 'tmp')) : [])
    const before = spills()
    const filled = ledger.scratch(async (connection) => {
      setTimeout(() => stop.abort(), 50)
      await connection.run('select count(*) from range(10000000000) a, range(10000000000) b')
    })
    await expect(filled).rejects.toBeInstanceOf(QueryStopped)
    expect(spills()).toEqual(before)
    ledger.close()
  })

  test('that fails after its first rows fails as a whole, and leaves no file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sql-'))
    const failing = "select case when i = 150000 then error('late') else i end from range(200000) r(i)"
    for (const format of QUERY_FORMATS) {
      await expect(
        runQuery(await books, failing, { format, out: folder, terminal: memoryTerminal() }),
      ).rejects.toMatchObject({
        exitCode: 2,
        message: 'The query was refused.',
        details: { found: 'Invalid Input Error: late' },
      })
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('that names no function is refused in lines indented with spaces', async () => {
    const query = "select sum(x) from (select {'a': 1} as x)"
    await expect(
      runQuery(await books, query, { format: 'csv', terminal: memoryTerminal() }),
    ).rejects.toMatchObject({
      message: 'The query was refused.',
      details: { found: expect.stringMatching(/^Binder Error: [^\t]*\n +Candidate functions:[^\t]*$/) },
    })
  })

  test('that runs out of memory is refused, and the next one succeeds', async () => {
    const terminal = memoryTerminal()
    const query = 'select list(i) from range(50000000) r(i)'
    await expect(
      runQuery(await books, query, { format: 'csv', terminal, memoryLimit: '50MB' }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'The query needs more memory than it may use.',
      details: {
        expected: 'work within 47.7 MiB of memory: --memory',
        found: expect.stringMatching(/^Out of Memory Error: /),
        action: expect.stringContaining('--memory'),
      },
    })
    expect(await ask(await books, 'select 1 as n')).toBe('[\n{"n":1}\n]\n')
  })

  test('with more rows than a table can show is refused, not shortened', async () => {
    await expect(ask(await books, 'from range(100001)', 'table')).rejects.toMatchObject({
      message: 'There are too many rows for this format.',
    })
  })

  test('with columns of one name keeps both', async () => {
    expect(JSON.parse(await ask(await books, 'select 1 as a, 2 as a'))).toEqual([{ a: 1, 'a:1': 2 }])
  })
})

describe('Parquet', () => {
  test('holds the same types and digits, and 128-bit integers as decimals', async () => {
    const books = await publish([balance('BTC', '12345678901234567890.123456789012345678')])
    const out = join(mkdtempSync(join(tmpdir(), 'parquet-')), "it's.parquet")
    const query = 'select *, 170141183460469231731::hugeint as big, [1, 2] as list from balances'
    await runQuery(books, query, { format: 'parquet', out, terminal: memoryTerminal() })
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const read = await connection.run(
      `select quantity, typeof(quantity), as_of, big, list from '${out.replace("'", "''")}'`,
    )
    expect(await read.convertRows(readValue)).toEqual([
      [
        '12345678901234567890.123456789012345678',
        'DECIMAL(38,18)',
        '2025-03-01T00:00:00.000Z',
        '170141183460469231731',
        [1, 2],
      ],
    ])
    connection.closeSync()
  })

  test('holds 128-bit integers inside lists, structs, maps and unions digit by digit too', async () => {
    const out = join(mkdtempSync(join(tmpdir(), 'parquet-')), 'nested.parquet')
    const big = '9007199254740993::hugeint'
    const query = `select [${big}, null] as l, [[${big}]] as ll, {'HUGEINT': ${big}, 'b"': 'x'} as s,
      map {'k': [{'n': ${big}}]} as m, [${big}, ${big}]::hugeint[2] as a, [9007199254740993::uhugeint] as u,
      [union_value(n := ${big})] as w`
    await runQuery(await publish([]), query, { format: 'parquet', out, terminal: memoryTerminal() })
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const columns = ['l', 'll', 's', 'm', 'a', 'u', 'w'].map((name) => `cast(${name} as varchar)`)
    const read = await connection.run(`select ${columns.join(', ')} from '${out}'`)
    expect(await read.convertRows(readValue)).toEqual([
      [
        '[9007199254740993, NULL]',
        '[[9007199254740993]]',
        `{'HUGEINT': 9007199254740993, 'b"': x}`,
        "{k=[{'n': 9007199254740993}]}",
        '[9007199254740993, 9007199254740993]',
        '[9007199254740993]',
        '[(0, 9007199254740993)]', // Parquet has a union as its tag and its members.
      ],
    ])
    connection.closeSync()
  })

  // JSON and a table showed `{"": 2}` for both parts, and Parquet an error of its own statement.
  test.each(['json', 'parquet'] as const)('a struct without names is refused, also as %s', async (format) => {
    const out = join(mkdtempSync(join(tmpdir(), 'nameless-')), 'rows')
    const query = "select 1 as n, [row(1, 'x')] as l, map {1: {'a': row(1)}} as m, {'a': 1} as s"
    await expect(
      runQuery(await publish([]), query, { format, out, terminal: memoryTerminal() }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'The answer contains a struct whose parts have no names.',
      details: {
        where: 'l, m',
        action: "Name them, as in `{'a': 1, 'b': 2}`, or select each part as a column.",
      },
    })
    expect(existsSync(out)).toBe(false)
  })

  test.each([
    ['', 'x'],
    ['[', '] as y, 1::hugeint as x'],
  ])('states which integers it cannot hold (%s)', async (before, after) => {
    const out = join(mkdtempSync(join(tmpdir(), 'parquet-')), 'long.parquet')
    const query = `select 1 as n, ${before}100000000000000000000000000000000000000::hugeint${before === '' ? ' as ' : ''}${after}`
    await expect(
      runQuery(await publish([]), query, { format: 'parquet', out, terminal: memoryTerminal() }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'A whole number of the answer is too long for Parquet.',
      details: {
        where: before === '' ? 'x' : 'y, x',
        expected: 'at most 38 digits',
        found: '100000000000000000000000000000000000000',
        action:
          'Write it as text, with `cast(… as varchar)` in the query; --format csv and json write it unchanged.',
      },
    })
    expect(existsSync(out)).toBe(false)
  })

  test('needs a file', async () => {
    const answer = runQuery(await publish([]), 'select 1', { format: 'parquet', terminal: memoryTerminal() })
    await expect(answer).rejects.toMatchObject({
      exitCode: 2,
      message: 'Parquet cannot be written to a terminal.',
    })
  })

  test('accepts no two columns that differ only in upper and lower case, and states what helps', async () => {
    const books = await publish([])
    const out = join(mkdtempSync(join(tmpdir(), 'parquet-')), 'alike.parquet')
    const query = 'select 1 as coin, 2 as "Coin"'
    await expect(
      runQuery(books, query, { format: 'parquet', out, terminal: memoryTerminal() }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'Two columns of the answer differ only in upper and lower case.',
      details: { where: 'coin, Coin', action: expect.stringContaining('with `as` in the query') },
    })
    expect(existsSync(out)).toBe(false)
    await runQuery(books, query.replace('"Coin"', 'other'), {
      ...{ format: 'parquet', out, terminal: memoryTerminal() },
    })
    expect(existsSync(out)).toBe(true)
  })

  test('never replaces the ledger that it was read from', async () => {
    const books = await publish([balance('BTC', '1')])
    const out = join(books, 'ledger.duckdb')
    await expect(
      runQuery(books, 'select 1', { format: 'parquet', out, terminal: memoryTerminal() }),
    ).rejects.toMatchObject({ exitCode: 2, message: 'The output would replace a part of the books.' })
    expect(await ask(books, 'select count(*) as n from balances')).toBe('[\n{"n":1}\n]\n')
  })
})

describe('opening the ledger', () => {
  test('before the first publication states what to do', async () => {
    const opening = openLedger(mkdtempSync(join(tmpdir(), 'books-')))
    await expect(opening).rejects.toBeInstanceOf(NoLedger)
    await expect(opening).rejects.toMatchObject({
      exitCode: 2,
      message: 'There is no published ledger yet.',
      details: { action: expect.stringContaining('`tieout nightly`') },
    })
  })

  test('refuses a file that is not a database', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'books-'))
    writeFileSync(join(dir, 'ledger.duckdb'), 'x'.repeat(20_000))
    await expect(openLedger(dir)).rejects.toBeInstanceOf(CorruptionError)
    writeFileSync(join(dir, 'ledger.duckdb'), '')
    await expect(openLedger(dir)).rejects.toBeInstanceOf(CorruptionError)
  })

  test('refuses a folder in its place by name, in the words of the commands that write', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'books-'))
    mkdirSync(join(dir, 'ledger.duckdb'))
    await expect(openLedger(dir)).rejects.toMatchObject({
      exitCode: 2,
      message: 'ledger.duckdb is a folder.',
      details: { action: expect.stringContaining(`Move ${join(dir, 'ledger.duckdb')} elsewhere`) },
    })
  })

  test('refuses a pipe in its place, and does not wait for a writer', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'books-')), 'ledger.duckdb')
    execFileSync('mkfifo', [file])
    await expect(openLedger(dirname(file))).rejects.toMatchObject({
      exitCode: 2,
      message: 'ledger.duckdb is a special file.',
      details: { where: file },
    })
  })

  test('refuses a ledger whose bytes have changed', async () => {
    const dir = await publish([balance('BTC', '1')])
    const bytes = readFileSync(join(dir, 'ledger.duckdb'))
    writeFileSync(join(dir, 'ledger.duckdb'), bytes.fill(7, 4_096, 9_000))
    await expect(openLedger(dir)).rejects.toMatchObject({
      exitCode: 1,
      message: 'The published ledger cannot be opened.',
    })
  })

  test('refuses an invalid memory limit', async () => {
    await expect(openLedger(await publish([]), { memoryLimit: 'lots' })).rejects.toMatchObject({
      exitCode: 2,
    })
  })

  test('keeps the published state that was opened while another is published over it', async () => {
    const dir = await publish([balance('BTC', '1')])
    const old = await openLedger(dir)
    const next = await publish([balance('BTC', '2')])
    renameSync(join(next, 'ledger.duckdb'), join(dir, 'ledger.duckdb'))
    const fresh = await openLedger(dir)
    expect(await old.query('select quantity from balances')).toEqual([['1']])
    expect(await fresh.query('select quantity from balances')).toEqual([['2']])
    old.close()
    fresh.close()
    expect(existsSync(join(dir, 'ledger.duckdb.wal'))).toBe(false)
  })
})
