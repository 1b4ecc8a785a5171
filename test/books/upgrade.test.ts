// Books of another version: older ones open or are made again from the journal with all that they held, newer ones are
// refused with both versions named. The fixture was written by tieout at commit d905574 (schema version 1, before calls
// and imports): a few days of two accounts of a sandbox.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import type { FrameMeta, ImportMeta } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { encodeSegmentHeader, GENESIS } from '../../pipeline/journal/layout.ts'
import { readJournaledImport } from '../../pipeline/landing/import.ts'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { buildOnly } from '../support/build-only.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'books-schema-1')
const NOTE =
  'The landing database was created by an older version of tieout. It is being rebuilt from the journal.'

/** The books of the older version, each test with a copy of its own. */
function olderBooks(): string {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'journal'))
  for (const [file, path] of [
    ['landing.duckdb', 'landing.duckdb'],
    ['ledger.duckdb', 'ledger.duckdb'],
    ['000001.journal', 'journal/000001.journal'],
  ] as const)
    writeFileSync(join(dir, path), gunzipSync(readFileSync(join(FIXTURE, `${file}.gz`))))
  return dir
}

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

async function change(file: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
}

/** Rows of each table of the older landing that the newer one lacks, by the columns of the older one. */
async function lost(olderFile: string, newerFile: string): Promise<Record<string, number>> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson() as string[][]
  await connection.run(`attach '${olderFile}' as older (read_only)`)
  await connection.run(`attach '${newerFile}' as newer (read_only)`)
  const missing: Record<string, number> = {}
  const tables = await ask(
    `select table_name, string_agg('"' || column_name || '"', ', ') from duckdb_columns()
     where database_name = 'older' and table_name <> 'state'
       -- The start of a run is now what the run called now.
       and not (table_name = 'runs' and column_name = 'started_at') group by table_name order by table_name`,
  )
  for (const [table = '', columns] of tables) {
    const [row] = await ask(
      `select count(*) from (select ${columns} from older."${table}" except all select ${columns} from newer."${table}")`,
    )
    missing[table] = Number(row?.[0])
  }
  connection.closeSync()
  instance.closeSync()
  return missing
}

describe('older books', () => {
  test('are rebuilt from the journal by the next command, which reports it, and lose nothing', async () => {
    const dir = olderBooks()
    const before = join(temporaryFolder(), 'landing.duckdb')
    writeFileSync(before, readFileSync(join(dir, 'landing.duckdb')))

    const built = await command(['build', '--dir', dir])

    expect({ code: built.code, stderr: built.stderr.trim() }).toEqual({
      code: 0,
      stderr: `${NOTE}\nPublished; only 6 notices open. Next: \`tieout status --dir ${dir}\`, or \`tieout report balances --dir ${dir}\`.`,
    })
    const missing = await lost(before, join(dir, 'landing.duckdb'))
    expect(Object.keys(missing).length).toBeGreaterThan(20)
    expect(Object.values(missing).filter((rows) => rows > 0)).toEqual([])
    const hash = await ledgerHash(join(dir, 'ledger.duckdb'))
    const verified = await command(['verify', '--dir', dir])
    expect(verified.stdout).toContain('Everything verifies.')
    expect((await command(['rebuild', '--dir', dir])).code).toBe(0)
    expect(await ledgerHash(join(dir, 'ledger.duckdb'))).toBe(hash)
  }, 300_000)

  test('whose ledger was published earlier can be read until then, or the command that helps is named', async () => {
    const dir = olderBooks()
    const balances = await command(['report', 'balances', '--format', 'csv', '--dir', dir])
    expect(balances.code).toBe(0)
    expect(balances.stdout).toContain('classic,USDT-FUTURES,USDT,')
    for (const args of [['status'], ['report', 'gains'], ['report', 'statement']]) {
      const { code, stderr } = await command([...args, '--dir', dir])
      if (code !== 0) expect(stderr).toContain('tieout build')
      expect(stderr).not.toContain('unexpected')
    }
  }, 300_000)

  test.each([
    ['table', 'from net_worth', 'Catalog Error: Table with name net_worth does not exist!'],
    [
      'column',
      'select value_given from balances',
      'Binder Error: Referenced column "value_given" not found in FROM clause!',
    ],
    [
      'macro',
      'select exact_multiply(quantity, 2) from balances',
      'Catalog Error: Scalar Function with name exact_multiply does not exist!',
    ],
  ])('whose ledger lacks a required %s are not called damaged', async (_name, sql, found) => {
    const dir = olderBooks()
    const ledger = await openLedger(dir)
    onTestFinished(() => ledger.close())

    const asked = ledger.query(sql)

    await expect(asked).rejects.toMatchObject({
      name: 'UsageError',
      message:
        'The published ledger does not contain what was requested: it was built by an earlier version of tieout.',
      details: {
        where: join(dir, 'ledger.duckdb'),
        found,
        action: 'Run `tieout build` to publish the ledger again.',
      },
    })
  })

  test('in which a daily close is dated at the midnight after its day have it in its day, and importing its file again adds nothing', async () => {
    const dir = temporaryFolder()
    const file = join(dir, 'sol.csv')
    writeFileSync(file, 'Date,Open,High,Low,Close,Adj Close,Volume\n2026-04-01,90,110,80,100.5,100.5,1000\n')
    const importFile = (...more: string[]) =>
      command([
        ...['import', 'prices', file, '--asset', 'SOL', '--currency', 'USDT', '--no-build'],
        ...more,
        ...['--dir', dir],
      ])
    expect((await importFile()).code).toBe(0)
    // As versions before schema version 5 landed the same file.
    await change(
      join(dir, 'landing.duckdb'),
      `update imported_prices set priced_at = timestamptz '2026-04-02 00:00:00+00';
       update state set schema_version = 4`,
    )

    const again = await importFile()

    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining('Nothing new: the books already contain all'),
    ])
    expect(again.stderr).toContain(NOTE)
    await buildOnly(dir, ['prices'])
    const asked = await command([
      ...['sql', "select priced_at, price from prices where coin = 'SOL'", '--format', 'csv'],
      ...['--dir', dir],
    ])
    expect(asked.stdout).toBe('priced_at,price\n2026-04-01T23:59:59.999Z,100.5\n')
  }, 300_000)

  test('are refused, and left unchanged, if the journal has become shorter than what had landed', async () => {
    const dir = olderBooks()
    const journal = join(dir, 'journal', '000001.journal')
    writeFileSync(journal, readFileSync(journal).subarray(0, 8_000))
    const landing = readFileSync(join(dir, 'landing.duckdb'))

    const built = await command(['build', '--dir', dir])

    expect(built.code).toBe(1)
    expect(built.stderr).toContain('The journal ends before what has landed.')
    expect(built.stderr).toContain('frames 1 to 31')
    expect(readFileSync(join(dir, 'landing.duckdb')).equals(landing)).toBe(true)
  }, 300_000)
})

