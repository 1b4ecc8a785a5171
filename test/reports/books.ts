// A small published ledger with the columns of the contract, made of statements that a test gives.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { packageRoot } from '../../pipeline/config/root.ts'
import { writeMacros } from '../../pipeline/ledger/macros.ts'
import type { Terminal } from '../../pipeline/output/deliver.ts'

const AMOUNT = 'decimal(38, 18)'

const TABLES: Readonly<Record<string, string>> = {
  accounts: 'account varchar, venue varchar, uid varchar, kind varchar, account_mode varchar',
  coverage: `account varchar, feed varchar, partition varchar, starts_at timestamptz, ends_at timestamptz,
    status varchar, code varchar, reason varchar, is_named boolean, is_before_books boolean`,
  entries: `entry_id varchar, transaction_id varchar, account varchar, ledger varchar, product_line varchar,
    coin varchar, amount ${AMOUNT}, kind varchar, occurred_at timestamptz, source_feed varchar,
    source_id varchar, page_id bigint, page_row integer, symbol varchar`,
  kinds: 'kind varchar, counter_account varchar, effect varchar, meaning varchar',
  balances: `account varchar, ledger varchar, coin varchar, quantity ${AMOUNT}, venue_balance ${AMOUNT},
    as_of timestamptz`,
  trades: `trade_id varchar, account varchar, ledger varchar, symbol varchar, side varchar, base varchar,
    quote varchar, quantity ${AMOUNT}, price ${AMOUNT}, quote_amount ${AMOUNT}, fee ${AMOUNT},
    fee_coin varchar, traded_at timestamptz, source varchar`,
  disposals: `account varchar, coin varchar, method varchar, rules varchar, disposed_at timestamptz,
    acquired_at timestamptz, quantity ${AMOUNT}, proceeds ${AMOUNT}, cost_basis ${AMOUNT},
    denied_loss ${AMOUNT}, gain ${AMOUNT}, currency varchar, holding_days integer, term varchar,
    disposal_id varchar, lot_id varchar, fees ${AMOUNT} as (proceeds * 0)`,
  futures_pnl: `account varchar, product_type varchar, symbol varchar, margin_coin varchar, day date,
    realised_pnl ${AMOUNT}, fees ${AMOUNT}, funding ${AMOUNT}, net_pnl ${AMOUNT}`,
  breaks: `break_id varchar, check_name varchar, severity varchar, account varchar, ledger varchar,
    coin varchar, occurred_at timestamptz, expected ${AMOUNT}, found ${AMOUNT}, difference ${AMOUNT},
    explanation varchar, evidence varchar, first_seen_at timestamptz, status varchar`,
  lot_events: `account varchar, coin varchar, happened_at timestamptz, place bigint, event_id varchar, kind varchar,
    quantity ${AMOUNT}, value ${AMOUNT}, currency varchar, transfer_id varchar, value_given ${AMOUNT} as (value),
    value_shared ${AMOUNT} as (value), value_before_fees ${AMOUNT} as (value),
    is_kept_back boolean as (false)`,
  short_sales: `account varchar, coin varchar, sold_at timestamptz, quantity ${AMOUNT}, proceeds ${AMOUNT},
    closed_at timestamptz, cost_basis ${AMOUNT}, gain ${AMOUNT}, currency varchar, sale_id varchar, closing_id varchar`,
  liabilities: `account varchar, ledger varchar, coin varchar, quantity ${AMOUNT}, owed_before ${AMOUNT},
    as_of timestamptz`,
  postings: `posting_id varchar, transaction_id varchar, entry_id varchar, account varchar, account_name varchar,
    coin varchar, amount ${AMOUNT}, occurred_at timestamptz`,
  income: `entry_id varchar, account varchar, ledger varchar, coin varchar, amount ${AMOUNT}, kind varchar,
    occurred_at timestamptz, value ${AMOUNT}, currency varchar`,
  wallet_beginnings: 'account varchar, ledger varchar, begins_at timestamptz',
  runs: `run_id varchar, started_at timestamptz, ended_at timestamptz, command varchar, requests bigint,
    rows bigint, retries bigint, outcome varchar`,
}

/** What kinds mean is the same in every ledger, unless its owner adds some. */
const KINDS = join(packageRoot, 'data', 'kinds.csv')

/** The books begin with their first change. */
const BEGINNINGS = `create view beginnings as
  select account, coin, min(happened) as begins_at, 'venue' as source, cast(0 as ${AMOUNT}) as opening
  from (select account, coin, occurred_at as happened from entries
    union all select account, coin, happened_at from lot_events
    union all select account, coin, disposed_at from disposals)
  group by account, coin`

let empty: Promise<Buffer> | undefined

/** Publishes a ledger of empty tables, then of what `statements` put into them; gives back its folder. */
export async function publish(
  statements: readonly string[],
  dir = mkdtempSync(join(tmpdir(), 'books-')),
): Promise<string> {
  empty ??= emptyLedger()
  const ledger = join(dir, 'ledger.duckdb')
  writeFileSync(ledger, await empty)
  await written(ledger, async (connection) => {
    await connection.run("set timezone = 'UTC'")
    for (const statement of statements) await connection.run(statement)
  })
  return dir
}

/**
 * A ledger of tables without rows, made once for each worker: most of what publishing costs. Kept as bytes, since a test may
 * have a temporary directory of its own, which goes with it.
 */
async function emptyLedger(): Promise<Buffer> {
  const file = join(mkdtempSync(join(tmpdir(), 'empty-')), 'ledger.duckdb')
  await written(file, async (connection) => {
    for (const [table, columns] of Object.entries(TABLES))
      await connection.run(`create table ${table} (${columns})`)
    await connection.run(BEGINNINGS)
    await connection.run(`insert into kinds select * from read_csv('${KINDS}', all_varchar = true)`)
    await writeMacros(connection)
  })
  return readFileSync(file)
}

async function written(file: string, write: (connection: DuckDBConnection) => Promise<void>): Promise<void> {
  const instance = await DuckDBInstance.create(file, { threads: '1' })
  const connection = await instance.connect()
  await connection.run('begin transaction')
  await write(connection)
  await connection.run('commit')
  connection.closeSync()
  instance.closeSync()
}

/** A terminal that keeps what is written to it. */
export function memoryTerminal(
  width?: number,
): Terminal & { readonly text: () => string; readonly told: string[] } {
  let text = ''
  const told: string[] = []
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8')
      done()
    },
  })
  return {
    stdout,
    text: () => text,
    told,
    tell: (line) => told.push(line),
    ...(width === undefined ? {} : { width }),
  }
}

/** A statement that adds an account of the venue. */
export const account = (name: string): string =>
  `insert into accounts values ('${name}', 'v', '1', 'unified', 'unified')`

/** A statement that adds an entry of futures, or of margin. */
export const futures = (
  id: string,
  at: string,
  line: string,
  symbol: string | null,
  coin: string,
  amount: string,
  kind: string,
): string =>
  `insert into entries values ('${id}', 't${id}', 'main', 'UNIFIED', '${line}', '${coin}', ${amount}, '${kind}',
    '${at}+00', 'tax.records', '${id}', 1, 0, ${symbol === null ? 'null' : `'${symbol}'`})`
