// Options of reports, evidence and exports whose text comes near SQL: it is bound or quoted, so that SQL in it is a
// name that nobody bears. The books are as they were, to the byte, after each of them.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { explain } from '../../pipeline/evidence/explain.ts'
import { compareWithFiling, freezeReport } from '../../pipeline/evidence/freeze.ts'
import { exportBooks } from '../../pipeline/exports/export.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import {
  makeReport,
  type ReportName,
  type ReportOptions,
  reportNames,
} from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { readAllocation, readSelection } from '../../pipeline/reports/selection.ts'
import { tradedBooks } from '../evidence/explain-books.ts'
import { memoryTerminal } from './books.ts'

const folder = mkdtempSync(join(tmpdir(), 'doors-reports-'))
let dir: string
let ledger: Ledger
const state = (): string[] =>
  [dir, folder].flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`),
  )

/**
 * Each statement bare, and as it would stand behind the end of a text or a name: the two that write a file in every such
 * place, the others in one place each, another one every time. The proof asks all of them in every place.
 */
const statements = (): readonly string[] => [
  `explain analyze copy (select 'x') to '${dir}/ledger.duckdb' (format csv, use_tmp_file false)`,
  `copy (select 'x') to '${folder}/out.csv'`,
  `attach '${folder}/other.duckdb'`,
  'drop table entries',
  'from enable_logging()',
]
const PLACES: readonly ((sql: string) => string)[] = [
  (sql) => sql,
  (sql) => `main'; ${sql}; --`,
  (sql) => `main" ; ${sql} ; --`,
  (sql) => `'||(${sql})||'`,
  (sql) => `$$; ${sql}`,
]
let isEverywhere = false
let asked = 0
function injections(): string[] {
  asked += 1
  return statements().flatMap((sql, nth) =>
    PLACES.filter((_, at) => isEverywhere || nth < 2 || at === (nth + asked) % PLACES.length).map((place) =>
      place(sql),
    ),
  )
}

const TEXTS = ['account', 'from', 'to', 'method', 'scope', 'rules', 'currency', 'methods'] as const

/** The report, printed; or the error, which is one for the user. */
async function made(name: ReportName, options: ReportOptions): Promise<void> {
  try {
    const report = await makeReport(ledger, name, options)
    await writeReport(report, 'json', { dir, terminal: memoryTerminal() })
  } catch (error) {
    expect(error).toBeInstanceOf(TieoutError)
    expect((error as TieoutError).exitCode).toBe(2)
  }
}

/** `everywhere`: each statement in every place. */
export function injectionTests({ everywhere }: { readonly everywhere: boolean }): void {
  isEverywhere = everywhere
  beforeAll(async () => {
    dir = await tradedBooks()
    ledger = await openLedger(dir)
  })
  afterAll(() => {
    ledger.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('SQL in an option', { timeout: 300_000 }, () => {
    test.each(reportNames)('of the report %s is a name', async (name) => {
      const before = state()
      for (const option of TEXTS)
        for (const text of injections()) await made(name, { [option]: text } as ReportOptions)
      expect(state()).toEqual(before)
      expect(await ledger.query('select count(*) > 0 from entries')).toEqual([[true]])
    })

    test.each([
      ['selection', ['disposal_id', 'lot_id', 'quantity']],
      ['allocation', ['account', 'coin', 'lot_id', 'quantity']],
    ] as const)('file %s is a name in each of its cells', async (what, columns) => {
      const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
      const file = join(folder, 'lots.csv')
      const options = (lines: readonly string[]): ReportOptions => {
        writeFileSync(file, [columns.join(','), ...lines, ''].join('\n'))
        return what === 'selection'
          ? { method: 'specific', selection: readSelection(file) }
          : { allocation: readAllocation(file) }
      }
      const before = state()
      const read: string[] = []
      const texts = injections()
      for (const text of texts) {
        for (const at of columns.keys()) {
          const cells = columns.map((_, index) =>
            cell(index === at ? text : index === columns.length - 1 ? '1' : 'BTC'),
          )
          try {
            const asked = options([cells.join(',')])
            if (what === 'allocation') await made('gains', asked)
            else read.push(cells.join(','))
          } catch (error) {
            expect(error).toMatchObject({ exitCode: 2 })
          }
        }
      }
      // Every text may be the id of a disposal or of a lot, so one report asks for all of them.
      if (what === 'selection') {
        expect(read.length).toBe(2 * texts.length)
        const report = await makeReport(ledger, 'gains', options(read))
        await writeReport(report, 'json', { dir, terminal: memoryTerminal() })
      }
      rmSync(file)
      expect(state()).toEqual(before)
    })

    test('that is an id, a currency or the name of a filing is unknown', async () => {
      const before = state()
      const filings = { dir, clock: systemClock, disk: nodeDisk }
      const asked = { name: 'balances', options: {}, defaults: {} } as const
      const common = { limit: 5, lots: {}, showPersonalData: false }
      for (const text of injections()) {
        const said = [
          explain(ledger, dir, text, { ...common, currency: undefined }),
          explain(ledger, dir, 'main/UNIFIED/USDT', { ...common, currency: text }),
          explain(ledger, dir, `main/UNIFIED/USDT/movement/${text}`, { ...common, currency: undefined }),
          explain(ledger, dir, `main/2026-01-01/${text}/x/USDT`, { ...common, currency: undefined }),
          freezeReport(ledger, asked, text, filings),
          compareWithFiling(ledger, asked, text, filings),
        ]
        for (const each of await Promise.allSettled(said)) {
          if (each.status === 'rejected') expect(each.reason).toMatchObject({ exitCode: 2 })
        }
      }
      expect(state()).toEqual(before)
    })

    test.each(['parquet', 'hledger', 'beancount'] as const)(
      'that names the place of an export in %s is the name of a file',
      async (kind) => {
        const out = join(folder, `it's'); drop table entries; --.${kind}`)
        const before = state()
        await exportBooks(dir, kind, { out })
        expect(readdirSync(folder)).toContain(`it's'); drop table entries; --.${kind}`)
        expect(state().filter((line) => !line.startsWith(out))).toEqual(before)
        rmSync(out, { recursive: true })
      },
    )
  })
}
