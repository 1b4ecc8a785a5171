// A user's word on a break, through the real command line: it is kept, shown, counted no more, lost by no rebuild, taken
// back, and holds only as long as the figures that it was made for.
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { chooseBreak, readNote } from '../../pipeline/books/note.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import type { Break } from '../../pipeline/ledger/breaks.ts'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { rows, taxPage, taxRow, tradedBooks, writeBooks } from '../evidence/explain-books.ts'
import { killedOnceJournaled, type Outcome, temporaryFolder, tieout } from '../support/cli.ts'
import { command, onTerminal } from '../support/in-process.ts'

/** Books with one warning: a record of a type that nobody knows. */
let untouched: string
let id: string
/** The same after a note on it, and what the command said. */
let explainedBefore: string
let explaining: Outcome
const NOTE = 'A gift of the venue, see its mail of 2026-01-08.'
/** A run that has not ended would be a warning too. */
const endRun = (dir: string): Promise<void> =>
  writeBooks(dir, async ({ journal }) => {
    const end = { at: '2026-02-01T03:01:00.000Z', run: 'r1', requests: 3, rows: 8, retries: 0 }
    await journal.append({ kind: 'run-end', ...end, outcome: 'done' })
  })

beforeAll(async () => {
  untouched = await tradedBooks()
  await endRun(untouched)
  const ledger = await openLedger(untouched)
  id = String(
    (
      await ledger.query("select break_id from breaks where severity = 'warning' and status = 'open'")
    )[0]?.[0],
  )
  ledger.close()
  explainedBefore = mkdtempSync(join(tmpdir(), 'tieout-explained-'))
  cpSync(untouched, explainedBefore, { recursive: true })
  explaining = await tieout(['explain-break', id.slice(0, 6), '--note', NOTE, '--dir', explainedBefore])
  expect(explaining.code).toBe(0)
})

function copied(books = untouched): string {
  const dir = temporaryFolder()
  cpSync(books, dir, { recursive: true })
  return dir
}

interface Row {
  readonly break_id: string
  readonly check_name: string
  readonly severity: string
  readonly status: string
  readonly note: string | null
}

/** Warnings as `check --json` tells them, with its exit code. */
async function checked(dir: string): Promise<{ code: number | null; warnings: Row[] }> {
  const { code, stdout } = await command(['check', '--json', '--dir', dir])
  return { code, warnings: (JSON.parse(stdout) as Row[]).filter(({ severity }) => severity === 'warning') }
}

const explain = (dir: string, note = NOTE) =>
  command(['explain-break', id.slice(0, 6), '--note', note, '--dir', dir])

test('check fits a terminal: lines are broken between words, ids and commands stay whole', async () => {
  const words = ['check', '--dir', untouched]
  const [wide, narrow] = [await command(words), await onTerminal(60, words)]
  const lines = `${narrow.stdout}${narrow.stderr}`.split('\n')
  expect(wide.stdout.split('\n').some((line) => line.length > 60)).toBe(true)
  expect(lines.filter((line) => line.length > 60 && line.trim().includes(' '))).toEqual([])
  expect(lines).toContainEqual(expect.stringContaining(id))
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')
  expect(plain(narrow.stdout)).toBe(plain(wide.stdout))
  expect(plain(narrow.stderr)).toBe(plain(wide.stderr))
})

