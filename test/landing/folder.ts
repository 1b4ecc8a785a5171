// A landing in a folder of its own that goes when the test ends, and what stands in it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLanding } from '../../pipeline/landing/database.ts'
import type { Landing, LandingOptions } from '../../pipeline/landing/landing.ts'
import { landingOptions } from './frames.ts'

/** A folder that goes when the test ends. */
export async function emptyFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tieout-landing-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** An open landing, closed when the test ends unless the test has closed it. */
export async function landingIn(dir: string, options: Partial<LandingOptions> = {}): Promise<Landing> {
  const landing = await openLanding(dir, { ...landingOptions, ...options })
  let open = true
  onTestFinished(() => (open ? landing.close() : undefined))
  const close = landing.close.bind(landing)
  return Object.assign(landing, {
    close: async () => {
      open = false
      await close()
    },
  })
}

/** Rows of a query as text, as DuckDB prints them: exact. */
export async function ask(landing: Landing, sql: string): Promise<unknown[][]> {
  return (await landing.connection.runAndReadAll(sql)).getRowsJson()
}
