// Landing from a real journal: the tail after a crash, and everything again, give one and the same database.

import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import type { Frame, Journal } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { LandingError } from '../../pipeline/landing/errors.ts'
import { landJournal, rebuildLanding } from '../../pipeline/landing/land-journal.ts'
import { stillClock, writing } from '../support/journal.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { landingOptions, page, rawPage, taxRow } from './frames.ts'

const window = { start: 1_000, end: 9_000 }

/** Five pages of a window that is not finished, one of them with a row that does not fit and an unknown field. */
const pages = [1, 2, 3, 4, 5].map((seq) => {
  const rows = [taxRow(`${seq}1`, { colour: 'red' }), taxRow(`${seq}2`, { amount: seq === 3 ? 'x' : '1' })]
  return page(seq, rows, { window, covers: { start: 9_000 - seq, end: 9_000 }, next: `c${seq}` })
})

/** A journal in the folder that holds these frames, closed when the test ends. */
async function journalIn(dir: string, frames: readonly Frame[]): Promise<Journal> {
  const journal = await openJournal(dir, writing())
  onTestFinished(() => journal.close())
  for (const { meta, body } of frames) await journal.append(meta, body ?? undefined)
  return journal
}

describe('landing a journal', () => {
  it('continues after what has landed, and reports its progress', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages)
    const landing = await landingIn(dir)
    const frames: Frame[] = []
    for await (const frame of journal.read()) frames.push(frame)
    await landing.land(frames.slice(0, 2))
    const told: unknown[] = []
    const landed = await landJournal(journal, landing, (progress) => told.push(progress))
    expect(landed).toEqual({ frames: 3, pages: 3, rows: 6, quarantined: 1 })
    expect(told).toEqual([{ ...landed, landedSeq: 5, lastSeq: 5 }])
    expect(landing.chain).toBe(journal.lastChain)
    const none = await landJournal(journal, landing, (progress) => told.push(progress))
    expect(none).toEqual({ frames: 0, pages: 0, rows: 0, quarantined: 0 })
    expect(told).toHaveLength(1)
  })

  it('gives the same database in one batch, frame by frame, or rebuilt', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages)
    const one = await landingIn(dir)
    await landJournal(journal, one)
    const each = await landingIn(join(dir, 'each'))
    for await (const frame of journal.read()) await each.land([frame])
    const expected = await one.contentHashes()
    expect(expected.get('tax_records')).toMatchObject({ rows: 9 })
    expect(await each.contentHashes()).toEqual(expected)
    await one.close()
    expect(await rebuildLanding(dir, journal, landingOptions)).toMatchObject({ frames: 5, rows: 10 })
    const rebuilt = await landingIn(dir)
    expect(await rebuilt.contentHashes()).toEqual(expected)
    expect(await rebuilt.unfinished('main', 'tax.records', 'SPOT')).toEqual([{ window, cursor: 'c5' }])
  })

  it('into a new file takes over nothing from the log of the old one', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages)
    writeFileSync(join(dir, 'landing.duckdb.wal'), 'what a crash has left')
    mkdirSync(join(dir, 'tmp'))
    for (const name of ['landing-rebuilt.duckdb', 'landing-rebuilt.duckdb.wal'])
      writeFileSync(join(dir, 'tmp', name), 'what a crash has left')
    const told: unknown[] = []
    const landed = await rebuildLanding(dir, journal, landingOptions, (progress) => told.push(progress))
    expect(told).toEqual([{ ...landed, landedSeq: 5, lastSeq: 5 }])
    expect(existsSync(join(dir, 'landing.duckdb.wal'))).toBe(false)
    const rebuilt = await landingIn(dir)
    expect(rebuilt.landedSeq).toBe(5)
    expect((await rebuilt.contentHashes()).get('tax_records')).toMatchObject({ rows: 9 })
  })

  it('in many batches is limited by their bytes, and stops at the first that fails', async () => {
    const dir = await emptyFolder()
    const note = 'x'.repeat(6 * 2 ** 20)
    const long = [1, 2, 3, 4].map((seq) => page(seq, [taxRow(String(seq), { note })]))
    const journal = await journalIn(dir, [...long, rawPage(5, '{"data":'), ...long.slice(0, 3)])
    const landing = await landingIn(dir)
    await expect(landJournal(journal, landing)).rejects.toThrow(CorruptionError)
    expect(landing.landedSeq).toBe(3)
    expect(await ask(landing, 'select id, length(extra) from landing.tax_records order by id')).toEqual(
      ['1', '2', '3'].map((id) => [id, String(note.length + 11)]),
    )
  })

  it('ends between two batches when it is asked to stop, and can be continued', async () => {
    const dir = await emptyFolder()
    const note = 'x'.repeat(6 * 2 ** 20)
    const long = [1, 2, 3, 4, 5, 6, 7].map((seq) => page(seq, [taxRow(String(seq), { note })]))
    const journal = await journalIn(dir, long)
    const landing = await landingIn(dir)
    const stop = new AbortController()
    const stopped = {
      exitCode: 5,
      message: 'Landing was stopped.',
      details: { action: 'Run again: the journal has everything, and landing resumes from there.' },
    }
    await expect(landJournal(journal, landing, () => stop.abort(), stop.signal)).rejects.toMatchObject(
      stopped,
    )
    expect(landing.landedSeq).toBe(3)
    expect(await landJournal(journal, landing)).toMatchObject({ frames: 4, rows: 4 })
    const whole = await landing.contentHashes()
    await landing.close()
    // What is made again is not put in the place of what is there before it is whole.
    await expect(rebuildLanding(dir, journal, landingOptions, undefined, stop.signal)).rejects.toMatchObject(
      stopped,
    )
    expect(await (await landingIn(dir)).contentHashes()).toEqual(whole)
  })

  it('of another journal than the one already landed is refused', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    await landJournal(await journalIn(dir, pages), landing)
    const shorter = landJournal(await journalIn(join(dir, 'shorter'), pages.slice(0, 4)), landing)
    await expect(shorter).rejects.toMatchObject({
      message: 'The landing database does not belong to this journal.',
      details: { expected: 'frame 5, as landed', found: 'a journal that ends with frame 4' },
    })
    const other = landJournal(await journalIn(join(dir, 'other'), pages.toReversed()), landing)
    await expect(other).rejects.toThrow(CorruptionError)
  })
})

