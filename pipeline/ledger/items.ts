// The tables of what stands inside a record: each list or object that a field of kind json holds becomes rows of a table of
// its own, beside the record. Text is taken out of the JSON as text and then read exactly, as the fields of a record are;
// what does not fit its column is kept in `extra`, and `staging.item_problems` says so.
import { columnName, docOf, type Field, type Items, type RecordType } from '../../models/record.ts'
import { literal } from '../engine/quote.ts'
import { type FeedRecord, nullOf, timeColumn } from './records.ts'

/** One table of items, with how its lists are found from the record down. */
export interface ItemTable extends FeedRecord {
  readonly items: Items
  /** Wire names and declarations of the fields that hold the lists, outermost first. */
  readonly path: readonly { readonly name: string; readonly field: Field; readonly items: Items }[]
  /** Whether a field around the items is personal: then everything inside is. */
  readonly isPersonal: boolean
}

/** The item tables of a record; one whose items hold a list themselves comes before the table of that list. */
export function itemTables({ feed, record }: FeedRecord): ItemTable[] {
  const below = (fields: Items['fields'], path: ItemTable['path'], around: boolean): ItemTable[] =>
    Object.entries(fields).flatMap(([name, field]) => {
      if (field.items === undefined) return []
      const items = field.items
      const here = [...path, { name, field, items }]
      const isPersonal = around || field.personal
      return [{ feed, record, items, path: here, isPersonal }, ...below(items.fields, here, isPersonal)]
    })
  return below(record.fields, [], false)
}

/** How the interface document would write the place: `paymentInfo.paymethodInfo[]`. */
export const wirePath = ({ path }: ItemTable): string =>
  path.map(({ name, items }) => (items.form === 'object' ? name : `${name}[]`)).join('.')

/** Columns that give the place of an item so many lists deep, the outermost list first. */
const indexes = (depth: number): string[] =>
  Array.from({ length: depth }, (_, place) => `${'parent_'.repeat(depth - 1 - place)}list_index`)

const indexColumns = ({ path }: ItemTable): string[] => indexes(path.length)

const hasPersonalFields = (record: RecordType): boolean =>
  Object.values(record.fields).some((field) => field.personal)

const isHidden = (table: ItemTable, field: Field, publishPersonalData: boolean): boolean =>
  !publishPersonalData && (table.isPersonal || field.personal)

/** Comments of an item table, by column. */
export function itemDocs(table: ItemTable): ReadonlyMap<string, string> {
  const { record, items } = table
  const docs: [string, string][] = [
    ['account', 'Account, as named in the configuration.'],
    ['partition', `As in ${record.table}.`],
    ...record.key.map((name): [string, string] => [columnName(name), docOf(record.fields[name] as Field)]),
    ...timeOf(table).map((column): [string, string] => [column, `As in ${record.table}.`]),
    ...indexColumns(table).map((column): [string, string] =>
      column === 'list_index'
        ? [column, 'Position of the item in its list, from 0.']
        : [column, 'Position, from 0, of the item that contains the list.'],
    ),
    ...Object.entries(items.fields).flatMap(([name, field]): [string, string][] => [
      [
        columnName(name),
        `${docOf(field)}${table.isPersonal || field.personal ? ' Personal: null unless published.' : ''}`,
      ],
      ...(field.decimals === true ? [decimalsDoc(columnName(name))] : []),
    ]),
    [
      'extra',
      'Members that the interface document does not name and values that do not fit their column, as JSON; the whole item if it has another form. Null if there were none.',
    ],
    ['page_id', `With page_row, the row of ${record.table} that contains the item.`],
    ['page_row', `With page_id, the row of ${record.table} that contains the item.`],
    ['first_seen_at', 'When this content of the record was first received.'],
    ['last_seen_at', 'When this content of the record was last received.'],
    ['is_current', 'False for a version of the record that the venue has since changed.'],
  ]
  return new Map(docs)
}

const decimalsDoc = (column: string): [string, string] => [
  `${column}_decimals`,
  `Number of decimals of ${column} that the venue sent, including trailing zeros: more may have been cut off.`,
]

/** What the table is, its grain and its keys. */
export function itemTableDoc(table: ItemTable): string {
  const { feed, record, items } = table
  const index = indexColumns(table).join(', ')
  return `${items.doc} From ${wirePath(table)} of feed ${feed}.
grain: one row per item of each version of a record in ${record.table}
keys:  page_id, page_row, ${index} unique; page_id, page_row is the record’s row in ${record.table}`
}

