// The build: what is published when, what is kept when it is not, and how a ledger explains itself.
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import type { ExtraStep } from '../../pipeline/ledger/build.ts'
import { tableHashes } from '../../pipeline/ledger/hash.ts'
import { inOrder, parseModel, type Task } from '../../pipeline/ledger/models.ts'
import { tablesRead } from '../../pipeline/ledger/parse-tree.ts'
import { readUnpublishedBreaks } from '../../pipeline/ledger/publish.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { balanced, LEDGER_CHECKS, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open()
})

afterEach(async () => {
  await books.close()
})

/** The fill that the venue publishes as its sample, in the order in which its ids rise. */
const publishedFill = [
  {
    id: '1375573238088888367',
    coin: 'BGB',
    type: 'ORDER_DEALT_IN',
    amount: '0.5696',
    balance: '2.1603088102649367',
  },
  {
    id: '1375573238088888368',
    coin: 'BGB',
    type: 'ORDER_PLF_FEE_OUT',
    amount: '-0.0004556178732628',
    balance: '2.1598531923916739',
  },
  {
    id: '1375573238088888369',
    coin: 'USDT',
    type: 'ORDER_DEALT_FROZEN_OUT',
    amount: '-1.9998656',
    balance: '42.41856383400698',
  },
].map((row) => ({ ...row, ts: '2025-11-21 01:22:17.552+00' }))

describe('the published sample', () => {
  it('closes, and its balances equal those of the venue', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', publishedFill)
    const result = await books.build()
    expect(result.openBreaks).toEqual([])
    expect(result.published).toBe(true)
    expect(await books.query('select ledger, coin, quantity from balances order by coin')).toEqual([
      ['UNIFIED', 'BGB', '2.1598531923916739'],
      ['UNIFIED', 'USDT', '42.41856383400698'],
    ])
    expect(await books.query('select source_id, status, opening from balance_chain order by place')).toEqual([
      ['1375573238088888367', 'start', '1.5907088102649367'],
      ['1375573238088888368', 'closed', '0'],
      ['1375573238088888369', 'start', '44.41842943400698'],
    ])
  })
})

const at = '2026-01-10 12:00:00+00'
const deposit = { id: '1', coin: 'USDT', type: 'TRANSFER_IN', amount: '100', ts: at }
const interest = { id: '2', coin: 'USDT', type: 'INTEREST_SETTLEMENT_OUT', amount: '-1', ts: at }

const lots = lotsStep({ method: 'fifo', scope: 'account' })

/** Lots that contradict the entries, so that a check fails at severity error. */
const wrongLots: ExtraStep = {
  ...lots,
  run: async (connection) => {
    await lots.run(connection)
    await connection.run("insert into lots (account, coin, quantity_left) values ('main', 'BTC', 1)")
  },
}

/** Digest of the published file's bytes; null when there is none. */
const publishedFile = (): string | null => {
  const file = join(books.dir, 'ledger.duckdb')
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : null
}

/** Enough where it does not matter which tables a ledger has. */
const FEW = { only: ['entries', ...LEDGER_CHECKS] }

/** With lots that are held against the balances. */
const WRONG = { only: ['checks.lots_match_balance'], steps: [wrongLots] }

/** What a build may set while it works. */
async function settings(): Promise<unknown> {
  const connection = await books.landing.instance.connect()
  try {
    const names = [
      'threads',
      'preserve_insertion_order',
      'force_compression',
      'enable_checkpoint_on_shutdown',
    ]
    const asked = names.map((name) => `select name, value from duckdb_settings() where name = '${name}'`)
    return (await connection.runAndReadAll(asked.join(' union all '))).getRowsJson()
  } finally {
    connection.closeSync()
  }
}

