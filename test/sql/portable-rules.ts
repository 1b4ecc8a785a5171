// What a model may say, so that one text of it runs in DuckDB and in ClickHouse with the same rows. Read from the database's
// own parse tree, where a word in a text or a comment is no construct. What is not known to be the same in both is refused,
// each with the form to use instead: most of it would not fail in ClickHouse but answer something else.
import type { DuckDBConnection } from '@duckdb/node-api'
import { portableFunctions } from '../../pipeline/ledger/portable.ts'

/** Functions and operators that both engines have, with the same meaning for what models give them. */
const SAME: ReadonlySet<string> = new Set([
  ...['+', '-', '*', '||', '~~', '!~~'],
  ...['abs', 'floor', 'greatest', 'least', 'nullif', 'year'],
  // ClickHouse counts bytes: cut a text where it was measured, or have it in ASCII.
  ...[
    'concat_ws',
    'left',
    'length',
    'lower',
    'position',
    'repeat',
    'replace',
    'rtrim',
    'substr',
    'trim',
    'upper',
  ],
  ...['any_value', 'count', 'count_star', 'max', 'max_by', 'min', 'min_by', 'sum'],
  ...['dense_rank', 'lag', 'lead', 'row_number'],
  ...['list_value', 'row', 'unnest'],
])

const NAMED: ReadonlySet<string> = new Set(portableFunctions.map(({ name }) => name))

/** Aggregates that mean the same where they take each value once. */
const TAKES_DISTINCT: ReadonlySet<string> = new Set(['count'])

/** What to write instead of what is met most. */
const CURES: Readonly<Record<string, string>> = {
  '//': '`//` begins a comment: write exact_divide, or compare by multiplication',
  '/': 'a quotient is a double: write exact_divide',
  '%': 'the remainder of a decimal is another one in ClickHouse: give what it finds a name in portable.ts',
  '->': 'write json_member(x, name)',
  '->>': 'write json_field(x, name) or json_text(x)',
  '~~*': 'write lower_case(x) like',
  arg_max: 'write max_by(x, k)',
  arg_min: 'write min_by(x, k), or first_by(x, k, n)',
  array_agg: 'write ordered_list(x, k)',
  avg: 'a mean is a double: write sum and count',
  date_trunc: 'write utc_hour, utc_minute, utc_second of a time, month_of or quarter_of of a day',
  epoch: 'write epoch_ms(t)',
  from_json: 'write json_items(x) or json_texts(x)',
  generate_series: 'write unnest(days_between(a, b)) in the select list',
  isodow: 'write weekday_of(d)',
  json_type: 'write json_kind(x) or json_field_kind(x, name)',
  last_day: 'write month_end(d)',
  like_escape: 'write like_pattern(x, p)',
  list: 'write ordered_list(x, k) or distinct_list(x)',
  list_sort: 'write distinct_list(x) or ordered_list(x, k)',
  lower: 'write lower_case(x)',
  now: 'a build has no clock: what is known of time is in the tables',
  range: 'write days_between, months_between or places_of',
  regexp_extract: 'give what it finds a name in portable.ts',
  regexp_full_match: 'give what it finds a name in portable.ts',
  regexp_matches: 'give what it finds a name in portable.ts',
  regexp_replace: 'write canonical_word(x), or give it a name in portable.ts',
  round: 'amounts are rounded by exact_multiply and exact_divide',
  string_agg: 'write joined_list(x, separator, k) or joined_distinct(x, separator)',
  strftime: 'write time_text(t) or cast(day as varchar), cut by substr',
  strptime: 'write millis_time(x), or clean it at landing',
  struct_extract: 'a struct has no counterpart: make its members columns',
  struct_pack: 'a struct has no counterpart: make its members columns',
  upper: 'write upper_case(x)',
  timezone: 'write utc_day(t), or day_start(d) for the way back',
}