describe('books of a newer version', () => {
  test('landing: refused, naming both versions, and left unchanged', async () => {
    const dir = olderBooks()
    await change(join(dir, 'landing.duckdb'), 'update state set schema_version = 9')
    const before = readFileSync(join(dir, 'landing.duckdb'))

    const { code, stderr } = await command(['build', '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toBe(
      [
        'tieout: The landing database was created by a newer version of tieout.',
        `  where:    ${join(dir, 'landing.duckdb')}`,
        '  expected: schema version 8',
        '  found:    schema version 9',
        `  next:     Update tieout, then run again. To stay with this version, run \`tieout rebuild --dir ${dir}\`: it rebuilds the file from the journal as far as it knows the frames.`,
        '',
      ].join('\n'),
    )
    expect(readFileSync(join(dir, 'landing.duckdb')).equals(before)).toBe(true)
    // Back to this version, with all 31 frames of the journal.
    const books = await openBooks(dir, { clock: systemClock, command: 'rebuild', rebuild: true })
    expect(books.landing.landedSeq).toBe(31)
    await books.close()
  }, 300_000)

  test.each([
    [
      'trades',
      { mapping: { name: 'a-later-one', sheets: 'all' }, account: null, zone: 'UTC', quotes: [] },
      'The journal has an import whose mapping this version of tieout does not know.',
      'export.csv',
    ],
    [
      'loans',
      undefined,
      'The journal has an import of a kind that this version of tieout does not know.',
      'loans',
    ],
  ])(
    'journal: an import of %s that only a newer version can read is reported as one of a newer version',
    (imports, reading, message, found) => {
      const meta = { imports, file: 'export.csv', reading } as unknown as ImportMeta

      const refusal = caught(() => readJournaledImport(7, meta, Buffer.from('a,b')))

      expect(refusal).toMatchObject({
        name: 'UsageError',
        message,
        details: {
          where: 'frame 7',
          found,
          action:
            'Update tieout to the version that wrote the frame, or a later one. Nothing in the journal is lost.',
        },
      })
    },
  )

  test('ledger: no figure of it is shown', async () => {
    const dir = olderBooks()
    await change(
      join(dir, 'ledger.duckdb'),
      "create table about as select 9::integer as format, '9.0.0' as version",
    )
    for (const args of [['report', 'balances'], ['status'], ['sql', 'select * from balances']]) {
      const { code, stdout, stderr } = await command([...args, '--dir', dir])
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('The published ledger was built by a newer version of tieout.')
      expect(stderr).toContain('format 1, as tieout 0.1.0 reads it')
      expect(stderr).toContain('format 9, built by tieout 9.0.0')
    }
  }, 300_000)

  test('journal: a segment of another format is refused, naming both formats', async () => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, 'journal'))
    const header = encodeSegmentHeader(1, 1, GENESIS, 3)
    writeFileSync(join(dir, 'journal', '000001.journal'), header)

    const { code, stderr } = await command(['build', '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toContain('The journal was written by a newer version of tieout.')
    expect(stderr).toContain('expected: format 1\n  found:    format 3')
    expect(readFileSync(join(dir, 'journal', '000001.journal')).equals(header)).toBe(true)
  }, 300_000)

  test('journal: a frame of an unknown kind is refused by name; nothing of it lands and nothing is lost', async () => {
    const dir = olderBooks()
    const journal = await openJournal(dir, { mode: 'append', clock: systemClock })
    const at = '2026-07-01T00:00:00.000Z'
    await journal.append({ kind: 'audit', at, run: 'r', by: 'a newer tieout' } as unknown as FrameMeta)
    await journal.close()

    const { code, stderr } = await command(['build', '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toContain('The journal has a frame of a kind that this version of tieout does not know.')
    expect(stderr).toContain('where:    frame 32\n  found:    audit')
    const again = await openJournal(dir, { mode: 'read', clock: systemClock })
    expect(again.lastSeq).toBe(32)
    await again.close()
  }, 300_000)
})
