// The published ledger beside whole books: what is wrong with it is a problem of its own, and a build makes it good.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closing } from '../../models/closing.ts'
import { verifyLedger } from '../../pipeline/books/verify-ledger.ts'
import { buildOnly, openedBooks } from '../support/build-only.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { problemsOf, storedVerification } from '../support/whole-books.ts'

const HEADER = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'

/** Books into which one purchase of this quantity was imported, not built. */
async function booksOf(quantity: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-verified-'))
  writeFileSync(
    join(dir, 'trades.csv'),
    `${HEADER}\nb1,2026-01-01T00:00:00Z,main,buy,BTC,${quantity},USD,100,1,USD\n`,
  )
  expect(
    (await command(['import', 'trades', join(dir, 'trades.csv'), '--no-build', '--dir', dir])).code,
  ).toBe(0)
  return dir
}

let whole: string
let other: string

beforeAll(async () => {
  whole = await booksOf('1')
  expect((await command(['build', '--dir', whole])).code).toBe(0)
  other = await booksOf('2')
  await buildOnly(other, ['main.imported_trades'])
})

afterAll(() => {
  for (const dir of [whole, other]) rmSync(dir, { recursive: true, force: true })
})

function copied(): { readonly dir: string; readonly ledger: string } {
  const dir = temporaryFolder()
  cpSync(whole, dir, { recursive: true })
  return { dir, ledger: join(dir, 'ledger.duckdb') }
}

async function change(ledger: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(ledger)
  const connection = await instance.connect()
  await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
}

test('intact books verify, the ledger included, and nothing of what was landed again for the comparison remains', async () => {
  const { dir } = copied()
  const tmp = join(dir, 'tmp')
  const modes = new Map<string, string>()
  const looking = setInterval(() => {
    for (const name of readdirSync(tmp).filter((one) => one.startsWith('landing'))) {
      const mode = statSync(join(tmp, name), { throwIfNoEntry: false })?.mode
      if (mode !== undefined) modes.set(name, (mode & 0o777).toString(8))
    }
  }, 1)
  const { code, stdout } = await command(['verify', '--dir', dir])
  clearInterval(looking)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /\n\d+ tables of the published ledger compared with what was built\.\nEverything verifies\.\n$/,
    ),
  ])
  expect(modes.get('landing-verified.duckdb')).toBe('600')
  expect(readdirSync(tmp).filter((name) => name !== 'ledger-hash.json')).toEqual([])
})

test('landed rows are counted from files and records, and empty books have none', async () => {
  expect(await storedVerification(copied().dir)).toMatch(/\n1 landed row in \d+ tables\.\n/)
  const { dir } = copied()
  const undone = await command(['import', '--list', '--json', '--dir', dir])
  const [{ id }] = JSON.parse(undone.stdout) as [{ id: number }]
  // A withdrawal is kept beside its row, and is none itself.
  expect((await command(['import', '--undo', String(id), '--no-build', '--dir', dir])).code).toBe(0)
  expect(await storedVerification(dir)).toMatch(/\n1 landed row in /)
  const empty = temporaryFolder()
  mkdirSync(join(empty, 'journal'))
  expect(await storedVerification(empty)).toMatch(
    /^0 frames, 0 bytes in the journal\.\n0 landed rows in \d+ tables\.\n/,
  )
})

const UNREADABLE =
  /PROBLEM {2}ledger: it cannot be read \(.+\); run tieout build --full --dir \S+\n1 problem\.\n$/

test.each<[string, (ledger: string) => void | Promise<void>, RegExp]>([
  ['cut off', (ledger) => truncateSync(ledger, 300_000), UNREADABLE],
  ['of other bytes', (ledger) => writeFileSync(ledger, 'x'.repeat(100_000)), UNREADABLE],
  [
    'with a row that was changed',
    (ledger) => change(ledger, 'update imported_trades set total = 1'),
    /PROBLEM {2}ledger: table main\.imported_trades does not hold the rows that the build wrote \(1 then, 1 now\); run tieout build --full --dir \S+\n/,
  ],
  [
    'without one of its tables',
    (ledger) => change(ledger, 'drop table entries'),
    /PROBLEM {2}ledger: table main\.entries is not there; run tieout build --full --dir \S+\n/,
  ],
  [
    'that does not say how it was made',
    (ledger) => change(ledger, 'drop table made_tables'),
    /PROBLEM {2}ledger: it has no record of how its tables were built; run tieout build --dir \S+\n/,
  ],
  [
    'of other books',
    (ledger) => cpSync(join(other, 'ledger.duckdb'), ledger),
    /PROBLEM {2}ledger: it was built from rows other than those that have landed here/,
  ],
  [
    'of another version whose hashes are not those of its rows',
    (ledger) =>
      change(
        ledger,
        "update about set program = 'another'; update made_tables set rows_hash = '1' where table_name in ('main.imported_trades', 'main.lot_events')",
      ),
    /\nPROBLEM {2}ledger: another version of tieout built it, and 2 of its tables have a different hash from the one that version recorded, which may have been computed differently; run tieout build --dir \S+\n1 problem\.\n$/,
  ],
])('a ledger %s is a problem, which a build cures', async (_name, damage, problem) => {
  const { dir, ledger } = copied()
  await damage(ledger)
  expect(`${await storedVerification(dir)}\n`).toMatch(problem)
  const { books, context, build } = await openedBooks(dir)
  const verified = await closing(books, async () => {
    expect((await build()).published).toBe(true)
    return await verifyLedger(context, books, false)
  })
  expect(verified).toEqual({ tables: expect.any(Number), problems: [] })
})