/** Types that a cast may name; the others differ in name, in range or in what null becomes. */
const CASTS: Readonly<Record<string, string | null>> = {
  BIGINT: null,
  BOOLEAN: null,
  DECIMAL: null,
  DOUBLE: null,
  INTEGER: null,
  VARCHAR: null,
  DATE: 'write utc_day(t) of a time; the far end of all days is far_day()',
  HUGEINT: 'write try_whole(x)',
  LIST: 'write the empty list as []',
  'TIMESTAMP WITH TIME ZONE': 'write null_time(), make_timestamptz(n) or day_start(d)',
  TIMESTAMP: 'write day_start(d)',
}

/** Intervals as literals. */
const INTERVALS: ReadonlySet<string> = new Set(
  ['days', 'hours', 'milliseconds', 'minutes', 'months', 'seconds'].map((unit) => `to_${unit}`),
)

interface TreeNode {
  readonly alias?: string
  readonly class?: string
  readonly type?: string
  readonly function_name?: string
  readonly children?: readonly TreeNode[]
  readonly child?: TreeNode
  readonly distinct?: boolean
  readonly filter?: TreeNode | null
  readonly filter_expr?: TreeNode | null
  readonly order_bys?: { readonly orders: readonly TreeNode[] }
  readonly offset_expr?: TreeNode | null
  readonly default_expr?: TreeNode | null
  readonly cast_type?: { readonly id: string }
  readonly try_cast?: boolean
  readonly value?: { readonly type: { readonly id: string }; readonly value?: unknown }
  readonly column_names?: readonly string[]
  readonly relation_name?: string
  readonly exclude_list?: readonly unknown[]
  readonly replace_list?: readonly unknown[]
  readonly columns?: boolean
  readonly select_list?: readonly TreeNode[]
  readonly from_table?: TreeNode
  readonly left?: TreeNode
  readonly right?: TreeNode
  readonly setop_type?: string
  readonly union_all?: boolean
  readonly qualify?: TreeNode | null
  readonly sample?: unknown
  readonly condition?: TreeNode | null
  readonly join_type?: string
  readonly ref_type?: string
  readonly schema_name?: string
  readonly table_name?: string
  readonly subquery_type?: string
  readonly subquery?: { readonly node: TreeNode }
  readonly distinct_on_targets?: readonly unknown[]
}

/** Each non-portable construct of a select, and what to write instead; none is the expected answer. */
export async function unportable(connection: DuckDBConnection, select: string): Promise<string[]> {
  const answer = await connection.runAndReadAll('select json_serialize_sql($select::varchar)', { select })
  const tree = JSON.parse(String(answer.getRowsJson()[0]?.[0])) as {
    readonly error: boolean
    readonly error_message?: string
    readonly statements?: readonly { readonly node: TreeNode }[]
  }
  if (tree.error) return [`it does not parse: ${tree.error_message}`]
  const found = new Set<string>()
  for (const { node } of tree.statements ?? []) look(node, found, true)
  return [...found]
}

/** `isNaming`: whether the names of its columns count, as they do in all but the later parts of a union. */
function look(node: unknown, found: Set<string>, isNaming: boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) look(item, found, isNaming)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const one = node as TreeNode
  for (const problem of problemsOf(one, isNaming)) found.add(problem)
  // A literal as the parser writes it out: `to_days(cast(trunc(cast(1 as double)) as integer))`.
  if (INTERVALS.has(one.function_name ?? '') && !some(one, ({ class: kind }) => kind === 'COLUMN_REF')) return
  if (one.type === 'SET_OPERATION_NODE') {
    const { left, right, ...rest } = one
    look(left, found, isNaming)
    look(right, found, false)
    look(Object.values(rest), found, true)
    return
  }
  for (const child of Object.values(one)) look(child, found, true)
}

