// What docs/architecture.md and docs/reliability.md say of files is what the program writes: kinds of frames, tables of
// landing with their columns, feeds and formats.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { FORMAT_VERSION } from '../../pipeline/journal/layout.ts'
import { SCHEMA_VERSION, tablesOf } from '../../pipeline/landing/tables.ts'
import { LEDGER_FORMAT } from '../../pipeline/ledger/about.ts'

const read = (...path: string[]): string => readFileSync(join(packageRoot, ...path), 'utf8')
const architecture = read('docs', 'architecture.md')
const reliability = read('docs', 'reliability.md')

/** Cells of the row of a table whose first cell begins with this, which may name several things. */
const rowOf = (name: string): string | undefined =>
  architecture
    .split('\n')
    .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${name}\``))

test('every kind of frame has a row', () => {
  const kinds = [...read('pipeline', 'journal', 'frame.ts').matchAll(/readonly kind: '([a-z-]+)'/g)].map(
    ([, kind = '']) => kind,
  )
  expect(kinds.length).toBeGreaterThan(10)
  expect(kinds.filter((kind) => rowOf(kind) === undefined)).toEqual([])
})

test('every table of landing that is not of a record has a row with its columns', () => {
  const untold = tablesOf([]).flatMap(({ name, columns }) => {
    const words = new Set(rowOf(name)?.match(/\w+/g))
    return columns.filter((column) => !words.has(column.name)).map((column) => `${name}.${column.name}`)
  })
  expect(untold).toEqual([])
})

test('formats are those of the program', () => {
  expect(reliability).toContain(`| schema version ${SCHEMA_VERSION} | \`state\` in landing.duckdb |`)
  expect(reliability).toContain(`| format ${FORMAT_VERSION} | header of each journal segment |`)
  expect(reliability).toContain(`| format ${LEDGER_FORMAT} | \`about\` in ledger.duckdb |`)
})
