// What can be queried: the published tables, their columns, and what each is built from.
import { UsageError } from '../../models/error.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { describe, firstSentence } from '../ledger/describe.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { lineageOf, readLineage, sourcesOf } from '../ledger/lineage.ts'
import { lotsStep } from '../lots/step.ts'
import type { Column } from '../output/column.ts'
import { printTable } from '../output/table.ts'
import { setIn } from '../output/wrap.ts'
import { defineCommand, terminalOf } from './command.ts'
import { readingOptions } from './engine.ts'

export const tablesCommand = defineCommand({
  example: ['$0 tables entries --lineage', 'down to the feeds of the venue'],
  options: (parser) =>
    parser
      .positional('name', { type: 'string', describe: 'Describe this table and its columns' })
      .option('lineage', {
        type: 'boolean',
        default: false,
        describe: 'Show what the table is built from, according to this version’s models',
      })
      .option('json', { type: 'boolean', default: false, describe: 'As JSON' }),
  run: async (context, { name, lineage, json }) => {
    const { width } = terminalOf(context)
    const form = { json, ...(width === undefined ? {} : { width }) }
    if (lineage) context.print(await lineageText(name, form))
    else context.print(await withLedger(context, (ledger) => tablesText(ledger, name, form)))
    return 0
  },
})

async function withLedger(
  context: CommandContext,
  answer: (ledger: Ledger) => Promise<string>,
): Promise<string> {
  const ledger = await openLedger(context.dir, readingOptions(context, optionalConfig(context)))
  try {
    return await answer(ledger)
  } finally {
    ledger.close()
  }
}

const columnsOf = (...names: readonly string[]): Column[] => names.map((name) => ({ name }))

export interface Form {
  readonly json: boolean
  /** Columns of the terminal; without it nothing is wrapped or cut. */
  readonly width?: number
}

/** Enough lines for the longest meaning of a column on a terminal of 80 columns. */
const MEANING_LINES = 12

/** Describes the ledger's tables, or one of them with its columns, using the comments stored in the ledger. */
export async function tablesText(ledger: Ledger, name: string | undefined, form: Form): Promise<string> {
  const rows = await ledger.query(
    `select table_name, coalesce(comment, '') from duckdb_tables() where schema_name = 'main' and not internal
     union all select view_name, coalesce(comment, '') from duckdb_views() where schema_name = 'main' and not internal
     order by 1`,
  )
  const tables = rows.map(([table, comment]) => ({ table: String(table), ...describe(String(comment)) }))
  if (name === undefined) {
    if (form.json) return JSON.stringify(tables, null, 2)
    const lines = tables.map((one) => [one.table, one.grain, firstSentence(one)])
    return printTable(columnsOf('table', 'grain', 'what it is'), lines, form)
  }
  const table =
    tables.find((one) => one.table === name) ??
    unknownTable(
      name,
      tables.map((one) => one.table),
    )
  const found = await ledger.query(
    `select column_name, data_type, coalesce(comment, '') from duckdb_columns()
     where schema_name = 'main' and table_name = $name order by column_index`,
    { name },
  )
  const columns = found.map((cells) => cells.map(String))
  if (form.json) {
    const described = columns.map(([column, type, meaning]) => ({ column, type, meaning }))
    return JSON.stringify({ ...table, columns: described }, null, 2)
  }
  return [
    ...[
      `${table.table}: ${table.says}`,
      `  grain: ${table.grain}`,
      ...(table.keys === '' ? [] : [`  keys:  ${table.keys}`]),
    ].map((line) => (form.width === undefined ? line : setIn(line, form.width))),
    '',
    printTable(columnsOf('column', 'type', 'meaning'), columns, { ...form, lines: MEANING_LINES }),
  ].join('\n')
}

/** What a table is built from, according to this version's models. Needs no books. */
export async function lineageText(name: string | undefined, form: Form): Promise<string> {
  const lineage = await readLineage([lotsStep({ method: 'fifo', scope: 'account' })])
  const published = [...lineage.keys()].filter((table) => table.startsWith('main.'))
  if (name === undefined)
    throw new UsageError('--lineage needs a table.', {
      expected: 'the name of a published table',
      action: 'Name it: `tieout tables entries --lineage`.',
    })
  const table = `main.${name}`
  const origin = lineage.get(table) ?? unknownTable(name, published.map(short))
  const lines = lineageOf(lineage, table)
  const sources = sourcesOf(lineage, table)
  if (form.json) return JSON.stringify({ table: name, says: origin.says, lines, sources }, null, 2)
  return [
    `${name}: ${origin.says}`,
    ...lines.map(({ depth, name: read, says }) => `${'  '.repeat(depth + 1)}${short(read)}: ${says}`),
    ...(sources.length === 0 ? [] : ['', `Ultimately from: ${sources.join(', ')}.`]),
  ].join('\n')
}

const short = (table: string): string => table.replace(/^main\./, '')

function unknownTable(name: string, known: readonly string[]): never {
  throw new UsageError('There is no published table of this name.', {
    expected: known.toSorted().join(', '),
    found: name,
    action: 'Choose one of these; `tieout tables` describes each.',
  })
}
