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
  account: 'Account, as the configuration names it.',
  partition: 'Part of the feed in which the record was seen; the alphabetically first where it was several.',
  other_partition: 'A further partition in which the same record was seen; null where there was none.',
  biz_type: 'Business line of the query that brought the record.',
  margin_type: 'Margin type of the query that brought the record: crossed or isolated; null elsewhere.',
  counterparty_id:
    'Pseudonym of who is on the other side, the same for the same name everywhere in these books; null where the order names nobody. docs/privacy.md.',
  extra: 'Fields that the interface document does not name, as JSON; null where there were none.',
  page_id: 'Number of the journal frame that first brought this content.',
  page_row: 'Place of the row in that page, from 0.',
  first_seen_at: 'When this content was first received.',
  last_seen_at: 'When this content was last received.',
  is_current:
    'False for a version that the venue has since changed, and for a row of a list that its newest complete answer lacks.',
}

export function recordColumns(record: RecordType): string[] {
  return Object.keys(record.fields).map(columnName)
}

/** Comments of a published record table, by column. */
export function recordDocs(record: RecordType): ReadonlyMap<string, string> {
  const fields = Object.entries(record.fields).map(
    ([name, field]) => [columnName(name), columnDoc(field)] as const,
  )
  return new Map([...Object.entries(COMMON_DOCS), ...fields])
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
  const received = keyed
    ? `select * from landing.${record.table}`
    : `select *, row_number() over (partition by page_id, account, partition, ${of([...columns, 'extra'])} order by page_row) as occurrence
  from landing.${record.table}`
  return `with
received as (
  ${received}
),
versions as (
  select ${of(content)},
    min(partition) as first_partition, max(partition) as last_partition,
    min(page_id) as first_page, max(page_id) as last_page,
    min(page_id * ${ROWS_BEYOND_A_PAGE} + page_row) as first_place,
    max(page_id * ${ROWS_BEYOND_A_PAGE} + page_row) as last_place
  from received
  group by ${of(content)}
),${keyed ? rankedVersions(isList ? [...keys, 'partition'] : keys, record.version) : ''}
final as (
  select versions.account, first_partition as partition,
    case when last_partition <> first_partition then last_partition end as other_partition,
    ${record.table === 'tax_records' ? TAX_LINE : ''}${publishedFields(record, publishPersonalData)},
    versions.first_page as page_id,
    cast(first_place - versions.first_page * ${ROWS_BEYOND_A_PAGE} as integer) as page_row,
    first_seen.received_at as first_seen_at,
    last_seen.received_at as last_seen_at,
    ${keyed ? 'coalesce(ranked.version_rank, 1) = 1' : 'true'}${isList ? ' and versions.last_page >= coalesce(lists.first_page, 0)' : ''} as is_current
  from versions
  left join landing.pages as first_seen on first_seen.page_id = versions.first_page
  left join landing.pages as last_seen on last_seen.page_id = versions.last_page
  ${keyed ? `left join ranked on ranked.account = versions.account and ranked.place_of_last = versions.last_place` : ''}
  ${isList ? `left join staging.newest_lists as lists on lists.feed = '${feed}' and lists.account = versions.account and lists.partition = first_partition` : ''}
)
select * from final`
}

/** Only records with several versions are ranked: they are few, and ranking is dear. */
function rankedVersions(keys: readonly string[], version: string | null): string {
  const by = keys.map((key) => `versions.${key}`).join(', ')
  const newest = version === null ? '' : `versions.${columnName(version)} desc nulls last, `
  return `
changed as (
  select account, ${keys.join(', ')} from versions group by account, ${keys.join(', ')} having count(*) > 1
),
ranked as (
  select versions.account, versions.last_place as place_of_last,
    row_number() over (partition by versions.account, ${by} order by ${newest}versions.last_place desc) as version_rank
  from versions
  join changed on changed.account = versions.account and ${keys.map((key) => `changed.${key} is not distinct from versions.${key}`).join(' and ')}
),`
}

const TAX_LINE = `case when first_partition like 'MARGIN%' then 'MARGIN' else first_partition end as biz_type,
    case when first_partition like 'MARGIN-%' then replace(first_partition, 'MARGIN-', '') end as margin_type,
    `

/** Personal fields, and unknown fields of records that have personal ones, are null unless asked for. */
function publishedFields(record: RecordType, publishPersonalData: boolean): string {
  const personal = Object.values(record.fields).some((field) => field.personal)
  const fields = Object.entries(record.fields).map(([name, field]) => {
    const column = columnName(name)
    return field.personal && !publishPersonalData
      ? `cast(null as ${TYPES[field.kind]}) as ${column}`
      : `versions.${column}`
  })
  const extra = personal && !publishPersonalData ? 'cast(null as varchar) as extra' : 'versions.extra'
  const { counterparty } = record
  return [...fields, ...(counterparty === null ? [] : [pseudonym(counterparty)]), extra].join(', ')
}

/**
 * Twice hashed under the key of the books: without the key no list of names can be tried against it. Spelled alike but for
 * blanks and capitals, a name is the same.
 */
function pseudonym({ side, names }: Counterparty): string {
  const cases = Object.entries(names).map(
    ([value, name]) => `when '${value}' then versions.${columnName(name)}`,
  )
  const name = `case lower(versions.${columnName(side)}) ${cases.join(' ')} end`
  const spelled = `nullif(lower(trim(regexp_replace(nfc_normalize(${name}), '\\s+', ' ', 'g'))), '')`
  return `(select left(sha256(key || sha256(key || ${spelled})), 20) from staging.counterparty_key) as counterparty_id`
}

/** Type of the column that a field becomes. */
export const typeOf = (kind: FieldKind): string => TYPES[kind]

const TYPES: Readonly<Record<FieldKind, string>> = {
  text: 'varchar',
  amount: 'decimal(38, 18)',
  millis: 'timestamptz',
  flag: 'boolean',
  json: 'varchar',
}
