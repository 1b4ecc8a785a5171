// `tieout sql` and every option whose text reaches SQL: what does more than read is refused, the books stay as they
// are to the byte, and honest questions are answered however large.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { answerFrom, answerHere } from '../../pipeline/reports/answer.ts'
import { bytesOf } from '../../pipeline/reports/memory.ts'
import { type Answer, QUERY_FORMATS, type QueryFormat } from '../../pipeline/reports/question.ts'
import { readingFunctions } from '../../pipeline/reports/reading.ts'
import { runQuery } from '../../pipeline/reports/sql.ts'
import { memoryTerminal, publish } from './books.ts'
import { HAZARDS, type Places } from './hazards.ts'

const root = mkdtempSync(join(tmpdir(), 'doors-'))
const folder = (name: string): string => {
  const path = join(root, name)
  mkdirSync(path)
  return path
}
const places: Places = { books: folder('books'), outside: folder('outside'), temporary: folder('temporary') }
const out = folder('out')

const machine = process.env.TMPDIR
/** Sealed as that of every question; to open one takes twenty times as long as to ask it. */
let open: Ledger
const answerOpen: Answer = (question, _stopping, deliver) => answerFrom(open, question, deliver)

beforeAll(async () => {
  process.env.TMPDIR = places.temporary
  writeFileSync(join(places.outside, 'canary.csv'), 'canary\n1\n')
  const balance = (coin: string): string =>
    `insert into balances values ('main', 'UNIFIED', '${coin}', 1, null, '2025-03-01 00:00:00+00')`
  await publish([balance('BTC'), balance('USDT')], places.books)
  open = await openLedger(places.books, { sealed: true })
})
afterAll(() => {
  open.close()
  if (machine === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = machine
  rmSync(root, { recursive: true, force: true })
})

/** Every file below the places, with the hash of its bytes. */
const state = (): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`
  })

/** `isFresh`: of a ledger that is opened for this question and closed behind it, as a command does. */
async function ask(
  query: string,
  {
    format = 'json',
    toFile = false,
    isFresh = false,
  }: { readonly format?: QueryFormat; readonly toFile?: boolean; readonly isFresh?: boolean } = {},
): Promise<unknown> {
  const terminal = memoryTerminal()
  await runQuery(places.books, query, {
    format,
    terminal,
    answer: isFresh ? answerHere : answerOpen,
    ...(toFile ? { out } : {}),
  })
  return toFile ? null : format === 'json' ? JSON.parse(terminal.text()) : terminal.text()
}

const WAYS = QUERY_FORMATS.flatMap((format): [QueryFormat, boolean][] =>
  format === 'parquet'
    ? [[format, true]]
    : [
        [format, false],
        [format, true],
      ],
)

describe('a statement that', { timeout: 60_000 }, () => {
  const hazards = HAZARDS.map(
    ([kind, sql], nth) => [kind, sql(places).replaceAll(root, '…'), sql, nth] as const,
  )
  test.each(hazards)(
    '%s is refused in every format, and nothing has changed: %s',
    async (_kind, _text, sql, nth) => {
      const before = state()
      // Each in another one of the ways as the command asks it.
      const refusals = WAYS.map(async ([format, toFile], way) => {
        const isFresh = way === nth % WAYS.length
        const said = await ask(sql(places), { format, toFile, isFresh }).catch((error: unknown) => error)
        expect([format, toFile, said]).toEqual([format, toFile, expect.any(UsageError)])
      })
      await Promise.all(refusals)
      expect(state()).toEqual(before)
    },
  )
})

describe('the gate', () => {
  test.each([
    ['from enable_logging()', 'the table function enable_logging'],
    ["from query('from enable_logging()')", 'the table function query'],
    ['from duckdb_logs', expect.stringMatching(/^the step DUCKDB_LOG\w+ in the plan of the query$/)],
    ['explain analyze delete from balances', 'DELETE'],
    ['explain analyze call enable_logging()', 'CALL'],
    ['checkpoint', 'CALL'],
    // DuckDB meets the sealed file system before it tells the type of these.
    ["copy (select 1) to 'a.csv'", 'COPY'],
    ["explain analyze /* so */ copy balances to 'a.csv'", 'COPY'],
    ["-- why\ncopy balances from 'a.csv'", 'COPY'],
    ["export database 'all'", 'EXPORT'],
    ["import database 'all'", 'IMPORT'],
    ["create temp table t as from read_csv('a.csv')", 'CREATE'],
  ])('names what it found in %s', async (query, found) => {
    await expect(ask(query)).rejects.toMatchObject({
      exitCode: 2,
      message: 'The statement does more than read, and the published ledger is read-only.',
      details: { found },
    })
  })

  test.each([
    ["from read_csv('a.csv')", 'the table function read_csv'],
    ["select 1 where exists (from main.Read_Text('a'))", 'the table function read_text'],
    ["from read_parquet('s3://bucket/x.parquet')", 'the table function read_parquet'],
    ["explain analyze from glob('*')", 'the table function glob'],
    ["describe from 'a.csv'", 'a file in place of a table'],
    ['from balances, "a.parquet"', 'a file in place of a table'],
  ])('states for a query that reads a file that only the ledger is available: %s', async (query, found) => {
    await expect(ask(query)).rejects.toMatchObject({
      exitCode: 2,
      message: 'The query reads a file; only the published ledger can be read here.',
      details: { found },
    })
  })

  test('knows every table function of this DuckDB: a new one is reviewed before it is allowed', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const all = await connection.runAndReadAll(
      "select distinct function_name from duckdb_functions() where function_type like 'table%'",
    )
    connection.closeSync()
    const names = all.getRows().map(([name]) => String(name))
    expect([...readingFunctions].filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !readingFunctions.has(name)).sort()).toEqual(REFUSED_FUNCTIONS)
  })

  test('allows queries of the catalogue, except where it contains logs', async () => {
    const views = (await ask(
      'select schema_name as s, view_name as v from duckdb_views() where internal order by all',
    )) as { s: string; v: string }[]
    const refused: string[] = []
    for (const { s, v } of views) {
      const schema = v.startsWith('sqlite') || v.startsWith('pragma') || s === 'main' ? '' : `${s}.`
      await ask(`select count(*) from ${schema}${v}`).catch(() => refused.push(v))
    }
    expect(views.length).toBeGreaterThan(30)
    expect(refused).toEqual(['duckdb_logs'])
  })
})

/** They read or write files, reach secrets or logs, run other statements, or change how DuckDB behaves. */
const REFUSED_FUNCTIONS = [
  'arrow_scan',
  'arrow_scan_dumb',
  'check_peg_parser',
  'checkpoint',
  'disable_logging',
  'disable_peg_parser',
  'disable_profiling',
  'duckdb_approx_database_count',
  'duckdb_connection_count',
  'duckdb_extensions',
  'duckdb_external_file_cache',
  'duckdb_log_contexts',
  'duckdb_logs',
  'duckdb_logs_parsed',
  'duckdb_profiling_settings',
  'duckdb_secret_types',
  'duckdb_secrets',
  'duckdb_table_sample',
  'duckdb_temporary_files',
  'enable_logging',
  'enable_peg_parser',
  'enable_profiling',
  'force_checkpoint',
  'glob',
  'json_execute_serialized_sql',
  'parquet_bloom_probe',
  'parquet_file_metadata',
  'parquet_full_metadata',
  'parquet_kv_metadata',
  'parquet_metadata',
  'parquet_scan',
  'parquet_schema',
  'pragma_database_size',
  'pragma_metadata_info',
  'pragma_user_agent',
  'query',
  'query_table',
  'read_blob',
  'read_csv',
  'read_csv_auto',
  'read_duckdb',
  'read_json',
  'read_json_auto',
  'read_json_objects',
  'read_json_objects_auto',
  'read_ndjson',
  'read_ndjson_auto',
  'read_ndjson_objects',
  'read_parquet',
  'read_text',
  'seq_scan',
  'sniff_csv',
  'sql_auto_complete',
  'test_vector_types',
  'truncate_duckdb_logs',
  'which_secret',
]

describe('past the gate', () => {
  test('the sealed ledger still lets no statement access a file', async () => {
    const before = state()
    const ledger = await openLedger(places.books, { sealed: true })
    try {
      const files = HAZARDS.filter(([kind]) => /^(overwrites|writes|reads) /.test(kind))
      for (const [, sql] of files) {
        const said = await ledger.query(sql(places)).then(
          (rows) => rows.length,
          () => 'refused',
        )
        // Nothing to complete where no file is seen; and what only tells of a plan tells of it.
        expect([sql(places), said]).toEqual([
          sql(places),
          /sql_auto_complete/.test(sql(places)) ? 0 : 'refused',
        ])
      }
    } finally {
      ledger.close()
    }
    expect(state()).toEqual(before)
  })
})

describe('a legitimate query', { timeout: 120_000 }, () => {
  test.each<[string, unknown]>([
    [
      'select g, count(*) as n from (select i % 5 as g from range(5000000) r(i)) group by g order by g limit 1',
      [{ g: 0, n: 1_000_000 }],
    ],
    [
      'select max(rn) as n from (select row_number() over (partition by i % 4 order by hash(i)) as rn from range(2000000) r(i))',
      [{ n: 500_000 }],
    ],
    [
      'select i from range(5000000) r(i) order by hash(i), i limit 1 offset 4999999',
      [{ i: expect.any(Number) }],
    ],
    ['select count(*) as n from range(3000) a, range(3000) b where a.range < b.range', [{ n: 4_498_500 }]],
    [
      'with recursive t(n) as (select 1 union all select n + 1 from t where n < 1000) select sum(n)::int as s from t',
      [{ s: 500_500 }],
    ],
    ['with b as (from balances) select count(*) as n from b', [{ n: 2 }]],
    ["select list_transform([1, 2], lambda x: x + 1) as l, {'a': 1} as s", [{ l: [2, 3], s: { a: 1 } }]],
    [
      "pivot (select coin, 1 as one from balances) on coin in ('BTC', 'USDT') using sum(one)::int",
      [{ BTC: 1, USDT: 1 }],
    ],
    [
      'unpivot (select 1 as a, 2 as b) on a, b',
      [
        { name: 'a', value: 1 },
        { name: 'b', value: 2 },
      ],
    ],
    ['select list_sum([1, 2])::int as s, round_even(2.5, 0)::int as r', [{ s: 3, r: 2 }]],
    ['select count(*) as n from balances b, unnest([b.coin, b.ledger])', [{ n: 4 }]],
    ["select count(*) as n from balances b, json_each('[1, 2, 3]')", [{ n: 6 }]],
    ['select count(*) as n from (describe balances)', [{ n: 6 }]],
    ['select bin, count from histogram(balances, quantity)', [{ bin: expect.anything(), count: 2 }]],
    [
      'select b.coin from balances b asof join balances c on b.coin = c.coin and b.as_of >= c.as_of order by 1',
      [{ coin: 'BTC' }, { coin: 'USDT' }],
    ],
    ['select coin from balances qualify row_number() over (order by coin) = 1', [{ coin: 'BTC' }]],
    ["select coin from balances where coin in (from (values ('BTC')))", [{ coin: 'BTC' }]],
    [
      'select (select max(c.coin) from balances c where c.coin < b.coin) as m from balances b order by 1 limit 1',
      [{ m: 'BTC' }],
    ],
    ["select current_setting('enable_external_access') as e", [{ e: false }]],
    ['-- what is left\nselect 1 as one /* ; */;', [{ one: 1 }]],
  ])('is answered: %s', async (query, expected) => {
    expect(await ask(query)).toEqual(expected)
  })

  test.each([
    'from balances',
    'table balances',
    'describe balances',
    'describe select 1',
    'summarize balances',
    'show tables',
    'show all tables',
    'show databases',
    'from information_schema.columns',
    'from balances using sample 50%',
    'from balances using sample 1 rows',
    'explain from balances',
    'explain analyze from balances',
    'explain (format json) from balances',
    'explain (analyze, format json) select coin from balances',
    'EXPLAIN /* why */ ANALYZE -- so\n (select 1)',
    'explain describe balances',
    'explain (select 1)',
  ])('may contain these words: %s', async (query) => {
    expect(await ask(query)).toEqual(expect.any(Array))
  })

  test('explained with ANALYZE is executed, and reports how many rows there were', async () => {
    const [{ explain_value: told }] = (await ask(
      'explain analyze select count(*) from range(1234567) r(i) where i % 2 = 0',
    )) as [{ explain_value: string }]
    expect(told).toContain('617,284')
  })

  test('goes to Parquet through a second instance that runs none of its SQL, and nothing else remains', async () => {
    const before = state()
    await ask("select i, repeat('x', 10) as x from range(1000000) r(i)", {
      format: 'parquet',
      toFile: true,
      isFresh: true,
    })
    const file = join(out, 'query.parquet')
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const read = await connection.runAndReadAll(`select count(*), sum(i), min(x) from '${file}'`)
    connection.closeSync()
    expect(read.getRowsJson()).toEqual([['1000000', '499999500000', 'xxxxxxxxxx']])
    expect(state().filter((line) => !line.startsWith(file))).toEqual(before)
  })
})

describe('the memory of a query', () => {
  test('is a size as DuckDB writes it', () => {
    expect(bytesOf('1.5GB')).toBe(1_500_000_000)
    expect(bytesOf(' 2 GiB')).toBe(2_147_483_648)
  })

  test.each(['lots', '1', '-1GB', '1GB; select 1', '', '1e9GB', '1 XB'])('is not %j', (limit) => {
    expect(() => bytesOf(limit)).toThrow('The memory limit is not a valid size.')
  })
})
