// Reads the SQL models and orders them by dependency. A model file is one select whose name is its table; its
// inputs are taken from its parse tree (parse-tree.ts).
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TieoutError } from '../../models/error.ts'
import { packageRoot } from '../config/root.ts'

/** One table of the build: a model file, or a select generated from a record declaration. */
export interface Model {
  /** Qualified: `main.entries`, `staging.moves`, `checks.balance_chain`. */
  readonly table: string
  /** Where the select is defined, for errors. */
  readonly file: string
  readonly select: string
  readonly doc: string
  readonly columnDocs: ReadonlyMap<string, string>
  /** Tables of optional steps; if no step creates them, the model is left out. */
  readonly needs: readonly string[]
  /** Stored as a view rather than a table, if its rows repeat those of other tables. */
  readonly isView?: true
  /** The selects, with equal column names and types, of which `select` is the union. */
  readonly parts?: readonly string[]
  /** Its rows can be rebuilt by UTC days. */
  readonly slices?: Slices
}

/**
 * A table of which the rows of the days in question are read, and for each key the earlier ones from the last
 * that meets a condition.
 */
export interface Since {
  readonly table: string
  /** The column by which its rows are in order. */
  readonly at: string
  readonly where: string
  /** Columns, separated by commas. */
  readonly keys: string
  /** A table divided into days: of each day it has, in the same columns, the last row of each key that meets the condition. */
  readonly lasts: string
}

const SINCE = /^(\S+) at (\S+) where (.+) per (.+) in (\S+)$/

/**
 * A table of spans of time. A row of the model belongs to one span, has its end in a column of the same name, and depends on
 * nothing but what lies within spans that overlap it.
 */
export interface Spans {
  readonly table: string
  /** The columns with the beginning and the end of a span, which is not before its beginning. */
  readonly from: string
  readonly to: string
}

const SPANS = /^(\S+) from (\S+) to (\S+)$/

/**
 * A table without rows, in place of which a model whose rows are rebuilt from some day on reads, for each key, the last of its own
 * rows that stay.
 */
export interface Carries {
  readonly table: string
  /** The column by which the rows of a key are in order. */
  readonly at: string
  /** Columns, separated by commas. */
  readonly keys: string
}

const CARRIES = /^(\S+) at (\S+) per (.+)$/

/** How a table is divided into days. */
export interface Slices {
  /** The column with the time, or the day, of a row. */
  readonly by: string
  /** The tables of which it reads only the rows of the same days. */
  readonly of: readonly string[]
  readonly since?: Since
  readonly spans?: Spans
  readonly carries?: Carries
  /**
   * The column with the time until which a row may change, if that is not its own day: a row that lasts beyond the first changed
   * day is rebuilt, and so is one without such a time.
   */
  readonly lasting?: string
  /** The tables of which its rows of a day depend on the rows of that day and of earlier ones. */
  readonly earlier?: readonly string[]
  /**
   * Columns of the table that is read by day: all of its rows that agree in these are read together, whatever
   * their days.
   */
  readonly together?: readonly string[]
  /** Tables to which rows are only added, and whose new rows belong to new rows of those read by day. */
  readonly growing?: readonly string[]
}

/** A published table, with what it is: a model's, or that of a step. */
export type Documented = Pick<Model, 'table' | 'file' | 'doc' | 'columnDocs'>

/**
 * A model that does not parse, is not described, reads a table that nothing builds, or is part of a cycle.
 */
export class ModelError extends TieoutError {
  override readonly name = 'ModelError'
}

/** Schema of each layer's tables. */
const LAYERS: Readonly<Record<string, string>> = {
  published: 'main',
  staging: 'staging',
  intermediate: 'staging',
  ledger: 'main',
  marts: 'main',
  checks: 'checks',
}

/** Every model under a folder of layers, which may have folders by topic, in file name order. */
export function readModels(sqlFolder: string): Model[] {
  return Object.entries(LAYERS).flatMap(([layer, schema]) =>
    readdirSync(join(sqlFolder, layer), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => {
        const file = join(sqlFolder, layer, name)
        return parseModel(`${schema}.${basename(name, '.sql')}`, file, readFileSync(file, 'utf8'))
      }),
  )
}

