// Parquet from DuckDB's own writer, in an instance that holds the rows, knows no ledger, and may access only
// one file. The query itself runs elsewhere, without any access to files, so no query can write, whatever it
// contains.
import {
  DuckDBArrayType,
  DuckDBInstance,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
} from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import { identifier, literal } from '../engine/quote.ts'
import type { RawResult } from './column.ts'
import { loadTable } from './load.ts'
import { makeSpillFolder } from './spill.ts'

const ALMOST_A_FLOAT: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT])

/** Parquet has no 128-bit integers, and DuckDB would write them as doubles, even inside other types. */
function selected(name: string, type: DuckDBType): string {
  const column = identifier(name)
  return isWithoutFloats(type) ? column : `cast(${column} as ${withoutFloats(type)}) as ${column}`
}

const isWithoutFloats = (type: DuckDBType): boolean => withoutFloats(type) === String(type)

/** The type in SQL, with a decimal in place of anything that would be written as a double. */
function withoutFloats(type: DuckDBType): string {
  if (ALMOST_A_FLOAT.has(type.typeId)) return 'DECIMAL(38,0)'
  if (type instanceof DuckDBListType) return `${withoutFloats(type.valueType)}[]`
  if (type instanceof DuckDBArrayType) return `${withoutFloats(type.valueType)}[${type.length}]`
  if (type instanceof DuckDBMapType)
    return `MAP(${withoutFloats(type.keyType)}, ${withoutFloats(type.valueType)})`
  if (type instanceof DuckDBStructType) {
    const members = type.entryTypes.map(
      (member, at) => `${identifier(type.entryNames[at] as string)} ${withoutFloats(member)}`,
    )
    return `STRUCT(${members.join(', ')})`
  }
  if (type instanceof DuckDBUnionType) {
    const members = type.memberTypes.map(
      (member, at) => `${identifier(type.memberTags[at] as string)} ${withoutFloats(member)}`,
    )
    return `UNION(${members.join(', ')})`
  }
  return String(type)
}

/** Only our own cast can fail while rows are written. */
function tooLong({ names, types }: RawResult, cause: unknown): unknown {
  const [, number] =
    /^Conversion Error: Could not cast value (-?\d+) to/.exec(String((cause as Error).message)) ?? []
  if (number === undefined) return cause
  return new UsageError('A whole number of the answer is too long for Parquet.', {
    where: names.filter((_, index) => !isWithoutFloats(types[index] as DuckDBType)).join(', '),
    expected: 'at most 38 digits',
    found: number,
    action:
      'Write it as text, with `cast(… as varchar)` in the query; --format csv and json write it unchanged.',
    cause,
  })
}

/** Parquet readers, DuckDB among them, ignore case in column names. */
function refuseAlike(names: readonly string[]): void {
  const first = new Map<string, string>()
  for (const name of names) {
    const other = first.get(name.toLowerCase())
    if (other !== undefined)
      throw new UsageError('Two columns of the answer differ only in upper and lower case.', {
        where: `${other}, ${name}`,
        expected: 'columns that Parquet can distinguish',
        action: 'Give one of them another name, with `as` in the query; --format csv and json accept both.',
      })
    first.set(name.toLowerCase(), name)
  }
}

/** Where it may spill, and how many threads it uses; the system's folder and all processors by default. */
export interface ParquetRoom {
  readonly tempDir?: string
  readonly threads?: number
}

/**
 * Writes the rows to `path`, which must not exist. Throws UsageError for two columns that differ only in
 * upper and lower case, and for a whole number with more digits than Parquet can store.
 */
export async function writeParquet(
  path: string,
  result: RawResult,
  memoryLimit: string,
  { tempDir, threads }: ParquetRoom = {},
): Promise<void> {
  refuseAlike(result.names)
  const spill = makeSpillFolder(tempDir)
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: spill.path,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(threads === undefined ? {} : { threads: String(threads) }),
  })
  const connection = await instance.connect()
  const select = result.names.map((name, index) => selected(name, result.types[index] as DuckDBType))
  try {
    await connection.run(`set memory_limit = ${literal(memoryLimit)}`)
    await connection.run("set global timezone = 'UTC'")
    await connection.run(`set allowed_paths = [${literal(path)}]`)
    await connection.run('set enable_external_access = false')
    await connection.run('set lock_configuration = true')
    await loadTable(connection, 'result', result)
    await connection
      .run(
        `copy (select ${select.join(', ')} from result) to ${literal(path)}
        (format parquet, compression zstd, use_tmp_file false)`,
      )
      .catch((cause: unknown) => {
        throw tooLong(result, cause)
      })
  } finally {
    connection.closeSync()
    instance.closeSync()
    spill.remove()
  }
}