describe('a break', () => {
  test('that is open gives code 3; explained, it gives 0 and is shown with its note everywhere', async () => {
    const { code, warnings } = await checked(copied())
    expect({ code, warnings }).toMatchObject({
      code: 3,
      warnings: [{ break_id: id, check_name: 'unknown_type', status: 'open', note: null }],
    })
    const dir = copied(explainedBefore)
    expect({ code: explaining.code, stdout: explaining.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^Explained: warning unknown_type ${id}\\.[^]*Explained by a note: 1 break\\.\n$`),
      ),
    })
    expect(await checked(dir)).toMatchObject({
      code: 0,
      warnings: [{ break_id: id, status: 'explained', note: NOTE }],
    })
    const words = await command(['check', '--now', '2026-02-11T04:00:00Z', '--dir', dir])
    expect(words.stdout).toContain('unknown_type: main USDT 2026-01-08T10:00:00.000Z (explained)')
    expect(words.stdout).toContain('first seen 2026-02-01T04:00:00.000Z, 10 d ago')
    expect(words.stdout).toContain(NOTE)
    const status = await command(['status', '--dir', dir])
    expect(status.code).toBe(0)
    expect(status.stdout).toContain('Explained by a note: 1 break.')
    for (const report of ['breaks', 'balances']) {
      const { stdout } = await command(['report', report, '--dir', dir])
      expect(stdout).toContain(`Explained: unknown_type ${id}: ${NOTE}`)
    }
  }, 120_000)

  test('stays explained after a rebuild, down to the hash, and is open again once the note is withdrawn', async () => {
    const dir = copied(explainedBefore)
    const before = await ledgerHash(`${dir}/ledger.duckdb`)
    expect((await command(['rebuild', '--dir', dir])).code).toBe(0)
    expect(await ledgerHash(`${dir}/ledger.duckdb`)).toBe(before)
    expect((await checked(dir)).warnings).toMatchObject([{ status: 'explained' }])
    const taken = await command(['explain-break', id, '--withdraw', '--dir', dir])
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('is withdrawn') })
    expect(await checked(dir)).toMatchObject({ code: 3, warnings: [{ status: 'open', note: null }] })
    const again = await command(['explain-break', id, '--withdraw', '--dir', dir])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('no note to withdraw') })
    const said = await command(['explain-break', id, '--note', 'A gift.', '--json', '--dir', dir])
    expect(JSON.parse(said.stdout)).toMatchObject({ break_id: id, note: 'A gift.', published: true })
    expect(await checked(dir)).toMatchObject({ code: 0, warnings: [{ note: 'A gift.' }] })
  }, 120_000)

  test('is reopened by the same command if withdrawing the note was killed before it was published', async () => {
    const dir = copied(explainedBefore)
    await killedOnceJournaled(['explain-break', id, '--withdraw'], dir)
    expect((await command(['report', 'breaks', '--dir', dir])).stdout).toContain(
      `Explained: unknown_type ${id}`,
    )
    const again = await command(['explain-break', id, '--withdraw', '--dir', dir])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('is withdrawn') })
    expect(await checked(dir)).toMatchObject({ code: 3, warnings: [{ status: 'open', note: null }] })
    const { stdout } = await command(['report', 'breaks', '--dir', dir])
    expect(stdout).not.toContain('Explained:')
    const third = await command(['explain-break', id, '--withdraw', '--dir', dir])
    expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('no note to withdraw') })
  }, 120_000)

  test('whose figures change after it was explained is open again, under the same id', async () => {
    const dir = copied(explainedBefore)
    const another = { coin: 'USDT', type: 'MOON_GIFT', amount: '2', balance: '983' }
    await addPage(dir, taxRow({ id: '106', ts: '2026-01-09T10:00:00Z', ...another }))
    expect(await checked(dir)).toMatchObject({
      code: 3,
      warnings: [{ break_id: id, status: 'open', note: null }],
    })
    await explain(dir, 'Both are gifts.')
    expect(await checked(dir)).toMatchObject({ code: 0, warnings: [{ note: 'Both are gifts.' }] })
  }, 120_000)

  test('that has disappeared is resolved, and keeps its note as history', async () => {
    const dir = copied(explainedBefore)
    const types = 'feed,type,kind,direction,family,role,note\ntax,MOON_GIFT,reward,in,,,Known now\n'
    writeFileSync(`${dir}/tax_types.csv`, types)
    expect((await command(['build', '--dir', dir])).code).toBe(0)
    const ledger = await openLedger(dir)
    const found = await ledger.query(`select status, note is not null from breaks where break_id = '${id}'`)
    ledger.close()
    expect(found).toEqual([['resolved', true]])
    expect(await checked(dir)).toEqual({ code: 0, warnings: [] })
  }, 120_000)

  test('whose note was erased from the journal stays explained, without the text', async () => {
    const dir = copied(explainedBefore)
    const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
    const last = journal.lastSeq
    await journal.close()
    await eraseFrames(dir, [last], systemClock)
    expect((await command(['rebuild', '--dir', dir])).code).toBe(0)
    expect((await checked(dir)).warnings).toMatchObject([{ status: 'explained', note: null }])
  }, 120_000)
})

/** Another page of tax records lands. */
async function addPage(dir: string, row: string): Promise<void> {
  await writeBooks(dir, async ({ journal }) => {
    const { feed, partition = '', path, body } = taxPage([rows.odd, row])
    const of = { account: 'main', feed, partition, request: { method: 'GET', path } as const, status: 200 }
    const meta = { kind: 'page', at: '2026-02-01T03:30:00.000Z', run: 'r1', ...of } as const
    await journal.append(meta, Buffer.from(body))
  })
}

test('of two notes on one break, the later one applies and comes last, even if a clock gave both one time', async () => {
  const dir = copied()
  const ledger = await openLedger(dir)
  const [[figures]] = (await ledger.query(`select figures_hash from breaks where break_id = '${id}'`)) as [
    [string],
  ]
  ledger.close()
  const words = ['Zuerst.', 'A later word.', 'Between by its text, last by its place.']
  // The second is of the same millisecond as the first; before the third, the clock was set back.
  const times = ['2026-02-01T03:30:00.000Z', '2026-02-01T03:30:00.000Z', '2026-02-01T03:29:00.000Z']
  await writeBooks(dir, async ({ journal }) => {
    for (const [place, word] of words.entries())
      await journal.append(
        { kind: 'note', at: times[place]!, run: 'r2', breakId: id, figures, isWithdrawn: false },
        Buffer.from(word, 'utf8'),
      )
  })
  await command(['build', '--dir', dir])
  const asked = async (sql: string) =>
    JSON.parse((await command(['sql', sql, '--format', 'json', '--dir', dir])).stdout)
  expect(await asked(`select note from breaks where break_id = '${id}'`)).toEqual([{ note: words[2] }])
  const inOrder = `select note from break_notes where break_id = '${id}' order by note_id`
  expect(await asked(inOrder)).toEqual(words.map((note) => ({ note })))
}, 120_000)

describe('a note', () => {
  test.each([
    ['on nothing', ['ffffffff', '--note', 'x'], 'No current break has this id.'],
    ['that says nothing', ['ffffffff', '--note', '  '], 'The note cannot be stored.'],
    ['without a word', ['ffffffff'], 'The note is missing.'],
  ])('%s is a usage error', async (_what, args, message) => {
    const run = await command(['explain-break', ...args, '--dir', copied()])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  test('is a sentence or two', () => {
    expect(readNote(' A gift. ')).toBe('A gift.')
    expect(() => readNote('x'.repeat(2_001))).toThrow(UsageError)
    for (const unseen of ['\u200b', '\u2060 \ufe0f', '\u3164', '\u00ad', '\u2800', '\u0000'])
      expect(() => readNote(unseen)).toThrow(UsageError)
    for (const seen of ['–', '你', '✓', 'e\u0301', '\u200bgift']) expect(readNote(seen)).toBe(seen)
  })

  test('explains no break of severity error, and none if several ids begin alike', () => {
    const one = { breakId: 'ab12', severity: 'error', checkName: 'double_entry', explanation: 'x' } as Break
    const two = { ...one, breakId: 'ab34', severity: 'warning' } as Break
    expect(() => chooseBreak([one], 'ab12')).toThrow('severity error cannot be explained')
    expect(() => chooseBreak([one, two], 'ab')).toThrow('Several breaks')
    expect(chooseBreak([one, two], 'ab3')).toBe(two)
  })
})
