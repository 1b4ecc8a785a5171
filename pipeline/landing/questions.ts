// Queries of the landing database for the planner and the checks. Everything is read from committed rows.
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { Range } from '../../models/ranges.ts'
import { columnName, type RecordType } from '../../models/record.ts'
import { identifier, literal } from '../engine/quote.ts'
import type { Table } from '../engine/table.ts'
import type { AccountMeta } from '../journal/frame.ts'

export interface KnownAccount {
  readonly uid: string | null
  readonly kind: AccountMeta['accountKind']
  readonly accountMode: string | null
}

/** Rows of a table and a hash of their content that does not depend on their order. */
export interface ContentHash {
  readonly rows: number
  readonly hash: string
}

async function ask<Row>(
  connection: DuckDBConnection,
  sql: string,
  values: DuckDBValue[] = [],
): Promise<Row[]> {
  const result = await connection.runAndReadAll(sql, values)
  return result.getRows() as Row[]
}

/** Which list of a feed is asked about. */
export type PartitionKey = readonly [account: string, feed: string, partition: string]

export const keyText = (key: PartitionKey): string => JSON.stringify(key)

/** Common table expression of the partitions asked about, which the statement receives as JSON. */
const ASKED = `asked as (
  select name[1] as account, name[2] as feed, name[3] as partition
  from (select unnest(from_json($1, '[["VARCHAR"]]')) as name)
)`

type Keyed<Values extends readonly unknown[]> = readonly [...PartitionKey, ...Values]

/** Rows grouped by their partition, in the order in which the partitions were asked for. */
async function askAll<Values extends readonly unknown[]>(
  connection: DuckDBConnection,
  sql: string,
  keys: readonly PartitionKey[],
): Promise<Map<string, Keyed<Values>[]>> {
  const rows = await ask<Keyed<Values>>(connection, sql, [JSON.stringify(keys)])
  const found = new Map<string, Keyed<Values>[]>()
  for (const row of rows) {
    const key = keyText([row[0], row[1], row[2]])
    const known = found.get(key)
    if (known === undefined) found.set(key, [row])
    else known.push(row)
  }
  return found
}

/** A range proven complete as of an instant: records that arrived later in its newest part have not been seen. */
export interface Claim extends Range {
  /** Unix milliseconds, by the venue's clock, since it is the newest end that any page had proven by then. */
  readonly readAt: number
}

/** By `keyText`, for the partitions that have any. */
export async function covered(
  connection: DuckDBConnection,
  keys: readonly PartitionKey[],
): Promise<Map<string, Claim[]>> {
  const rows = await askAll<[bigint, bigint, bigint]>(
    connection,
    `with ${ASKED}
     select distinct account, feed, partition, epoch_ms(starts_at) as range_start, epoch_ms(ends_at) as range_end,
       epoch_ms(max(ends_at) over (
         partition by account, feed, partition
         order by page_id rows between unbounded preceding and current row
       )) as read_at
     from landing.main.covered semi join asked using (account, feed, partition)
     order by range_start, range_end, read_at`,
    keys,
  )
  return mapped(rows, (list) =>
    list.map(([, , , start, end, readAt]) => ({
      start: Number(start),
      end: Number(end),
      readAt: Number(readAt),
    })),
  )
}

const mapped = <From, To>(map: ReadonlyMap<string, From>, of: (value: From) => To): Map<string, To> =>
  new Map([...map].map(([key, value]) => [key, of(value)]))

/** How far back a partition has ever been wanted, and which part of that is already stated as lost. */
export interface Wanted {
  /** Unix milliseconds; null for a partition that was never asked for. */
  readonly from: number | null
  /** As last stated: a later statement that it was only missing replaces it. */
  readonly lost: readonly Range[]
}

/** By `keyText`, for the partitions that were ever asked for. */
export async function wanted(
  connection: DuckDBConnection,
  keys: readonly PartitionKey[],
): Promise<Map<string, Wanted>> {
  const first = await askAll<[bigint | null]>(
    connection,
    `with ${ASKED},
     asked_for as (
       select account, feed, partition, window_start as wanted_from from landing.main.pages
       semi join asked using (account, feed, partition)
       union all
       select account, feed, partition, starts_at from landing.main.statements
       semi join asked using (account, feed, partition)
     )
     select account, feed, partition, epoch_ms(min(wanted_from)) from asked_for group by account, feed, partition`,
    keys,
  )
  const lost = await askAll<[bigint, bigint]>(
    connection,
    `with ${ASKED},
     own as (
       select *,
         coalesce(max(seq) filter (status <> 'lost') over (partition by account, feed, partition), 0) as last_other
       from landing.main.statements semi join asked using (account, feed, partition)
       where starts_at is not null
     )
     select distinct account, feed, partition, epoch_ms(starts_at) as range_start, epoch_ms(ends_at) as range_end
     from own
     where status = 'lost' and seq > last_other
     order by range_start, range_end`,
    keys,
  )
  return new Map(
    [...first].map(([key, [row]]) => {
      const from = row?.[3] ?? null
      const ranges = lost.get(key) ?? []
      return [
        key,
        {
          from: from === null ? null : Number(from),
          lost: ranges.map(([, , , start, end]) => ({ start: Number(start), end: Number(end) })),
        },
      ]
    }),
  )
}

