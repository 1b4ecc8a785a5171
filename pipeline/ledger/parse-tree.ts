// What can be learned from the text of a select through the database's own parse tree, never from the text
// itself: the tables that it reads, and which of them must have a row for its answer to have one.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { packageRoot } from '../config/root.ts'
import { type Model, ModelError } from './models.ts'
import { portableAggregates } from './portable.ts'

/**
 * When an answer certainly has no row: if this table has none, or none that meets a condition on its columns
 * (`staging.moves where role = 'fee'`), if one or all of these conditions hold; always or, as far as the form of
 * the select shows, never.
 */
export type EmptyWhen =
  | string
  | boolean
  | { readonly one: readonly EmptyWhen[] }
  | { readonly all: readonly EmptyWhen[] }

export interface ParseTree {
  /** Tables that the select reads, qualified, without its own common table expressions. */
  readonly reads: readonly string[]
  readonly emptyWhen: EmptyWhen
}

/** Whether the condition holds given that these tables are empty. */
export function holds(condition: EmptyWhen, empty: ReadonlySet<string>): boolean {
  if (typeof condition === 'boolean') return condition
  if (typeof condition === 'string') return empty.has(condition)
  return 'one' in condition
    ? condition.one.some((part) => holds(part, empty))
    : condition.all.every((part) => holds(part, empty))
}

/** Tables of the build that a select reads, qualified: `readsOf` without landing. */
export async function tablesRead(connection: DuckDBConnection, model: Model): Promise<readonly string[]> {
  return (await readsOf(connection, model)).filter((table) => !table.startsWith('landing.'))
}

/** Tables that a select reads, qualified, without its own common table expressions. */
export async function readsOf(connection: DuckDBConnection, model: Model): Promise<readonly string[]> {
  return (await parseTree(connection, model)).reads
}

/** ModelError if the model is not one select statement. */
export async function parseTree(connection: DuckDBConnection, model: Model): Promise<ParseTree> {
  const known = knownTrees().get(hashOf(model.select))
  if (known !== undefined) return known
  const answer = await connection.runAndReadAll('select json_serialize_sql($sql::varchar)', {
    sql: model.select,
  })
  const tree = JSON.parse(String(answer.getRowsJson()[0]?.[0])) as {
    error: boolean
    error_message?: string
    statements?: { readonly node: TreeNode }[]
  }
  const [statement, ...others] = tree.statements ?? []
  if (tree.error || statement === undefined || others.length > 0) {
    throw new ModelError('A model is not one select statement.', {
      where: model.file,
      found: tree.error_message ?? `${tree.statements?.length ?? 0} statements`,
      action: 'Correct the file.',
    })
  }
  const found = new Set<string>()
  collectTables(statement, new Set(), found)
  const knowing: Knowing = { aggregating: await aggregates(connection), filters: [] }
  const emptyWhen = emptyNode(statement.node, new Map(), knowing)
  const parsed = {
    reads: [...found].sort(),
    emptyWhen: withTexts(emptyWhen, await textsOf(connection, knowing.filters)),
  }
  knownTrees().set(hashOf(model.select), parsed)
  return parsed
}

/** By the hash of the text, the only input; the compiled package ships those of the shipped models. */
const TREES_FILE = join(packageRoot, 'dist', 'reads.json')

const hashOf = (select: string): string => createHash('sha256').update(select).digest('hex')

let trees: Map<string, ParseTree> | undefined

function knownTrees(): Map<string, ParseTree> {
  trees ??= existsSync(TREES_FILE)
    ? new Map(Object.entries(JSON.parse(readFileSync(TREES_FILE, 'utf8')) as Record<string, ParseTree>))
    : new Map()
  return trees
}

/**
 * Stores the reads of these models: parsing all of them takes a third of a second in each process that
 * builds.
 */
export async function keepTrees(connection: DuckDBConnection, models: readonly Model[]): Promise<void> {
  trees = new Map()
  for (const model of models)
    for (const select of [model.select, ...(model.parts ?? [])])
      await parseTree(connection, { ...model, select })
  writeFileSync(TREES_FILE, JSON.stringify(Object.fromEntries(trees)))
}

interface Subquery {
  readonly node: TreeNode
}

