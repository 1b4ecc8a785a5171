// Small journals for tests: fixed time, salts that are the same in every run, bodies of a few bytes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../models/clock.ts'
import type { Frame, FrameMeta } from '../../pipeline/journal/frame.ts'
import { type JournalOptions, openJournal } from '../../pipeline/journal/journal.ts'

export const at = '2026-01-05T03:00:00.000Z'

export const stillClock: Clock = {
  wall: () => Date.parse(at),
  monotonic: () => 0,
  sleep: async () => undefined,
}

/** Salts of the bytes 1, 2, 3 …: one byte, repeated. */
export function countedSalts(): (bytes: number) => Buffer {
  let count = 0
  return (bytes) => {
    count += 1
    return Buffer.alloc(bytes, count)
  }
}

/** A short frame description, distinguished by a text. */
export const note = (text: string): FrameMeta => ({
  kind: 'run-start',
  at,
  run: 'r1',
  command: text.slice(0, 30),
  now: at,
})

/** A folder of books that is removed when the test ends. */
export async function emptyBooks(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tieout-journal-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export const writing = (options: Partial<JournalOptions> = {}): JournalOptions => ({
  mode: 'append',
  clock: stillClock,
  random: countedSalts(),
  ...options,
})

export const reading = (options: Partial<JournalOptions> = {}): JournalOptions => ({
  mode: 'read',
  clock: stillClock,
  ...options,
})

/** Writes one frame for each body, each durable before the next, and returns what append returned. */
export async function writeJournal(
  dir: string,
  bodies: readonly string[],
  options: Partial<JournalOptions> = {},
): Promise<Frame[]> {
  const journal = await openJournal(dir, writing(options))
  const frames: Frame[] = []
  for (const body of bodies) frames.push(await journal.append(note(body), Buffer.from(body)))
  await journal.close()
  return frames
}

export interface Read {
  seq: number
  command: string
  body: string | null
}

/** What a reader sees: numbers, commands and bodies as text. */
export async function readJournal(dir: string, options: Partial<JournalOptions> = {}): Promise<Read[]> {
  const journal = await openJournal(dir, reading(options))
  const found: Read[] = []
  for await (const { seq, meta, body } of journal.read())
    found.push({
      seq,
      command: 'command' in meta ? meta.command : meta.kind,
      body: body === null ? null : Buffer.from(body).toString(),
    })
  await journal.close()
  return found
}

/** The frames that `writeJournal` writes for these bodies, as `readJournal` returns them. */
export const asRead = (bodies: readonly string[]): Read[] =>
  bodies.map((body, index) => ({ seq: index + 1, command: body.slice(0, 30), body }))