export interface UnfinishedWindow {
  readonly window: Range
  readonly cursor: string
}

/** By `keyText`, for the partitions that have any. */
export async function unfinished(
  connection: DuckDBConnection,
  keys: readonly PartitionKey[],
): Promise<Map<string, UnfinishedWindow[]>> {
  const rows = await askAll<[bigint, bigint, string]>(
    connection,
    `with ${ASKED}
     select account, feed, partition, epoch_ms(window_start) as range_start, epoch_ms(window_end) as range_end, cursor
     from landing.main.progress semi join asked using (account, feed, partition)
     order by range_start, range_end`,
    keys,
  )
  return mapped(rows, (list) =>
    list.map(([, , , start, end, cursor]) => ({
      window: { start: Number(start), end: Number(end) },
      cursor,
    })),
  )
}

/**
 * Unix milliseconds of the oldest record whose current version is in one of the states, in any spelling, in an
 * unknown one or in none; or null. The current version is the one with the latest version field, otherwise the one on the newest
 * page (and its first row there, because rows arrive newest first).
 */
export async function oldestUnsettled(
  connection: DuckDBConnection,
  of: readonly [account: string, partition: string],
  record: RecordType,
  time: string,
  state: { readonly field: string; readonly values: readonly string[] },
): Promise<number | null> {
  const column = (name: string): string => identifier(columnName(name))
  const newestFirst = [
    ...(record.version === null ? [] : [`${column(record.version)} desc nulls last`]),
    'page_id desc',
    'page_row',
  ]
  const mayChange = state.values.map((value) => value.toLowerCase())
  const stays = (record.fields[state.field]?.values ?? [])
    .map((value) => value.toLowerCase())
    .filter((value) => !mayChange.includes(value))
  const states = (values: readonly string[]): string => values.map(literal).join(', ')
  const rows = await ask<[bigint | null]>(
    connection,
    `select epoch_ms(min(happened_at)) from (
       select ${column(time)} as happened_at, ${column(state.field)} as present_state
       from landing.main.${identifier(record.table)} where account = $1 and partition = $2
       qualify row_number() over (partition by ${record.key.map(column).join(', ')} order by ${newestFirst.join(', ')}) = 1
     ) where present_state is null
       or lower(present_state) ${stays.length === 0 ? `in (${states(mayChange)})` : `not in (${states(stays)})`}`,
    [...of],
  )
  const oldest = rows[0]?.[0] ?? null
  return oldest === null ? null : Number(oldest)
}

/** A list of records that are still in progress, which are to be found in another feed once they have left it. */
export interface ListOfOpen {
  readonly feed: string
  readonly record: RecordType
  /** Wire name of the time by which the other feed's window may filter. */
  readonly time: string
  /** Wire name of the field that determines the record's partition in the other feed, and all of these partitions. */
  readonly partition: string
  readonly partitions: readonly string[]
}

/**
 * Unix milliseconds of the oldest record that a later run, having reached the end of the list, no longer found there,
 * and whose own time the partition has not read since; by `keyText`, for the partitions that have any. However long it
 * was in the list, it may have ended only now. If every such list broke off, the record may be beyond its end, and end
 * only tomorrow.
 */
export async function oldestThatLeft(
  connection: DuckDBConnection,
  keys: readonly PartitionKey[],
  { feed, record, time, partition, partitions }: ListOfOpen,
): Promise<Map<string, number>> {
  const column = (name: string): string => identifier(columnName(name))
  const rows = await askAll<[bigint]>(
    connection,
    `with ${ASKED},
     listed as (
       select account, upper(${column(partition)}) as stands_in, min(${column(time)}) as began_at, max(page_id) as last_page
       from landing.main.${identifier(record.table)} semi join asked using (account)
       group by account, stands_in, ${record.key.map(column).join(', ')}
     ),
     broken_off as (
       select distinct run_id, account, partition from landing.main.statements
       where feed = ${literal(feed)} and status = 'unproven' and starts_at is null
     ),
     -- By page and not by record: a record may be one of a million, and each page has every later one.
     later_pages as (
       select ends.account as account, last_page,
         min(later.page_id) filter (where broken_off.run_id is null) as missed_on
       from (select distinct account, last_page from listed) as ends
       join landing.main.pages as last on last.page_id = ends.last_page
       join landing.main.pages as later on later.account = ends.account and later.feed = ${literal(feed)}
         and later.page_id > ends.last_page and later.run_id is distinct from last.run_id
         and coalesce(later.ends_list, true)
       left join broken_off on broken_off.run_id = later.run_id and broken_off.account = later.account
         and broken_off.partition = later.partition
       group by ends.account, last_page
     ),
     missed as (
       select listed.account as account, stands_in, began_at, missed_on
       from listed join later_pages using (account, last_page)
     )
     select asked.account, asked.feed, asked.partition, epoch_ms(min(missed.began_at))
     from asked
     join missed on missed.account = asked.account and (missed.stands_in = asked.partition
       or coalesce(missed.stands_in, '') not in (${partitions.map(literal).join(', ')}))
     where not exists (
       select 1 from landing.main.covered as own
       where own.account = asked.account and own.feed = asked.feed and own.partition = asked.partition
         and own.page_id > missed.missed_on and own.starts_at <= missed.began_at and own.ends_at >= missed.began_at
     )
     group by asked.account, asked.feed, asked.partition`,
    keys,
  )
  return mapped(rows, ([row]) => Number(row?.[3]))
}

