// What the models read besides what has landed: the reference tables of `data/` and the choices of the
// configuration. A table of the same name in the folder of the books takes precedence over the shipped one.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import { type P2pMeaning, PRICE_ORDER } from '../config/config.ts'
import { identifier, literal } from '../engine/quote.ts'
import { KEY_DATABASE, KEY_TABLE } from './counterparty-key.ts'
import { feedRecords } from './feeds.ts'

export type Grouping = 'unified' | 'unified-isolated' | 'per-line'

/** The part of the configuration that the books depend on. */
export interface BuildConfig {
  readonly accounts: readonly { readonly name: string; readonly uid?: string }[]
  readonly publishPersonalData: boolean
  /** Coin or currency in which gains are calculated; derived from the trades if absent. */
  readonly reportingCurrency?: string
  /** Fixes how the balances of an account are kept, instead of deriving it from the data. */
  readonly chainGrouping?: Readonly<Record<string, Grouping>>
  /** The meaning of an account's P2P transfers, if it is known. */
  readonly p2pTransfers?: Readonly<Record<string, P2pMeaning>>
  /**
   * Which sources of prices count, in order of precedence; those of the configuration's default if absent.
   */
  readonly priceOrder?: readonly string[]
  /** Start of the wanted history; anything missing before it is not a break. */
  readonly since?: Date
  readonly namedFeeds?: readonly string[]
  /** Days by feed, if the venue's retention is known better than the catalogue states. */
  readonly retentionDays?: Readonly<Record<string, number>>
}

/** Shipped reference tables with their columns; all text, cast by the models that read them. */
const REFERENCE_TABLES: Readonly<Record<string, readonly string[]>> = {
  tax_types: ['feed', 'type', 'kind', 'direction', 'family', 'role', 'doubt', 'note'],
  type_doubts: ['doubt', 'meaning'],
  kinds: ['kind', 'counter_account', 'effect', 'meaning'],
  quote_coins: ['coin', 'rank', 'note'],
  currencies: ['currency', 'is_money', 'note'],
}

/** Columns that a user's file may omit. */
const OPTIONAL_COLUMNS: readonly string[] = ['doubt']

/** The words that the models know in a column. */
const WORDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  tax_types: {
    feed: [
      ...new Set(
        feedRecords.flatMap(({ feed, record }) =>
          record.typed === null ? [] : [feed, record.typed.vocabulary],
        ),
      ),
    ],
    direction: ['in', 'out', 'either'],
    role: ['received', 'paid', 'fee'],
  },
  kinds: {
    effect: ['exchange', 'income', 'cost', 'move', 'debt', 'opening', 'rounding', 'fiat', 'none', 'unknown'],
  },
  currencies: { is_money: ['yes', 'no'] },
}

/** Names of the tables that `loadReference` creates, qualified. */
export const GIVEN_TABLES: readonly string[] = [
  ...Object.keys(REFERENCE_TABLES).map((name) => `staging.${name}`),
  'staging.settings',
  'staging.account_choices',
  'staging.named_feeds',
  'staging.price_order',
  KEY_TABLE,
]

/**
 * Creates the given tables in schema `staging`. Each reference table has a column `precedence`: 0 for rows of
 * the user's file, 1 for shipped ones. The key of pseudonyms is text; there is none in books without
 * counterparties. UsageError for a user's file with other columns.
 */
