// The recorder while others go on recording: who waits for what has been recorded up to now waits for nothing else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import type { Frame, Journal } from '../../pipeline/journal/frame.ts'
import type { Landing } from '../../pipeline/landing/landing.ts'
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

/** A recorder whose journal only counts, and whose frames land as `land` says. */
function recorderFor(land: (frames: readonly Frame[]) => Promise<void>) {
  const journaled: number[] = []
  const landing = {
    landedSeq: 0,
    async land(frames: readonly Frame[]) {
      await land(frames)
      landing.landedSeq = frames.at(-1)!.seq
      return { rows: frames.length }
    },
  }
  const journal = {
    async append(meta: WordMeta) {
      journaled.push(journaled.length + 1)
      return { seq: journaled.length, meta, body: null }
    },
  }
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const books = { journal: journal as unknown as Journal, landing: landing as unknown as Landing, clock }
  return { recorder: createRecorder(books, []), landing, journaled }
}

test('once a frame could not land, a flush fails with the reason and nothing more is journaled', async () => {
  const reason = new Error('the disk is full')
  const { recorder, journaled } = recorderFor(() => Promise.reject(reason))
  await recorder.record(account(1))
  await expect(recorder.flush()).rejects.toBe(reason)
  await expect(recorder.record(account(2))).rejects.toBe(reason)
  expect(journaled).toEqual([1])
})

test('a frame that is recorded while others land is landed after them, whether or not another follows', async () => {
  let goOn = (): void => undefined
  const isGoing = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const batches: number[][] = []
  const { recorder } = recorderFor((frames) => {
    batches.push(frames.map(({ seq }) => seq))
    return isGoing
  })
  await recorder.record(account(1))
  await vi.waitFor(() => expect(batches).toEqual([[1]]))
  await recorder.record(account(2))
  goOn()
  await vi.waitFor(() => expect(batches).toEqual([[1], [2]]))
})
