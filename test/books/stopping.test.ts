// Who asks a command to stop while its books are being opened, with much that is to land first: the journal stays as it is, and
// the next command goes on.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks, openBooksFor } from '../../pipeline/books/books.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { CommandContext } from '../../pipeline/config/context.ts'
import { temporaryFolder } from '../support/cli.ts'

test('landing what had not landed can be stopped, and so can landing everything again', async () => {
  const dir = temporaryFolder()
  const first = await openBooks(dir, { clock: systemClock, command: 'test' })
  await first.journal.append({
    ...{ kind: 'run-start', at: '2026-01-01T00:00:00.000Z', run: 'r1', command: 'sync' },
    now: '2026-01-01T00:00:00.000Z',
  })
  await first.close()

  const told: string[] = []
  const opened = (signal: AbortSignal, rebuild: boolean) => {
    const context = { dir, clock: systemClock, signal, tell: (text: string) => told.push(text) }
    return openBooksFor(context as unknown as CommandContext, emptyConfig, { command: 'build', rebuild })
  }
  for (const rebuild of [false, true]) {
    await expect(opened(AbortSignal.abort(), rebuild)).rejects.toMatchObject({
      exitCode: 5,
      message: 'Landing was stopped.',
    })
    expect(existsSync(join(dir, 'lock'))).toBe(false)
    expect(existsSync(join(dir, 'tmp', 'landing-rebuilt.duckdb'))).toBe(false)
  }
  const books = await opened(new AbortController().signal, false)
  expect([books.landing.landedSeq, books.journal.lastSeq]).toEqual([1, 1])
  await books.close()
  expect(told).toContain('Landing 1 journaled frame that had not landed when the last run ended.')
  // Where nothing is to land, nothing is stopped: whoever asked is heeded by what follows.
  await (await opened(AbortSignal.abort(), false)).close()
  rmSync(dir, { recursive: true, force: true })
})