export async function loadReference(
  connection: DuckDBConnection,
  config: BuildConfig,
  folders: { readonly shipped: string; readonly books: string },
  counterpartyKey: string | null = null,
): Promise<void> {
  for (const [name, columns] of Object.entries(REFERENCE_TABLES)) {
    const users = join(folders.books, `${name}.csv`)
    const parts = [selectCsv(readShipped(join(folders.shipped, `${name}.csv`), columns), columns, 1)]
    if (existsSync(users)) {
      const found = await columnsFound(connection, users, columns)
      parts.push(selectCsv(readCsv(users), columns, 0, found))
    }
    await connection.run(`create or replace table staging.${name} as ${parts.join(' union all ')}`)
    if (existsSync(users)) await mustBeReadable(connection, name, users)
  }
  if (['tax_types', 'kinds', 'type_doubts'].some((name) => existsSync(join(folders.books, `${name}.csv`)))) {
    await mustUseKnown(connection, 'kind', 'kinds', join(folders.books, 'tax_types.csv'))
    await mustUseKnown(connection, 'doubt', 'type_doubts', join(folders.books, 'tax_types.csv'))
  }
  await connection.run(
    `create or replace table staging.settings as select
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
    'create or replace table staging.account_choices (account varchar, uid varchar, chain_grouping varchar, p2p_transfers varchar)',
  )
  for (const { name, uid } of config.accounts) {
    await connection.run('insert into staging.account_choices values ($name, $uid, $grouping, $meaning)', {
      name,
      uid: uid ?? null,
      grouping: ownOf(config.chainGrouping, name),
      meaning: ownOf(config.p2pTransfers, name),
    })
  }
  await connection.run('create or replace table staging.named_feeds (feed varchar)')
  for (const feed of config.namedFeeds ?? []) {
    await connection.run('insert into staging.named_feeds values ($feed)', { feed })
  }
  await connection.run('create or replace table staging.price_order (source varchar, rank integer)')
  const order = (config.priceOrder ?? PRICE_ORDER).map(
    (source, index) => `(${literal(source)}, ${index + 1})`,
  )
  if (order.length > 0) await connection.run(`insert into staging.price_order values ${order.join(', ')}`)
  await connection.run(`create or replace table ${KEY_DATABASE}.key (key varchar)`)
  if (counterpartyKey !== null)
    await connection.run(`insert into ${KEY_DATABASE}.key values ($key)`, { key: counterpartyKey })
  await connection.run(`create or replace view ${KEY_TABLE} as from ${KEY_DATABASE}.key`)
}

const readCsv = (file: string): string => `read_csv(${literal(file)}, header = true, all_varchar = true)`

/** A file in a known format needs no detection. */
const readShipped = (file: string, columns: readonly string[]): string =>
  `read_csv(${literal(file)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
     columns = {${columns.map((name) => `${literal(name)}: 'varchar'`).join(', ')}})`

/** Columns that are not among `found` are empty. */
function selectCsv(
  source: string,
  columns: readonly string[],
  precedence: number,
  found: readonly string[] = columns,
): string {
  const fields = columns.map((name) =>
    found.includes(name)
      ? `coalesce(${identifier(name)}, '') as ${identifier(name)}`
      : `'' as ${identifier(name)}`,
  )
  return `select ${fields.join(', ')}, ${precedence} as precedence from ${source}`
}

/** The columns of a user's file. */
async function columnsFound(
  connection: DuckDBConnection,
  file: string,
  columns: readonly string[],
): Promise<readonly string[]> {
  const required = columns.filter((name) => !OPTIONAL_COLUMNS.includes(name))
  const found = await connection
    .runAndReadAll(`select * from ${readCsv(file)} limit 0`)
    .then((reader) => reader.columnNames())
    .catch(() => null)
  if (found !== null && required.every((name) => found.includes(name))) return found
  throw new UsageError('A reference table in the folder of the books cannot be used.', {
    where: file,
    expected: `a CSV file with the columns ${required.join(', ')}`,
    found: found === null ? 'no readable CSV' : found.join(', '),
    action: 'Correct the file, or remove it to use the shipped table.',
  })
}

/** A word in a user's file that no model knows would count as nothing, and change figures without a sign. */
async function mustBeReadable(connection: DuckDBConnection, table: string, file: string): Promise<void> {
  const rules = Object.entries(WORDS[table] ?? {}).map(([column, words]) => ({
    column,
    expected: `one of ${words.join(', ')}`,
    // Only this one is read without regard to case.
    holds: `${column === 'is_money' ? 'lower(is_money)' : column} in ('', ${words.map((word) => literal(word)).join(', ')})`,
  }))
  if (table === 'quote_coins')
    rules.push({
      column: 'rank',
      expected: 'a whole number',
      holds: "try_cast(rank as integer) is not null and not contains(rank, '.')",
    })
  for (const { column, expected, holds } of rules) {
    const reader = await connection.runAndReadAll(
      `select ${column} from staging.${table} where precedence = 0 and not (${holds}) limit 1`,
    )
    const [found] = (reader.getRowsJson()[0] ?? []) as string[]
    if (found === undefined) continue
    throw new UsageError('A reference table in the folder of the books has a value that means nothing.', {
      where: `${file}, column ${column}`,
      expected,
      found,
      action: 'Correct the row, or remove the file to use the shipped table.',
    })
  }
}

/**
 * What a row of the classification names must be in the table of such names. Shipped rows are checked by the
 * same rule, in the tests.
 */
async function mustUseKnown(
  connection: DuckDBConnection,
  what: 'kind' | 'doubt',
  table: 'kinds' | 'type_doubts',
  file: string,
): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select type, ${what}, (select string_agg(distinct ${what}, ', ' order by ${what}) from staging.${table})
     from staging.tax_types
     where ${what} not in (select ${what} from staging.${table}) ${what === 'doubt' ? "and doubt <> ''" : ''} limit 1`,
  )
  const [type, named, known] = (reader.getRowsJson()[0] ?? []) as string[]
  if (named === undefined) return
  throw new UsageError(`The classification names a ${what} that does not exist.`, {
    where: `${file}, type ${type}`,
    expected: `one of ${known}`,
    found: named,
    action: `Correct the row, or add the ${what} to ${table}.csv beside it.`,
  })
}

/** Looks a name up in a map: an account may be called `constructor`, which every object has. */
const ownOf = <T>(map: Readonly<Record<string, T>> = {}, name: string): T | null =>
  Object.hasOwn(map, name) ? (map[name] as T) : null
