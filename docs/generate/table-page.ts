// The page docs/tables.md: every published table with its grain, keys and columns, from the comments that a build writes
// into the ledger itself.

import { describe, firstSentence } from '../../pipeline/ledger/describe.ts'
import { feedRecords, recordItems } from '../../pipeline/ledger/feeds.ts'
import { shippedTables } from '../../pipeline/ledger/lineage.ts'
import type { Documented } from '../../pipeline/ledger/models.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { MADE, markdownTable } from './markdown.ts'

const INTRODUCTION = `# Published tables

The tables of schema \`main\` of \`ledger.duckdb\`, for queries with \`tieout sql\` or in a copy. Times are TIMESTAMPTZ, amounts DECIMAL(38,18), days DATE. \`tieout tables\` prints the same from the comments of your own ledger, and \`tieout tables NAME\` prints one table with the types of its columns. What each table is built from is in [lineage.md](lineage.md).
`

/** The steps that a build adds to the models; what their tables are does not depend on the method. */
export const steps = [lotsStep({ method: 'fifo', scope: 'account' })]

/** Published tables by name, those of the books before those of single feeds. */
export function groupedTables(): readonly {
  readonly title: string
  readonly tables: readonly Documented[]
}[] {
  const ofFeeds = new Set([
    ...feedRecords.map(({ record }) => record.table),
    ...recordItems.map(({ items }) => items.table),
  ])
  const all = shippedTables(steps).toSorted((a, b) => (a.table < b.table ? -1 : 1))
  return [
    { title: 'The books', tables: all.filter((one) => !ofFeeds.has(nameOf(one))) },
    { title: 'Records as received', tables: all.filter((one) => ofFeeds.has(nameOf(one))) },
  ]
}

export const nameOf = ({ table }: Pick<Documented, 'table'>): string => table.replace(/^main\./, '')

/** The whole page. */
export function tablePage(): string {
  const groups = groupedTables()
  return `${[
    MADE,
    INTRODUCTION,
    ...groups.flatMap(({ title, tables }) => [
      `**${title}**`,
      '',
      ...markdownTable(
        ['table', 'what it is'],
        tables.map((one) => [`[\`${nameOf(one)}\`](#${nameOf(one)})`, firstSentence(describe(one.doc))]),
      ),
      '',
    ]),
    ...groups.flatMap(({ tables }) => tables.flatMap(section)),
  ]
    .join('\n')
    .trimEnd()}\n`
}

function section(table: Documented): string[] {
  const { says, grain, keys } = describe(table.doc)
  return [
    `## ${nameOf(table)}`,
    '',
    says,
    '',
    `- **Grain:** ${grain}`,
    ...(keys === '' ? [] : [`- **Keys:** ${keys}`]),
    '',
    ...markdownTable(
      ['column', 'meaning'],
      [...table.columnDocs].map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    '',
  ]
}
