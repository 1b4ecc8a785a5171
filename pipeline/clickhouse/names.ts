// Where the tables of one build are in ClickHouse, and the text of a model with the names that they have there. Models
// refer to `main.x` or `x`, `staging.x`, `checks.x` and `landing.x`; each schema is a database of the books.
import { TieoutError } from '../../models/error.ts'

/** Databases of one build, by the schema under which models name its tables. */
export interface Databases {
  readonly main: string
  readonly staging: string
  readonly checks: string
  readonly landing: string
}

/** Of the build `id`; the landed data is shared by all. */
export const databasesOf = (database: string, id: string): Databases => ({
  main: `${database}_${id}`,
  staging: `${database}_${id}_staging`,
  checks: `${database}_${id}_checks`,
  landing: `${database}_landing`,
})

/** In ClickHouse, identifiers may be quoted as in DuckDB. */
const quoted = (name: string): string => `"${name}"`

/** The ClickHouse name of a qualified table of the models. */
export function nameOf(table: string, databases: Databases): string {
  const [schema, name] = table.split('.') as [string, string]
  const database = databases[schema as keyof Databases]
  if (database === undefined)
    throw new TieoutError('A model reads a table of an unknown schema.', {
      where: table,
      expected: Object.keys(databases).join(', '),
      action: 'Correct the name in the model.',
    })
  return `${quoted(database)}.${quoted(name)}`
}

/**
 * The select with these tables (all that it reads) under their names in ClickHouse. Names without a schema stay as they
 * are: they are looked up in the database of the statement, after the select's own common table expressions.
 */
export function renamed(select: string, reads: readonly string[], databases: Databases): string {
  const tables = new Set(reads)
  return select.replace(/\b(main|staging|checks|landing)\.(\w+)\b/g, (name) =>
    tables.has(name) ? nameOf(name, databases) : name,
  )
}
