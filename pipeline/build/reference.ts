// What the models read besides what has landed: the reference tables of `data/` and the choices of the configuration.
// A table of the same name in the folder of the books comes before the one that ships.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import { quoted } from './quote.ts'

export type Grouping = 'unified' | 'unified-isolated' | 'per-line'

/** What of the configuration decides the books. */
export interface BuildConfig {
  readonly accounts: readonly { readonly name: string; readonly uid?: string }[]
  readonly publishPersonalData: boolean
  /** Coin or currency in which gains are reckoned; found from the trades when absent. */
  readonly reportingCurrency?: string
  /** Fixes how the balances of an account are kept, instead of finding it from the data. */
  readonly chainGrouping?: Readonly<Record<string, Grouping>>
  /** Start of the history that is wanted; what is missing before it is no break. */
  readonly since?: Date
  readonly namedFeeds?: readonly string[]
  /** Days by feed, where it is known better than the catalogue how long the venue remembers. */
  readonly retentionDays?: Readonly<Record<string, number>>
}

/** Shipped reference tables with their columns; all text, cast by the models that read them. */
const REFERENCE_TABLES: Readonly<Record<string, readonly string[]>> = {
  tax_types: ['feed', 'type', 'kind', 'direction', 'family', 'role', 'note'],
  kinds: ['kind', 'counter_account', 'effect', 'meaning'],
  quote_coins: ['coin', 'rank', 'note'],
  currencies: ['currency', 'is_money', 'note'],
}

/** Names of the tables that `loadReference` makes, qualified. */
export const GIVEN_TABLES: readonly string[] = [
  ...Object.keys(REFERENCE_TABLES).map((name) => `staging.${name}`),
  'staging.settings',
  'staging.account_choices',
  'staging.named_feeds',
]

/**
 * Makes the given tables in schema `staging`. Each reference table has a column `precedence`:
 * 0 for rows of the user's file, 1 for shipped ones. UsageError for a user's file with other columns.
 */
export async function loadReference(
  connection: DuckDBConnection,
  config: BuildConfig,
  folders: { readonly shipped: string; readonly books: string },
): Promise<void> {
  for (const [name, columns] of Object.entries(REFERENCE_TABLES)) {
    const users = join(folders.books, `${name}.csv`)
    const parts = [selectCsv(join(folders.shipped, `${name}.csv`), columns, 1)]
    if (existsSync(users)) {
      await mustHaveColumns(connection, users, columns)
      parts.push(selectCsv(users, columns, 0))
    }
    await connection.run(`create table staging.${name} as ${parts.join(' union all ')}`)
  }
  await mustUseKnownKinds(connection, join(folders.books, 'tax_types.csv'))
  await connection.run(
    `create table staging.settings as select
       cast($personal as boolean) as publish_personal_data,
       cast($currency as varchar) as reporting_currency,
       cast($since as timestamptz) as wanted_since`,
    {
      personal: config.publishPersonalData,
      currency: config.reportingCurrency ?? null,
      since: config.since?.toISOString() ?? null,
    },
  )
  await connection.run(
    'create table staging.account_choices (account varchar, uid varchar, chain_grouping varchar)',
  )
  for (const { name, uid } of config.accounts) {
    await connection.run('insert into staging.account_choices values ($name, $uid, $grouping)', {
      name,
      uid: uid ?? null,
      grouping: config.chainGrouping?.[name] ?? null,
    })
  }
  await connection.run('create table staging.named_feeds (feed varchar)')
  for (const feed of config.namedFeeds ?? []) {
    await connection.run('insert into staging.named_feeds values ($feed)', { feed })
  }
}

const readCsv = (file: string): string => `read_csv(${quoted(file)}, header = true, all_varchar = true)`

function selectCsv(file: string, columns: readonly string[], precedence: number): string {
  const fields = columns.map((name) => `coalesce("${name}", '') as "${name}"`)
  return `select ${fields.join(', ')}, ${precedence} as precedence from ${readCsv(file)}`
}

async function mustHaveColumns(
  connection: DuckDBConnection,
  file: string,
  columns: readonly string[],
): Promise<void> {
  const found = await connection
    .runAndReadAll(`select * from ${readCsv(file)} limit 0`)
    .then((reader) => reader.columnNames())
    .catch(() => null)
  if (found !== null && columns.every((name) => found.includes(name))) return
  throw new UsageError('A reference table in the folder of the books cannot be used.', {
    where: file,
    expected: `a CSV file with the columns ${columns.join(', ')}`,
    found: found === null ? 'no readable CSV' : found.join(', '),
    action: 'Correct the file, or remove it to use the table that ships.',
  })
}

/** Shipped rows are held to it by the same rule, through the tests. */
async function mustUseKnownKinds(connection: DuckDBConnection, file: string): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select type, kind, (select string_agg(distinct kind, ', ' order by kind) from staging.kinds)
     from staging.tax_types where kind not in (select kind from staging.kinds) limit 1`,
  )
  const [type, kind, known] = (reader.getRowsJson()[0] ?? []) as string[]
  if (kind === undefined) return
  throw new UsageError('The classification names a kind that does not exist.', {
    where: `${file}, type ${type}`,
    expected: `one of ${known}`,
    found: kind,
    action: 'Correct the row, or add the kind to kinds.csv beside it.',
  })
}
