// The layer `published`: one table for each record type, generated because the text is the same for all of them.
// One row for each distinct content of a record's identity, with when it was first and last seen and which one counts now.
import {
  type Counterparty,
  columnName,
  docOf,
  type Field,
  type FieldKind,
  type RecordType,
} from '../../models/record.ts'

/** A feed and the record that it lands. */
export interface FeedRecord {
  readonly feed: string
  readonly record: RecordType
}

export interface PublishedRecord extends FeedRecord {
  /** Every answer is the whole list as it stands, so that a row that is no longer in it is gone. */
  readonly isList: boolean
}

/** A page holds fewer rows than this, so page and row make one number that orders what was received. */
const ROWS_BEYOND_A_PAGE = 1_000_000

/** Columns beside the fields of the record, with their meaning. */
const COMMON_DOCS: Readonly<Record<string, string>> = {
  account: 'Account, as named in the configuration.',
  partition:
    'Part of the feed in which the record was seen; if there were several, the first alphabetically.',
  other_partition: 'A further partition in which the same record was seen; null if there was none.',
  biz_type: 'Business line of the query that brought the record.',
  margin_type: 'Margin type of the query that brought the record: crossed or isolated; null elsewhere.',
  counterparty_id:
    'Pseudonym of the counterparty, the same for the same name everywhere in these books; null if the order names nobody. docs/privacy.md.',
  extra: 'Fields that the interface document does not name, as JSON; null if there were none.',
  page_id: 'Number of the journal frame that first brought this content.',
  page_row: 'Position of the row in that page, from 0.',
  first_seen_at: 'When this content was first received.',
  last_seen_at: 'When this content was last received.',
  is_current:
    'False for a version that the venue has since changed, and for a row of a list that is not in its newest complete answer.',
}

/** The column with the time of a record, which none of its versions changes; undefined if it has none. */
export function timeColumn({ typed, fields }: RecordType): string | undefined {
  const name = typed?.time ?? Object.keys(fields).find((one) => one === 'createdTime')
  return name === undefined ? undefined : columnName(name)
}

export function recordColumns(record: RecordType): string[] {
  return Object.keys(record.fields).map(columnName)
}

/** Comments of a published record table, by column. */
export function recordDocs(record: RecordType): ReadonlyMap<string, string> {
  const fields = Object.entries(record.fields).map(
    ([name, field]) => [columnName(name), columnDoc(field)] as const,
  )
  const common = Object.entries(COMMON_DOCS).filter(([name]) => hasColumn(record, name))
  return new Map([...common, ...fields])
}

/** Some of the columns beside the fields are those of few records. */
function hasColumn({ table, counterparty }: RecordType, name: string): boolean {
  if (name === 'counterparty_id') return counterparty !== null
  return table === TAX_TABLE || (name !== 'biz_type' && name !== 'margin_type')
}

function columnDoc(field: Field): string {
  return [
    docOf(field),
    ...(field.items === undefined ? [] : [`As sent; its items are rows of ${field.items.table}.`]),
    ...(field.personal ? ['Personal: null unless published.'] : []),
  ].join(' ')
}

/**
 * The select of a published record table, over its landing table and `landing.pages`, and of a list over
 * `staging.newest_lists`. Two equal rows of one page are two records where the venue gives no id, and one record where it
 * does. A list is read for each partition, which is part of the identity of its rows.
 */
export function recordSelect(
  { feed, record, isList }: PublishedRecord,
  publishPersonalData: boolean,
): string {
  const columns = recordColumns(record)
  const keys = record.key.map(columnName)
  const keyed = keys.length > 0
  const content = keyed
    ? ['account', ...(isList ? ['partition'] : []), ...columns, 'extra']
    : ['account', 'partition', ...columns, 'extra', 'occurrence']
  const of = (names: readonly string[]): string => names.join(', ')
  const place = `page_id * ${ROWS_BEYOND_A_PAGE} + page_row`
  const identity = isList ? [...keys, 'partition'] : keys
  return `with
${keyed ? versionsOfKeyed(record, content, identity, place) : versionsOfUnkeyed(record, of(content), of([...columns, 'extra']), place)},
final as (
  select versions.account as account, first_partition as partition,
    case when last_partition <> first_partition then last_partition end as other_partition,
    ${record.table === TAX_TABLE ? TAX_LINE : ''}${publishedFields(record, publishPersonalData)},
    versions.first_page as page_id,
    cast(first_place - versions.first_page * ${ROWS_BEYOND_A_PAGE} as integer) as page_row,
    first_seen.received_at as first_seen_at,
    last_seen.received_at as last_seen_at,
    ${keyed ? 'version_rank = 1' : 'true'}${isList ? ' and versions.last_page >= coalesce(lists.first_page, 0)' : ''} as is_current
  from versions
  left join landing.pages as first_seen on first_seen.page_id = versions.first_page
  left join landing.pages as last_seen on last_seen.page_id = versions.last_page
  ${isList ? `left join staging.newest_lists as lists on lists.feed = '${feed}' and lists.account = versions.account and lists.partition = first_partition` : ''}
  ${record.counterparty === null ? '' : 'cross join (select max(counterparty_key.key) as book_key from staging.counterparty_key) as keys'}
)
select * from final`
}

