// What of many finished runs stands in one landing, into which their journals were landed anew, beside what must stand
// there: each run's own landing, its pages row by row, and the venue's records version by version and digit by digit.
// The questions are asked with code of the simulator's own where that is possible at all.

import type { DuckDBConnection } from '@duckdb/node-api'
import { appliesTo } from '../../../connectors/endpoint.ts'
import type { RecordType } from '../../../models/record.ts'
import { landingRecords } from '../../../pipeline/books/books.ts'
import type { Table } from '../../../pipeline/engine/table.ts'
import type { Frame } from '../../../pipeline/journal/frame.ts'
import type { ContentHash } from '../../../pipeline/landing/questions.ts'
import { countedTables, SCHEMA_VERSION, stateTable, tablesOf } from '../../../pipeline/landing/tables.ts'
import { createMacros } from '../../../pipeline/ledger/portable.ts'
import { recordSelect } from '../../../pipeline/ledger/records.ts'
import { grouped } from './check.ts'
import { type Feed, retentionOfFeed } from './feeds.ts'
import { LOOKBACK_SLACK_MS, type VenueRecord, versionAt } from './history.ts'
import { idsIn } from './venue.ts'
import { contentSql } from './wire.ts'
import { START, type World } from './world.ts'

/** What the moving edge of the venue's memory may take without a word. */
const EDGE_MS = 5 * 60_000

/** When the last run began and had ended, in milliseconds of the world. */
interface Times {
  readonly beganAt: number
  readonly endedAt: number
}

/** The books on one machine after a last run that went well. */
export interface Finished extends Times {
  readonly world: World
  readonly machine: string
  readonly frames: readonly Frame[]
  /** What its own landing held when the run had ended, by table. */
  readonly landed: ReadonlyMap<string, ContentHash>
}

/** Finished books in a landing that they share: the first frame of each comes after the last of the one before. */
export interface Placed extends Finished {
  /** Frames of the books before. */
  readonly offset: number
}

type Row = Record<string, string>
type Ask = (sql: string) => Promise<Row[]>

export function asking(connection: DuckDBConnection): Ask {
  return async (sql) => {
    const reader = await connection.runAndReadAll(sql)
    return reader.getRowObjectsJson() as Row[]
  }
}

/** Columns that hold the number of a frame. */
const NUMBERED = new Set(['page_id', 'seq'])

/** What stands in the landing of a run that no other run has. */
const ownColumn = ({ columns }: Table): string | undefined =>
  ['account', 'run_id'].find((name) => columns.some((column) => column.name === name))

/** What the table of the state must say: the last frame, its chain, and how many rows stand in the counted tables. */
function stateOf({ frames, landed }: Finished, tables: readonly Table[]): [number, string, number] {
  const chain = frames.at(-1)?.chain
  const rows = countedTables(tables).reduce((sum, { name }) => sum + (landed.get(name)?.rows ?? 0), 0)
  return [frames.length, chain === undefined ? 'null' : `'${chain}'`, rows]
}

/** Invariant 6: the landing that grew with the run is the one that comes of its journal alone. */
export async function checkLandedAgain(all: readonly Placed[], connection: DuckDBConnection): Promise<void> {
  const ask = asking(connection)
  await connection.run('create or replace temp table own (own_name varchar, place integer, shift bigint)')
  const owned = all.flatMap(({ world, frames, offset }, place) => {
    const runs = new Set(frames.flatMap(({ meta }) => ('run' in meta ? [meta.run] : [])))
    return [...world.accounts.map(({ name }) => name), ...runs].map(
      (name) => `('${name}', ${place}, ${offset})`,
    )
  })
  if (owned.length > 0) await connection.run(`insert into own values ${owned.join(', ')}`)
  const tables = tablesOf(landingRecords)
  const selects = tables.flatMap((table) => {
    const name = ownColumn(table)
    const columns = table.columns.map((column) =>
      NUMBERED.has(column.name) ? `"${column.name}" - shift` : `"${column.name}"`,
    )
    const select = `select place, '${table.name}' as kind, count(*) as found, sum(hash(${columns.join(', ')})) as hash
      from landing.main."${table.name}" join own on own_name = ${name} group by place`
    return name === undefined ? [] : [select]
  })
  const found = new Map(
    (await ask(selects.join(' union all '))).map((row) => [`${row.place} ${row.kind}`, row]),
  )
  const states =
    await ask(`select place, hash(${SCHEMA_VERSION}::integer, seq::bigint, chain::varchar, total::bigint) as hash
    from (values ${all.map((one, place) => `(${place}, ${stateOf(one, tables).join(', ')})`).join(', ')}) as of (place, seq, chain, total)`)
  for (const { place, hash } of states)
    found.set(`${place} ${stateTable.name}`, { found: '1', hash: hash ?? '' })
  for (const [place, { world, landed }] of all.entries()) {
    for (const table of tables) {
      const own = landed.get(table.name)
      if (own === undefined) continue
      const again = found.get(`${place} ${table.name}`)
      const hash = BigInt(again?.hash ?? 0).toString(16)
      if (own.hash !== hash)
        world.violation(
          `table ${table.name} has ${own.rows} rows, and ${again?.found ?? 0} others when the journal is landed again`,
        )
    }
  }
}

