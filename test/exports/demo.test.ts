// The sandbox's books, whose truth is known, in beancount and hledger: accepted as they are, every balance and every
// gain the same.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareWithTruth } from '../../pipeline/commands/demo/compare.ts'
import type { LotBooking } from '../../pipeline/exports/export.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { startSandbox } from '../../sandbox/index.ts'
import { units } from '../lots/books.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'
import {
  agrees,
  beanCheck,
  beancountValues,
  exported,
  hasBeancount,
  hasHledger,
  hledgerBalances,
  hledgerCheck,
  hledgerValue,
  hledgerValues,
  ourBalances,
  ourGains,
  readBeancount,
  temporary,
} from './tools.ts'

const dir = temporary('books')

beforeAll(async () => {
  const [now, speed] = ['2026-06-30T00:00:00Z', 2_000]
  const sandbox = await startSandbox({ seed: 7, days: 30, now: new Date(now), speed })
  await configureBooks(dir, sandbox, { speed, since: '2026-05-25' })
  await command(['nightly', '--dir', dir, '--now', now])
  expect((await compareWithTruth(dir, sandbox.truth())).differences).toEqual([])
  await sandbox.close()
}, 120_000)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const files = new Map<string, Promise<string>>()

/** The books in a file of this kind, exported once. */
function inFile(kind: 'beancount' | 'hledger', lots?: LotBooking): Promise<string> {
  const name = `${kind} ${lots ?? ''}`
  const file = files.get(name) ?? exported(dir, kind, lots)
  files.set(name, file)
  return file
}

const capital = (account: string): string => account[0]?.toUpperCase() + account.slice(1)

const assets = (balances: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...balances].filter(([key]) => key.startsWith('Assets:')))

interface OurValue {
  readonly account: string
  readonly day: string
  readonly value: string
  readonly owesCoins: boolean
  /** Each wallet's value of a coin is rounded to 10^-18 once, and so is the sum that a tool shows. */
  readonly roundings: bigint
}

/** What each account held at the end of its last day, and a week and a month before. */
async function ourValues(): Promise<OurValue[]> {
  const ledger = await openLedger(dir)
  try {
    const rows = await ledger.query(
      `with ends as (select account, max(day) as last_day from daily_valuation group by account)
       select account, day, sum(value), count(*), bool_or(borrowed <> 0 and coin <> currency)
       from daily_valuation join ends using (account)
       where last_day - day in (0, 7, 25) group by account, day
       having bool_and(value is not null) order by account, day`,
    )
    return rows.map(([account, day, value, count, owes]) => ({
      account: String(account),
      day: String(day),
      value: String(value),
      owesCoins: owes === true || owes === 'true',
      roundings: BigInt(String(count)) + 1n,
    }))
  } finally {
    ledger.close()
  }
}

/** Within half a unit of 10^-18 for each rounding. */
const isNear = (theirs: string, { value, roundings }: OurValue): boolean => {
  const [whole = '0', decimals = ''] = theirs.split('.')
  const apart = units(`${whole}.${decimals.slice(0, 18) || '0'}`) - units(value)
  return (apart < 0n ? -apart : apart) <= roundings
}

describe('the sandbox’s books', () => {
  test.skipIf(!hasHledger || !hasBeancount)(
    'hledger -V, and value() and convert() of beancount, arrive at our valued balances',
    async () => {
      const ours = await ourValues()
      expect(ours.length).toBeGreaterThan(15)
      const days = [...new Set(ours.map(({ day }) => day))]
      const journal = await inFile('hledger')
      const byHledger = new Map(
        days.map((day) => [day, hledgerValues(journal, '^Assets:Venue:', 3, day, 'USDT')]),
      )
      const theirs = ({ account, day }: OurValue) => byHledger.get(day)?.get(`Assets:Venue:${account}`) ?? ''
      expect(ours.filter((one) => !isNear(theirs(one), one))).toEqual([])
      const plain = await inFile('beancount')
      const fifo = await inFile('beancount', 'fifo')
      // Borrowed coins have no cost, so value() leaves them as they are.
      const runs = [
        { file: plain, method: 'convert', of: ours },
        { file: fifo, method: 'convert', of: ours },
        { file: fifo, method: 'value', of: ours.filter(({ owesCoins }) => !owesCoins) },
      ] as const
      for (const { file, method, of } of runs) {
        const asked = of.map(
          ({ account, day }) => [`Assets:Venue:${capital(account)}:`, day, method] as const,
        )
        const theirs = beancountValues(file, asked)
        expect(of.length).toBeGreaterThan(12)
        expect([method, of.filter((one, at) => !isNear(theirs[at] as string, one))]).toEqual([method, []])
      }
    },
    120_000,
  )

  test.skipIf(!hasHledger)('hledger -V of assets and loans equals our net worth at the end', async () => {
    const ledger = await openLedger(dir)
    const rows = await ledger.query(
      `select max(day), sum(value) from net_worth where day = (select max(day) from net_worth)`,
    )
    ledger.close()
    const [day, value] = (rows[0] ?? []).map(String) as [string, string]
    const journal = await inFile('hledger')
    const theirs = hledgerValue(journal, '^(Assets|Liabilities)', day, 'USDT')
    expect(isNear(theirs, { account: '', day, value, owesCoins: true, roundings: 200n })).toBe(true)
  })

  test.skipIf(!hasBeancount)(
    'beancount (package beancount) accepts them and has our balances',
    async () => {
      const file = await inFile('beancount')
      expect(beanCheck(file)).toBe('')
      const ours = await ourBalances(dir, capital)
      expect(ours.size).toBeGreaterThan(30)
      expect(assets(readBeancount(file).balances)).toEqual(ours)
    },
    60_000,
  )

  test.skipIf(!hasHledger)(
    'hledger (package hledger) accepts them strictly and has our balances',
    async () => {
      const file = await inFile('hledger')
      expect(hledgerCheck(file)).toBe('')
      expect(assets(hledgerBalances(file))).toEqual(await ourBalances(dir, (account) => account))
    },
    60_000,
  )

  for (const booking of ['fifo', 'lifo'] as const) {
    test.skipIf(!hasBeancount)(
      `beancount books their lots by ${booking} and arrives at our gains`,
      async () => {
        const file = await inFile('beancount', booking)
        expect(beanCheck(file)).toBe('')
        const { gains } = readBeancount(file)
        const ours = await ourGains(dir, booking)
        expect(ours.size).toBeGreaterThan(100)
        expect(
          [...ours].filter(([id, { gain, pieces }]) => !agrees(gains.get(id) ?? '0', gain, pieces)),
        ).toEqual([])
        expect([...gains.keys()].filter((id) => !ours.has(id))).toEqual([])
      },
      60_000,
    )
  }
})
