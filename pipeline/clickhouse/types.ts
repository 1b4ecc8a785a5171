// Maps column types between the two engines, in both directions. Everything but a list is nullable, as in DuckDB,
// including the values of a list.
import { TieoutError } from '../../models/error.ts'

const PAIRS: readonly (readonly [duckdb: string, clickhouse: string])[] = [
  ['VARCHAR', 'String'],
  ['BOOLEAN', 'Bool'],
  ['INTEGER', 'Int32'],
  ['BIGINT', 'Int64'],
  ['HUGEINT', 'Int128'],
  ['DOUBLE', 'Float64'],
  ['DATE', 'Date32'],
  ['TIMESTAMP WITH TIME ZONE', "DateTime64(6, 'UTC')"],
]

const toClickHouse = new Map(PAIRS)
const toDuckDb = new Map(PAIRS.map(([duckdb, clickhouse]) => [clickhouse, duckdb]))

/** Type of a column in ClickHouse. Throws a TieoutError for a DuckDB type that no model has used yet. */
export function clickHouseType(duckdb: string): string {
  if (duckdb.endsWith('[]')) return `Array(${clickHouseType(duckdb.slice(0, -2))})`
  return `Nullable(${bare(duckdb)})`
}

function bare(duckdb: string): string {
  const decimal = /^DECIMAL\((\d+),\s?(\d+)\)$/.exec(duckdb)
  if (decimal !== null) return `Decimal(${decimal[1]}, ${decimal[2]})`
  return toClickHouse.get(duckdb) ?? unknown(duckdb, 'DuckDB')
}

/** Type of a column in DuckDB. */
export function duckDbType(clickhouse: string): string {
  const inner = /^(Nullable|Array)\((.*)\)$/.exec(clickhouse)
  if (inner !== null) return `${duckDbType(inner[2] as string)}${inner[1] === 'Array' ? '[]' : ''}`
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(clickhouse)
  if (decimal !== null) return `DECIMAL(${decimal[1]},${decimal[2]})`
  return toDuckDb.get(clickhouse) ?? unknown(clickhouse, 'ClickHouse')
}

function unknown(type: string, engine: string): never {
  throw new TieoutError('A column has a type without a counterpart in the other engine.', {
    where: `pipeline/clickhouse/types.ts, a type of ${engine}`,
    expected: PAIRS.map(([duckdb, clickhouse]) => `${duckdb} (${clickhouse})`).join(', '),
    found: type,
    action: 'Cast the column in its model to one of these, or add the pair of types.',
  })
}

/** Parquet has no whole numbers of 128 bits: they are transferred as text. */
export const isWide = (duckdb: string): boolean => duckdb === 'HUGEINT'
