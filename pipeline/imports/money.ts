// Which codes are money, and in which coins others are quoted: the shipped lists, and the user's own in the folder of the
// books, whose rows come first. The models read the same files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../config/root.ts'
import { readCsv } from './csv.ts'

/** Codes of currencies in capitals, for the books in `dir`. */
export function moneyCodes(dir: string): ReadonlySet<string> {
  const isMoney = new Map<string, boolean>()
  readList(dir, 'currencies.csv', (cell) => {
    const code = cell('currency')
    if (!isMoney.has(code)) isMoney.set(code, cell('is_money').toLowerCase() === 'yes')
  })
  return new Set([...isMoney].flatMap(([code, is]) => (is ? [code] : [])))
}

/** Coins and currencies in which others are quoted, for the books in `dir`. */
export function quoteCoins(dir: string): readonly string[] {
  const coins = new Set<string>()
  readList(dir, 'quote_coins.csv', (cell) => coins.add(cell('coin')))
  return [...coins]
}

/** The rows of the user's file, if there is one, then those of the file that ships. */
function readList(dir: string, file: string, each: (cell: (column: string) => string) => void): void {
  for (const folder of [dir, join(packageRoot, 'data')]) {
    const name = join(folder, file)
    if (!existsSync(name)) continue
    readCsv({ name, bytes: readFileSync(name) }, ({ cells: columns }) => ({ cells }) => {
      each((column) => cells[columns.indexOf(column)] ?? '')
    })
  }
}