/** The select of an item table, over the published table of its record. */
export function itemSelect(table: ItemTable, publishPersonalData: boolean): string {
  const mask = (field: Field, sql: string): string =>
    isHidden(table, field, publishPersonalData) ? nullOf(field.kind) : sql
  const fields = Object.entries(table.items.fields).flatMap(([name, field], place) => [
    `${mask(field, `value_${place}`)} as ${columnName(name)}`,
    ...(field.decimals === true
      ? [`${decimalsOf(`value_${place}`, `given_${place}`)} as ${columnName(name)}_decimals`]
      : []),
  ])
  const extra = hasPersonalFields(table.record) && !publishPersonalData ? 'cast(null as varchar)' : 'extra'
  return `${readItems(table, publishPersonalData)}
select ${[...leading(table), ...fields, `${extra} as extra`, ...trailing].join(', ')}
from read_items`
}

const leading = (table: ItemTable): string[] => [
  'account',
  'partition',
  ...table.record.key.map(columnName),
  ...timeOf(table),
  ...indexColumns(table),
]

/** The time of the record, by which its items are divided into days. */
const timeOf = ({ record }: ItemTable): string[] => {
  const time = timeColumn(record)
  return time === undefined ? [] : [time]
}

const trailing = ['page_id', 'page_row', 'first_seen_at', 'last_seen_at', 'is_current']

/**
 * Common table expressions up to `read_items`: every column of the record that an item repeats, each field of the item
 * as `value_N`, and `extra`. What the published record hides is read from what has landed.
 */
function readItems(table: ItemTable, publishPersonalData: boolean): string {
  const { record, path, items } = table
  const [outermost, ...inner] = path
  if (outermost === undefined) throw new RangeError('An item table has no list.')
  const column = columnName(outermost.name)
  const isHiddenList = !publishPersonalData && outermost.field.personal
  const source = isHiddenList ? `received.${column}` : `records.${column}`
  const own = ['account', 'partition', ...record.key.map(columnName), ...timeOf(table), ...trailing]
  const parts = [
    `lists_0 as (
  select ${own.map((name) => `records.${name} as ${name}`).join(', ')},
    json_items(${source}) as elements
  from main.${record.table} as records${
    isHiddenList
      ? `
  join landing.${record.table} as received
    on received.page_id = records.page_id and received.page_row = records.page_row`
      : ''
  }
  where ${source} is not null
)`,
    itemsOf(0, own),
    ...inner.flatMap(({ name }, place) => {
      const above = indexes(place + 1)
      const outer = above.map((column) => `parent_${column}`)
      return [
        `lists_${place + 1} as (
  select ${own.join(', ')},
    ${above.map((column) => `${column} as parent_${column}`).join(', ')},
    json_items(${jsonMember(name)}) as elements
  from items_${place}
  where ${jsonMember(name)} is not null
)`,
        itemsOf(place + 1, [...own, ...outer]),
      ]
    }),
  ]
  const fields = Object.entries(items.fields)
  const isPlain = items.form === 'values'
  const given = fields.map(([name, field], place) => `${givenText(name, field, isPlain)} as given_${place}`)
  const values = fields.map(
    ([name, field], place) => `${readText(name, field, `given_${place}`, isPlain)} as value_${place}`,
  )
  return `with
${parts.join(',\n')},
given_items as (
  select *,
    ${given.join(',\n    ')}
  from items_${inner.length}
),
valued_items as (
  select *,
    ${values.join(',\n    ')}
  from given_items
),
read_items as (
  select *,
    ${isPlain ? extraOfValue : extraOfObject(fields)} as extra
  from valued_items
)`
}

/** Two lists unnested side by side are a cross join in ClickHouse: so only the places are, and each finds its item. */
const itemsOf = (depth: number, kept: readonly string[]): string => `places_${depth} as (
  select ${kept.join(', ')}, elements, unnest(places_of(elements)) as place
  from lists_${depth}
),
items_${depth} as (
  select ${kept.join(', ')}, elements[place + 1] as item, cast(place as integer) as list_index
  from places_${depth}
)`

const memberText = (name: string): string => `json_field(item, ${literal(name)})`
const memberType = (name: string): string => `json_field_kind(item, ${literal(name)})`
/** JSON text of a member; null, absent and empty are one thing on this wire. */
const jsonMember = (name: string): string => `json_member(item, ${literal(name)})`

/** An expression for the spelling that the item uses: the declared one, or an alias where that one has no value. */
function spelled(name: string, { aliases }: Field, sql: (spelling: string) => string): string {
  if (aliases.length === 0) return sql(name)
  const [last = name, ...others] = [...aliases].reverse()
  const choices = [name, ...others.reverse()].map(
    (spelling) => `when ${memberText(spelling)} is not null then ${sql(spelling)}`,
  )
  return `case ${choices.join(' ')} else ${sql(last)} end`
}

function givenText(name: string, field: Field, isPlain: boolean): string {
  return isPlain ? 'json_text(item)' : spelled(name, field, memberText)
}

