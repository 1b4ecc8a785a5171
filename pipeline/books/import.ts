// Imports a file into the books: reads all of it, compares it with what the books have, journals it byte for byte and
// lands it. A file with an error is not journaled at all, and neither is a file whose rows the books already have.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import { unseenIn } from '../../models/text.ts'
import { isLink, LARGE_FILE_BYTES, readUnchanged, refuseUnfit, unreadable } from '../config/input-file.ts'
import type { CsvFile } from '../imports/csv.ts'
import { type ImportedRow, type ImportKind, ownColumns, placeOf } from '../imports/format.ts'
import { importFormats } from '../imports/formats.ts'
import { readingFor, refuseUnused } from '../imports/layouts.ts'
import { type Aside, readMapped } from '../imports/mapped.ts'
import { readMappedPrices } from '../imports/mapped-prices.ts'
import type { Reading } from '../imports/mapping.ts'
import { moneyCodes, quoteCoins } from '../imports/money.ts'
import { type PriceOptions, priceReadingFor } from '../imports/price-layouts.ts'
import type { PriceReading } from '../imports/price-mapping.ts'
import { Refusals, refuseCell } from '../imports/refusals.ts'
import { type Disk, DiskError } from '../journal/disk.ts'
import { landJournal } from '../landing/land-journal.ts'
import { lastBuilt } from '../landing/last-landed.ts'
import type { Books } from './books.ts'
import {
  type AlikeAccounts,
  alikeAccounts,
  type GoneRows,
  goneRows,
  newRows,
  refuseReadOtherwise,
} from './known.ts'

export interface ImportOutcome {
  readonly rows: number
  /** Rows that the books did not have. */
  readonly added: number
  /** Cells with more decimals than are kept. */
  readonly rounded: number
  /** Rows with a negative fee, which is treated as a rebate; omitted if there are none. */
  readonly rebates?: number
  /** Rows that are in earlier exports of the service but not in this one; omitted if there are none. */
  readonly gone?: GoneRows
  /** Accounts of the file whose names differ from others only in capitalisation; omitted if there are none. */
  readonly alike?: readonly AlikeAccounts[]
  /** Number of the import, by which it can be withdrawn; null if the books already had the whole file. */
  readonly id: number | null
}

/** A file that has been read and found valid; nothing of it is in the books yet. */
export interface ReadImport {
  readonly kind: ImportKind
  readonly file: CsvFile
  readonly rows: readonly ImportedRow[]
  /** How the export of another service was read; null for a file in tieout's own format. */
  readonly reading: Reading | PriceReading | null
  /** Its rows that produce none of ours. */
  readonly aside: readonly Aside[]
}

/** What the user specifies because the file does not. */
export interface ImportOptions extends PriceOptions {
  /** Folder of the books: its lists of currencies and quote coins take precedence over the shipped ones. */
  readonly dir: string
  /** Account of rows that do not name one. */
  readonly account?: string | undefined
}

/**
 * Reads the whole file. Throws a UsageError for a file that cannot be read, and one with line and column for errors in
 * its content.
 */
export async function readImport(
  disk: Disk,
  kind: ImportKind,
  path: string,
  options: ImportOptions,
): Promise<ReadImport> {
  const file = { name: path, bytes: await readBytes(disk, path) }
  const { dir: _dir, account, asset, currency, candle, ...others } = options
  if (kind === 'prices') {
    const read = priceReadingFor(file, options)
    refuseUnused(read === null ? { ...others, account, asset, currency, candle } : { account }, kind)
    if (read !== null) return { kind, file, ...readMappedPrices(file, read, 'new'), reading: read }
  }
  const reading = kind === 'trades' ? readingFor(file, options) : null
  refuseUnused({ ...(reading === null ? { ...others, account } : {}), asset, currency, candle }, kind)
  if (reading === null) return { kind, file, rows: importFormats[kind].read(file), reading: null, aside: [] }
  const { rows, aside, codes } = readMapped(file, reading, 'new')
  // Only the entries of the list that apply to this file are kept in the journal.
  const quotes = reading.quotes.filter((code) => codes.has(code))
  return { kind, file, rows, reading: { ...reading, quotes }, aside }
}

