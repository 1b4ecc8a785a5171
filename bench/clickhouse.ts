// The same large books built by DuckDB and by ClickHouse's engine, which is a separate process: seconds,
// processor time and memory of each, and whether every published table is equal.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../pipeline/config/root.ts'
import type { BenchOptions } from './options.ts'

const ENTRIES = 1_000_000

export async function run({ entries = ENTRIES }: BenchOptions): Promise<void> {
  const parity = join(packageRoot, 'test', 'parity', 'start.mjs')
  const args = [parity, '--entries', String(entries), '--shards', '1']
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
