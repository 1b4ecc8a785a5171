// The landed data in ClickHouse. Only rows newer than those on the server are transferred, by frame number. Tables
// whose rows may have changed are transferred again, and if that is not sufficient, as after a repair or an erasure,
// everything is.
import { createHash } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { endpoints } from '../../connectors/catalogue.ts'
import { columnName } from '../../models/record.ts'
import { identifier, literal } from '../engine/quote.ts'
import { databasesOf } from './names.ts'
import type { Server } from './server.ts'
import { landedParts, shardOf, unionOf } from './shards.ts'
import { type Columns, columnsOf, definitionOf, push, text } from './transfer.ts'

/** Tables whose rows change or are deleted: a window is finished, a write is answered, a note is erased, a run ends. */
const CHANGING: ReadonlySet<string> = new Set(['state', 'progress', 'covered', 'writes', 'notes', 'runs'])

/** The columns that hold frame numbers. */
const NUMBERS = ['page_id', 'seq']

/** The time column of each record's table: its rows are partitioned by month. */
const recordTimes: ReadonlyMap<string, string> = new Map(
  endpoints.flatMap(({ item, window }) =>
    item === null || window === null || window.time === ''
      ? []
      : [[item.table, columnName(window.time)] as const],
  ),
)

/** For tables that are not a record's. */
const OTHER_TIMES = ['received_at', 'starts_at', 'occurred_at', 'priced_at']

/** Rows are read by account, and within an account by what they belong to. */
const ORDER = ['account', 'feed', 'asset', 'page_id', 'page_row', 'seq']

export interface LandOptions {
  /** The first holds everything that is not by account. */
  readonly servers: readonly [Server, ...Server[]]
  /** For temporary transfer files. */
  readonly folder: string
  /** A connection of the instance that holds `landing`. */
  readonly connection: DuckDBConnection
  readonly database: string
  /** What the meaning of rows depends on besides the frames: if it changes, everything is transferred again. */
  readonly origin: string
  /** Everything is transferred again in any case. */
  readonly anew?: boolean
}

/**
 * Brings the landing database on the server up to date with the local one. True if all of it was transferred again
 * since the last publication, by this build or by one that failed after it.
 */
export async function landOn(options: LandOptions): Promise<boolean> {
  const { servers, connection, database } = options
  const [server] = servers
  const landed = `${identifier(database)}."landed"`
  await server.run(
    `create table if not exists ${landed} (origin String, seq Int64, landed_at DateTime64(3, 'UTC')) engine = MergeTree order by landed_at`,
  )
  const tables = await columnsOf(connection, ['landing'])
  const origin = originOf([options.origin, ...servers.map(({ url }) => url)].join('\n'), tables)
  const target = `${database}_landing`
  const found = await server.rows(
    `select seq from ${landed} where origin = ${text(origin)} and landed_at = (select max(landed_at) from ${landed})`,
  )
  const known = options.anew === true ? undefined : found[0]
  const [state] = (await connection.runAndReadAll('select landed_seq from landing.main.state')).getRowsJson()
  const seq = Number(state?.[0] ?? 0)
  const parts = landedParts(database)
  const noteLanded = (what: string, upTo: number): Promise<void> =>
    server.run(
      `insert into ${landed} select ${text(what)}, ${upTo}, greatest(now64(3, 'UTC'), (select max(landed_at) from ${landed}) + interval 1 millisecond)`,
    )
  // What is about to be removed no longer reflects what has landed, whatever becomes of this build.
  if (known === undefined) await noteLanded('', 0)
  for (const [each, name] of [[server, target] as const, ...servers.map((one) => [one, parts] as const)]) {
    if (known === undefined) await each.run(`drop database if exists ${identifier(name)} sync`)
    if (name === target || servers.length > 1)
      await each.run(`create database if not exists ${identifier(name)}`)
  }
  const isOfAnother = known === undefined || (await originPublished(options)) !== origin
  const since = known === undefined ? null : Number(known[0])
  for (const [table, columns] of tables) {
    const name = identifier(table.replace('landing.', ''))
    const whole = `${identifier(target)}.${name}`
    if (servers.length === 1 || !isRecord(columns)) {
      await landTable(options, table, columns, [{ server, name: whole, which: 'true' }], since)
      continue
    }
    const places = await placesOf(options, `${identifier(parts)}.${name}`, table)
    await landTable(options, table, columns, places, since)
    if (since === null)
      await server.run(
        `create view ${whole} as ${unionOf(servers, table, { ...databasesOf(database, ''), landing: parts }, columns)}`,
      )
  }
  await noteLanded(origin, seq)
  return isOfAnother
}

/** What the published state was built from; undefined if nothing is published. */
async function originPublished({ servers: [server], database }: LandOptions): Promise<unknown> {
  const name = identifier(database)
  const [row] = await server.rows(
    `select origin from ${name}."landed" where landed_at <= (select max(published_at) from ${name}."published") order by landed_at desc limit 1`,
  )
  return row?.[0]
}

/** A table of one server, and which rows belong there. */
interface Place {
  readonly server: Server
  readonly name: string
  readonly which: string
}

/** Rows as the venue sent them are distributed by account; there are many more of them than of everything else. */
export const isRecord = (columns: Columns): boolean =>
  ['account', 'page_row', 'extra'].every((column) => columns.has(column))

async function placesOf({ servers, connection }: LandOptions, name: string, table: string): Promise<Place[]> {
  const reader = await connection.runAndReadAll(
    `select distinct coalesce(account, '') from landing.main.${identifier(table.replace('landing.', ''))}`,
  )
  const accounts = reader.getRowsJson().map(([account]) => String(account))
  return servers.map((server, at) => {
    const own = accounts.filter((account) => shardOf(account, servers.length) === at).map(literal)
    return { server, name, which: `coalesce(account, '') in (${['null', ...own].join(', ')})` }
  })
}

async function landTable(
  { folder, connection }: LandOptions,
  qualified: string,
  columns: Columns,
  places: readonly Place[],
  since: number | null,
): Promise<void> {
  const table = qualified.replace('landing.', '')
  const month = recordTimes.get(table) ?? OTHER_TIMES.find((column) => columns.has(column))
  const source = `landing.main.${identifier(table)}`
  const number = CHANGING.has(table) ? undefined : NUMBERS.find((column) => columns.has(column))
  const countHere = async (which: string): Promise<number> =>
    Number(
      (await connection.runAndReadAll(`select count(*) from ${source} where ${which}`)).getRowsJson()[0]?.[0],
    )
  for (const { server, name, which } of places) {
    const bring = async (rows: string): Promise<void> => {
      if ((await countHere(rows)) > 0)
        await push({ server, folder }, connection, `${source} where ${rows}`, name, columns)
    }
    if (since === null)
      await server.run(
        definitionOf(name, {
          columns,
          order: ORDER,
          month: columns.get(month ?? '')?.startsWith('TIMESTAMP') === true ? month : undefined,
        }),
      )
    else if (number !== undefined) {
      await bring(`${which} and ${number} > ${since}`)
      if ((await countThere(server, name)) === (await countHere(which))) continue
    }
    if (since !== null) await server.run(`truncate table ${name}`)
    await bring(which)
  }
}

const countThere = async (server: Server, table: string): Promise<number> =>
  Number((await server.rows(`select count() from ${table}`))[0]?.[0])

/** Different columns mean a different table. */
function originOf(origin: string, tables: ReadonlyMap<string, Columns>): string {
  const shape = [...tables].map(([table, columns]) => [table, ...[...columns].flat()].join(' '))
  return createHash('sha256')
    .update([origin, ...shape].join('\n'))
    .digest('hex')
}
