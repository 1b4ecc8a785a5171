// Which codes are money: the shipped list of currencies, and the user's own in the folder of the books, whose rows come
// first. The models read the same two files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../config/root.ts'
import { readCsv } from './csv.ts'

/** Codes of currencies in capitals, for the books in `dir`. */
export function moneyCodes(dir: string): ReadonlySet<string> {
  const isMoney = new Map<string, boolean>()
  for (const folder of [dir, join(packageRoot, 'data')]) {
    const name = join(folder, 'currencies.csv')
    if (!existsSync(name)) continue
    readCsv({ name, bytes: readFileSync(name) }, ({ cells: columns }) => ({ cells }) => {
      const code = cells[columns.indexOf('currency')] ?? ''
      if (!isMoney.has(code)) isMoney.set(code, cells[columns.indexOf('is_money')]?.toLowerCase() === 'yes')
    })
  }
  return new Set([...isMoney].flatMap(([code, is]) => (is ? [code] : [])))
}
