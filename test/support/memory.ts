// Set up once for a test run: which allocator its processes use, and that memory that is freed stays with the process, which
// will need it again. Hundreds of small builds in one process would otherwise return the same pages and fault them in again,
// which takes up to a sixth of their time. Only Linux allocators read these settings, when a process starts; otherwise it is the
// same as a user's.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Nothing is returned, and one arena serves all threads: what a build has freed on one of them, the next one uses on another.
 * Blocks are cut from larger ones, however large: kept blocks are not joined, so that memory would grow with each build.
 */
const JEMALLOC = 'dirty_decay_ms:-1,muzzy_decay_ms:-1,narenas:1,lg_extent_max_active_fit:16'

const KEEP = {
  // Both must be set: with the first alone, every larger block is mapped and unmapped each time.
  MALLOC_TRIM_THRESHOLD_: String(2 ** 30),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
  MALLOC_TOP_PAD_: String(2 ** 24),
  DUCKDB_JE_MALLOC_CONF: JEMALLOC,
  MALLOC_CONF: JEMALLOC,
}

/**
 * The allocator of Debian's package libjemalloc2, where it is installed: planning the statements of a small build takes and
 * frees so many blocks that a fifth of its time is spent in that of the C library.
 */
function jemalloc(): string | undefined {
  const folder = '/usr/lib'
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((name) => join(folder, name, 'libjemalloc.so.2')).find((file) => existsSync(file))
}

export default function setup(): void {
  for (const [name, value] of Object.entries(KEEP)) process.env[name] ??= value
  const allocator = jemalloc()
  if (allocator !== undefined) process.env.LD_PRELOAD ??= allocator
}
