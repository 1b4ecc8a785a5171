// A sandbox with a folder of books configured for it, and commands run in this process. Their output on both streams is
// kept.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { type CallOptions, call } from '../../pipeline/calls/call.ts'
import type { CommandContext } from '../../pipeline/config/context.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { type Sandbox, type SandboxOptions, startSandbox, writeSandboxConfig } from '../../sandbox/index.ts'

/** Budgets refill so fast that no test waits for them. */
const SPEED = 1_000

export interface Desk {
  readonly dir: string
  readonly context: CommandContext
  /** Lines on standard output and on standard error. */
  readonly printed: string[]
  readonly told: string[]
  /** `tieout call`: what it prints, as JSON. */
  call(endpoint: string, values?: readonly string[], options?: Partial<CallOptions>): Promise<unknown>
}

/** The venue's clock at the start, different from this machine's, so that confusing them makes a test fail. */
const NOW = new Date('2026-03-01T12:00:00Z')

/** A sandbox with a short past, closed when the test ends. */
export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const started = await startSandbox({ now: NOW, days: 3, speed: SPEED, ...options })
  onTestFinished(() => started.close())
  return started
}

/** An empty folder of books, removed when the test ends; configured for the sandbox, if one is given. */
export async function desk(venue?: Pick<Sandbox, 'baseUrl' | 'accounts'>): Promise<Desk> {
  const dir = await mkdtemp(join(tmpdir(), 'tieout-calls-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  if (venue !== undefined) await writeSandboxConfig(dir, venue, { speed: SPEED })
  const printed: string[] = []
  const told: string[] = []
  const context: CommandContext = {
    dir,
    run: 'run-1',
    clock: systemClock,
    now: () => NOW.getTime() + 60_000,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    configFile: join(dir, 'tieout.yaml'),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    print: (text) => void printed.push(text),
    advise: (text) => void printed.push(text),
    tell: (text) => void told.push(text),
  }
  let made = 0
  return {
    dir,
    context,
    printed,
    told,
    call: async (endpoint, values = [], options = {}) => {
      printed.length = 0
      told.length = 0
      const newId = (): string => `own-${++made}`
      await call(context, { endpoint, values, write: false, json: true, newId, ...options })
      return JSON.parse(printed.join('\n'))
    },
  }
}

/** The journal as text: meta and bodies of all frames. */
export async function journalText(dir: string): Promise<string> {
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  const parts: string[] = []
  for await (const { meta, body } of journal.read())
    parts.push(JSON.stringify(meta), Buffer.from(body ?? []).toString())
  await journal.close()
  return parts.join('\n')
}

export const textOf = (dir: string, name: string): string => readFileSync(join(dir, name), 'utf8')