async function readBytes(disk: Disk, path: string): Promise<Uint8Array> {
  const refusal = { message: 'The file to import cannot be read.', expected: 'a CSV file' }
  refuseUnfit(path, LARGE_FILE_BYTES)
  const bytes = await readUnchanged(path, () => disk.readFile(path)).catch((cause: unknown) => {
    throw cause instanceof DiskError ? unreadable(path, refusal, cause) : cause
  })
  if (bytes === null) {
    const found = isLink(path) ? 'a broken link' : 'no file with this name'
    throw new UsageError(refusal.message, {
      where: path,
      expected: refusal.expected,
      found,
      action: 'Correct the path.',
    })
  }
  return bytes
}

/**
 * Journals and lands the rows that the books do not have. Throws a UsageError for a row that they have with other
 * content, and for a row dated in the future.
 */
export async function importInto(
  books: Books,
  { kind, file, rows, reading }: ReadImport,
  run: { readonly id: string; readonly clock: Clock; readonly now?: number },
): Promise<ImportOutcome> {
  refuseUnseen(kind, file.name, rows)
  refuseOtherCase(books.dir, kind, file.name, rows)
  refuseFuture(kind, file.name, reading?.mapping.time.column ?? 'time', rows, run.now ?? run.clock.wall())
  const added = await newRows(books.landing.connection, file.name, importFormats[kind], rows)
  const rounded = rows.reduce((sum, row) => sum + row.rounded, 0)
  if (added.length === 0) return { rows: rows.length, added: 0, rounded, id: null }
  const sha256 = createHash('sha256').update(file.bytes).digest('hex')
  if (reading !== null)
    await refuseReadOtherwise(books.landing.connection, { kind, name: file.name, sha256 }, added)
  const gone =
    kind === 'trades' && reading !== null
      ? await goneRows(books.landing.connection, reading.mapping.name, importFormats[kind], rows)
      : null
  const alike = await alikeAccounts(books.landing.connection, importFormats[kind], rows)
  const { seq } = await books.journal.append(
    {
      kind: 'import',
      at: new Date(run.clock.wall()).toISOString(),
      run: run.id,
      imports: kind,
      file: basename(file.name),
      rows: rows.length,
      sha256,
      ...(reading === null ? {} : { reading }),
    },
    file.bytes,
  )
  await landJournal(books.journal, books.landing)
  const rebates = rebatesIn(kind, added)
  return {
    ...{ rows: rows.length, added: added.length, rounded, id: seq },
    ...(rebates === 0 ? {} : { rebates }),
    ...(gone === null || gone.count === 0 ? {} : { gone }),
    ...(alike.length === 0 ? {} : { alike }),
  }
}

/** An import, as `--json` shows it. */
export interface ListedImport {
  /** The number that `--undo` takes. */
  readonly id: number
  readonly kind: string
  readonly file_name: string
  readonly row_count: number
  readonly imported_at: string
  /** Null if it has not been withdrawn. */
  readonly withdrawn_at: string | null
}

/** Every import of these books, oldest first. The landing database must be attached as `landing`. */
export async function listImports(connection: DuckDBConnection): Promise<ListedImport[]> {
  const reader = await connection.runAndReadAll(
    `select imports.page_id, imports.kind, imports.file_name, imports.row_count, epoch_ms(imports.imported_at),
       epoch_ms(min(withdrawn.withdrawn_at))
     from landing.main.imports as imports
     left join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = imports.page_id
     group by all order by imports.page_id`,
  )
  const iso = (ms: unknown): string => new Date(Number(ms)).toISOString()
  return reader.getRows().map(([id, kind, file, rows, importedAt, withdrawnAt]) => ({
    id: Number(id),
    kind: String(kind),
    file_name: String(file),
    row_count: Number(rows),
    imported_at: iso(importedAt),
    withdrawn_at: withdrawnAt === null ? null : iso(withdrawnAt),
  }))
}

