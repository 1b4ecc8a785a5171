// The kinds of import by name.
import { type ImportFormat, type ImportKind, importKinds } from './format.ts'
import { lotsFormat } from './lots.ts'
import { pricesFormat } from './prices.ts'
import { tradesFormat } from './trades.ts'

export const importFormats: Readonly<Record<ImportKind, ImportFormat>> = {
  trades: tradesFormat,
  lots: lotsFormat,
  prices: pricesFormat,
}

export const isImportKind = (name: string): name is ImportKind =>
  (importKinds as readonly string[]).includes(name)
