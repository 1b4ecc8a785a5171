// What the landing database of the books says of the journal it was made from, whatever its version: before it is made
// again, the journal must be shown to reach at least as far.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type EngineSettings, instanceOptions } from '../engine/settings.ts'

/** As the journal's options take it. */
export interface LastLanded {
  readonly landedSeq?: number
  readonly expect?: { readonly seq: number; readonly chain: string }
}

/** Nothing for a file that is not there or can no longer be read: then the journal alone counts. */
export async function lastLanded(dir: string, engine: EngineSettings): Promise<LastLanded> {
  const path = join(dir, 'landing.duckdb')
  if (!existsSync(path)) return {}
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    ...instanceOptions(engine),
  })
  try {
    const connection = await instance.connect()
    await connection.run(`attach ${literal(path)} as landing (read_only)`)
    const reader = await connection.runAndReadAll('select landed_seq, chain from landing.main.state')
    const [seq, chain] = reader.getRows()[0] as [bigint, string | null]
    const landedSeq = Number(seq)
    return chain === null ? { landedSeq } : { landedSeq, expect: { seq: landedSeq, chain } }
  } catch {
    return {}
  } finally {
    instance.closeSync()
  }
}