interface TreeNode {
  readonly type?: string
  readonly class?: string
  readonly schema_name?: string
  readonly table_name?: string
  readonly function_name?: string
  readonly cte_name?: string
  readonly cte_map?: {
    readonly map: readonly { readonly key: string; readonly value: { readonly query: { node: TreeNode } } }[]
  }
  readonly from_table?: TreeNode
  readonly where_clause?: TreeNode | null
  readonly having?: TreeNode | null
  readonly select_list?: readonly TreeNode[]
  readonly group_sets?: readonly (readonly number[])[]
  readonly aggregate_handling?: string
  readonly setop_type?: string
  readonly join_type?: string
  readonly ref_type?: string
  readonly left?: TreeNode
  readonly right?: TreeNode
  readonly subquery?: Subquery
  readonly subquery_type?: string
  readonly child?: TreeNode
  readonly children?: readonly TreeNode[]
  readonly column_names?: readonly string[]
  readonly column_name_alias?: readonly string[]
  readonly alias?: string
  readonly value?: { readonly value?: unknown }
}

/**
 * Walks the parse tree; the name of a common table expression shadows a table only after its definition, that
 * of a recursive one within it too.
 */
function collectTables(node: unknown, hidden: ReadonlySet<string>, found: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectTables(item, hidden, found)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, schema_name: schema, table_name: table, cte_name: own, cte_map: ctes } = node as TreeNode
  if (type === 'BASE_TABLE' && table !== undefined) {
    if (schema === '' && hidden.has(table)) return
    found.add(schema === '' ? `main.${table}` : `${schema}.${table}`)
    return
  }
  const inner = new Set(hidden)
  if (type === 'RECURSIVE_CTE_NODE' && own !== undefined) inner.add(own)
  for (const { key, value } of ctes?.map ?? []) {
    collectTables(value, inner, found)
    inner.add(key)
  }
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'cte_map') collectTables(child, inner, found)
  }
}

/** What is known about the common table expressions in scope, by name. */
type Scope = ReadonlyMap<string, EmptyWhen>

interface Knowing {
  /** Names of all aggregates. */
  readonly aggregating: ReadonlySet<string>
  /** The conditions found so far; until their text is known, each is called by its place in this list. */
  readonly filters: TreeNode[]
}

/** A select, or a set operation of several. Any other form may always have rows. */
function emptyNode(node: TreeNode, outside: Scope, knowing: Knowing): EmptyWhen {
  const scope = new Map(outside)
  for (const { key, value } of node.cte_map?.map ?? [])
    scope.set(key, emptyNode(value.query.node, scope, knowing))
  const side = (part: TreeNode | undefined): EmptyWhen =>
    part === undefined ? false : emptyNode(part, scope, knowing)
  switch (node.type) {
    case 'SELECT_NODE':
      if (hasOneRowAtLeast(node, knowing.aggregating)) return false
      if (isFalse(node.where_clause)) return true
      return one(
        emptySource(node.from_table, scope, knowing),
        ...conjuncts(node.where_clause).flatMap(({ subquery_type: type, subquery }) =>
          // `in` and `exists`; `not in` is a negation around it.
          type === 'ANY' || type === 'EXISTS' ? [side((subquery as Subquery).node)] : [],
        ),
        ...filtersOf(node, scope, knowing),
      )
    case 'SET_OPERATION_NODE':
      if (node.setop_type === 'EXCEPT') return side(node.left)
      if (node.setop_type === 'INTERSECT') return one(side(node.left), side(node.right))
      return all(side(node.left), side(node.right))
    case 'RECURSIVE_CTE_NODE':
      // A recursion begins with the rows of its left side.
      return side(node.left)
    default:
      return false
  }
}

function emptySource(source: TreeNode | undefined, scope: Scope, knowing: Knowing): EmptyWhen {
  if (source === undefined) return false
  const { type, schema_name: schema, table_name: table, subquery } = source
  if (type === 'SUBQUERY' && subquery !== undefined) return emptyNode(subquery.node, scope, knowing)
  if (type === 'BASE_TABLE' && table !== undefined)
    return schema === '' ? (scope.get(table) ?? `main.${table}`) : `${schema}.${table}`
  if (type !== 'JOIN' || source.ref_type === 'POSITIONAL') return false
  const left = emptySource(source.left, scope, knowing)
  const right = emptySource(source.right, scope, knowing)
  switch (source.join_type) {
    case 'INNER':
    case 'SEMI':
      return one(left, right)
    case 'LEFT':
    case 'ANTI':
      return left
    case 'RIGHT':
      return right
    case 'FULL':
      return all(left, right)
    default:
      return false
  }
}