describe('publishing', () => {
  it('leaves nothing but the ledger, and the instance as it was', async () => {
    await books.tax('SPOT', balanced([deposit]))
    const before = await settings()
    const result = await books.build({}, FEW)
    expect(await settings()).toEqual(before)
    expect(result.path).toBe(join(books.dir, 'ledger.duckdb'))
    expect(readdirSync(books.dir).sort()).toEqual([
      'landing.duckdb',
      'landing.duckdb.wal',
      'ledger.duckdb',
      'tmp',
    ])
    expect(readdirSync(join(books.dir, 'tmp'))).toEqual([])
  })

  it('does not happen if a check fails with severity error; its breaks are kept for display', async () => {
    await books.tax('SPOT', balanced([deposit]))
    await books.build({}, FEW)
    const before = publishedFile()
    const result = await books.build({}, { steps: [wrongLots] })
    expect(result).toMatchObject({ published: false, breaks: { error: 1, warning: 0, notice: 0 } })
    expect(result.openBreaks).toMatchObject([
      { checkName: 'lots_match_balance', coin: 'BTC', severity: 'error' },
    ])
    expect(publishedFile()).toEqual(before)
    expect(await readUnpublishedBreaks(nodeDisk, books.dir)).toEqual(result.openBreaks)
  })

  it('happens anyway on request, and what was kept is removed', async () => {
    await books.build({}, WRONG)
    expect(publishedFile()).toBeNull()
    const result = await books.build({}, { ...WRONG, publishAnyway: true })
    expect(result.published).toBe(true)
    expect(
      await books.query("select severity, status from breaks where check_name = 'lots_match_balance'"),
    ).toEqual([['error', 'open']])
    expect(await readUnpublishedBreaks(nodeDisk, books.dir)).toBeNull()
  })

  it('does not happen when only checking', async () => {
    await books.tax('SPOT', balanced([{ ...deposit, type: 'NEVER_HEARD_OF' }]))
    const result = await books.build({}, { publish: false })
    expect(result).toMatchObject({ published: false, breaks: { error: 0, warning: 1 } })
    expect(publishedFile()).toBeNull()
  })

  it('leaves the published ledger unchanged if a step fails, and states which', async () => {
    await books.tax('SPOT', balanced([deposit]))
    await books.build({}, FEW)
    const before = publishedFile()
    const failing: ExtraStep = {
      name: 'failing step',
      reads: ['entries'],
      writes: ['nothing'],
      run: () => Promise.reject(new Error('no more paper')),
    }
    await expect(books.build({}, { only: ['nothing'], steps: [failing] })).rejects.toMatchObject({
      name: 'BuildFailed',
      details: { where: 'failing step', found: 'no more paper' },
    })
    expect(publishedFile()).toEqual(before)
    expect(readdirSync(join(books.dir, 'tmp'))).toEqual([])
    expect((await books.build({}, FEW)).published).toBe(true)
  })

  it('replaces the file under a reader, who keeps what was opened', async () => {
    await books.tax('SPOT', balanced([deposit]))
    await books.build({}, FEW)
    const reader = await DuckDBInstance.create(join(books.dir, 'ledger.duckdb'), { access_mode: 'READ_ONLY' })
    const connection = await reader.connect()
    const count = async () =>
      (await connection.runAndReadAll('select count(*) from entries')).getRowsJson()[0]?.[0]
    expect(await count()).toBe('1')
    await books.tax('SPOT', [{ ...interest, balance: '99' }])
    await books.build({}, FEW)
    expect(await count()).toBe('1')
    connection.closeSync()
    reader.closeSync()
    expect(await books.query('select count(*) from entries')).toEqual([['2']])
  })
})

describe('a break', () => {
  it('keeps its id and its first day, and is resolved once it has disappeared', async () => {
    await books.tax('SPOT', balanced([{ ...deposit, type: 'NEVER_HEARD_OF' }]))
    const first = await books.build({}, { ...FEW, now: new Date('2026-02-02T00:00:00Z') })
    const again = await books.build({}, { ...FEW, now: new Date('2026-02-03T00:00:00Z') })
    expect(again.openBreaks).toEqual(first.openBreaks)
    expect(again.openBreaks).toMatchObject([
      { checkName: 'unknown_type', firstSeenAt: '2026-02-02T00:00:00.000Z' },
    ])
    writeFileSync(
      join(books.dir, 'tax_types.csv'),
      'feed,type,kind,direction,family,role,note\ntax,NEVER_HEARD_OF,reward,in,,,Known now\n',
    )
    const after = await books.build({}, { ...FEW, now: new Date('2026-02-04T00:00:00Z') })
    expect(after.openBreaks).toEqual([])
    expect(await books.query('select status, first_seen_at from breaks')).toEqual([
      ['resolved', '2026-02-02 00:00:00+00'],
    ])
    expect(await books.query('select kind from entries')).toEqual([['reward']])
  })

  it('names the file if the user’s own classification cannot be read', async () => {
    writeFileSync(join(books.dir, 'tax_types.csv'), 'feed,type\ntax,X\n')
    await expect(books.build()).rejects.toMatchObject({
      name: 'UsageError',
      details: { where: join(books.dir, 'tax_types.csv') },
    })
    writeFileSync(
      join(books.dir, 'tax_types.csv'),
      'feed,type,kind,direction,family,role,note\ntax,X,gambling,in,,,\n',
    )
    await expect(books.build()).rejects.toMatchObject({
      name: 'UsageError',
      details: { where: `${join(books.dir, 'tax_types.csv')}, type X`, found: 'gambling' },
    })
  })

  it.each([
    [
      'tax_types',
      'feed,type,kind,direction,family,role,note\ntax,X,reward,inwards,,,\n',
      'direction',
      'inwards',
    ],
    [
      'tax_types',
      'feed,type,kind,direction,family,role,note\ntax,X,trade,in,f,recieved,\n',
      'role',
      'recieved',
    ],
    [
      'tax_types',
      'feed,type,kind,direction,family,role,note\ntax.record,X,reward,in,,,\n',
      'feed',
      'tax.record',
    ],
    ['tax_types', 'feed,type,kind,direction,family,role,note\ntax,X,reward,IN,,,\n', 'direction', 'IN'],
    ['kinds', 'kind,counter_account,effect,meaning\ngift,Income:Gifts,incme,\n', 'effect', 'incme'],
    ['currencies', 'currency,is_money,note\nEUR,true,\n', 'is_money', 'true'],
    ['quote_coins', 'coin,rank,note\nEUR,first,\n', 'rank', 'first'],
  ])('refuses a word in the user’s own %s that would mean nothing', async (table, text, column, found) => {
    const file = join(books.dir, `${table}.csv`)
    writeFileSync(file, text)
    await expect(books.build()).rejects.toMatchObject({
      name: 'UsageError',
      details: { where: `${file}, column ${column}`, found },
    })
  })

  it('accepts every word of the shipped tables in tables of the user’s own', async () => {
    for (const name of ['tax_types', 'kinds', 'type_doubts', 'currencies', 'quote_coins'])
      copyFileSync(join(packageRoot, 'data', `${name}.csv`), join(books.dir, `${name}.csv`))
    await expect(books.build()).resolves.toMatchObject({ published: true })
  })
})

