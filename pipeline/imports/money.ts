// Which codes are money, and in which coins others are quoted: the shipped lists, and the user's own in the
// folder of the books, whose rows come first. The models read the same files.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LARGE_FILE_BYTES, readInputFile } from '../config/input-file.ts'
import { packageRoot } from '../config/root.ts'
import { readCsv } from './csv.ts'

/** Codes of currencies in capitals, for the books in `dir`. */
export function moneyCodes(dir: string): ReadonlySet<string> {
  const isMoney = new Map<string, boolean>()
  for (const row of rowsOf(dir, 'currencies.csv')) {
    const code = row('currency')
    if (!isMoney.has(code)) isMoney.set(code, row('is_money').toLowerCase() === 'yes')
  }
  return new Set([...isMoney].flatMap(([code, is]) => (is ? [code] : [])))
}

/** Coins and currencies in which others are quoted, for the books in `dir`. */
export function quoteCoins(dir: string): readonly string[] {
  return [...new Set(rowsOf(dir, 'quote_coins.csv').map((row) => row('coin')))]
}

/** What trades are priced in, in order of preference: money, then the coins that others are quoted in. */
export function quoteCodes(dir: string): string[] {
  const ranks = new Map(quoteCoins(dir).map((coin, rank) => [coin, rank]))
  const money = moneyCodes(dir)
  const codes = [...new Set([...money, ...ranks.keys()])]
  const place = (code: string): number => (money.has(code) ? 0 : 1_000) + (ranks.get(code) ?? 999)
  return codes.toSorted((a, b) => place(a) - place(b))
}

const OWN_LIST = { message: 'A list in the folder of the books cannot be read.', expected: 'a CSV file' }

/** Rows of the user's file and then of the shipped one, each a function from column to cell. */
function rowsOf(dir: string, file: string): ((column: string) => string)[] {
  const rows: ((column: string) => string)[] = []
  for (const folder of [dir, join(packageRoot, 'data')]) {
    const name = join(folder, file)
    if (!existsSync(name)) continue
    readCsv(
      { name, bytes: readInputFile(name, LARGE_FILE_BYTES, OWN_LIST) },
      ({ cells: columns }) =>
        ({ cells }) => {
          rows.push((column) => cells[columns.indexOf(column)] ?? '')
        },
    )
  }
  return rows
}
