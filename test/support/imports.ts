// Books made of imported files only, or of the venue's records and imported files, in a separate folder: the files are written
// as a user writes them, imported through the real journal and landing, built, and reported as by `tieout report`.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { type Clock, systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import {
  type ImportOptions,
  type ImportOutcome,
  importInto,
  readImport,
  withdrawImport,
} from '../../pipeline/books/import.ts'
import { buildBooks, type NightlyBuild } from '../../pipeline/books/night.ts'
import { type Config, emptyConfig } from '../../pipeline/config/config.ts'
import type { CommandContext } from '../../pipeline/config/context.ts'
import type { ImportKind } from '../../pipeline/imports/format.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import type { BuildResult } from '../../pipeline/ledger/build.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport, type ReportName, type ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { PublishedLedger } from './published-ledger.ts'

export const TRADE_HEADER = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
export const LOT_HEADER = 'id,time,account,asset,quantity,basis,currency'

const clock: Clock = { ...systemClock, wall: () => Date.parse('2026-03-01T00:00:00Z') }

export type Cells = Readonly<Record<string, unknown>>

export class ImportedBooks {
  readonly dir = mkdtempSync(join(tmpdir(), 'tieout-imports-'))
  readonly #config: Config
  readonly #only: readonly string[] | undefined
  /** The last build, until something new is imported. */
  #built: BuildResult | null = null
  readonly #ledger = new PublishedLedger()

  /** `only`: the tables and checks that its builds build, with everything they depend on; all if absent. */
  constructor(
    config: Partial<Config> = {},
    { only }: { readonly only?: readonly string[] | undefined } = {},
  ) {
    this.#config = { ...emptyConfig, ...config }
    this.#only = only
  }

  close(): void {
    this.#ledger.close()
    rmSync(this.dir, { recursive: true, force: true })
  }

  /** Writes a file into the folder and returns its path. */
  file(name: string, text: string | Uint8Array): string {
    const path = join(this.dir, name)
    writeFileSync(path, text)
    return path
  }

  /** Imports a text as a file with this name; throws any error in it. */
  async import(
    kind: ImportKind,
    text: string | Uint8Array,
    name = `${kind}.csv`,
    options: Omit<ImportOptions, 'dir'> = {},
  ): Promise<ImportOutcome> {
    this.#built = null
    const read = await readImport(nodeDisk, kind, this.file(name, text), { ...options, dir: this.dir })
    const books = await openBooks(this.dir, { clock, command: 'import' })
    try {
      return await importInto(books, read, { id: 'run-1', clock, now: Date.now() })
    } finally {
      await books.close()
    }
  }

  /** Withdraws the import with this number. */
  async undo(id: number): Promise<{ readonly file: string; readonly rows: number }> {
    this.#built = null
    const books = await openBooks(this.dir, { clock, command: 'import' })
    try {
      return await withdrawImport(books, id, { id: 'run-1', clock })
    } finally {
      await books.close()
    }
  }

  /** Imports rows of trades, with the header added. */
  trades(...rows: readonly string[]): Promise<ImportOutcome> {
    return this.import('trades', [TRADE_HEADER, ...rows, ''].join('\n'))
  }

  lots(...rows: readonly string[]): Promise<ImportOutcome> {
    return this.import('lots', [LOT_HEADER, ...rows, ''].join('\n'))
  }

  /** Builds and publishes what has been imported since the last time. */
  async build(): Promise<BuildResult> {
    this.#built ??= await this.rebuild({ rebuild: false })
    return this.#built
  }

  /** Fetches the needed prices from the configured sources, builds and publishes, as `tieout prices fetch` does. */
  async fetchPrices(signal?: AbortSignal): Promise<NightlyBuild> {
    this.#built = await this.rebuild({ rebuild: false }, true, signal)
    return this.#built as NightlyBuild
  }

  /** Builds and publishes again, from the journal only. */
  async rebuild(
    options = { rebuild: true },
    fetchesPrices = false,
    signal = new AbortController().signal,
  ): Promise<NightlyBuild> {
    const books = await openBooks(this.dir, { clock, command: 'build', ...options })
    try {
      const context = { ...this.#context(), signal }
      const wanted = { publishAnyway: false, fetchesPrices, only: this.#only }
      return await buildBooks(context, this.#config, books, wanted)
    } finally {
      await books.close()
    }
  }

  /** Builds if needed, and returns the rows of the report as in `--format json`. */
  async report(name: ReportName, options: ReportOptions = {}): Promise<Cells[]> {
    await this.build()
    return this.read(name, options)
  }

  /** The rows of a report on what is published. */
  async read(name: ReportName, options: ReportOptions = {}): Promise<Cells[]> {
    const report = await makeReport(await this.#ledger.of(this.dir), name, options)
    const rows = await allRows(report.rows)
    return rows.map((row) => Object.fromEntries(report.columns.map((column, at) => [column.name, row[at]])))
  }

  /** Each piece of a disposal: `s1 <- b1: 2 for 300 cost 200 gain 100`, a question mark for unknown values. */
  async gains(options: ReportOptions = {}): Promise<string[]> {
    return (await this.report('gains', options)).map(gainLine)
  }

  /** Rows of the published ledger. */
  async query(sql: string): Promise<unknown[][]> {
    return (await (await this.#ledger.of(this.dir)).query(sql)).map((row) => [...row])
  }

  #context(): CommandContext {
    return {
      dir: this.dir,
      run: randomUUID(),
      clock,
      now: () => clock.wall(),
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      configFile: join(this.dir, 'tieout.yaml'),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      print: () => undefined,
      advise: () => undefined,
      tell: () => undefined,
    }
  }
}

const shown = (cell: unknown): string => (cell === null ? '?' : String(cell))

export function gainLine(piece: Cells): string {
  const denied = piece.denied_loss === null ? '' : ` denied ${shown(piece.denied_loss)}`
  const what = `${shown(piece.quantity)} for ${shown(piece.proceeds)} cost ${shown(piece.cost_basis)}`
  const of = `${shown(piece.disposal_id)} <- ${piece.lot_id === null ? '-' : shown(piece.lot_id)}`
  return `${of}: ${what}${denied} gain ${shown(piece.gain)}`
}