let shipped: readonly Model[] | undefined

/** The shipped models; their files are read once. */
export function shippedModels(): readonly Model[] {
  shipped ??= readModels(join(packageRoot, 'sql'))
  return shipped
}

/** The shipped model of a table, wherever its file is. */
export function shippedModel(table: string): Model {
  const model = shippedModels().find((one) => one.table === table)
  return model ?? nobodyMakes('the models that ship', table)
}

/**
 * Splits a model file into its opening comment and its select. The comment states what the table is, its
 * grain and keys, what it needs, after `-- view:` why it is a view, after `-- slices:` how it is divided into
 * days, and after `-- columns:` each column as `--   name: meaning`.
 */
export function parseModel(table: string, file: string, text: string): Model {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const header = lines.slice(0, end).map((line) => line.slice(2))
  const columnsAt = header.findIndex((line) => line.trim() === 'columns:')
  const prose = columnsAt === -1 ? header : header.slice(0, columnsAt)
  const needs = prose.find((line) => line.startsWith(' needs:'))
  const isView = prose.some((line) => line.startsWith(' view:'))
  const slices = slicesOf(prose, file)
  return {
    table,
    file,
    select: lines.slice(end).join('\n').trim(),
    doc: prose
      .filter((line) => !/^ (needs|view|slices|by day|from day|since|spans|carries|lasting):/.test(line))
      .map((line) => line.trim().replace(/\s+/g, ' '))
      .join('\n'),
    columnDocs: new Map(columnsAt === -1 ? [] : columnDocs(header.slice(columnsAt + 1))),
    needs:
      needs === undefined
        ? []
        : needs
            .replace(' needs:', '')
            .split(',')
            .map((name) => qualify(name.trim())),
    ...(isView ? { isView } : {}),
    ...(slices === undefined ? {} : { slices }),
  }
}

/**
 * `slices: COLUMN`; under `by day:` the tables of which only the rows of the same days are read, under `from day:`
 * those of which the same and earlier days are; under `since:` one of which earlier rows are, back to the last of each
 * key that meets a condition; under `spans:` one of spans of time; under `carries:` the one that stands for rows of its own.
 * ModelError for one of the last three in another form.
 */
function slicesOf(header: readonly string[], file: string): Slices | undefined {
  const after = (word: string): string[] =>
    header.flatMap((line) => (line.startsWith(` ${word}:`) ? [line.slice(word.length + 2).trim()] : []))
  const [by] = after('slices')
  if (by === undefined) return undefined
  const tables = (word: string): string[] =>
    after(word).flatMap((line) => line.split(',').map((name) => name.trim()))
  const [since] = after('since')
  const [spans] = after('spans')
  const [carries] = after('carries')
  const [lasting] = after('lasting')
  return {
    by,
    of: tables('by day'),
    earlier: tables('from day'),
    ...(since === undefined ? {} : { since: sinceOf(since, file) }),
    ...(spans === undefined ? {} : { spans: spansOf(spans, file) }),
    ...(carries === undefined ? {} : { carries: carriesOf(carries, file) }),
    ...(lasting === undefined ? {} : { lasting }),
  }
}

function sinceOf(text: string, file: string): Since {
  const [, table, at, where, keys, lasts] = SINCE.exec(text) ?? []
  if (
    table === undefined ||
    at === undefined ||
    where === undefined ||
    keys === undefined ||
    lasts === undefined
  )
    throw new ModelError('A model does not say from where it reads an earlier row.', {
      where: file,
      expected: 'since: TABLE at COLUMN where CONDITION per KEYS in TABLE',
      found: `since: ${text}`,
      action: 'Correct the opening comment.',
    })
  return { table, at, where, keys, lasts }
}

function spansOf(text: string, file: string): Spans {
  const [, table, from, to] = SPANS.exec(text) ?? []
  if (table === undefined || from === undefined || to === undefined)
    throw new ModelError('A model does not say which spans of time its rows belong to.', {
      where: file,
      expected: 'spans: TABLE from COLUMN to COLUMN',
      found: `spans: ${text}`,
      action: 'Correct the opening comment.',
    })
  return { table, from, to }
}

