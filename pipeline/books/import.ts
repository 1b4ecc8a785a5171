// A file into the books: read whole, held against what is there, journaled byte for byte, landed. Nothing is journaled
// of a file with an error, and nothing of one whose every row the books have already.
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
  /** Rows with a fee below zero, which count as rebates; left out where there are none. */
  readonly rebates?: number
  /** Rows that earlier exports of the service have and this one does not; left out where there are none. */
  readonly gone?: GoneRows
  /** Accounts of the file whose names differ from others in capitals alone; left out where there are none. */
  readonly alike?: readonly AlikeAccounts[]
  /** Number of the import, by which it can be withdrawn; null where the books had all of the file. */
  readonly id: number | null
}

/** A file that has been read and found whole; nothing of it stands in the books yet. */
export interface ReadImport {
  readonly kind: ImportKind
  readonly file: CsvFile
  readonly rows: readonly ImportedRow[]
  /** How the export of another service was read; null for a file in the format of tieout. */
  readonly reading: Reading | PriceReading | null
  /** Its rows that make none of ours. */
  readonly aside: readonly Aside[]
}

/** What the user says of a file that does not say it itself. */
export interface ImportOptions extends PriceOptions {
  /** Folder of the books: its lists of currencies and quote coins come before the shipped ones. */
  readonly dir: string
  /** Account of rows that name none. */
  readonly account?: string | undefined
}

/** Reads the whole file. UsageError for a file that cannot be read, and with line and column for what is wrong in it. */
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
  // The journal keeps of the list what has a say in this file.
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
    const found = isLink(path) ? 'a link that leads nowhere' : 'no file of this name'
    throw new UsageError(refusal.message, {
      where: path,
      expected: refusal.expected,
      found,
      action: 'Correct the path.',
    })
  }
  return bytes
}

/** Journals and lands what the books do not have. UsageError for a row that they have with other content, or of the future. */
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

/** An import as a script reads it. */
export interface ListedImport {
  /** What `--undo` takes. */
  readonly id: number
  readonly kind: string
  readonly file_name: string
  readonly row_count: number
  readonly imported_at: string
  /** Null where it counts. */
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

/** Withdraws an import: its rows no longer count, and a corrected file may bring the same ids. */
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
  // Stopped before its build, the same command again finishes it.
  if (isUnbuilt) return { file: String(file), rows: Number(rows) }
  if (file === undefined || withdrawnBy !== null)
    throw new UsageError(
      file === undefined ? 'There is no import of this number.' : 'This import was withdrawn before.',
      {
        where: `--undo ${id}`,
        found: file === undefined ? 'a number of no import' : String(file),
        expected: 'the number of an import that counts',
        action: '`tieout import --list` shows them.',
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

/** Nothing has happened yet that lies in the future; a day is left for a zone that was mistaken. */
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
    refusals.add(refuseCell(file, line, column, { message: 'A time lies in the future.', expected, found }))
  }
  refusals.throwIfAny()
}

const CODE_COLUMNS = ['asset', 'currency', 'fee_currency']
const NAME_COLUMNS = ['id', 'account', 'source']

/** The rows of a kind by each of its columns in turn. */
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

/** `BTC` with a zero-width space, as a web page has it, would be a coin beside BTC; an id with one, a second row. */
function refuseUnseen(kind: ImportKind, file: string, rows: readonly ImportedRow[]): void {
  const refusals = new Refusals(file)
  for (const { line, name, cell } of cellsOf(kind, [...NAME_COLUMNS, ...CODE_COLUMNS], rows)) {
    const sign = unseenIn(cell, CODE_COLUMNS.includes(name) ? 'code' : 'name')
    if (sign === null) continue
    const message = 'A cell has a character in it that cannot be seen.'
    const expected = 'printable characters, plain spaces among them'
    refusals.add(refuseCell(file, line, name, { message, expected, found: `${sign} in ${cell}` }))
  }
  refusals.throwIfAny()
}

/**
 * `usd` would be a coin of that name, and every sale for it a trade of two coins; `btc` a coin beside BTC, and every sale of
 * one without the purchase of the other.
 */
function refuseOtherCase(dir: string, kind: ImportKind, file: string, rows: readonly ImportedRow[]): void {
  const money = moneyCodes(dir)
  const known = new Set([...money, ...quoteCoins(dir)])
  const refusals = new Refusals(file)
  for (const { line, name, cell } of cellsOf(kind, CODE_COLUMNS, rows)) {
    const expected = cell.toUpperCase()
    if (known.has(cell) || !known.has(expected)) continue
    const message = `A ${money.has(expected) ? 'currency' : 'coin'} is not written in capitals.`
    refusals.add(refuseCell(file, line, name, { message, expected, found: cell }))
  }
  refusals.throwIfAny()
}
