// A journal whose end a crash has torn, at every byte: the short form of it is a test of each change, the long one a proof.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { verifyJournal } from '../../pipeline/journal/verify.ts'
import { asRead, emptyBooks, readJournal, writeJournal, writing } from '../support/journal.ts'

const bodies = ['first', 'a longer body '.repeat(20)]

export const segment = (dir: string, number = 1): string => join(dir, 'journal', `00000${number}.journal`)

/** Opens for append, as a run does, and closes again. */
export async function reopen(dir: string, options: Parameters<typeof writing>[0] = {}) {
  const journal = await openJournal(dir, writing(options))
  await journal.close()
  return journal
}

export const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'accepted',
    (error) => error,
  )

/** Tears the last frame after each of its bytes; how many zeros stand behind the tear, `chosen` picks from the `endings`. */
export async function tearEverywhere(
  chosen: (length: number, endings: readonly number[]) => readonly number[],
): Promise<void> {
  const dir = await emptyBooks()
  await writeJournal(dir, bodies)
  const kept = (await readFile(segment(dir))).length
  await writeJournal(dir, ['last'])
  const whole = await readFile(segment(dir))

  for (let length = kept + 1; length < whole.length; length += 1) {
    for (const zeros of chosen(length, [0, 5_000, whole.length - length])) {
      await rm(join(dir, 'journal'), { recursive: true })
      await mkdir(join(dir, 'journal'))
      const torn = Buffer.concat([whole.subarray(kept, length), Buffer.alloc(zeros)])
      if (torn.equals(whole.subarray(kept))) continue // A hash may end with zeros of its own.
      await writeFile(segment(dir), Buffer.concat([whole.subarray(0, kept), torn]))

      expect(await readJournal(dir)).toEqual(asRead(bodies))
      expect((await verifyJournal(dir)).tear).toEqual({
        path: segment(dir),
        offset: kept,
        bytes: torn.length,
      })
      expect(await failure(reopen(dir, { landedSeq: 3 }))).toBeInstanceOf(CorruptionError)
      expect(await readdir(join(dir, 'journal'))).toEqual(['000001.journal'])
      const { recovered } = await reopen(dir, { landedSeq: 2 })

      const file = join(dir, 'journal', 'torn-2026-01-05T030000.000Z.bin')
      expect(recovered).toEqual({ file, segment: segment(dir), offset: kept, bytes: torn.length })
      expect(await readFile(file)).toEqual(torn)
      expect((await readFile(segment(dir))).length).toBe(kept)
    }
  }
  await writeJournal(dir, ['again'])
  expect((await readJournal(dir)).map((frame) => frame.body)).toEqual([...bodies, 'again'])
}
