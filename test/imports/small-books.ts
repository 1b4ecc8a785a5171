// What tests of imported files have in common: small books of which only the tables of gains are built, and two rows.
import { expect } from 'vitest'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { ImportedBooks } from '../support/imports.ts'

/** What the gains of imported books are read from. */
export const GAINS = ['main.disposals', 'main.imported_trades', 'main.imports']

export const gainsIn = (currency: string): ImportedBooks =>
  new ImportedBooks({ reports: { ...emptyConfig.reports, currency } }, { only: GAINS })

export const BOUGHT = 'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,1,USD'
export const SOLD = 's1,2026-01-02T00:00:00Z,main,sell,BTC,1,USD,150,1,USD'

/** What an import of plain amounts comes to; the books number it where it brought anything. */
export const outcome = (rows: number, added: number) => ({
  rows,
  added,
  rounded: 0,
  id: added === 0 ? null : expect.any(Number),
})
