// The sandbox's books, whose truth is known, in beancount and hledger: accepted as they are, every balance and every
// gain the same.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tieout } from '../support/cli.ts'
import {
  agrees,
  beanCheck,
  exported,
  hasBeancount,
  hasHledger,
  hledgerBalances,
  hledgerCheck,
  ourBalances,
  ourGains,
  readBeancount,
  temporary,
} from './tools.ts'

const dir = temporary('books')

beforeAll(async () => {
  const demo = await tieout(['demo', '--dir', dir, '--seed', '7', '--days', '30'])
  expect(demo.stdout).toContain('equals the sandbox’s truth exactly')
}, 120_000)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const capital = (account: string): string => account[0]?.toUpperCase() + account.slice(1)

const assets = (balances: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...balances].filter(([key]) => key.startsWith('Assets:')))

describe('the sandbox’s books', () => {
  test.skipIf(!hasBeancount)(
    'beancount (package beancount) accepts them and has our balances',
    async () => {
      const file = await exported(dir, 'beancount')
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
      const file = await exported(dir, 'hledger')
      expect(hledgerCheck(file)).toBe('')
      expect(assets(hledgerBalances(file))).toEqual(await ourBalances(dir, (account) => account))
    },
    60_000,
  )

  for (const booking of ['fifo', 'lifo'] as const) {
    test.skipIf(!hasBeancount)(
      `beancount books their lots by ${booking} and finds our gains`,
      async () => {
        const file = await exported(dir, 'beancount', booking)
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