test('a landed amount that is not the one in the journal is a problem, which a rebuild cures', async () => {
  const { dir } = copied()
  await change(join(dir, 'landing.duckdb'), 'update imported_trades set quantity = quantity * 2')
  const { code, stdout } = await command(['verify', '--dir', dir])
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /PROBLEM {2}landing: table imported_trades holds 1 rows that differ from the 1 that the journal gives; run tieout rebuild/,
    ),
  ])
  expect((await command(['rebuild', '--dir', dir])).code).toBe(0)
  expect(await storedVerification(dir)).toContain('Everything verifies.')
})

test('what tests ask in place of the command finds damage of each file', async () => {
  expect(await problemsOf(whole)).toEqual([])
  for (const [damage, problem] of [
    [
      (dir: string) => change(join(dir, 'landing.duckdb'), 'update imported_trades set quantity = 7'),
      /^landing: table imported_trades/,
    ],
    [
      (dir: string) => change(join(dir, 'ledger.duckdb'), 'delete from imported_trades'),
      /^ledger: table main\.imported_trades/,
    ],
    [
      async (dir: string) => {
        const file = join(dir, 'journal', '000001.journal')
        const bytes = readFileSync(file)
        bytes[Math.floor(bytes.length / 2)]! ^= 1
        writeFileSync(file, bytes)
      },
      /journal/,
    ],
  ] as const) {
    const { dir } = copied()
    await damage(dir)
    expect(await problemsOf(dir)).toContainEqual(expect.stringMatching(problem))
  }
})

test('a ledger of another version, which may have landed the same in another way, is not said to belong to other books', async () => {
  const { dir, ledger } = copied()
  await change(
    ledger,
    "update about set program = 'another'; update made_tables set rows_hash = '1' where table_name = 'landing.imported_trades'",
  )
  expect(await storedVerification(dir)).toContain('Everything verifies.')
})

test('if no ledger is published, a note says that none was verified', async () => {
  const { dir, ledger } = copied()
  rmSync(ledger)
  const { code, stdout, stderr } = await command(['verify', '--dir', dir])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Everything verifies.')])
  expect(stderr).toContain('There is no published ledger (ledger.duckdb) of what has landed')
})

test.each(
  ['landing.duckdb', 'ledger.duckdb'].flatMap((name) => [
    [name, 'build'] as const,
    [name, 'verify'] as const,
  ]),
)('%s that is a folder is refused by %s, with what to do', async (name, word) => {
  const { dir } = copied()
  rmSync(join(dir, name))
  mkdirSync(join(dir, name))
  const { code, stderr } = await command([word, '--dir', dir])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is a folder.`)])
  expect(stderr).toContain(`Move ${join(dir, name)} elsewhere, then run \`tieout build --dir ${dir}\``)
  expect(readFileSync(join(dir, 'trades.csv'))).toEqual(readFileSync(join(whole, 'trades.csv')))
  expect(readdirSync(join(dir, name))).toEqual([])
})

test('verify --rebuild distinguishes a ledger of another configuration, or from before the last records, from one that was changed', async () => {
  const { dir, ledger } = copied()
  const problemsOf = async (): Promise<string[]> => {
    const { stdout, stderr } = await command(['verify', '--rebuild', '--json', '--dir', dir])
    const { problems } = JSON.parse(stdout === '' ? stderr : stdout) as { problems: string[] }
    return problems.map((text) => text.replace(/\d+/g, 'N'))
  }
  const differs = (table: string) =>
    `ledger: table main.${table} has N rows that differ from the N of a full build; run tieout build --full`
  const because = (what: string) =>
    `ledger: it was built ${what}, so these tables may differ for that reason; run tieout build`

  const differently = [
    differs('lot_events'),
    because('under another configuration or with other reference tables'),
  ]
  writeFileSync(join(dir, 'tieout.yaml'), 'reports: { currency: EUR }\n')
  expect(await problemsOf()).toEqual(expect.arrayContaining(differently))
  // An earlier version knew fewer feeds; nothing has come of this one.
  await change(ledger, "delete from made_tables where table_name = 'landing.ltv' and row_count = 0")
  expect(await problemsOf()).toEqual(expect.arrayContaining(differently))
  rmSync(join(dir, 'tieout.yaml'))
  cpSync(join(whole, 'ledger.duckdb'), ledger)

  await change(ledger, "update lot_events set currency = 'EUR'")
  const changed = await problemsOf()
  expect(changed).toContain(differs('lot_events'))
  expect(changed.filter((text) => text.includes('it was built'))).toEqual([])
  // Whose hashes another version wrote down says nothing of what landed since.
  await change(
    ledger,
    "update about set program = 'another'; update made_tables set rows_hash = '1' where table_name = 'landing.imported_trades'",
  )
  expect((await problemsOf()).at(-1)).toBe(because('by another version of tieout'))

  cpSync(join(whole, 'ledger.duckdb'), ledger)
  writeFileSync(join(dir, 'more.csv'), `${HEADER}\nb2,2026-01-02T00:00:00Z,main,buy,BTC,1,USD,100,1,USD\n`)
  await command(['import', 'trades', join(dir, 'more.csv'), '--no-build', '--dir', dir])
  const before = await problemsOf()
  expect(before).toContain(differs('lot_events'))
  expect(before.at(-1)).toBe(because('before the last records landed'))
})
