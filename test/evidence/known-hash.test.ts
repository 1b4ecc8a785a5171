// The hash on a cover is made once for a published file: of that very file, and never for what is frozen.
import { copyFileSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { command } from '../support/in-process.ts'
import { tradedBooks } from './explain-books.ts'

let dir: string
let file: string
const kept = (): string => join(dir, 'tmp', 'ledger-hash.json')

beforeAll(async () => {
  dir = await tradedBooks()
  file = join(dir, 'ledger.duckdb')
})

/** As the cover of a document has it. */
async function onCover(): Promise<string> {
  const { code, stdout, stderr } = await command(['report', 'balances', '--format', 'html', '--dir', dir])
  expect([code, stderr]).toEqual([0, expect.anything()])
  return /SHA-256 ([0-9a-f]{64})/.exec(stdout)?.[1] ?? ''
}

/** Changes what is kept: another hash of the table accounts. */
function plant(): void {
  const text = readFileSync(kept(), 'utf8')
  const planted = text.replace(/"accounts":"[0-9a-f]{64}"/, `"accounts":"${'0'.repeat(64)}"`)
  expect(planted).not.toBe(text)
  writeFileSync(kept(), planted)
}

test('is stored the first time, and equals that of the file', async () => {
  const hash = await ledgerHash(file)
  expect(await onCover()).toBe(hash)
  expect(await onCover()).toBe(hash)
  plant()
  expect(await onCover()).not.toBe(hash)
})

test('is calculated again if what is stored is damaged', async () => {
  await onCover()
  writeFileSync(kept(), '{"identity":')
  expect(await onCover()).toBe(await ledgerHash(file))
})

test('is calculated again for another file of the same name, size and time', async () => {
  await onCover()
  plant()
  const when = new Date('2026-02-01T00:00:00Z')
  utimesSync(file, when, when)
  expect(await onCover()).toBe(await ledgerHash(file))
  plant()
  copyFileSync(file, `${file}.copy`)
  utimesSync(`${file}.copy`, when, when)
  renameSync(`${file}.copy`, file)
  expect(await onCover()).toBe(await ledgerHash(file))
})

test('is calculated again for what is frozen', async () => {
  await onCover()
  plant()
  const { code } = await command(['report', 'balances', '--freeze', 'filed', '--format', 'csv', '--dir', dir])
  expect(code).toBe(0)
  const filing = JSON.parse(readFileSync(join(dir, 'filings', 'filed.json'), 'utf8'))
  expect(filing.inputs.ledger).toBe(await ledgerHash(file))
})
