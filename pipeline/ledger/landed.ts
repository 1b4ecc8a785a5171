// The rows that have landed, by table and by day. A received row is never changed or removed, so what had landed when the
// last build read it need not be read again: only the rows of later pages are, and their hashes are added. That the pages
// before them are the same ones is known from the tables that list them, which are small.
import type { DuckDBConnection } from '@duckdb/node-api'
import { asked, NO_ROWS, type Rows, rowsOf } from './rows.ts'
import { allOf, askDays, type Days, sumOfDays } from './slices.ts'

/** Up to where landing had been read. */
export interface LandedUntil {
  /** Number of the last frame that had landed. */
  readonly seq: bigint
  /** The pages up to it, as rows of the tables that list them. */
  readonly pages: string
}

/** The rows that have landed. */
export interface Landed {
  /** By table. */
  readonly landed: ReadonlyMap<string, Rows>
  /** Of each day, where a table is divided into days. */
  readonly days: ReadonlyMap<string, Days>
  /** Null if that is not wanted, or not known. */
  readonly until: LandedUntil | null
}

/** What was known when landing was last read. */
export type KnownLanded = Pick<Landed, 'days' | 'until'>

/** Every received row is on a page that one of these lists. */
const LISTS = ['pages', 'imports', 'price_pages']

/** The pages up to a frame, as text. */
async function pagesUntil(connection: DuckDBConnection, seq: bigint): Promise<string> {
  const lists = LISTS.map(
    (list) => `(select row(count(*), sum(cast(hash(whole_row) as hugeint)))
       from landing.main.${list} as whole_row where page_id <= ${seq})`,
  )
  const [[pages] = []] = await asked(connection)(`select cast(row(${lists.join(', ')}) as varchar)`)
  return String(pages)
}

async function landedUntil(connection: DuckDBConnection): Promise<LandedUntil> {
  const [[last] = []] = await asked(connection)('select landed_seq from landing.main.state')
  const seq = BigInt(String(last))
  return { seq, pages: await pagesUntil(connection, seq) }
}

/**
 * What has landed, in the database attached as `landing`, by table, and by day where `timeOf` gives a column with the
 * time. `known` is what it was when it was last read: of tables divided into days, only what is new is read, if nothing
 * else can have changed. Tables that never had a row, which are most of them, are not queried.
 */
export async function landedRows(
  connection: DuckDBConnection,
  timeOf: ReadonlyMap<string, string> = new Map(),
  known: KnownLanded | null = null,
): Promise<Landed> {
  const until = timeOf.size === 0 ? null : await landedUntil(connection)
  const reader = await connection.runAndReadAll(
    "select 'landing.' || table_name, estimated_size > 0 from duckdb_tables() where database_name = 'landing'",
  )
  const found = reader.getRowsJson() as [string, boolean][]
  const filled = found.flatMap(([table, hasRows]) => (hasRows ? [table] : []))
  const since = until === null ? null : await sameUntil(connection, known, until)
  const days = new Map<string, Days>()
  for (const table of filled) {
    const time = timeOf.get(table)
    if (time === undefined) continue
    const before = since === null ? undefined : known?.days.get(table)
    const added =
      since === null || before === undefined
        ? null
        : await daysAdded(connection, table, { time, before, since })
    days.set(table, added ?? (await askDays(connection, table, time)))
  }
  const rows = await rowsOf(
    [connection],
    filled.filter((table) => !days.has(table)),
  )
  for (const [table, one] of days) rows.set(table, allOf(one))
  return { landed: new Map(found.map(([table]) => [table, rows.get(table) ?? NO_ROWS])), days, until }
}

/** The frame up to which landing is as it is known; null if it may not be. */
async function sameUntil(
  connection: DuckDBConnection,
  known: KnownLanded | null,
  until: LandedUntil,
): Promise<bigint | null> {
  if (known?.until === null || known?.until === undefined || known.until.seq > until.seq) return null
  const pages = await pagesUntil(connection, known.until.seq)
  return pages === known.until.pages ? known.until.seq : null
}

/** The rows of each day, known ones and those of pages since; null if other rows were added or some have gone. */
async function daysAdded(
  connection: DuckDBConnection,
  table: string,
  { time, before, since }: { readonly time: string; readonly before: Days; readonly since: bigint },
): Promise<Days | null> {
  const added = await askDays(connection, table, time, `page_id > ${since}`)
  const days = sumOfDays(before, added)
  const [[count] = []] = await asked(connection)(`select count(*) from ${table}`)
  return Number(count) === allOf(days).count ? days : null
}
