// The recorder while others go on recording: who waits for what has been recorded up to now waits for nothing else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { createRecorder, type WordMeta } from '../../pipeline/sync/recorder.ts'

const account = (nth: number): WordMeta => ({
  kind: 'account',
  at: '2026-01-05T03:00:00.000Z',
  run: 'a run',
  account: `account ${nth}`,
  venue: 'a venue',
  uid: String(nth),
  accountKind: 'unified',
  accountMode: null,
})

test('a flush ends with what was recorded before it, though others keep recording without a pause', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-recorder-'))
  const books = await openBooks(dir, { clock: systemClock, command: 'test' })
  onTestFinished(async () => {
    await books.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const recorder = createRecorder({ ...books, clock: systemClock }, [])
  let isOver = false
  let recorded = 0
  // Two at a time, so that one is always waiting to land.
  const others = [0, 1].map(async () => {
    while (!isOver && recorded < 20_000) {
      recorded += 1
      await recorder.record(account(recorded))
    }
  })
  for (let count = 0; count < 3; count += 1) {
    await recorder.record(account(0))
    const { lastSeq } = books.journal
    await recorder.flush()
    expect(books.landing.landedSeq).toBeGreaterThanOrEqual(lastSeq)
  }
  expect(recorded).toBeLessThan(20_000)
  isOver = true
  await Promise.all(others)
  await recorder.flush()
  expect(books.landing.landedSeq).toBe(books.journal.lastSeq)
})