/** What the filter of a select asks of one table alone, a row of which every row of the answer needs. */
function filtersOf(select: TreeNode, scope: Scope, { filters }: Knowing): EmptyWhen[] {
  const needed = neededTables(select.from_table, scope)
  const isAlone = select.from_table?.type === 'BASE_TABLE'
  const renamed = new Set(
    (select.select_list ?? []).flatMap(({ alias, column_names: names }) =>
      alias === undefined || names?.at(-1) === alias ? [] : [alias],
    ),
  )
  const named = (names: readonly string[]): string | undefined => {
    const [first = ''] = names
    if (names.length === 2) return needed.get(first)
    return names.length === 1 && isAlone && !renamed.has(first) ? [...needed.values()][0] : undefined
  }
  return conjuncts(select.where_clause).flatMap((filter) => {
    const columns = columnsOf(filter)
    const tables = new Set(columns?.map(named))
    const [table] = tables
    if (columns === null || tables.size !== 1 || table === undefined) return []
    filters.push(filter)
    return [`${table} where ${filters.length - 1}`]
  })
}

/** The tables of a `from` without which it has no row, by the name that its columns are called by. */
function neededTables(source: TreeNode | null | undefined, scope: Scope): ReadonlyMap<string, string> {
  const { type, alias, schema_name: schema, table_name: table = '', join_type: join } = source ?? {}
  if (type === 'BASE_TABLE') {
    const isTable = (schema !== '' || !scope.has(table)) && source?.column_name_alias?.length === 0
    return new Map(isTable ? [[alias || table, `${schema || 'main'}.${table}`]] : [])
  }
  if (type !== 'JOIN' || source?.ref_type === 'POSITIONAL') return new Map()
  const left = join === 'RIGHT' || join === 'FULL' ? [] : neededTables(source?.left, scope)
  const right = join === 'RIGHT' || join === 'INNER' ? neededTables(source?.right, scope) : []
  return new Map([...left, ...right])
}

const conjuncts = (filter: TreeNode | null | undefined): readonly TreeNode[] => {
  if (filter === null || filter === undefined) return []
  return filter.type === 'CONJUNCTION_AND' ? (filter.children ?? []).flatMap(conjuncts) : [filter]
}

/** Parts of an expression that depend on its row alone. */
const OF_ITS_ROW = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'OPERATOR',
])

/** The columns that an expression reads, by their names; null if it depends on more than its row. */
function columnsOf(node: unknown): (readonly string[])[] | null {
  // Numbers beyond these are not the same after they have been read from JSON.
  if (typeof node === 'number') return Number.isInteger(node) && !Number.isSafeInteger(node) ? null : []
  if (typeof node !== 'object' || node === null) return []
  const { class: kind, column_names: names } = node as TreeNode
  if (kind === 'COLUMN_REF') return [names ?? []]
  if (kind !== undefined && !OF_ITS_ROW.has(kind)) return null
  const found: (readonly string[])[] = []
  for (const [name, part] of Object.entries(node)) {
    const columns = name === PLACE ? [] : columnsOf(part)
    if (columns === null) return null
    found.push(...columns)
  }
  return found
}

/** Where a part stands in the text, on which nothing depends. */
const PLACE = 'query_location'

/** Conditions as SQL on the columns of their table. */
async function textsOf(connection: DuckDBConnection, filters: readonly TreeNode[]): Promise<string[]> {
  if (filters.length === 0) return []
  const ask = async (question: string, text: string): Promise<string> =>
    String((await connection.runAndReadAll(question, { text })).getRowsJson()[0]?.[0])
  const form = JSON.parse(
    await ask('select json_serialize_sql($text::varchar)', 'select 1 from t where true'),
  )
  const texts: string[] = []
  for (const filter of filters) {
    const [statement] = form.statements
    const where_clause = JSON.parse(JSON.stringify(filter), (name, part) =>
      name === PLACE ? 0 : name === 'column_names' ? part.slice(-1) : part,
    )
    const whole = { ...form, statements: [{ ...statement, node: { ...statement.node, where_clause } }] }
    const text = await ask('select json_deserialize_sql($text::json)', JSON.stringify(whole))
    texts.push(text.slice(text.indexOf(' WHERE ') + ' WHERE '.length))
  }
  return texts
}

