// Small published ledgers that the tests of a file share, and the rows of their reports.
import { afterAll } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport, type ReportName, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { account, memoryTerminal, publish } from './books.ts'

/**
 * Opens the ledger of statements, until the end of the file: one for all its tests that give the same ones, since reports only
 * read.
 */
export function sharedLedgers(): (...statements: string[]) => Promise<Ledger> {
  const opened = new Map<string, Promise<Ledger>>()
  afterAll(async () => {
    for (const ledger of opened.values()) (await ledger).close()
  })
  return async (...statements) => {
    const key = statements.join('\0')
    const ledger = opened.get(key) ?? publish(statements).then((dir) => openLedger(dir))
    opened.set(key, ledger)
    return await ledger
  }
}

/** The rows of a report as objects, as its JSON has them. */
export async function objects(
  ledger: Ledger,
  name: ReportName,
  options: ReportOptions = {},
): Promise<Record<string, unknown>[]> {
  const terminal = memoryTerminal()
  await writeReport(await makeReport(ledger, name, options), 'json', { dir: '/nowhere', terminal })
  return JSON.parse(terminal.text())
}

export const entry = (
  id: string,
  at: string,
  coin: string,
  amount: string,
  kind: string,
  of = 'main',
): string =>
  `insert into entries values ('${id}', 't${id}', '${of}', 'UNIFIED', 'SPOT', '${coin}', ${amount}, '${kind}',
    '${at}+00', 'tax.records', '${id}', 1, 0, null)`

/** Bought 1 BTC for 100 on 2 January and 1 for 200 on 2 February 2025; sold 1 for 250 on 31 December 2025. */
export const LOTS = [
  account('main'),
  `insert into lot_events values
    ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'USDT', null),
    ('main', 'BTC', '2025-02-02 00:00:00+00', 2, 'b2', 'acquire', 1, 200, 'USDT', null),
    ('main', 'BTC', '2025-12-31 23:59:59.999+00', 3, 's1', 'dispose', 1, 250, 'USDT', null)`,
  `insert into disposals values ('main', 'BTC', 'fifo', 'generic', '2025-12-31 23:59:59.999+00',
    '2025-01-02 00:00:00+00', 1, 250, 100, null, 150, 'USDT', 363, null, 's1', 'b1')`,
]
