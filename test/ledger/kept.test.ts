// A build keeps the tables of which nothing has changed, and comes to the ledger that a full build makes.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BuildOptions, BuildResult } from '../../pipeline/ledger/build.ts'
import { holdsItsTables, readMade } from '../../pipeline/ledger/kept.ts'
import type { BuildConfig } from '../../pipeline/ledger/reference.ts'
import { rowsOf } from '../../pipeline/ledger/rows.ts'
import { PREVIOUS } from '../../pipeline/ledger/workspace.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, TestBooks } from '../support/books.ts'

/** Books of which everything is published; each test has its own like them. */
let published: TestBooks
/** What published them. */
let first: BuildResult
/** The same with a gap in the balances, and what published them. */
let gapped: TestBooks
let withGap: BuildResult
let books: TestBooks
const steps = [lotsStep({ method: 'fifo', scope: 'account' })]
const ledger = (): string => join(books.dir, 'ledger.duckdb')

/** Rows of the unified account: enough that a record of another feed is a small part of what has landed. */
const rows = balanced(
  Array.from({ length: 8 }, (_, day) => ({
    id: String(day + 1),
    coin: day % 2 === 0 ? 'BTC' : 'USDT',
    type: 'TRANSFER_IN',
    amount: '10',
    ts: `2026-01-${String(day + 10)} 12:00:00+00`,
  })),
)

async function landed(): Promise<TestBooks> {
  const begun = await TestBooks.open()
  await begun.account('main', 'unified')
  await begun.tax('SPOT', rows, { covers: ['2026-01-01 00:00:00+00', '2026-01-31 00:00:00+00'] })
  return begun
}

beforeAll(async () => {
  published = await landed()
  first = await published.build({}, { steps })
  gapped = await landed()
  await leaveGap(gapped)
  withGap = await gapped.build({}, { steps, publishAnyway: true })
})

afterAll(async () => {
  await published.close()
  await gapped.close()
})

const copyPublished = ({ dir }: TestBooks): void =>
  cpSync(dir, books.dir, { recursive: true, filter: (path) => !/landing\.duckdb/.test(path) })

/** The same has landed, and what was published of it stands beside it. */
async function begin(): Promise<void> {
  books = await landed()
  copyPublished(published)
}

/** The same for the books with a gap. */
async function beginWithGap(): Promise<void> {
  await leaveGap(books)
  copyPublished(gapped)
}

beforeEach(begin)

afterEach(() => books.close())

async function beginAgain(): Promise<void> {
  await books.close()
  await begin()
}

/** As if nothing had been published. */
const unpublish = (): void => rmSync(ledger())

const LATER = new Date('2026-02-03T00:00:00Z')

const build = (
  config: Partial<BuildConfig> = {},
  options: Partial<BuildOptions> = {},
): Promise<BuildResult> => books.build(config, { steps, ...options })

/** A record whose balance does not follow from the one before it. */
const leaveGap = (of: TestBooks) =>
  of.tax('SPOT', [
    { id: '99', coin: 'BTC', type: 'TRANSFER_IN', amount: '1', balance: '500', ts: '2026-01-25 12:00:00+00' },
  ])

const keptOf = ({ tables }: BuildResult): string[] =>
  tables.filter(({ kept }) => kept).map(({ table }) => table)
const madeOf = ({ tables }: BuildResult): string[] =>
  tables.filter(({ kept }) => !kept).map(({ table }) => table)

/** Columns and comments of the published ledger. */
const columns = () =>
  books.query(
    `select table_name, column_name, data_type, comment from duckdb_columns()
     union all select table_name, '', '', comment from duckdb_tables() order by all`,
  )

/** Every table has the rows that a full build makes of the same. */
async function expectFull(found: BuildResult, config: Partial<BuildConfig> = {}): Promise<void> {
  expectSame(found, await build(config, { full: true, publish: false }))
}

function expectSame(found: BuildResult, full: BuildResult): void {
  expect(keptOf(full)).toEqual([])
  const textOf = ({ found: tables }: BuildResult) =>
    [...tables].map(([table, { count, hash }]) => `${table} ${count} ${hash}`).sort()
  expect(textOf(found)).toEqual(textOf(full))
  const words = ({ openBreaks, explainedBreaks }: BuildResult) =>
    [...openBreaks, ...explainedBreaks].map((one) => ({ ...one, firstSeenAt: '' }))
  expect(words(found)).toEqual(words(full))
}

