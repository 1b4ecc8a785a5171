// The printed report of books that imports alone tell of: no run has asked a venue.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli.ts'
import { TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { plain, table } from './read.ts'

/** Books of these rows of trades, under a configuration; their folder. */
async function importedBooks(configuration: string, rows: readonly string[]): Promise<string> {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'tieout.yaml'), configuration)
  const file = join(dir, 'trades.csv')
  writeFileSync(file, [TRADE_HEADER, ...rows, ''].join('\n'))
  const { code, stderr } = await command(['import', 'trades', file, '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  return dir
}

async function paper(dir: string, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await command(['report', ...words, '--format', 'html', '--dir', dir])
  if (code !== 0) throw new Error(stderr)
  return stdout
}

test('the summary has the gain of the months and of the lots where a disposal is known in part', async () => {
  const dir = await importedBooks('reports: { rules: ca, currency: CAD, time_zone: America/Toronto }\n', [
    'b1,2025-03-01T12:00:00Z,a,buy,BTC,1,CAD,10000,,',
    'b2,2025-03-01T12:00:00Z,a,buy,XRP,5,CAD,300,,',
    's1,2025-06-01T12:00:00Z,a,sell,BTC,1,CAD,9000,,',
    's2,2025-07-01T12:00:00Z,a,sell,XRP,20,CAD,2000,,',
  ])

  const page = await paper(dir, 'taxes', '--year', '2025')

  const figures = new Map(table(page, 'Summary').map((line) => [line.figure, line]))
  expect(figures.get('Proceeds')?.value).toBe('9500')
  expect(figures.get('Cost')?.value).toBe('10300')
  expect(figures.get('Net gain or loss')?.value).toBe('-800')
  expect(figures.get('Disposals without a known gain')).toMatchObject({
    value: '1',
    'what it counts': 'the known part of 1 of them is in the figures above, the rest in none',
  })
  expect(
    table(page, 'Profit and loss by month and coin').map((line) => [line.month, line['realised pnl']]),
  ).toEqual([
    ['2025-06-01', '-1000'],
    ['2025-07-01', '200'],
  ])
  expect(table(page, 'Gains by lot').map((line) => [line.coin, line.proceeds, line.gain])).toEqual([
    ['BTC', '9000', '-1000'],
    ['XRP', '500', '200'],
    ['XRP', '1500', ''],
    ['', '9500', '-800'],
    ['', '1500', ''],
  ])
  const lines = table(page, 'Taxes 2025, rules ca, days of America/Toronto')
  expect(lines.find(({ figure }) => figure === 'Capital gain (or loss)')?.value).toBe('-800')
  expect(plain(page)).toContain('is left out of the figures: 15 XRP (a)')
})

test('holdings at the end are those of the end of the period, also where no run has told how far the books go', async () => {
  const dir = await importedBooks('reports: { currency: USD }\n', [
    'b1,2024-06-01T00:00:00Z,a,buy,BTC,2,USD,100,,',
    's1,2026-06-01T00:00:00Z,a,sell,BTC,1.5,USD,120,,',
  ])
  const held = (page: string, when: string) =>
    [
      ...table(page, `At ${when}: quantity and value`).map((line) => line.quantity),
      ...table(page, `At ${when}: cost of open lots`).map((line) => line['cost basis left']),
    ].join(' ')

  const over = await paper(dir, 'statement', '--year', '2025')
  const goesOn = await paper(dir, 'statement', '--year', '2026')

  expect(held(over, 'the end (before 2026-01-01 00:00:00 UTC)')).toBe('2 100')
  expect(held(goesOn, 'the end of the books')).toBe('0.5 25')
})