/** The distinct values of a field that a feed has returned for an account, sorted. */
export async function distinctValues(
  connection: DuckDBConnection,
  account: string,
  record: RecordType,
  field: string,
): Promise<string[]> {
  const rows = await ask<[string]>(
    connection,
    `select distinct ${identifier(columnName(field))} as value from landing.main.${identifier(record.table)}
     where account = $1 and value is not null order by value`,
    [account],
  )
  return rows.map(([value]) => value)
}

/** The distinct values of a field in what was sent to an endpoint for an account, whatever the outcome, sorted. */
export async function writtenValues(
  connection: DuckDBConnection,
  account: string,
  endpoint: string,
  field: string,
): Promise<string[]> {
  const rows = await ask<[string]>(
    connection,
    `select distinct json_extract_string(body, [$3])[1] as value from landing.main.writes
     where account = $1 and endpoint = $2 and value is not null order by value`,
    [account, endpoint, field],
  )
  return rows.map(([value]) => value)
}

/** The status of the newest statement about a feed as a whole; null if there is none. */
export async function wordOnFeed(
  connection: DuckDBConnection,
  account: string,
  feed: string,
): Promise<string | null> {
  const rows = await ask<[string]>(
    connection,
    `select status from landing.main.statements
     where account = $1 and feed = $2 and partition = '' and starts_at is null and status is not null
     order by seq desc limit 1`,
    [account, feed],
  )
  return rows[0]?.[0] ?? null
}

/** The content of the newest account frame; null for an unknown account. */
export async function account(connection: DuckDBConnection, name: string): Promise<KnownAccount | null> {
  const rows = await ask<[string | null, KnownAccount['kind'], string | null]>(
    connection,
    'select uid, kind, account_mode from landing.main.accounts where account = $1 order by page_id desc limit 1',
    [name],
  )
  const newest = rows[0]
  return newest === undefined ? null : { uid: newest[0], kind: newest[1], accountMode: newest[2] }
}

/** The uid in the newest frame of each account, by account; accounts without one are left out. */
export async function uids(connection: DuckDBConnection): Promise<Map<string, string>> {
  const rows = await ask<[string, string]>(
    connection,
    `select account, uid from (
       select account, uid from landing.main.accounts
       qualify row_number() over (partition by account order by page_id desc) = 1
     ) where uid is not null`,
  )
  return new Map(rows)
}

/**
 * By account, the uid from the account settings of the newest run that proved a range of its history: an answer for an
 * account that was then not read does not matter. If the answer was erased, its ranges still stand as received, and the
 * account frame that follows it has the uid.
 */
export async function uidsOfHistory(
  connection: DuckDBConnection,
  feed: string,
  { table }: RecordType,
): Promise<Map<string, string>> {
  const rows = await ask<[string, string]>(
    connection,
    // A join with distinct runs instead takes twenty times as long over millions of pages.
    `with told as (
       select settings.account as account, pages.run_id as run_id, settings.page_id as page_id, settings.uid as uid
       from landing.main.${identifier(table)} as settings
       join landing.main.pages as pages using (page_id)
       union all
       select pages.account, pages.run_id, pages.page_id, accounts.uid
       from landing.main.pages as pages
       asof join landing.main.accounts as accounts
         on accounts.account = pages.account and accounts.page_id > pages.page_id
       where pages.feed = $1 and pages.row_count = 0
     )
     select told.account, max_by(told.uid, told.page_id)
     from told
     semi join (
       select pages.account as account, pages.run_id as run_id
       from landing.main.covered as covered join landing.main.pages as pages using (page_id)
     ) as proven on proven.account = told.account and proven.run_id = told.run_id
     where told.uid is not null
     group by told.account`,
    [feed],
  )
  return new Map(rows)
}

/** By table, for comparing two landings of the same journal. */
export async function contentHashes(
  connection: DuckDBConnection,
  tables: Iterable<Table>,
): Promise<Map<string, ContentHash>> {
  // Unlike an exclusive or, a sum does not cancel two equal rows.
  const selects = [...tables].map(({ name, columns }) => {
    const list = columns.map((column) => identifier(column.name)).join(', ')
    return `select ${literal(name)}, count(*), sum(hash(${list})) from landing.main.${identifier(name)}`
  })
  const rows = await ask<[string, bigint, bigint | null]>(connection, selects.join(' union all '))
  return new Map(
    rows.map(([name, count, sum]) => [name, { rows: Number(count), hash: (sum ?? 0n).toString(16) }]),
  )
}
