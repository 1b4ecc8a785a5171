// The models whose text follows from declarations: the published record tables, what is asked of all of them at once
// (versions of records, and the pages that landed rows name), how long the venue remembers each feed, the codes of
// refusals that a better key would cure, the ways over several prices, how equal moves are tied in their order, and
// which of them are each other's nearest.
import { endpoints } from '../../connectors/catalogue.ts'
import { permissionCodes } from '../../connectors/classify.ts'
import { days, retentionOf } from '../../connectors/endpoint.ts'
import { columnName, type RecordType } from '../../models/record.ts'
import { feedRecords, recordItems } from './feeds.ts'
import { type ItemTable, itemDocs, itemProblems, itemSelect, itemTableDoc } from './items.ts'
import type { Model } from './models.ts'
import { nearest } from './nearest.ts'
import { priceWays } from './price-ways.ts'
import { type FeedRecord, type PublishedRecord, recordDocs, recordSelect, timeColumn } from './records.ts'
import type { BuildConfig } from './reference.ts'
import { turns } from './turns.ts'

export function generatedModels({
  publishPersonalData,
  retentionDays = {},
}: Pick<BuildConfig, 'publishPersonalData' | 'retentionDays'>): Model[] {
  return [
    ...feedRecords.map((feedRecord) => publishedModel(feedRecord, publishPersonalData)),
    ...recordItems.map((table) => itemModel(table, publishPersonalData)),
    union(
      'staging.item_problems',
      itemProblemsDoc,
      recordItems.map((table) => itemProblems(table, publishPersonalData)),
    ),
    generated('staging.feed_retention', retentionDoc, retentionSelect(retentionDays)),
    generated('staging.permission_codes', permissionsDoc, permissionsSelect),
    generated('staging.feeds', feedsDoc, feedsSelect),
    {
      ...union('staging.moved_records', movedDoc, typedRecords.flatMap(movedOf)),
      isView: true,
      slices: {
        by: 'occurred_at',
        of: typedRecords.flatMap(({ record, typed }) =>
          typed.books === null ? [] : [`main.${record.table}`],
        ),
      },
    },
    {
      ...union('staging.record_days', recordDaysDoc, typedRecords.map(recordDaysOf)),
      slices: { by: 'day', of: typedRecords.map(({ record }) => `main.${record.table}`) },
    },
    union('staging.unclassified_records', unclassifiedDoc, typedRecords.map(unclassifiedOf)),
    priceWays,
    ...turns,
    ...nearest,
    union('staging.record_versions', versionsDoc, feedRecords.map(versionsOf)),
    union('staging.record_pages', pagesDoc, feedRecords.map(pagesOf)),
    union('staging.record_clashes', clashesDoc, feedRecords.map(clashesOf)),
  ]
}

function generated(table: string, doc: string, select: string): Model {
  return { table, file: `${table} (generated)`, select, doc, columnDocs: new Map(), needs: [] }
}

const union = (table: string, doc: string, parts: readonly string[]): Model => ({
  ...generated(table, doc, parts.join('\nunion all\n')),
  parts,
})

function publishedModel(feedRecord: PublishedRecord, publishPersonalData: boolean): Model {
  const { feed, record, isList } = feedRecord
  const identity = ['account', ...(isList ? ['partition'] : []), ...record.key.map(columnName)].join(', ')
  const [grain, keys] =
    record.key.length === 0
      ? ['one row per content of a record', 'page_id, page_row unique; the venue gives no id']
      : [
          `one row per ${identity} and content; is_current picks one of them`,
          `${identity} unique where is_current; page_id, page_row unique`,
        ]
  return {
    ...generated(
      `main.${record.table}`,
      `${record.doc} Feed ${feed}.\ngrain: ${grain}\nkeys:  ${keys}`,
      recordSelect(feedRecord, publishPersonalData),
    ),
    columnDocs: recordDocs(record),
    ...slicesOf(feedRecord),
  }
}

/**
 * A record is read with all of its versions, whatever their days. When a page was received never changes, and a
 * new page brings new rows.
 */
function slicesOf({ record, isList }: PublishedRecord): Pick<Model, 'slices'> {
  const { table, key } = record
  const time = timeColumn(record)
  if (time === undefined || key.length === 0) return {}
  if (isList) return { slices: { by: time, of: [] } }
  return {
    slices: {
      by: time,
      of: [`landing.${table}`],
      together: ['account', ...key.map(columnName)],
      growing: ['landing.pages'],
    },
  }
}

function itemModel(table: ItemTable, publishPersonalData: boolean): Model {
  return {
    ...generated(`main.${table.items.table}`, itemTableDoc(table), itemSelect(table, publishPersonalData)),
    columnDocs: itemDocs(table),
    ...slicesOfItems(table),
  }
}

