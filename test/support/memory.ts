// Set up once for a run of the tests: what the C library and DuckDB have freed stays with the process that will want it again.
// Hundreds of small builds in one process give the same pages back and fault them in again, which takes up to a sixth of their time.
// Only the allocators of Linux read these, as a process begins; nothing else about it is another than a user's.
const KEEP = {
  // Both are to be set: the first alone has every larger piece mapped and unmapped each time.
  MALLOC_TRIM_THRESHOLD_: String(2 ** 30),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
  MALLOC_TOP_PAD_: String(2 ** 24),
  DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:-1,muzzy_decay_ms:-1',
}

export default function setup(): void {
  for (const [name, value] of Object.entries(KEEP)) process.env[name] ??= value
}
