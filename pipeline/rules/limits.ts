// Amounts and rates that a law sets for a year, as data: `data/rules.csv`. Each applies from its year until
// the next row of its name; a year before the first row, or after the last one that the table vouches for,
// has none.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parseAmount } from '../../models/amount.ts'
import { CorruptionError } from '../../models/error.ts'
import { packageRoot } from '../config/root.ts'

/** Units of 10^-18; null if the table has nothing for the year. */
export type Limit = (figure: string, year: number) => bigint | null

interface LimitRow {
  readonly rules: string
  readonly figure: string
  readonly from_year: string
  readonly to_year: string
  readonly value: string
}

/** The limits of one country. CorruptionError if the table differs from the one shipped. */
export function limitsOf(rules: string, file = join(packageRoot, 'data/rules.csv')): Limit {
  const rows: LimitRow[] = parse(readFileSync(file), { columns: true, skip_empty_lines: true })
  return (figure, year) => {
    const row = rows.find(
      (each) =>
        each.rules === rules &&
        each.figure === figure &&
        Number(each.from_year) <= year &&
        (each.to_year === '' || year <= Number(each.to_year)),
    )
    if (row === undefined) return null
    const amount = parseAmount(row.value)
    if (amount.ok) return amount.units
    throw new CorruptionError('The table of limits has a value that is not an amount.', {
      where: `${file}, ${rules} ${figure} ${row.from_year}`,
      found: row.value,
      action: 'Reinstall tieout.',
    })
  }
}