function slicesOfItems({ record }: ItemTable): Pick<Model, 'slices'> {
  const time = timeColumn(record)
  return time === undefined
    ? {}
    : { slices: { by: time, of: [`main.${record.table}`, `landing.${record.table}`] } }
}

const itemProblemsDoc = `Lists and objects inside records that do not have the declared form, with one example and where it was first seen.
grain: one row per feed, account, field and problem`

const retentionDoc = `How long the venue remembers each feed, and how long before it forgets the check retention_expiring warns of one that is
asked by time: two weeks, or a quarter of what it remembers where that is less.
grain: one row per feed`

const WARNING_MS = days(14)
const MINUTE_MS = 60_000

function retentionSelect(overrides: Readonly<Record<string, number>>): string {
  const rows = endpoints.flatMap((endpoint) => {
    const { name } = endpoint
    const kept = overrides[name]
    const ms = retentionOf(endpoint, kept === undefined ? undefined : days(kept))
    if (!Number.isFinite(ms)) return []
    const [keptMinutes, warningMinutes] = [ms, Math.min(WARNING_MS, ms / 4)].map((each) =>
      Math.floor(each / MINUTE_MS),
    )
    return [`('${name}', ${keptMinutes}, ${warningMinutes})`]
  })
  return `select * from (values ${rows.join(', ')}) as feeds (feed, kept_minutes, warning_minutes)`
}

const permissionsDoc = `Codes of a feed that could not be read with the keys at hand: the venue's, and ours for a key that is not there.
grain: one row per code`

const permissionsSelect = `select * from (values ${permissionCodes.map((code) => `('${code}')`).join(', ')}) as codes (code)`

/**
 * Every record that is declared with a type: the feed that lands it is classified and checked like the
 * others.
 */
const typedRecords = feedRecords.flatMap(({ feed, record }) =>
  record.typed === null ? [] : [{ feed, record, typed: record.typed }],
)

type TypedRecord = (typeof typedRecords)[number]

const feedsDoc = `What the models need to know of a feed that lands a record: whether its records are booked, and how; and whether the
books rest on it, so that a hole in it leaves something unproven; and whether the venue answers it to anybody, without a key.
grain: one row per feed`

const publicFeeds = new Set(endpoints.flatMap((one) => (one.public ? [one.name] : [])))

const truth = (value: unknown): string => (value === undefined ? 'false' : 'true')

const feedsSelect = `select * from (values ${feedRecords
  .map(({ feed, record: { table, nature, typed } }) => {
    const books = typed?.books ?? undefined
    const cells = [
      `'${feed}'`,
      `'${table}'`,
      truth(books),
      books === undefined || books.line === null ? 'null' : `'${books.line}'`,
      truth(books?.balance),
      truth(books?.isUnsigned),
      truth(books?.yieldsToUnified),
      String(books !== undefined || nature === 'life'),
      String(publicFeeds.has(feed)),
    ]
    return `(${cells.join(', ')})`
  })
  .join(
    ', ',
  )}) as feeds (feed, table_name, is_booked, line, has_balance, is_unsigned, yields_to_unified, is_rested_on, is_public)`

const movedDoc = `Records of all feeds that are booked, in one form, every version of them. Amounts without a sign stand as they came.
A view: what reads it reads the tables of the records.
grain: one row per feed, account, source_id and version`

/** The record's key is one field, its id: a booked record is one change, which the venue identifies. */
function movedOf({ feed, record, typed }: TypedRecord): string[] {
  const { books } = typed
  if (books === null) return []
  const column = (name: string | undefined, otherwise: string): string =>
    name === undefined ? otherwise : `${record.table}.${columnName(name)}`
  const line = books.line === null ? 'partition' : `'${books.line}'`
  const productLine =
    books.line === null ? `case when partition like 'MARGIN-%' then 'MARGIN' else partition end` : line
  return [
    `select account, '${feed}' as feed, ${record.key.map(columnName).join(', ')} as source_id,
  ${productLine} as product_line, ${line} as line, ${columnName(typed.coin)} as coin, ${columnName(typed.field)} as type,
  ${record.table}.${columnName(books.amount)} as amount, coalesce(${column(books.fee, 'null')}, cast(0 as decimal(38, 18))) as fee,
  ${column(books.balance, 'cast(null as decimal(38, 18))')} as balance, ${columnName(typed.time)} as occurred_at,
  ${column(books.symbol, 'cast(null as varchar)')} as symbol, ${truth(books.isUnsigned)} as is_unsigned,
  ${truth(books.yieldsToUnified)} as yields_to_unified, is_current, page_id, page_row
from main.${record.table}`,
  ]
}