describe('amounts near the limit of the range', () => {
  it('are an error before any sum could be wrong, and the other coins are built', async () => {
    const huge = '60000000000000000000'
    await books.tax('SPOT', [
      { id: '1', coin: 'HUGE', type: 'TRANSFER_IN', amount: huge, balance: huge, ts: at },
      { id: '2', coin: 'HUGE', type: 'TRANSFER_IN', amount: huge, balance: huge, ts: at },
      { id: '3', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', balance: '1', ts: at },
    ])
    const result = await books.build({}, { publishAnyway: true })
    expect(result.openBreaks).toMatchObject([{ severity: 'error', checkName: 'sum_guard', coin: 'HUGE' }])
    expect(await books.query('select coin, quantity from balances')).toEqual([['USDT', '1']])
    expect(await books.query('select count(*) from tax_records')).toEqual([['3']])
  })
})

describe('a landed row without its page', () => {
  it('is an error', async () => {
    await books.tax('SPOT', balanced([deposit]))
    await books.sql('delete from landing.main.pages')
    const result = await books.build()
    expect(result.published).toBe(false)
    expect(result.openBreaks).toMatchObject([
      { severity: 'error', checkName: 'landed_row_has_page', evidence: '["1"]' },
    ])
  })
})

describe('the published ledger', () => {
  let whole: TestBooks
  beforeAll(async () => {
    whole = await TestBooks.open()
    await whole.build({}, { steps: [lots] })
  })
  afterAll(() => whole.close())

  it('has the tables of the contract, with a comment on every table and column', async () => {
    const tables = (
      await whole.query("select table_name from information_schema.tables where table_schema = 'main'")
    ).flat()
    expect(tables).toEqual(expect.arrayContaining(contractTables))
    expect(
      await whole.query(
        "select table_name, column_name from duckdb_columns() where not internal and coalesce(comment, '') = ''",
      ),
    ).toEqual([])
    expect(
      await whole.query(
        `select table_name from duckdb_tables() where not internal and coalesce(comment, '') = ''
         union all select view_name from duckdb_views() where not internal and coalesce(comment, '') = ''`,
      ),
    ).toEqual([])
  })

  it('has views that need nothing but the file itself', async () => {
    const views = (
      await whole.query("select view_name from duckdb_views() where not internal and schema_name = 'main'")
    ).flat()
    expect(views).toEqual(['postings'])
    for (const view of views) await whole.query(`select * from ${view}`)
  })

  it('has times with a zone and amounts with 18 decimals, and no float', async () => {
    expect(
      await whole.query(
        `select distinct data_type from duckdb_columns() where not internal
         and data_type not in ('VARCHAR', 'BOOLEAN', 'BIGINT', 'INTEGER', 'HUGEINT', 'DATE')`,
      ),
    ).toEqual(expect.arrayContaining([['DECIMAL(38,18)'], ['TIMESTAMP WITH TIME ZONE']]))
    expect(
      await whole.query(
        "select table_name, column_name from duckdb_columns() where not internal and data_type in ('DOUBLE', 'FLOAT', 'TIMESTAMP')",
      ),
    ).toEqual([])
  })
})

const contractTables = [
  'accounts',
  'coverage',
  'entries',
  'postings',
  'balances',
  'balance_history',
  'trades',
  'disposals',
  'lots',
  'futures_pnl',
  'p2p_trades',
  'transfers',
  'income',
  'fees',
  'entry_values',
  'prices',
  'tax_records',
  'futures_records',
  'p2p_records',
  'orders',
  'p2p_orders',
  'open_orders',
  'positions',
  'contracts',
  'liquidations',
  'account_settings',
  'subaccount_assets',
  'subaccount_emails',
  'ltv',
  'merchants',
  'customers',
  'customer_kyc',
  'order_fee_details',
  'open_order_fee_details',
  'account_symbol_settings',
  'account_coin_settings',
  'subaccount_asset_coins',
  'contract_margin_coins',
  'ltv_accounts',
  'ltv_debts',
  'ltv_balances',
  'p2p_order_payments',
  'p2p_order_payment_fields',
  'quarantine',
  'breaks',
  'runs',
]

describe('the hash of a ledger', () => {
  const rows = balanced(
    [1, 2, 3, 4, 5, 6].map((nth) => ({
      id: String(100 + nth),
      coin: nth % 2 === 0 ? 'BTC' : 'USDT',
      type: 'TRANSFER_IN',
      amount: String(nth),
      ts: `2026-01-0${nth} 00:00:00+00`,
    })),
  )

  it('is the same whatever the order in which the records arrived, and however often', async () => {
    await books.account('main', 'unified')
    await books.tax('SPOT', rows, { run: 'one run' })
    await books.build()
    const atOnce = await tableHashes(join(books.dir, 'ledger.duckdb'))
    const other = await TestBooks.open()
    try {
      await other.account('main', 'unified')
      for (const row of [...rows.toReversed(), ...rows]) await other.tax('SPOT', [row], { run: row.id })
      await other.build({}, { now: new Date('2027-01-01T00:00:00Z') })
      expect(await tableHashes(join(other.dir, 'ledger.duckdb'))).toEqual(atOnce)
    } finally {
      await other.close()
    }
  })

  it('differs if a digit differs', async () => {
    await books.tax('SPOT', rows)
    await books.build()
    const before = await tableHashes(join(books.dir, 'ledger.duckdb'))
    await books.sql(
      "update landing.main.tax_records set amount = amount + 0.000000000000000001 where id = '101'",
    )
    await books.build()
    const after = await tableHashes(join(books.dir, 'ledger.duckdb'))
    const changed = [...after].filter(([table, hash]) => before.get(table) !== hash).map(([table]) => table)
    expect(changed).toContain('tax_records')
    expect(changed).toContain('entries')
    expect(changed).not.toContain('prices')
  })
})

describe('the order of the models', () => {
  const task = (name: string, reads: string[]): Task<string> => ({ name, reads, writes: [name], item: name })

  it('puts each model after what it reads, and otherwise keeps the given order', () => {
    const order = inOrder([task('c', ['a', 'given']), task('b', []), task('a', ['b'])], new Set(['given']))
    expect(order.map(({ name }) => name)).toEqual(['b', 'a', 'c'])
  })

  it('refuses a cycle and names it', () => {
    expect(() => inOrder([task('a', ['b']), task('b', ['c']), task('c', ['a'])], new Set())).toThrow(
      expect.objectContaining({
        name: 'ModelError',
        details: expect.objectContaining({ where: 'a → b → c → a' }),
      }),
    )
  })

  it('refuses a table that nothing creates', () => {
    expect(() => inOrder([task('a', ['missing'])], new Set())).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ where: 'a', found: 'missing' }) }),
    )
  })

  it('is taken from the parse tree: a common table expression hides a table only after it has been defined', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const text = `-- What it is.
-- grain: one row
-- needs: lots
-- columns:
--   a: What a is,
--     told on two lines.
with
entries as (select * from entries),
later as (select * from entries join staging.moves using (a) asof join (select * from landing.pages) as p using (a))
select a from later where a in (select a from "trades")`
    const model = parseModel('main.example', 'example.sql', text)
    expect(await tablesRead(connection, model)).toEqual(['main.entries', 'main.trades', 'staging.moves'])
    expect(model).toMatchObject({ doc: 'What it is.\ngrain: one row', needs: ['main.lots'] })
    expect(model.columnDocs).toEqual(new Map([['a', 'What a is, told on two lines.']]))
    connection.closeSync()
    instance.closeSync()
  })
})