describe('rebuilding', () => {
  it('leaves out what has since been erased, and the chain still verifies', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages)
    const landing = await landingIn(dir)
    await landJournal(journal, landing)
    await landing.close()
    await eraseFrames(dir, [2], stillClock)
    await rebuildLanding(dir, journal, landingOptions)
    const rebuilt = await landingIn(dir)
    expect(await ask(rebuilt, 'select page_id, row_count from landing.pages order by 1')).toEqual([
      ...[
        ['1', 2],
        ['2', 0],
        ['3', 2],
        ['4', 2],
        ['5', 2],
      ],
    ])
    expect(await ask(rebuilt, 'select count(*) from landing.tax_records where page_id = 2')).toEqual([['0']])
  })

  it('is made in the folder for temporary files, of the owner only; that it cannot take its place is an error of the disk', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages.slice(0, 1))
    const tempDir = join(dir, 'elsewhere')
    mkdirSync(join(dir, 'landing.duckdb'))
    await expect(rebuildLanding(dir, journal, { ...landingOptions, tempDir })).rejects.toMatchObject({
      name: 'DiskError',
      message: 'The landing database could not be replaced by the rebuilt one.',
    })
    expect(await readdir(tempDir)).toContain('landing-rebuilt.duckdb')
    expect(statSync(tempDir).mode & 0o777).toBe(0o700)
  })

  it('is refused while landing is open, and if it fails the old file stays unchanged', async () => {
    const dir = await emptyFolder()
    const journal = await journalIn(dir, pages.slice(0, 2))
    const landing = await landingIn(dir)
    await landJournal(journal, landing)
    await expect(rebuildLanding(dir, journal, landingOptions)).rejects.toThrow(LandingError)
    const before = await landing.contentHashes()
    await landing.close()
    await journal.append(pages[2]!.meta, Buffer.from('{"data":'))
    await expect(rebuildLanding(dir, journal, landingOptions)).rejects.toThrow(CorruptionError)
    expect(await readdir(join(dir, 'tmp'))).toEqual([])
    const same = await landingIn(dir)
    expect(await same.contentHashes()).toEqual(before)
  })
})
