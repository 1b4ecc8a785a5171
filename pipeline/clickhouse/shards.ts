// Several servers that share the work of a build. An account's rows are on the server that the account is assigned to,
// and a model that processes each account separately runs on all servers at once, each on its part. Every other model
// runs on the first server, which sees the parts of a table as one. Which models process each account separately is
// listed here, because the text of a model does not state it: in each of these, every window, group and join of
// distributed rows is by account.
import { createHash } from 'node:crypto'
import { identifier } from '../engine/quote.ts'
import { feedRecords, recordItems } from '../ledger/feeds.ts'
import { type Databases, databasesOf, nameOf } from './names.ts'
import type { Server } from './server.ts'
import { type Columns, text } from './transfer.ts'
import { clickHouseType } from './types.ts'

const BY_ACCOUNT: ReadonlySet<string> = new Set([
  ...feedRecords.map(({ record }) => `main.${record.table}`),
  ...recordItems.map(({ items }) => `main.${items.table}`),
  'staging.moved_records',
  'staging.record_days',
  'staging.moves',
  'staging.chain_gaps',
  'staging.move_days',
  'staging.chain_steps',
  'staging.line_ledgers',
  'staging.trade_legs',
  'staging.futures_secondary',
  'main.balance_chain',
  'main.entries',
  'staging.transfer_legs',
  'main.postings',
])

/** Whether the model processes each account separately. */
export const isByAccount = (table: string): boolean => BY_ACCOUNT.has(table)

/**
 * Where the parts of one build are, on every server; `landing` holds landed tables and views of the parts that stay.
 */
export const partsOf = (database: string, id: string): Databases => {
  const { main, staging, checks } = databasesOf(database, `${id}_part`)
  return { main, staging, checks, landing: `${main}_landing` }
}

/** Where the parts of the landed data are, from build to build. */
export const landedParts = (database: string): string => `${database}_landing_part`

/** The server of an account: the same as long as the number of servers does not change. */
export const shardOf = (account: string, count: number): number =>
  createHash('sha256').update(account).digest().readUInt32BE(0) % count

/** A table of another server, as ClickHouse reads it from there over HTTP. */
export function farTable(server: Server, table: string, columns: Columns): string {
  const selected = [...columns.keys()].map(identifier).join(', ')
  const question = `select ${selected} from ${table} format Native`
  const structure = [...columns]
    .map(([name, type]) => `${identifier(name)} ${clickHouseType(type)}`)
    .join(', ')
  const address = `${server.url.replace(/\/$/, '')}/?query=${encodeURIComponent(question)}`
  return `url(${text(address)}, 'Native', ${text(structure)})`
}

/** All parts of a table as one select for the first server. */
export function unionOf(
  servers: readonly Server[],
  table: string,
  databases: Databases,
  columns: Columns,
): string {
  const name = nameOf(table, databases)
  const selected = [...columns.keys()].map(identifier).join(', ')
  return servers
    .map((server, at) => `select ${selected} from ${at === 0 ? name : farTable(server, name, columns)}`)
    .join('\nunion all\n')
}
