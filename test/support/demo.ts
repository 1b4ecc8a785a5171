// The books of one demo for all test files that need them. A demo takes ten seconds, so it runs once per test run.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from './in-process.ts'

/** A copy of the demo's books in a new folder, which the caller removes. */
export async function demoBooks(): Promise<string> {
  const made = await theDemo()
  const dir = mkdtempSync(join(tmpdir(), 'tieout-page-'))
  cpSync(made, dir, { recursive: true })
  return dir
}

/** Built by the first worker that asks. The others wait for it, and take over if it fails. */
async function theDemo(): Promise<string> {
  const made = join(tmpdir(), 'demo')
  const making = `${made}.making`
  while (!existsSync(made)) {
    if (!takes(making)) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      continue
    }
    try {
      const { code, stderr } = await command(['demo', '--days', '5', '--seed', '7', '--dir', making])
      if (code !== 0 && code !== 3) throw new Error(stderr)
      renameSync(making, made)
    } finally {
      rmSync(making, { recursive: true, force: true })
    }
  }
  return made
}

function takes(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
