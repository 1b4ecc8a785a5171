// What the planner and the checks ask of the landing database. Everything is read from committed rows.
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

/** Rows of a table and a hash of their content, which the order of the rows does not change. */
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

/** A range proven complete, as it stood at an instant: what came later into its newest part has not been seen. */
export interface Claim extends Range {
  /** Unix milliseconds; by the venue's clock, since it is the newest end that any page had proven by then. */
  readonly readAt: number
}

export async function covered(
  connection: DuckDBConnection,
  of: readonly [account: string, feed: string, partition: string],
): Promise<Claim[]> {
  const rows = await ask<[bigint, bigint, bigint]>(
    connection,
    `select distinct epoch_ms(starts_at) as range_start, epoch_ms(ends_at) as range_end,
       epoch_ms(max(ends_at) over (order by page_id rows between unbounded preceding and current row)) as read_at
     from landing.main.covered where account = $1 and feed = $2 and partition = $3
     order by range_start, range_end, read_at`,
    [...of],
  )
  return rows.map(([start, end, readAt]) => ({
    start: Number(start),
    end: Number(end),
    readAt: Number(readAt),
  }))
}

/** How far back a partition has ever been wanted, and what of it is already said to be lost. */
export interface Wanted {
  /** Unix milliseconds; null for a partition that was never asked for. */
  readonly from: number | null
  /** As last stated: a later word on what was only missing counts again. */
  readonly lost: readonly Range[]
}

export async function wanted(
  connection: DuckDBConnection,
  of: readonly [account: string, feed: string, partition: string],
): Promise<Wanted> {
  const first = await ask<[bigint | null]>(
    connection,
    `select epoch_ms(min(wanted_from)) from (
       select window_start as wanted_from from landing.main.pages
       where account = $1 and feed = $2 and partition = $3
       union all
       select starts_at from landing.main.statements where account = $1 and feed = $2 and partition = $3
     )`,
    [...of],
  )
  const lost = await ask<[bigint, bigint]>(
    connection,
    `with own as (
       select * from landing.main.statements
       where account = $1 and feed = $2 and partition = $3 and starts_at is not null
     )
     select distinct epoch_ms(starts_at) as range_start, epoch_ms(ends_at) as range_end from own
     where status = 'lost' and seq > coalesce((select max(seq) from own where status <> 'lost'), 0)
     order by range_start, range_end`,
    [...of],
  )
  const from = first[0]?.[0] ?? null
  return {
    from: from === null ? null : Number(from),
    lost: lost.map(([start, end]) => ({ start: Number(start), end: Number(end) })),
  }
}

export interface UnfinishedWindow {
  readonly window: Range
  readonly cursor: string
}

export async function unfinished(
  connection: DuckDBConnection,
  of: readonly [account: string, feed: string, partition: string],
): Promise<UnfinishedWindow[]> {
  const rows = await ask<[bigint, bigint, string]>(
    connection,
    `select epoch_ms(window_start) as range_start, epoch_ms(window_end) as range_end, cursor
     from landing.main.progress where account = $1 and feed = $2 and partition = $3
     order by range_start, range_end`,
    [...of],
  )
  return rows.map(([start, end, cursor]) => ({ window: { start: Number(start), end: Number(end) }, cursor }))
}

/**
 * Unix milliseconds of the oldest record whose current version is in one of the states, or null.
 * Current is the version with the latest version field, else the one on the newest page (and there the first row:
 * rows come newest first).
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
  const states = state.values.map((_, index) => `$${index + 3}`)
  const rows = await ask<[bigint | null]>(
    connection,
    `select epoch_ms(min(happened_at)) from (
       select ${column(time)} as happened_at, ${column(state.field)} as present_state
       from landing.main.${identifier(record.table)} where account = $1 and partition = $2
       qualify row_number() over (partition by ${record.key.map(column).join(', ')} order by ${newestFirst.join(', ')}) = 1
     ) where present_state in (${states.join(', ')})`,
    [...of, ...state.values],
  )
  const oldest = rows[0]?.[0] ?? null
  return oldest === null ? null : Number(oldest)
}

/** The different values of a field that a feed has told for an account, sorted. */
export async function distinctValues(
  connection: DuckDBConnection,
  account: string,
  record: RecordType,
  field: string,
): Promise<string[]> {
  const rows = await ask<[string]>(
    connection,
    `select distinct ${identifier(columnName(field))} as told from landing.main.${identifier(record.table)}
     where account = $1 and told is not null order by told`,
    [account],
  )
  return rows.map(([value]) => value)
}

/** What the newest account frame says; null for an account that was never met. */
export async function account(connection: DuckDBConnection, name: string): Promise<KnownAccount | null> {
  const rows = await ask<[string | null, KnownAccount['kind'], string | null]>(
    connection,
    'select uid, kind, account_mode from landing.main.accounts where account = $1 order by page_id desc limit 1',
    [name],
  )
  const newest = rows[0]
  return newest === undefined ? null : { uid: newest[0], kind: newest[1], accountMode: newest[2] }
}

/** By table, for comparing two landings of the same journal. */
export async function contentHashes(
  connection: DuckDBConnection,
  tables: Iterable<Table>,
): Promise<Map<string, ContentHash>> {
  // A sum, unlike an exclusive or, does not cancel two equal rows.
  const selects = [...tables].map(({ name, columns }) => {
    const list = columns.map((column) => identifier(column.name)).join(', ')
    return `select ${literal(name)}, count(*), sum(hash(${list})) from landing.main.${identifier(name)}`
  })
  const rows = await ask<[string, bigint, bigint | null]>(connection, selects.join(' union all '))
  return new Map(
    rows.map(([name, count, sum]) => [name, { rows: Number(count), hash: (sum ?? 0n).toString(16) }]),
  )
}