/** Changes the published file as another program does, which may end without writing into it what it changed. */
async function change(statement: string, { isLeft = false } = {}): Promise<void> {
  const instance = await DuckDBInstance.create(ledger())
  const connection = await instance.connect()
  if (isLeft) await connection.run('pragma disable_checkpoint_on_shutdown')
  await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

/** Whether a build finds in the published file every table of its build, and nothing else. */
async function holdsWhatWasBuilt(): Promise<boolean> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    await connection.run(`attach '${ledger()}' as ${PREVIOUS} (read_only)`)
    const made = await readMade(connection)
    return made !== null && (await holdsItsTables(connection, made))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test('if nothing has changed everything is kept, with its comments and the time when it was built', async () => {
  expect(keptOf(first)).toEqual([])
  const [before, texts] = [await columns(), await books.query('from made_tables order by all')]
  const second = await build({}, { now: LATER })
  expect(madeOf(second)).toEqual([])
  expect(await columns()).toEqual(before)
  const isAbout = ([table]: (string | null)[]): boolean => table === 'main.about'
  const again = await books.query('from made_tables order by all')
  expect(again.filter((row) => !isAbout(row))).toEqual(texts.filter((row) => !isAbout(row)))
  expect(await books.query('select published_at from about')).toEqual([['2026-02-03 00:00:00+00']])
  expectSame(second, first)
})

test('a record of one feed rebuilds what depends on it and on the pages, and keeps the rest', async () => {
  await books.futures('USDT-FUTURES', [
    {
      id: 'f1',
      symbol: 'BTCUSDT',
      margin_coin: 'USDT',
      future_tax_type: 'contract_settle_fee',
      amount: '1',
      fee: '0',
      ts: '2026-01-20 00:00:00+00',
    },
  ])
  const second = await build({}, { now: LATER })
  expect(madeOf(second)).toEqual(expect.arrayContaining(['main.futures_records', 'main.entries']))
  expect(keptOf(second)).toEqual(expect.arrayContaining(['main.balance_chain', 'main.balances', 'lots']))
  await expectFull(second)
})

test('a table rebuilt with the same rows changes nothing after it', async () => {
  // The settings are others, the start of the history that they tell lies before everything.
  const since = new Date('2025-01-01T00:00:00Z')
  const second = await build({ since }, { now: LATER })
  expect(madeOf(second)).not.toEqual([])
  expect(keptOf(second)).toEqual(expect.arrayContaining(['main.entries', 'lots', 'main.balances']))
  await expectFull(second, { since })
})

test('a note explains a break of a check that was kept, and withdrawing it reopens the break', async () => {
  await beginWithGap()
  const chosen = withGap.openBreaks.find(({ severity }) => severity === 'warning')
  expect(chosen).toBeDefined()
  const note = async (seq: string, isWithdrawn: boolean): Promise<void> =>
    books.insert('notes', {
      seq,
      break_id: chosen?.breakId,
      figures: chosen?.figuresHash,
      note: isWithdrawn ? null : 'a known gap',
      is_withdrawn: String(isWithdrawn),
      noted_at: '2026-02-02 00:00:00+00',
    })
  await note('1', false)
  const explained = await build({}, { now: LATER, publishAnyway: true })
  expect(keptOf(explained)).toContain(`checks.${chosen?.checkName}`)
  expect(explained.explainedBreaks).toEqual([
    { ...chosen, status: 'explained', note: 'a known gap', notedAt: '2026-02-02T00:00:00.000Z' },
  ])
  await expectFull(explained)
  await note('2', true)
  const again = await build({}, { now: LATER, publishAnyway: true })
  expect(again.openBreaks).toEqual(withGap.openBreaks)
})

test('an amount that becomes the smallest one below zero is a different row, though halves of its digits are equal', async () => {
  const smallest = '-0.000000000000000001'
  await books.sql(`update landing.main.tax_records set fee = '${smallest}' where fee = 0 and id = '3'`)
  const second = await build({}, { publishAnyway: true })
  expect(keptOf(second)).not.toContain('main.tax_records')
  expect(await books.query("select fee from tax_records where id = '3'")).toEqual([[smallest]])
  await expectFull(second)
})

test('a published table that differs from what was built is found, reported and rebuilt', async () => {
  await change("update entries set amount = amount + 1 where source_id = '3'")
  const notes: string[] = []
  const second = await build({}, { onNote: (text) => notes.push(text) })
  expect(notes).toEqual(['Rebuilding every table: the published main.entries is not what was built.'])
  expect(keptOf(second)).toEqual([])
  expect(await books.query("select amount from entries where source_id = '3'")).toEqual([['10']])
})

test('a published table that cannot be read is rebuilt with all others', async () => {
  const [[block]] = (await books.query(
    "select max(block_id) from pragma_storage_info('entries') where block_id >= 0",
  )) as [[string]]
  // Three headers come first; each block begins with its checksum.
  const file = await open(ledger(), 'r+')
  await file.write(Buffer.alloc(64, 0x5a), 0, 64, 3 * 4_096 + Number(block) * 262_144 + 64)
  await file.close()
  const notes: string[] = []
  const second = await build({}, { onNote: (text) => notes.push(text) })
  expect(notes).toEqual(['Rebuilding every table: the published ledger is not what was built.'])
  expect(keptOf(second)).toEqual([])
})

test('if the breaks are not those that were published, they are determined again', async () => {
  await beginWithGap()
  expect(withGap.openBreaks).not.toEqual([])
  for (const statement of ["update breaks set explanation = 'all is well'", 'delete from breaks']) {
    await change(statement)
    const second = await build({}, { publishAnyway: true })
    expect(keptOf(second)).toEqual([])
    expect(second.openBreaks).toEqual(withGap.openBreaks)
  }
})

test('what someone has created in the published file or removed from it hinders no build', async () => {
  const created = [
    'create view own as from entries',
    'create schema own; create table own.own (id integer); create table own.entries (id integer)',
    'create index own on entries (amount)',
    'create sequence own',
    "create type own as enum ('a')",
    'create macro own(a) as a + 1',
    "insert into futures_records by name (select 'main' as account)",
  ]
  const removed = ['drop table balance_history', 'drop table futures_records']
  // Found once everything else is kept.
  const replaced = ['create or replace view postings as from entries']
  // Each alone is enough for nothing of the file to be used.
  expect(await holdsWhatWasBuilt()).toBe(true)
  for (const statement of [...created, ...removed]) {
    await change(statement)
    expect([statement, await holdsWhatWasBuilt()]).toEqual([statement, false])
    cpSync(join(published.dir, 'ledger.duckdb'), ledger())
  }
  for (const statements of [created, removed, replaced]) {
    await change(statements.join(';\n'))
    const second = await build()
    expect(keptOf(second)).toEqual([])
    const left = `select view_name from duckdb_views() where not internal and view_name <> 'postings'
      union all select column_name from duckdb_columns() where table_name = 'postings' and column_name = 'place'
      union all select index_name from duckdb_indexes()
      union all select sequence_name from duckdb_sequences()
      union all select type_name from duckdb_types() where not internal
      union all select function_name from duckdb_functions() where function_name = 'own'
      union all select table_name from duckdb_tables() where schema_name = 'own'
      union all select account from futures_records`
    expect(await books.query(left)).toEqual([])
  }
})

test('what another program left unfinished beside the published file does not change the next one', async () => {
  for (const full of [false, true]) {
    await beginAgain()
    await change("update entries set amount = amount + 1 where source_id = '3'", { isLeft: true })
    expect(existsSync(`${ledger()}.wal`)).toBe(true)
    await build({}, { full })
    expect(existsSync(`${ledger()}.wal`)).toBe(false)
    expect(await books.query("select amount from entries where source_id = '3'")).toEqual([['10']])
  }
})

test('the note on a resolved break disappears if it was erased', async () => {
  await beginWithGap()
  const withNote = async () =>
    books.query("select status, note from breaks where check_name = 'balance_chain'")
  const chosen = withGap.openBreaks.find(({ checkName }) => checkName === 'balance_chain')
  await books.insert('notes', {
    seq: '1',
    break_id: chosen?.breakId,
    figures: chosen?.figuresHash,
    note: 'Jane Roe knows',
    is_withdrawn: 'false',
    noted_at: '2026-02-02 00:00:00+00',
  })
  await build({}, { publishAnyway: true })
  await books.sql("delete from landing.main.tax_records where id = '99'")
  await build({}, { publishAnyway: true })
  expect(await withNote()).toEqual([['resolved', 'Jane Roe knows']])
  await books.sql('update landing.main.notes set note = null')
  await build({}, { publishAnyway: true })
  expect(await withNote()).toEqual([['resolved', null]])
})

test('of another program, or without a record of its tables, nothing is kept', async () => {
  for (const statement of [
    "update made_tables set decided_by = 'another' where table_name = 'main.about'",
    'drop table made_tables',
  ]) {
    await beginAgain()
    await change(statement)
    expect(keptOf(await build())).toEqual([])
  }
})

test('what is no longer published is nowhere in the file', async () => {
  unpublish()
  const email = 'jane.roe@example.org'
  await books.sql(
    `insert into landing.main.subaccount_emails (account, partition, page_id, page_row, sub_uid, subaccount_email)
     values ('main', '', 1, 7, '2002', '${email}')`,
  )
  await build({ publishPersonalData: true }, { publishAnyway: true })
  expect(readFileSync(ledger()).includes(email)).toBe(true)
  const second = await build({ publishPersonalData: false }, { publishAnyway: true })
  expect(keptOf(second)).toEqual([])
  expect(readFileSync(ledger()).includes(email)).toBe(false)
})

test('the rows of many tables are the same, however many connections read them', async () => {
  const instance = await DuckDBInstance.create()
  const lanes = await Promise.all([1, 2, 3].map(() => instance.connect()))
  try {
    for (const lane of lanes) await lane.run("attach if not exists ':memory:' as landing")
    const tables = Array.from(
      { length: 20 },
      (_, nth) => `${nth % 2 === 0 ? 'main' : 'landing'}.table_${nth}`,
    )
    for (const [nth, table] of tables.entries())
      await lanes[0]!.run(
        `create table ${table} as select cast(i as decimal(38, 18)) as later, 'x' as word, cast(-i as hugeint) as earlier from range(${nth}) r(i)`,
      )
    const found = await rowsOf(lanes, tables)
    expect(tables.map((table) => found.get(table)?.count)).toEqual(tables.map((_, nth) => nth))
    for (const table of tables)
      expect(await rowsOf([lanes[0]!], [table])).toEqual(new Map([[table, found.get(table)]]))
  } finally {
    for (const lane of lanes) lane.closeSync()
    instance.closeSync()
  }
})
