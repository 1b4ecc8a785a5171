// The section of a return for futures, against figures added up by hand.
import { afterEach, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { writeReport } from '../../pipeline/reports/print.ts'
import { account, futures, memoryTerminal, publish } from './books.ts'

const opened: Ledger[] = []
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close()
})

interface Line {
  readonly form: string
  readonly figure: string
  readonly value: string | null
  readonly currency: string
  readonly source: string
}

async function taxesOf(rules: string, statements: readonly string[]) {
  const ledger = await openLedger(await publish([...statements]))
  opened.push(ledger)
  const report = await makeReport(ledger, 'taxes', { rules, year: 2025 })
  const terminal = memoryTerminal()
  await writeReport(report, 'json', { dir: '/nowhere', terminal })
  return { lines: JSON.parse(terminal.text()) as Line[], warnings: report.warnings ?? [] }
}

const BOOKS = [
  account('main'),
  futures('1', '2025-03-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
  futures('2', '2025-03-01 00:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
  futures('3', '2025-03-02 08:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-0.5', 'funding'),
  futures('4', '2024-03-02 08:00:00', 'USDT-FUTURES', 'BTCUSDT', 'USDT', '77', 'realised_pnl'),
  futures('5', '2025-04-01 00:00:00', 'MARGIN-crossed', null, 'USDT', '-0.25', 'interest'),
]

const FORM = 'Futures (not part of the figures above)'

test.each(['us', 'uk', 'de', 'ca'])(
  'a return under %s has futures as a section of its own',
  async (rules) => {
    const { lines } = await taxesOf(rules, BOOKS)
    const section = lines.filter(({ form }) => form === FORM)
    // March 2025 is in the tax year before under uk.
    expect(section.map(({ value }) => value)).toEqual(rules === 'uk' ? [] : ['10', '-1', '-0.5', '8.5'])
    for (const { source, currency } of section) {
      expect(source).toMatch(/\(.+\)$/)
      expect(currency).toBe('USDT')
    }
    const others = lines.filter(({ form }) => form !== FORM)
    expect(others.map(({ value }) => value)).not.toContain('10')
  },
)

/** What the entries 1, 2, … were worth. */
const worth = (...values: (string | null)[]): string[] => [
  'create table entry_values (entry_id varchar, imported_id varchar, value decimal(38, 18), currency varchar, price_source varchar)',
  `insert into entry_values values ${values.map((value, at) => `('${at + 1}', null, ${value}, 'EUR', null)`).join(', ')}`,
]

const TOGETHER = 'all, valued at their time: '

/** The lines of what all were worth, by name; and what the return says of it beforehand. */
async function together(...statements: string[]) {
  const { lines, warnings } = await taxesOf('de', [...BOOKS, ...statements])
  const valued = lines.filter(({ figure }) => figure.startsWith(TOGETHER))
  return {
    figures: valued.map(({ figure, value, currency }) => [figure.slice(TOGETHER.length), value, currency]),
    warnings: warnings.filter((warning) => warning.includes('futures')),
  }
}

test('futures of all margin coins are added at the value of each record at the time, gains and losses separately', async () => {
  const at = '2025-06-01 00:00:00'
  const loss = futures('6', at, 'COIN-FUTURES', 'BTCUSD', 'BTC', '-0.001', 'realised_pnl')
  // The fourth is of another year, the fifth is interest.
  const { figures, warnings } = await together(loss, ...worth('9.1', '-0.91', '-0.46', '70', '-0.2', '-90.5'))
  expect(figures).toEqual([
    ['results above zero', '9.1', 'EUR'],
    ['results below zero', '-90.5', 'EUR'],
    ['results of positions', '-81.4', 'EUR'],
    ['fees', '-0.91', 'EUR'],
    ['funding', '-0.46', 'EUR'],
    ['net', '-82.77', 'EUR'],
  ])
  expect(warnings).toEqual([])
})

test('a rebate is among the fees, and what is zero needs no value', async () => {
  const at = '2025-06-01 00:00:00'
  const { figures, warnings } = await together(
    futures('6', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '0.3', 'fee'),
    futures('7', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '0', 'realised_pnl'),
    ...worth('9.1', '-0.91', '-0.46', '70', '-0.2', '0.27', null),
  )
  expect(figures.slice(3)).toEqual([
    ['fees', '-0.64', 'EUR'],
    ['funding', '-0.46', 'EUR'],
    ['net', '8', 'EUR'],
  ])
  expect(warnings).toEqual([])
})

test('if one of them has no value, the total is empty, and the return begins by saying so', async () => {
  const { figures, warnings } = await together(...worth('9.1', '-0.91', null, '70', '-0.2'))
  expect(figures.map(([, value]) => value)).toEqual([null, null, null, null, null, null])
  expect(warnings).toEqual([
    'INCOMPLETE: 1 of 3 amounts of futures has no known value, so there are no futures figures in a single currency. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).',
  ])
})