const feedsOf = (all: readonly Finished[]): Feed[] => [
  ...new Map(all.flatMap(({ world }) => world.feeds.map((feed) => [feed.name, feed]))).values(),
]

/** Every page landed once, whole: each of its rows stands in its table or in quarantine. */
export async function checkPages(all: readonly Placed[], connection: DuckDBConnection): Promise<void> {
  const ask = asking(connection)
  const tables = [...new Set(feedsOf(all).map((feed) => feed.item!.table)), 'quarantine']
  const landed = new Map<number, number>()
  for (const table of tables)
    for (const row of await ask(
      `select page_id, count(*) as found from landing.main.${table} group by page_id`,
    )) {
      const page = Number(row.page_id)
      landed.set(page, (landed.get(page) ?? 0) + Number(row.found))
    }
  for (const { world, frames, offset } of all)
    for (const { seq, meta, body } of frames) {
      const feed = meta.kind === 'page' ? world.feeds.find((one) => one.name === meta.feed) : undefined
      if (feed === undefined) continue
      const rows = idsIn(Buffer.from(body ?? []).toString(), feed).length
      const found = landed.get(seq + offset) ?? 0
      if (rows !== found) world.violation(`page ${seq} has ${rows} rows, and ${found} of them landed`)
    }
}

/** Records and versions that must have been had: all that the venue told before the last run, and still does. */
function isDue(feed: Feed, record: VenueRecord, { beganAt, endedAt }: Times): boolean {
  const edge = START + endedAt - retentionOfFeed(feed) + EDGE_MS
  const version = versionAt(record, endedAt)
  if (record.ts < edge || version === null || version !== versionAt(record, beganAt)) return false
  return record.isOnEdge || record.appearsAt + START - record.ts <= feed.window.lookbackMs - LOOKBACK_SLACK_MS
}

/** The select of the published table, over names that are whole. */
const publishedSelect = (feed: string, record: RecordType): string =>
  recordSelect({ feed, record, isList: false }, true)
    .replaceAll('landing.', 'landing.main.')
    .replaceAll('staging.', 'memory.staging.')