/** The same conditions, called by their text instead of their place. */
function withTexts(condition: EmptyWhen, texts: readonly string[]): EmptyWhen {
  if (typeof condition === 'boolean') return condition
  if (typeof condition === 'string') {
    const { table, where } = conditionOf(condition)
    return where === undefined ? table : `${table} where ${texts[Number(where)]}`
  }
  if ('one' in condition) return { one: condition.one.map((part) => withTexts(part, texts)) }
  return { all: condition.all.map((part) => withTexts(part, texts)) }
}

/** What a condition says of which table. */
export function conditionOf(condition: string): { readonly table: string; readonly where?: string } {
  const [table = '', ...where] = condition.split(' where ')
  return where.length === 0 ? { table } : { table, where: where.join(' where ') }
}

/** The conditions within one. */
export function partsOfCondition(condition: EmptyWhen): readonly string[] {
  if (typeof condition === 'boolean') return []
  if (typeof condition === 'string') return [condition]
  return ('one' in condition ? condition.one : condition.all).flatMap(partsOfCondition)
}

/** An aggregate without groups has a row even over no rows. */
function hasOneRowAtLeast(select: TreeNode, aggregating: ReadonlySet<string>): boolean {
  const sets = select.group_sets ?? []
  if (select.aggregate_handling === 'FORCE_AGGREGATES')
    // `group by all`: the columns without an aggregate are the groups.
    return !(select.select_list ?? []).some((item) => hasColumn(item) && !hasAggregate(item, aggregating))
  if (select.aggregate_handling !== 'STANDARD_HANDLING') return true
  if (sets.length > 0) return sets.some((set) => set.length === 0)
  if (select.having !== null && select.having !== undefined) return true
  const { cte_map: _ctes, from_table: _source, where_clause: _filter, ...rest } = select
  return hasAggregate(rest, aggregating)
}

function hasAggregate(node: unknown, aggregating: ReadonlySet<string>): boolean {
  if (Array.isArray(node)) return node.some((item) => hasAggregate(item, aggregating))
  if (typeof node !== 'object' || node === null) return false
  const { class: kind, function_name: name } = node as TreeNode
  if (kind === 'FUNCTION' && name !== undefined && aggregating.has(name)) return true
  // A window over aggregates (`sum(count(*)) over ()`) is recognised by its arguments, not by itself.
  return Object.values(node).some((child) => hasAggregate(child, aggregating))
}

const hasColumn = (node: unknown): boolean =>
  Array.isArray(node)
    ? node.some(hasColumn)
    : typeof node === 'object' &&
      node !== null &&
      ((node as TreeNode).class === 'COLUMN_REF' || Object.values(node).some(hasColumn))

const isFalse = (filter: TreeNode | null | undefined): boolean =>
  filter?.type === 'OPERATOR_CAST' &&
  filter.child?.type === 'VALUE_CONSTANT' &&
  filter.child.value?.value === 'f'

function one(...parts: readonly EmptyWhen[]): EmptyWhen {
  if (parts.includes(true)) return true
  const rest = parts.filter((part) => part !== false)
  return rest.length > 1 ? { one: rest } : (rest[0] ?? false)
}

function all(...parts: readonly EmptyWhen[]): EmptyWhen {
  if (parts.includes(false)) return false
  const rest = parts.filter((part) => part !== true)
  return rest.length > 1 ? { all: rest } : (rest[0] ?? true)
}

let known: Promise<ReadonlySet<string>> | undefined

/** Names of the engine’s aggregates, of its macros that stand for one, and of ours. */
async function aggregates(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  known ??= connection
    .runAndReadAll(`
      select function_name from duckdb_functions() where function_type = 'aggregate'
      union select macros.function_name from duckdb_functions() as macros
      join duckdb_functions() as functions on functions.function_type = 'aggregate'
        and contains(macros.macro_definition, functions.function_name || '(')
      where macros.function_type = 'macro'`)
    .then((reader) => new Set([...reader.getRowsJson().map(([name]) => String(name)), ...portableAggregates]))
  return known
}