const recordDaysDoc = `What each feed has sent of a UTC day: the types, as they were spelled, how many records of each, every version of them,
and the largest of their amounts, fees and balances, without its sign. It is null if the feed is not booked.
grain: one row per feed, account, type, coin and day`

/** Of large books, a night reads these few rows and not all records. */
function recordDaysOf({ feed, record, typed }: TypedRecord): string {
  const { books } = typed
  const column = (name: string): string => `${record.table}.${columnName(name)}`
  const size = (name: string | undefined): string[] =>
    name === undefined ? [] : [`abs(coalesce(${column(name)}, 0))`]
  const sizes = books === null ? [] : [...size(books.amount), ...size(books.fee), ...size(books.balance)]
  const largest =
    sizes.length === 0
      ? 'cast(null as decimal(38, 18))'
      : `max(${sizes.length === 1 ? sizes.join() : `greatest(${sizes.join(', ')})`})`
  const by = `account, ${column(typed.field)}, ${column(typed.coin)}, utc_day(${column(typed.time)})`
  return `select '${feed}' as feed, '${typed.vocabulary}' as vocabulary, account, ${column(typed.field)} as type,
  ${column(typed.coin)} as coin, utc_day(${column(typed.time)}) as day, count(*) as row_count, ${largest} as largest
from main.${record.table}
group by ${by}`
}

const unclassifiedDoc = `Current records of types that nobody has classified.
grain: one row per record`

const unclassifiedOf = ({ feed, record, typed }: TypedRecord): string =>
  `select '${feed}' as feed, t.account as account, t.${columnName(typed.field)} as type, t.${columnName(typed.coin)} as coin,
  ${keyOf(record)} as source_id,
  t.${columnName(typed.time)} as occurred_at
from main.${record.table} as t
join staging.types as types on types.feed = '${feed}' and types.type = t.${columnName(typed.field)}
where t.is_current and types.kind = 'unclassified'`

const versionsDoc = `Records of which more than one version was received, each version with its content.
grain: one row per account, feed, record_id and version`

/**
 * `core` is the content without unknown fields, as text: versions with equal cores differ only in unknown
 * fields.
 */
function versionsOf({ feed, record }: FeedRecord): string {
  const keys = record.key.map(columnName)
  if (keys.length === 0) return emptyVersions(feed, record.nature)
  const fields = Object.keys(record.fields).map((name) => textOf(record, name))
  const same = keys.map((name) => `t.${name} is not distinct from changed.${name}`).join(' and ')
  return `select '${feed}' as feed, '${record.nature}' as nature, t.account as account, ${keyOf(record)} as record_id,
  t.is_current as is_current, t.first_seen_at as first_seen_at, t.page_id as page_id,
  concat_ws('|', ${fields.join(', ')}) as core, t.extra as extra
from main.${record.table} as t
join (select distinct account, ${keys.join(', ')} from main.${record.table} where not is_current) as changed
  on t.account = changed.account and ${same}`
}

const keyOf = (record: RecordType): string =>
  `concat_ws('/', ${record.key.map((name) => textOf(record, name)).join(', ')})`

/**
 * A field of the record \`t\` as text, empty for null: the engines write amounts and times, and concatenate
 * nulls, differently.
 */
function textOf({ fields }: RecordType, name: string): string {
  const column = `t.${columnName(name)}`
  switch (fields[name]?.kind) {
    case 'amount':
      return `coalesce(amount_text(${column}), '')`
    case 'millis':
      return `coalesce(time_text(${column}), '')`
    default:
      return `coalesce(cast(${column} as varchar), '')`
  }
}

const emptyVersions = (feed: string, nature: string): string =>
  `select '${feed}' as feed, '${nature}' as nature, cast(null as varchar) as account,
  cast(null as varchar) as record_id, true as is_current, null_time() as first_seen_at,
  cast(null as bigint) as page_id, '' as core, cast(null as varchar) as extra
where false`

const pagesDoc = `Pages that landed rows name.
grain: one row per feed, account and page_id`

const pagesOf = ({ feed, record }: FeedRecord): string =>
  `select '${feed}' as feed, account, page_id, count(*) as row_count
from landing.${record.table}
group by account, page_id`

const clashesDoc = `How many records were seen in more than one partition of their feed.
grain: one row per feed, account and pair of partitions`

const clashesOf = ({ feed, record }: FeedRecord): string =>
  `select '${feed}' as feed, account, partition, other_partition, count(*) as record_count
from main.${record.table}
where other_partition is not null
group by account, partition, other_partition`