/** The landed records are the venue's, version by version and digit by digit, and each is published once. */
export async function checkTruth(all: readonly Finished[], connection: DuckDBConnection): Promise<void> {
  const ask = asking(connection)
  // Without a key nobody has a pseudonym.
  await createMacros(connection)
  await connection.run('create schema if not exists memory.staging')
  await connection.run('create table if not exists memory.staging.counterparty_key (key varchar)')
  const kept = grouped(
    await ask('select account, feed, raw from landing.main.quarantine'),
    ({ account }) => account!,
  )
  for (const { name, item } of feedsOf(all)) {
    const record = item!
    const key = `"${record.key.map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))[0]}"`
    const published = grouped(
      await ask(
        `select account, partition, ${key} as id, ${contentSql(record)} as content, is_current
         from (${publishedSelect(name, record)})`,
      ),
      ({ account }) => account!,
    )
    const versions = await ask(
      `select account, count(*) as versions
       from (select distinct account, ${key}, ${contentSql(record)} from landing.main.${record.table}) group by account`,
    )
    const landed = new Map(versions.map((row) => [row.account, Number(row.versions)]))
    for (const finished of all) {
      const { world } = finished
      const feed = world.feeds.find((one) => one.name === name)
      if (feed === undefined) continue
      const of = (rows: ReadonlyMap<string, Row[]>): Row[] =>
        world.accounts.flatMap((account) => rows.get(account.name) ?? [])
      const partitions = new Set(feed.partitions.map(({ label }) => label))
      const asked = world.accounts.filter(({ kind }) => appliesTo(feed, kind))
      const names = new Set(asked.map((account) => account.name))
      const own = world.records.filter(
        (one) => one.feed === name && partitions.has(one.partition) && names.has(one.account),
      )
      const found = of(published)
      const count = world.accounts.reduce((sum, account) => sum + (landed.get(account.name) ?? 0), 0)
      if (count !== found.length)
        world.violation(`${name}: ${count} versions have landed, ${found.length} are published`)
      const quarantined = of(kept).filter((row) => row.feed === name)
      checkFeed(world, feed, own, found, quarantined, finished)
    }
  }
}

/** Whether the books say of a record's instant that they cannot prove to have all of it. */
function unprovenIn(frames: readonly Frame[], feed: Feed): (record: VenueRecord) => boolean {
  const stated = frames.flatMap(({ meta }) =>
    meta.kind === 'statement' && meta.status === 'unproven' && meta.feed === feed.name ? [meta] : [],
  )
  return (record) =>
    stated.some(
      ({ account, partition, range }) =>
        account === record.account &&
        partition === record.partition &&
        range !== undefined &&
        range.start <= record.ts &&
        record.ts <= range.end,
    )
}

function checkFeed(
  world: World,
  feed: Feed,
  own: readonly VenueRecord[],
  published: readonly Record<string, unknown>[],
  quarantined: readonly Record<string, string>[],
  times: Finished,
): void {
  const byId = grouped(published, (row) => `${row.account}/${row.id}`)
  const known = new Map(own.map((record) => [`${record.account}/${record.id}`, record]))
  for (const [id, rows] of byId) {
    const record = known.get(id)
    for (const row of rows) {
      const isTrue = record?.versions.some(({ content }) => content === row.content)
      if (!isTrue)
        world.violation(`${feed.name} ${id} is published as ${row.content}, which the venue never said`)
      if (record !== undefined && row.partition !== record.partition)
        world.violation(`${feed.name} ${id} of ${record.partition} is published under ${row.partition}`)
    }
    if (new Set(rows.map((row) => row.content)).size !== rows.length)
      world.violation(`${feed.name} ${id} is published twice with the same content`)
    if (rows.filter((row) => row.is_current === true).length !== 1)
      world.violation(
        `${feed.name} ${id} has ${rows.filter((row) => row.is_current === true).length} current versions`,
      )
  }
  const asides = quarantined.map(({ account, raw }) => ({ account, ids: idsIn(raw ?? '', feed) }))
  const isAside = (record: VenueRecord): boolean =>
    asides.some(({ account, ids }) => account === record.account && ids.includes(record.id))
  const isUnproven = unprovenIn(times.frames, feed)
  for (const record of own.filter((one) => isDue(feed, one, times) && !isUnproven(one))) {
    const version = versionAt(record, times.endedAt)!
    const rows = byId.get(`${record.account}/${record.id}`) ?? []
    const what = `${feed.name} ${record.account}/${record.id} of ${record.ts} (appeared at ${record.appearsAt})`
    if (version.content === null) {
      if (!isAside(record)) world.violation(`${what} cannot be read, and is not quarantined`)
      continue
    }
    const row = rows.find(({ content }) => content === version.content)
    if (row === undefined) {
      const lacks =
        rows.length === 0
          ? 'is missing'
          : `is only known as ${rows.map(({ content }) => content).join(' and ')}`
      world.violation(`${what} ${lacks}`)
    } else if (row.is_current !== true) world.violation(`${what} is not published as it is now`)
  }
}
