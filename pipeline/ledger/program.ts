// Identifies this program by its code and not only by its version number, which stays the same between two
// releases.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '@duckdb/node-api'
import { packageRoot, packageVersion } from '../config/root.ts'

let ownProgram: string | undefined

/** Hash of this program and its engine. */
export function thisProgram(): string {
  ownProgram ??= programIn(join(packageRoot, 'dist', 'pipeline'))
  return ownProgram
}

function programIn(folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify([packageVersion, version()]))
  for (const name of compiledFiles(folder)) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex')
}

function compiledFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .sort()
  } catch {
    // Sources that run without compilation.
    return []
  }
}
