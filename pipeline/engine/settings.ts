// What DuckDB may use: memory and threads as the configuration says, else a share of what the machine has. Every database
// that is opened gets its limits from here.
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

/** Where a limit comes from that the user gave with one question. */
export const OPTION = '--memory'
/** And of one that the page keeps small for its views. */
export const VIEW = 'what a view of the page may take'
/** And of the page's console, where the configuration would give it more. */
export const CONSOLE = 'the most that the console of the page may take'

/** The section `engine` of the configuration. */
export interface EngineConfig {
  readonly memory?: string | undefined
  readonly threads?: number | undefined
}

/**
 * Half: DuckDB's limit is on its buffers alone, and the process takes more (node itself, the lots in work, what the allocator
 * gives back late; measured up to 1.8 times a small limit). The file cache, readers of the published books and the rest
 * of the machine need their part too.
 */
const SHARE = 0.5

/** A thread works in buffers of its own: with less than this for each, fewer threads reach further. */
const THREAD_BYTES = 256 * 2 ** 20

/** By the configuration; without one a share of the machine. */
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

/** What is left open is the machine's share. */
export function completed(given: Partial<EngineSettings> = {}): EngineSettings {
  const { memoryLimit, memoryFrom = 'as its caller set it', threads } = given
  if (memoryLimit !== undefined && threads !== undefined) return { memoryLimit, memoryFrom, threads }
  const share = engineSettings()
  return {
    ...(memoryLimit === undefined ? share : { memoryLimit, memoryFrom }),
    threads: threads ?? share.threads,
  }
}

/**
 * For a database that only answers: half again, since a report may open a second one beside the ledger, and a run may be
 * writing meanwhile. `limit` is what a view of the page may take, and counts as it is.
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
 * In so large a file there is little to share: DuckDB leaves 122,880 rows of a table to one thread. Reports from a ledger of 72 MiB
 * (180,350 entries) take as long with one as with two.
 */
const SMALL_FILE_BYTES = 64 * 2 ** 20

/** What is not there yet is small. */
export function isSmallFile(file: string): boolean {
  try {
    return statSync(file).size <= SMALL_FILE_BYTES
  } catch {
    return true
  }
}

/**
 * For questions to this file. Of a small one there is nothing to share, and DuckDB's threads wait for each other by turning
 * round: with one thread what is asked of small books costs up to a tenth less of the processor.
 */
export const forFile = <Settings extends EngineSettings>(engine: Settings, file: string): Settings =>
  isSmallFile(file) ? { ...engine, threads: 1 } : engine

/**
 * Of every instance that answers questions. For an asof join in which it expects few rows, DuckDB would hold each row against every other, and what it
 * expects of filtered rows is a guess.
 */
export const PLANNING = { asof_loop_join_threshold: '0' } as const

/** As options of an instance. */
export const instanceOptions = ({ memoryLimit, threads }: Omit<EngineSettings, 'memoryFrom'>) => ({
  memory_limit: memoryLimit,
  threads: String(threads),
  ...PLANNING,
})
