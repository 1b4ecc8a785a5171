// Set up once for a test run: memory that the C library and DuckDB have freed stays with the process, which will need it again.
// Hundreds of small builds in one process would otherwise return the same pages and fault them in again, which takes up to a
// sixth of their time. Only Linux allocators read these settings, when a process starts; otherwise it is the same as a user's.
const KEEP = {
  // Both must be set: with the first alone, every larger block is mapped and unmapped each time.
  MALLOC_TRIM_THRESHOLD_: String(2 ** 30),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
  MALLOC_TOP_PAD_: String(2 ** 24),
  DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:-1,muzzy_decay_ms:-1',
}

export default function setup(): void {
  for (const [name, value] of Object.entries(KEEP)) process.env[name] ??= value
}