function carriesOf(text: string, file: string): Carries {
  const [, table, at, keys] = CARRIES.exec(text) ?? []
  if (table === undefined || at === undefined || keys === undefined)
    throw new ModelError('A model does not say which of its own rows it goes on from.', {
      where: file,
      expected: 'carries: TABLE at COLUMN per KEYS',
      found: `carries: ${text}`,
      action: 'Correct the opening comment.',
    })
  return { table, at, keys }
}

/** A line without `name: meaning` continues the meaning above it. */
function columnDocs(lines: readonly string[]): [string, string][] {
  const docs: [string, string][] = []
  for (const line of lines) {
    const entry = /^ {3}(\w+):\s+(.*)$/.exec(line)
    const last = docs.at(-1)
    if (entry !== null) docs.push([entry[1] as string, entry[2] as string])
    else if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`
  }
  return docs
}

export const qualify = (name: string): string => (name.includes('.') ? name : `main.${name}`)

/** Refuses two files, steps or declarations that build the same table. */
export function mustBeDistinct(models: readonly Pick<Model, 'table' | 'file'>[]): void {
  const makers = new Map<string, string>()
  for (const { table, file } of models) {
    const other = makers.get(table)
    if (other !== undefined)
      throw new ModelError('Two models build the same table.', {
        where: `${other} and ${file}`,
        found: `both build ${table}`,
        action: 'Rename one of them: a file is named after its table, whatever folder it is in.',
      })
    makers.set(table, file)
  }
}

/**
 * Refuses a model that does not describe its table: the grain for every model; also keys and the meaning of
 * the columns for one that is published.
 */
export function mustBeDocumented(models: readonly Documented[]): void {
  for (const { table, file, doc, columnDocs } of models) {
    const isPublished = table.startsWith('main.')
    const missing = [
      ...(/^grain:\s*\S/m.test(doc) ? [] : ['grain:']),
      ...(isPublished && !/^keys:\s*\S/m.test(doc) ? ['keys:'] : []),
      ...(isPublished && columnDocs.size === 0 ? ['columns:'] : []),
    ]
    if (missing.length === 0) continue
    throw new ModelError('A model does not describe its table.', {
      where: file,
      expected: isPublished
        ? 'grain:, keys: and columns: in the opening comment'
        : 'grain: in the opening comment',
      found: `no ${missing.join(', no ')}`,
      action: 'Add it to the comment.',
    })
  }
}

/** Something that builds tables: a model builds one, a step may build several. */
export interface Task<T> {
  readonly name: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly item: T
}

/**
 * Tasks in dependency order; otherwise they keep their order. `given` are tables that already exist, `only`
 * those that are wanted, with everything they depend on. ModelError for a table that nothing builds and for a
 * cycle.
 */
export function inOrder<T>(
  tasks: readonly Task<T>[],
  given: ReadonlySet<string>,
  only?: readonly string[],
): Task<T>[] {
  const makers = new Map(tasks.flatMap((task) => task.writes.map((table) => [table, task] as const)))
  const ordered: Task<T>[] = []
  const done = new Set<Task<T>>()
  const visit = (task: Task<T>, path: readonly Task<T>[]): void => {
    if (done.has(task)) return
    if (path.includes(task)) {
      throw new ModelError('Models depend on each other in a cycle.', {
        where: [...path.slice(path.indexOf(task)), task].map((one) => one.name).join(' → '),
        action: 'Remove one of these dependencies.',
      })
    }
    for (const table of task.reads) {
      if (given.has(table)) continue
      visit(makers.get(table) ?? nobodyMakes(task.name, table), [...path, task])
    }
    done.add(task)
    ordered.push(task)
  }
  const wanted = only?.map((table) => makers.get(table) ?? nobodyMakes('the tables that are wanted', table))
  for (const task of wanted ?? tasks) visit(task, [])
  return ordered
}

function nobodyMakes(where: string, table: string): never {
  throw new ModelError('A model reads a table that nothing builds.', {
    where,
    found: table,
    action: 'Correct the name, or add the model.',
  })
}