/** Withdraws an import: its rows are no longer included, and a corrected file may use the same ids. */
export async function withdrawImport(
  books: Books,
  id: number,
  run: { readonly id: string; readonly clock: Clock },
): Promise<{ readonly file: string; readonly rows: number }> {
  const reader = await books.landing.connection.runAndReadAll(
    `select imports.file_name, imports.row_count, withdrawn.seq
     from landing.main.imports as imports
     left join landing.main.import_withdrawals as withdrawn on withdrawn.page_id = imports.page_id
     where imports.page_id = $1`,
    [id],
  )
  const [file, rows, withdrawnBy = null] = reader.getRows()[0] ?? []
  const isUnbuilt =
    withdrawnBy !== null && Number(withdrawnBy) > (await lastBuilt(books.landing.connection, books.dir))
  // If the command was stopped before its build, running it again finishes it.
  if (isUnbuilt) return { file: String(file), rows: Number(rows) }
  if (file === undefined || withdrawnBy !== null)
    throw new UsageError(
      file === undefined ? 'There is no import with this number.' : 'This import has already been withdrawn.',
      {
        where: `--undo ${id}`,
        found: file === undefined ? 'a number that no import has' : String(file),
        expected: 'the number of an import that has not been withdrawn',
        action: 'Run `tieout import --list` to see them.',
      },
    )
  const at = new Date(run.clock.wall()).toISOString()
  await books.journal.append({ kind: 'import-withdrawal', at, run: run.id, withdraws: id })
  await landJournal(books.journal, books.landing)
  return { file: String(file), rows: Number(rows) }
}

function rebatesIn(kind: ImportKind, rows: readonly ImportedRow[]): number {
  const fee = placeOf(importFormats[kind], 'fee')
  return fee < 0 ? 0 : rows.filter(({ values }) => (values[fee] as bigint) < 0n).length
}

const DAY_MS = 86_400_000

/** Refuses times in the future. One day is allowed for a mistaken time zone. */
function refuseFuture(
  kind: ImportKind,
  file: string,
  column: string,
  rows: readonly ImportedRow[],
  now: number,
): void {
  const at = ownColumns(importFormats[kind]).findIndex(({ kind: type }) => type === 'TIMESTAMPTZ')
  const expected = `a time before ${new Date(now).toISOString()}`
  const refusals = new Refusals(file)
  for (const { line, values } of rows) {
    const ms = Number(values[at]) / 1000
    if (ms <= now + DAY_MS) continue
    const found = new Date(ms).toISOString()
    refusals.add(refuseCell(file, line, column, { message: 'A time is in the future.', expected, found }))
  }
  refusals.throwIfAny()
}

const CODE_COLUMNS = ['asset', 'currency', 'fee_currency']
const NAME_COLUMNS = ['id', 'account', 'source']

/** The cells of a kind's rows, column by column. */
function* cellsOf(
  kind: ImportKind,
  names: readonly string[],
  rows: readonly ImportedRow[],
): Generator<{ readonly line: number; readonly name: string; readonly cell: string }> {
  for (const [at, { name }] of ownColumns(importFormats[kind]).entries()) {
    if (!names.includes(name)) continue
    for (const { line, values } of rows) {
      const cell = values[at]
      if (typeof cell === 'string') yield { line, name, cell }
    }
  }
}

/**
 * `BTC` with a zero-width space, as copied from a web page, would be a separate coin from BTC; such an id would be a
 * second row.
 */
function refuseUnseen(kind: ImportKind, file: string, rows: readonly ImportedRow[]): void {
  const refusals = new Refusals(file)
  for (const { line, name, cell } of cellsOf(kind, [...NAME_COLUMNS, ...CODE_COLUMNS], rows)) {
    const sign = unseenIn(cell, CODE_COLUMNS.includes(name) ? 'code' : 'name')
    if (sign === null) continue
    const message = 'A cell contains an invisible character.'
    const expected = 'printable characters and plain spaces'
    refusals.add(refuseCell(file, line, name, { message, expected, found: `${sign} in ${cell}` }))
  }
  refusals.throwIfAny()
}

/**
 * `usd` would be taken for a coin of that name, and every sale for it as a trade of two coins. `btc` would be a
 * separate coin from BTC, and its sales would have no purchases.
 */
function refuseOtherCase(dir: string, kind: ImportKind, file: string, rows: readonly ImportedRow[]): void {
  const money = moneyCodes(dir)
  const known = new Set([...money, ...quoteCoins(dir)])
  const refusals = new Refusals(file)
  for (const { line, name, cell } of cellsOf(kind, CODE_COLUMNS, rows)) {
    const expected = cell.toUpperCase()
    if (known.has(cell) || !known.has(expected)) continue
    const message = `A ${money.has(expected) ? 'currency' : 'coin'} code is not in upper case.`
    refusals.add(refuseCell(file, line, name, { message, expected, found: cell }))
  }
  refusals.throwIfAny()
}
