// The page docs/lineage.md: what each published table is made from, from the models by which a build makes it.
import {
  type Lineage,
  type LineageLine,
  lineageOf,
  readLineage,
  sourcesOf,
} from '../../pipeline/ledger/lineage.ts'
import { MADE } from './markdown.ts'
import { groupedTables, nameOf, steps } from './table-page.ts'

const INTRODUCTION = `# Lineage

What each published table is built from, down to the feeds of the venue, imported files, reference tables and the configuration; \`tieout tables NAME --lineage\` prints the same. What a table contains is in [tables.md](tables.md). To trace a single figure down to the bytes received, use \`tieout explain ID\`.

Each indented line names an input of the line above it, with what it does. A published table has its own section; a step (\`staging.…\`, in \`sql/staging\` and \`sql/intermediate\`) is expanded where it first appears.
`

/** The whole page. */
export async function lineagePage(): Promise<string> {
  const lineage = await readLineage(steps)
  const sections = groupedTables().flatMap(({ tables }) =>
    tables.flatMap((one) => section(lineage, one.table)),
  )
  return `${[MADE, INTRODUCTION, ...sections].join('\n').trimEnd()}\n`
}

function section(lineage: Lineage, table: string): string[] {
  const sources = sourcesOf(lineage, table)
  return [
    `## ${nameOf({ table })}`,
    '',
    lineage.get(table)?.says ?? '',
    '',
    ...lineageOf(lineage, table).map(item),
    '',
    ...(sources.length === 0 ? [] : [`*Ultimately from:* ${sources.join(', ')}.`, '']),
  ]
}

function item({ depth, name, says, kind }: LineageLine): string {
  const table = nameOf({ table: name })
  const shown = { table: `[\`${table}\`](#${table})`, step: `\`${name}\``, source: `**${name}**` }[kind]
  return `${'  '.repeat(depth)}- ${shown}: ${says}`
}
