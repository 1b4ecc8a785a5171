// Books with a real journal: pages as the venue sent them, journaled, landed, built and published; no network.
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { type ExplainOptions, type Explanation, explain } from '../../pipeline/evidence/explain.ts'
import { landJournal } from '../../pipeline/landing/land-journal.ts'
import { buildLedger } from '../../pipeline/ledger/build.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { PublishedLedger } from '../support/published-ledger.ts'

export interface PageOf {
  readonly feed: string
  readonly partition?: string
  readonly path: string
  /** The body as received. */
  readonly body: string
}

/**
 * A folder of books, gone when all tests have run, with these pages of the account main, in this order: their frames are 3, 4
 * and so on. `only`: the tables that are built, with everything they depend on; all if absent, and if empty, nothing is published.
 */
export async function journaledBooks(pages: readonly PageOf[], only?: readonly string[]): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'explain-'))
  const work = async (books: Books): Promise<void> => {
    const common = { at: '2026-02-01T03:00:00.000Z', run: 'r1' }
    const { journal } = books
    await journal.append({ kind: 'run-start', ...common, command: 'sync', now: common.at })
    const account = { account: 'main', venue: 'venue', uid: '1001', accountKind: 'unified' } as const
    await journal.append({ kind: 'account', ...common, ...account, accountMode: 'unified' })
    for (const { feed, partition = '', path, body } of pages) {
      const request = { method: 'GET', path } as const
      const of = { account: 'main', feed, partition, request, status: 200 }
      const covers = { start: Date.parse('2026-01-01'), end: Date.parse('2026-01-31') }
      await journal.append({ kind: 'page', ...common, ...of, covers }, Buffer.from(body))
    }
  }
  await writeBooks(dir, work, only)
  return dir
}

/** Opens the books for writing, lets `work` add to the journal, lands and publishes; `only` as in `journaledBooks`. */
export async function writeBooks(
  dir: string,
  work: (books: Books) => Promise<void>,
  only?: readonly string[],
): Promise<void> {
  const books = await openBooks(dir, { clock: systemClock, command: 'test' })
  try {
    await work(books)
    await landJournal(books.journal, books.landing)
    if (only?.length === 0) return
    await buildLedger({
      dir,
      landing: books.landing,
      now: new Date('2026-02-01T04:00:00Z'),
      clock: systemClock,
      config: { accounts: [{ name: 'main' }], publishPersonalData: false, reportingCurrency: 'USDT' },
      steps: [lotsStep({ method: 'fifo', scope: 'account' })],
      ...(only === undefined ? {} : { only }),
    })
  } finally {
    await books.close()
  }
}

/** That of the last explanation: most tests explain several ids of the same books. */
const ledger = new PublishedLedger()

export async function explained(
  dir: string,
  id: string,
  options: Partial<ExplainOptions> = {},
): Promise<Explanation> {
  return await explain(await ledger.of(dir), dir, id, options)
}

/** A page of unified tax records, newest last as written here and newest first as sent. */
export function taxPage(rows: readonly string[]): PageOf {
  const body = `{ "code":"00000","msg":"success","requestTime":1769914800000,"data":[${rows.toReversed().join(', ')}]}`
  return { feed: 'tax.records', partition: 'SPOT', path: '/api/v3/tax/records?bizType=SPOT&limit=500', body }
}

interface TaxRow {
  readonly id: string
  readonly coin: string
  readonly type: string
  readonly amount: string
  readonly balance: string
  readonly ts: string
}

/** A row as the venue might write it: spaces, an unknown field, a letter beyond ASCII. */
export const taxRow = ({ id, coin, type, amount, balance, ts }: TaxRow): string =>
  `{"id": "${id}","coin":"${coin}", "type":"${type}","amount":"${amount}","fee":"0","balance":"${balance}","ts":"${Date.parse(ts)}","memo":"ö"}`

const buy = { type: 'ORDER_DEALT_IN', ts: '2026-01-05T10:00:00Z' }
const sell = { type: 'ORDER_DEALT_FROZEN_OUT', ts: '2026-01-07T10:00:00Z' }

/** 1 BTC bought for 100 USDT and half of it sold for 80; one record of a type that nobody knows. */
export const rows = {
  bought: taxRow({ id: '101', coin: 'BTC', amount: '1', balance: '1', ...buy }),
  paid: taxRow({ id: '102', coin: 'USDT', amount: '-100', balance: '900', ...buy, type: sell.type }),
  received: taxRow({ id: '103', coin: 'USDT', amount: '80', balance: '980', ...sell, type: buy.type }),
  sold: taxRow({ id: '104', coin: 'BTC', amount: '-0.5', balance: '0.5', ...sell }),
  odd: taxRow({
    id: '105',
    coin: 'USDT',
    type: 'MOON_GIFT',
    amount: '1',
    balance: '981',
    ts: '2026-01-08T10:00:00Z',
  }),
}

export const tradedPages = [
  taxPage([rows.bought, rows.paid]),
  taxPage([rows.received, rows.sold, rows.odd]),
] as const

let traded: Promise<string> | undefined

/** Books of these pages, built once for each worker; every caller has a copy of its own. */
export async function tradedBooks(): Promise<string> {
  traded ??= journaledBooks(tradedPages)
  const dir = mkdtempSync(join(tmpdir(), 'explain-'))
  cpSync(await traded, dir, { recursive: true })
  return dir
}