function problemsOf(node: TreeNode, isNaming: boolean): string[] {
  switch (node.class ?? node.type) {
    case 'FUNCTION':
      return ofFunction(node)
    case 'WINDOW':
      return ofWindow(node)
    case 'CAST':
      return ofCast(node)
    case 'CONSTANT':
      return typeof node.value?.value === 'string' && node.value.value.includes('\\')
        ? ['a backslash in a text takes the next sign as it stands: give what needs it a name in portable.ts']
        : []
    case 'OPERATOR':
      return node.type === 'ARRAY_SLICE' ? ['a part of a list, l[a:b]: write first_of(l, n)'] : []
    case 'LAMBDA':
      return ['a lambda: give what it does a name in portable.ts']
    case 'STAR':
      return (node.exclude_list?.length ?? 0) > 0 || (node.replace_list?.length ?? 0) > 0 || node.columns
        ? ['a star that leaves out or replaces columns, or columns(…): name the columns']
        : []
    case 'SUBQUERY':
      // An expression has a class; a table in FROM only a type.
      return node.class === 'SUBQUERY' ? ofSubquery(node) : []
    case 'SELECT_NODE':
      return ofSelect(node, isNaming)
    case 'SET_OPERATION_NODE':
      return node.setop_type === 'UNION_BY_NAME' ? ['union by name: write the columns in one order'] : []
    case 'RECURSIVE_CTE_NODE':
      return node.union_all === true
        ? []
        : ['a recursion by union: write union all, or a step for each round']
    case 'TABLE_FUNCTION':
      return ['a function in from: unnest a list in the select list']
    case 'JOIN':
      return ofJoin(node)
    default:
      return (node.distinct_on_targets?.length ?? 0) > 0 ? ['distinct on: rank the rows by row_number'] : []
  }
}

function ofFunction(node: TreeNode): string[] {
  const name = node.function_name ?? ''
  const problems: string[] = []
  if (INTERVALS.has(name)) {
    if (some(node, ({ class: kind }) => kind === 'COLUMN_REF'))
      problems.push('an interval of so many units: write plus_days, plus_hours or plus_minutes')
  } else if (!SAME.has(name) && !NAMED.has(name))
    problems.push(
      `${name}: ${CURES[name] ?? 'not known to be the same in ClickHouse: give it a name in portable.ts, or prove it and add it to the list in test/sql/portable-rules.ts'}`,
    )
  if (node.filter) problems.push(`${name}(…) filter: write case when … end within it`)
  if ((node.order_bys?.orders.length ?? 0) > 0)
    problems.push(`${name}(… order by …): write ordered_list, first_by or joined_list`)
  if (node.distinct && !TAKES_DISTINCT.has(name))
    problems.push(`${name}(distinct …): write distinct_list or joined_distinct`)
  const children = node.children ?? []
  if (name === 'concat_ws' && children.slice(1).some(({ type }) => type !== 'OPERATOR_COALESCE'))
    problems.push("concat_ws with a null is null in ClickHouse: write coalesce(x, '') for each text")
  if (['min', 'max'].includes(name) && children.length > 1)
    problems.push(`${name}(x, n): write first_by(x, x, n)`)
  if (['min_by', 'max_by'].includes(name) && children.length > 2)
    problems.push(`${name}(x, k, n): write first_by(x, k, n)`)
  if (name === '*') {
    if (children.some((child) => INTERVALS.has(child.function_name ?? '')))
      problems.push('n * interval: write plus_days, plus_hours or plus_minutes')
    else if (!children.some(isWhole))
      problems.push(
        'a product of two columns overflows without an error: write exact_multiply, or cast a whole number to bigint',
      )
  }
  return problems
}

/** A whole number or a double, as far as the text tells; two amounts are neither. */
const isWhole = ({ value, cast_type: cast }: TreeNode): boolean =>
  ['INTEGER', 'BIGINT', 'HUGEINT'].includes(value?.type.id ?? '') ||
  ['INTEGER', 'BIGINT', 'DOUBLE'].includes(cast?.id ?? '')

function ofWindow(node: TreeNode): string[] {
  const name = node.function_name ?? ''
  const problems: string[] = []
  if (!SAME.has(name)) problems.push(`${name}(…) over (…): not known to be the same in ClickHouse`)
  if (['lag', 'lead'].includes(name) && !(node.offset_expr && node.default_expr))
    problems.push(
      `${name} without its third argument is 0 past the edge: write ${name}(x, 1, null), with or_null(x) where x is never null`,
    )
  if (node.filter_expr) problems.push(`${name}(…) filter: write case when … end within it`)
  return problems
}

