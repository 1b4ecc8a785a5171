// An explanation after a repair: what is whole still leads to the bytes that were received, under its own number; what was lost
// is not explained by anything else.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { isWhole, surveyJournal } from '../../pipeline/journal/survey.ts'
import { command } from '../support/in-process.ts'
import { journaledBooks, rows, taxPage } from './explain-books.ts'

/** The journal frame of the first page; the second page's is the next. */
const FIRST = 3

/** Books of two pages whose first is damaged by one flipped byte, and repaired. */
async function repairedBooks() {
  const dir = await journaledBooks([taxPage([rows.bought, rows.paid]), taxPage([rows.received, rows.sold])])
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const journal = join(dir, 'journal', '000001.journal')
  const { segments } = await surveyJournal(nodeDisk, join(dir, 'journal'))
  const damaged = segments.flatMap(({ frames }) => frames.filter(isWhole)).find(({ seq }) => seq === FIRST)
  const bytes = readFileSync(journal)
  const at = (damaged?.end ?? 0) - 40
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
  writeFileSync(journal, bytes)
  const repaired = await command(['verify', '--repair', '--dir', dir])
  await command(['build', '--dir', dir])
  return { dir, repaired }
}

test('leads from what is whole to its own bytes, and names the frame in which what was lost may have been', async () => {
  const { dir, repaired } = await repairedBooks()
  expect(repaired.stdout).toContain(`Damaged or missing: frame ${FIRST}. Kept: 3 whole frames.`)
  const ids = await command([
    'sql',
    "select entry_id from entries where part = 'amount' order by 1",
    '--format',
    'csv',
    '--dir',
    dir,
  ])
  expect(ids.stdout.trim().split('\n').slice(1)).toEqual([
    'main/tax.records/103/amount',
    'main/tax.records/104/amount',
  ])

  const whole = await command(['explain', 'main/tax.records/104/amount', '--json', '--dir', dir])
  expect(whole.code).toBe(0)
  expect(whole.stdout).toContain(JSON.stringify(rows.sold).slice(1, -1))
  expect(whole.stdout).toMatch(new RegExp(`"(frame|page_id|seq)": "?${FIRST + 1}\\b`))

  const lost = await command(['explain', 'main/tax.records/101/amount', '--dir', dir])
  expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('The books do not contain this id.')])
  const [bytes] = readdirSync(join(dir, 'journal')).filter((name) => name.startsWith('damaged-'))
  expect(lost.stderr).toContain(
    `found:    1 frame of the journal was damaged and set aside by a repair: ${FIRST} (page of main tax.records SPOT, 2026-02-01T03:00:00.000Z). ` +
      `Its contents are not in the books; the bytes are in journal/${bytes}.`,
  )
}, 120_000)