/** One field of an item, read as `readField` reads one of a record; null where it does not fit. */
function readText(name: string, field: Field, given: string, isPlain: boolean): string {
  switch (field.kind) {
    case 'text': {
      const type = isPlain ? 'json_kind(item)' : spelled(name, field, memberType)
      return `case when ${type} not in ('OBJECT', 'ARRAY') then ${given} end`
    }
    case 'amount':
      return `try_amount(trim(${given}))`
    case 'millis':
      return `millis_time(${given})`
    case 'flag':
      return `case when lower_case(${given}) in ('true', 'yes', '1') then true
      when lower_case(${given}) in ('false', 'no', '0') then false end`
    case 'json':
      return spelled(name, field, jsonMember)
  }
}

/** Decimals of an amount as it was sent; null where it did not fit. */
const decimalsOf = (value: string, given: string): string =>
  `cast(case when ${value} is not null then greatest(0, decimals_of(${given})) end as integer)`

/** An item that is no plain value, or does not fit; the empty text is none. */
const extraOfValue = `case when value_0 is null and json_text(item) is not null then item end`

/**
 * What of an item table does not have the declared form, by field: values that did not fit and members that nobody
 * declared, both from `extra`, values that are not among the documented ones, and lists that are none.
 */
export function itemProblems(table: ItemTable, publishPersonalData: boolean): string {
  const { feed, record, items, path } = table
  const isMasked = !publishPersonalData && hasPersonalFields(record)
  const place = literal(wirePath(table))
  const fields = Object.entries(items.fields)
  const unread = fields.map(([name, { aliases }], at) => {
    const column = isMasked ? `value_${at}` : columnName(name)
    return `(member in (${[name, ...aliases].map(literal).join(', ')}) and ${column} is null)`
  })
  const example = (sql: string): string => (isMasked ? 'cast(null as varchar)' : `first_chars(${sql}, 200)`)
  const row = `account, page_id, page_row`
  const from = isMasked
    ? `(${readItems(table, publishPersonalData)}\nselect * from read_items)`
    : `main.${items.table}`
  const isObject = items.form === 'values' ? 'false' : "json_kind(extra) = 'OBJECT'"
  const selects = [
    `select ${row}, ${place} as field, 'value that does not fit' as problem, ${example('extra')} as example
  from ${from} as items
  where extra is not null and not ${isObject}`,
    ...(items.form === 'values'
      ? []
      : [
          `select ${row}, ${place} || '.' || member as field,
    case when ${unread.join(' or ')} then 'value that does not fit' else 'unknown field' end as problem,
    ${example('json_value(extra, member)')} as example
  from (select *, unnest(json_names(extra)) as member from ${from} as items where extra is not null and ${isObject}) as members`,
        ]),
    ...(isMasked
      ? []
      : fields.flatMap(([name, { values, kind }]) =>
          values === undefined || kind !== 'text'
            ? []
            : [
                `select ${row}, ${place} || ${literal(`.${name}`)} as field, 'unknown value' as problem, ${columnName(name)} as example
  from main.${items.table}
  where ${columnName(name)} not in (${values.map(literal).join(', ')})`,
              ],
        )),
    ...(path.length > 1 ? [] : [otherForm(table)]),
  ]
  return `select ${literal(feed)} as feed, account, field, problem, min(problems.example) as example, count(*) as item_count,
  min(problems.page_id) as page_id, min_by(problems.page_row, (problems.page_id, problems.page_row)) as page_row
from (${selects.join('\nunion all\n')}) as problems
group by account, field, problem`
}

/** Lists of a record that were sent as something else, and the other way round. */
function otherForm({ record, items, path }: ItemTable): string {
  const name = path[0]?.name ?? ''
  const isObject = items.form === 'object'
  return `select account, page_id, page_row, ${literal(name)} as field,
    ${literal(isObject ? 'list instead of object' : 'object or value instead of list')} as problem, cast(null as varchar) as example
  from landing.${record.table}
  where ${isObject ? '' : 'not '}starts_with(${columnName(name)}, '[')`
}

/** The members that no field took, and those that did not fit, with their keys in order. */
function extraOfObject(fields: readonly (readonly [string, Field])[]): string {
  const taken = fields.flatMap(([name, field]) =>
    field.aliases.length === 0 ? [literal(name)] : [literal(name), spelled(name, field, literal)],
  )
  const misfits = fields.map(
    ([name, field], place) =>
      `case when given_${place} is not null and value_${place} is null then ${spelled(name, field, literal)} end`,
  )
  const [known, wrong] = [`[${taken.join(', ')}]`, `[${misfits.join(', ')}]`]
  const isFine = fields.map((_, place) => `(given_${place} is null or value_${place} is not null)`)
  return `case
      when item is null then null
      when json_kind(item) <> 'OBJECT' then item
      when ${isFine.join(' and ')} and json_has_only(item, ${known}) then null
      else json_rest(item, ${known}, ${wrong})
    end`
}
