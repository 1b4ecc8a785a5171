// What the files beside the journal record about it: the landing database names the last frame that has landed, the
// published ledger the last one that it was built from. Before anything is rebuilt, the journal must be shown to reach
// at least as far.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type EngineSettings, instanceOptions } from '../engine/settings.ts'

/** As the journal's options take it. */
export interface LastLanded {
  readonly landedSeq?: number
  readonly expect?: { readonly seq: number; readonly chain: string }
}

/** Empty if the file does not exist or can no longer be read: then only the journal itself is checked. */
export async function lastLanded(dir: string, engine: EngineSettings): Promise<LastLanded> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    ...instanceOptions({ ...engine, threads: 1 }),
  })
  try {
    const connection = await instance.connect()
    const built = await lastBuilt(connection, dir)
    const state = await firstRow(connection, join(dir, 'landing.duckdb'), 'state', 'landed_seq, chain')
    const [seq = 0n, chain = null] = (state ?? []) as [bigint?, (string | null)?]
    const landedSeq = Math.max(Number(seq), built)
    return chain === null ? { landedSeq } : { landedSeq, expect: { seq: Number(seq), chain } }
  } finally {
    instance.closeSync()
  }
}

/** The last frame that the published ledger was built from; 0 if there is no ledger, or it does not record one. */
export async function lastBuilt(connection: DuckDBConnection, dir: string): Promise<number> {
  return Number((await firstRow(connection, join(dir, 'ledger.duckdb'), 'about', 'landed_seq'))?.[0] ?? 0)
}

/** Null if the file does not exist, cannot be read or has no such columns. */
async function firstRow(
  connection: DuckDBConnection,
  path: string,
  table: string,
  columns: string,
): Promise<readonly unknown[] | null> {
  if (!existsSync(path)) return null
  try {
    await connection.run(`attach ${literal(path)} as beside_journal (read_only)`)
    const reader = await connection.runAndReadAll(`select ${columns} from beside_journal.main.${table}`)
    return reader.getRows()[0] ?? null
  } catch {
    return null
  } finally {
    await connection.run('detach database if exists beside_journal')
  }
}
