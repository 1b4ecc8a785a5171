// Reads the SQL models and orders them by what they read. A model file is one select whose name is its table;
// what it reads is read from its parse tree (parse-tree.ts).
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TieoutError } from '../../models/error.ts'
import { packageRoot } from '../config/root.ts'

/** One table of the build: a model file, or a select made from a record declaration. */
export interface Model {
  /** Qualified: `main.entries`, `staging.moves`, `checks.balance_chain`. */
  readonly table: string
  /** Where the select stands, for errors. */
  readonly file: string
  readonly select: string
  readonly doc: string
  readonly columnDocs: ReadonlyMap<string, string>
  /** Tables made by extra steps; where no step makes them, the model is left out. */
  readonly needs: readonly string[]
  /** Kept as a question instead of its answer, where its rows say again what others say. */
  readonly isView?: true
  /** The selects, equal in the names and types of their columns, of which `select` is the union. */
  readonly parts?: readonly string[]
}

/** A table that is published, with what it is: a model's, or that of a step. */
export type Documented = Pick<Model, 'table' | 'file' | 'doc' | 'columnDocs'>

/** A model that does not parse, does not say what it is, reads what nobody makes, or stands in a circle. */
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

/** Every model under a folder of layers, which may have folders by topic, in the order of the file names. */
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

/** The models that ship; their files are read once. */
export function shippedModels(): readonly Model[] {
  shipped ??= readModels(join(packageRoot, 'sql'))
  return shipped
}

/** The shipped model of a table, wherever its file stands. */
export function shippedModel(table: string): Model {
  const model = shippedModels().find((one) => one.table === table)
  return model ?? nobodyMakes('the models that ship', table)
}

/**
 * Splits a model file into its opening comment and its select. The comment states what the table is,
 * its grain and keys, what it needs, after `-- view:` why it is one, and after `-- columns:` each column as
 * `--   name: meaning`.
 */
export function parseModel(table: string, file: string, text: string): Model {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const header = lines.slice(0, end).map((line) => line.slice(2))
  const columnsAt = header.findIndex((line) => line.trim() === 'columns:')
  const prose = columnsAt === -1 ? header : header.slice(0, columnsAt)
  const needs = prose.find((line) => line.startsWith(' needs:'))
  const isView = prose.some((line) => line.startsWith(' view:'))
  return {
    table,
    file,
    select: lines.slice(end).join('\n').trim(),
    doc: prose
      .filter((line) => !/^ (needs|view):/.test(line))
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
  }
}

/** A line that is no `name: meaning` goes on with the meaning above it. */
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

/** Refuses two files, steps or declarations that make one table. */
export function mustBeDistinct(models: readonly Pick<Model, 'table' | 'file'>[]): void {
  const makers = new Map<string, string>()
  for (const { table, file } of models) {
    const other = makers.get(table)
    if (other !== undefined)
      throw new ModelError('Two models make the same table.', {
        where: `${other} and ${file}`,
        found: `both make ${table}`,
        action: 'Rename one of them: a file’s name is that of its table, whatever folder it stands in.',
      })
    makers.set(table, file)
  }
}

/**
 * Refuses a model that does not say what a reader needs to know of its table: the grain of every one; the keys and the
 * meaning of the columns of one that is published.
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
    throw new ModelError('A model does not say what its table is.', {
      where: file,
      expected: isPublished
        ? 'grain:, keys: and columns: in the opening comment'
        : 'grain: in the opening comment',
      found: `no ${missing.join(', no ')}`,
      action: 'Add it to the comment.',
    })
  }
}

/** Something that makes tables: a model makes one, a step may make several. */
export interface Task<T> {
  readonly name: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly item: T
}

/**
 * Tasks in an order in which each finds its tables made; equals keep their order.
 * `given` are tables that stand there already, `only` those that are wanted, with all that they are made from. ModelError
 * for a table that nobody makes and for a circle.
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
      throw new ModelError('Models read each other in a circle.', {
        where: [...path.slice(path.indexOf(task)), task].map((one) => one.name).join(' → '),
        action: 'Take one of these readings out.',
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
  throw new ModelError('A model reads a table that nobody makes.', {
    where,
    found: table,
    action: 'Correct the name, or add the model.',
  })
}
