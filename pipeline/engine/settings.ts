// The resources that DuckDB may use: memory and threads from the configuration, otherwise a share of the machine. Every
// database that is opened gets its limits from here.
import { statSync } from 'node:fs'
import { type Machine, readMachine } from './machine.ts'
import { describeSize, mebibytes, parseSize } from './size.ts'

export interface EngineSettings {
  /** As DuckDB spells it. */
  readonly memoryLimit: string
  /** Where that limit comes from, for errors. */
  readonly memoryFrom: string
  readonly threads: number
}

/** The source of a limit that the user set for one query. */
export const OPTION = '--memory'
/** The source of the limit that the page sets for its views. */
export const VIEW = 'what a view of the page may use'
/** The source of the limit of the page's console, if the configuration would allow more. */
export const CONSOLE = 'the most that the console of the page may use'

/** The section `engine` of the configuration. */
export interface EngineConfig {
  readonly memory?: string | undefined
  readonly threads?: number | undefined
}

/**
 * Half: DuckDB's limit covers only its buffers, and the process uses more (node itself, the lots being matched, memory
 * that the allocator returns late; up to 1.8 times a small limit was measured). The file cache, readers of the
 * published books and the rest of the machine need their share too.
 */
const SHARE = 0.5

/** A thread works in buffers of its own: with less than this for each, fewer threads can process more. */
const THREAD_BYTES = 256 * 2 ** 20

/** From the configuration, or else a share of the machine. */
export function engineSettings(config: EngineConfig = {}, machine: Machine = readMachine()): EngineSettings {
  const { memory, threads } = config
  const configured = memory === undefined ? null : parseSize(memory)
  const bytes = configured ?? machine.memoryBytes * SHARE
  return {
    memoryLimit: mebibytes(bytes),
    memoryFrom: configured === null ? shareOf(machine) : `engine.memory: ${memory} in the configuration`,
    threads: threads ?? Math.max(1, Math.min(machine.processors, Math.floor(bytes / THREAD_BYTES))),
  }
}

const shareOf = ({ memoryBytes, memoryOf }: Machine): string =>
  memoryOf === 'cgroup'
    ? `half of the ${describeSize(memoryBytes)} that the cgroup of this process allows`
    : `half of the ${describeSize(memoryBytes)} of this machine`

/** Anything left open defaults to the machine's share. */
export function completed(given: Partial<EngineSettings> = {}): EngineSettings {
  const { memoryLimit, memoryFrom = 'as set by the caller', threads } = given
  if (memoryLimit !== undefined && threads !== undefined) return { memoryLimit, memoryFrom, threads }
  const share = engineSettings()
  return {
    ...(memoryLimit === undefined ? share : { memoryLimit, memoryFrom }),
    threads: threads ?? share.threads,
  }
}

/**
 * For a database that only answers queries: half again, since a report may open a second one beside the ledger, and a
 * run may be writing at the same time. `limit` is what a view of the page may use, and is applied as it is.
 */
export function readerSettings(engine: EngineSettings, limit?: string): EngineSettings {
  if (limit !== undefined) return { ...engine, memoryLimit: limit, memoryFrom: VIEW }
  const bytes = (parseSize(engine.memoryLimit) ?? 0) / 2
  return {
    memoryLimit: mebibytes(bytes),
    memoryFrom: `half, for a reader, of ${describeSize(bytes * 2)}: ${engine.memoryFrom}`,
    threads: engine.threads,
  }
}

/**
 * Only in files this large is there work to share: DuckDB gives 122,880 rows of a table to one thread. Reports from a
 * ledger of 72 MiB (180,350 entries) take as long with one thread as with two.
 */
const SMALL_FILE_BYTES = 64 * 2 ** 20

/** A file that does not exist yet is small. */
export function isSmallFile(file: string): boolean {
  try {
    return statSync(file).size <= SMALL_FILE_BYTES
  } catch {
    return true
  }
}

/**
 * For queries of this file. A small file has no work to share, and DuckDB's threads wait for each other by spinning:
 * with one thread, queries of small books use up to a tenth less processor time.
 */
export const forFile = <Settings extends EngineSettings>(engine: Settings, file: string): Settings =>
  isSmallFile(file) ? { ...engine, threads: 1 } : engine

/**
 * For every instance that answers queries. For an asof join with few expected rows, DuckDB would compare each row with
 * every other, and its estimate for filtered rows is a guess.
 */
export const PLANNING = { asof_loop_join_threshold: '0' } as const

/**
 * For every instance that creates files. DuckDB writes for its version 1.0 unless told otherwise, with the older form of
 * column statistics, which makes up a fifth of a small file and most of the time in which it is opened, and with an
 * older compression of text, which takes a tenth of a large build. Files that exist keep the form that they have.
 */
const STORAGE = { storage_compatibility_version: 'v1.3.0' } as const

/** As options of an instance. */
export const instanceOptions = ({ memoryLimit, threads }: Omit<EngineSettings, 'memoryFrom'>) => ({
  memory_limit: memoryLimit,
  threads: String(threads),
  ...PLANNING,
  ...STORAGE,
})