function ofCast(node: TreeNode): string[] {
  const type = node.cast_type?.id ?? ''
  if (node.try_cast) return [`try_cast to ${type.toLowerCase()}: write try_whole or try_amount`]
  const cure = CASTS[type]
  if (cure === null) return []
  return [`a cast to ${type.toLowerCase()}: ${cure ?? 'not known to be the same in ClickHouse'}`]
}

function ofSelect(node: TreeNode, isNaming: boolean): string[] {
  const problems: string[] = []
  const items = node.select_list ?? []
  if (node.qualify) problems.push('qualify: rank in one step and choose in the next')
  if (node.sample) problems.push('a sample of rows: no answer may rest on chance')
  if (node.from_table?.type === 'JOIN') {
    for (const { class: kind, alias, column_names: names = [], relation_name: relation } of items) {
      if (kind === 'STAR')
        problems.push(
          `${relation ? `${relation}.` : ''}* over a join: name the columns, as ${relation || 't'}.c as c`,
        )
      if (isNaming && kind === 'COLUMN_REF' && names.length > 1 && !alias)
        problems.push(
          `${names.join('.')} out of a join keeps its prefix: write ${names.join('.')} as ${names.at(-1)}`,
        )
    }
  }
  return [...problems, ...shadowing(node)]
}

/**
 * An alias that is given to something computed, in a select that reads a column of this name: which of the two is meant is
 * another matter in each engine.
 */
function shadowing(node: TreeNode): string[] {
  const { cte_map: _ctes, from_table: _source, ...own } = node as TreeNode & { cte_map?: unknown }
  const aliases = (node.select_list ?? []).flatMap(({ alias, class: kind }) =>
    alias && kind !== 'COLUMN_REF' ? [alias] : [],
  )
  const read = new Set<string>()
  collectColumns(own, read)
  return aliases
    .filter((alias) => read.has(alias))
    .map(
      (alias) =>
        `the alias ${alias} is also the name of a column that is read: rename it, or write t.${alias}`,
    )
}

/** Columns without a prefix, outside of subqueries. */
function collectColumns(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectColumns(item, found)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { class: kind, column_names: names = [] } = node as TreeNode
  if (kind === 'SUBQUERY') return
  if (kind === 'COLUMN_REF' && names.length === 1) found.add(names[0] as string)
  for (const child of Object.values(node)) collectColumns(child, found)
}

function ofSubquery(node: TreeNode): string[] {
  if (node.subquery === undefined) return []
  if (node.subquery_type === 'EXISTS')
    return some(node.subquery.node, ({ type }) => type === 'COMPARE_NOT_DISTINCT_FROM')
      ? ['exists (… is not distinct from …) compares every row with every other in ClickHouse: write a join']
      : []
  if (node.subquery_type !== 'ANY') return []
  const own = new Set<string>()
  every(node.subquery.node, ({ type, table_name: table, alias }) => {
    if (type === 'BASE_TABLE' || type === 'SUBQUERY') own.add(alias || (table ?? ''))
  })
  return some(
    node.subquery.node,
    ({ class: kind, column_names: names = [] }) =>
      kind === 'COLUMN_REF' && names.length > 1 && !own.has(names[0] as string),
  )
    ? ['a subquery within in (…) that reads a row outside: write (a, b) in (select (a, b) …)']
    : []
}

function ofJoin(node: TreeNode): string[] {
  const problems: string[] = []
  if (node.ref_type === 'POSITIONAL') problems.push('a positional join: join by keys')
  if (node.ref_type === 'NATURAL') problems.push('a natural join: name the keys')
  if (some(node.condition, ({ class: kind }) => kind === 'SUBQUERY'))
    problems.push('a subquery in the condition of a join: write it in where, or join it first')
  return problems
}

/** Calls with each node of the tree. */
function every(node: unknown, visit: (node: TreeNode) => void): void {
  if (Array.isArray(node)) for (const item of node) every(item, visit)
  else if (typeof node === 'object' && node !== null) {
    visit(node as TreeNode)
    every(Object.values(node), visit)
  }
}

function some(node: unknown, holds: (node: TreeNode) => boolean): boolean {
  let found = false
  every(node, (one) => {
    found ||= holds(one)
  })
  return found
}