const grouped = (from: string, content: string, place: string): string => `
  select ${content},
    min(partition) as first_partition, max(partition) as last_partition,
    min(page_id) as first_page, max(page_id) as last_page,
    min(${place}) as first_place,
    max(${place}) as last_place
  from ${from}
  group by ${content}`

function versionsOfUnkeyed({ table }: RecordType, content: string, sent: string, place: string): string {
  return `
received as (
  select *, row_number() over (partition by page_id, account, partition, ${sent} order by page_row) as occurrence
  from landing.${table}
),
versions as (${grouped('received', content, place)}
)`
}

/**
 * A record that was received once is its own and only version. So only the others are grouped by their content, which is
 * dear, and only they are ranked; most records of most books are received once.
 */
function versionsOfKeyed(
  { table, version }: RecordType,
  content: readonly string[],
  identity: readonly string[],
  place: string,
): string {
  const keys = ['account', ...identity]
  const received = new Set([...content, 'partition', 'page_id', 'page_row'])
  // By a join of names of its own: ClickHouse compares every row with every repeated one where a condition is correlated.
  const isRepeated = keys
    .map((key) => `repeated.again_${key} is not distinct from received.${key}`)
    .join(' and ')
  const newest = version === null ? '' : `${columnName(version)} desc nulls last, `
  return `
repeated as (
  select ${keys.map((key) => `${key} as again_${key}`).join(', ')} from landing.${table}
  group by ${keys.join(', ')} having count(*) > 1
),
received_again as (
  select ${[...received].map((name) => `received.${name} as ${name}`).join(', ')}
  from landing.${table} as received join repeated on ${isRepeated}
),
contents as (${grouped('received_again', content.join(', '), place)}
),
versions as (
  select *, row_number() over (partition by ${keys.join(', ')} order by ${newest}last_place desc) as version_rank
  from contents
  union all
  select ${content.join(', ')}, partition, partition, page_id, page_id, ${place}, ${place}, 1
  from landing.${table} as received left join repeated on ${isRepeated}
  where repeated.again_account is null
)`
}

/** The record whose partition is its business line, and in part its margin type. */
const TAX_TABLE = 'tax_records'

const TAX_LINE = `case when first_partition like 'MARGIN%' then 'MARGIN' else first_partition end as biz_type,
    case when first_partition like 'MARGIN-%' then replace(first_partition, 'MARGIN-', '') end as margin_type,
    `

/** Personal fields, and unknown fields of records that have personal ones, are null unless asked for. */
function publishedFields(record: RecordType, publishPersonalData: boolean): string {
  const personal = Object.values(record.fields).some((field) => field.personal)
  const fields = Object.entries(record.fields).map(([name, field]) => {
    const column = columnName(name)
    return `${field.personal && !publishPersonalData ? nullOf(field.kind) : `versions.${column}`} as ${column}`
  })
  const extra =
    personal && !publishPersonalData ? 'cast(null as varchar) as extra' : 'versions.extra as extra'
  const { counterparty } = record
  return [...fields, ...(counterparty === null ? [] : [pseudonym(counterparty)]), extra].join(', ')
}

function pseudonym({ side, names }: Counterparty): string {
  const cases = Object.entries(names).map(
    ([value, name]) => `when '${value}' then versions.${columnName(name)}`,
  )
  const name = `case lower_case(versions.${columnName(side)}) ${cases.join(' ')} end`
  return `pseudonym(keys.book_key, ${name}) as counterparty_id`
}

/** Null in the type of the column that a field becomes. */
export const nullOf = (kind: FieldKind): string => NULLS[kind]

const NULLS: Readonly<Record<FieldKind, string>> = {
  text: 'cast(null as varchar)',
  amount: 'cast(null as decimal(38, 18))',
  millis: 'null_time()',
  flag: 'cast(null as boolean)',
  json: 'cast(null as varchar)',
}
