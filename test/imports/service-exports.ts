// Exports of other services as a test reads them: through the journal's copy of the reading, as rows of our own format.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { readingFor } from '../../pipeline/imports/layouts.ts'
import { type MappedFile, readMapped } from '../../pipeline/imports/mapped.ts'
import { readingOf } from '../../pipeline/imports/mapping.ts'
import type { Standing } from '../../pipeline/imports/numbers.ts'

export interface Options {
  readonly account?: string
  readonly zone?: string
  readonly mapping?: string
}

export interface Exports {
  /** Where a mapping of the user's can stand. */
  readonly dir: string
  readonly read: (lines: readonly string[], options?: Options, standing?: Standing) => MappedFile
  /** Rows as a file of tieout's own would have them. */
  readonly rows: (lines: readonly string[], options?: Options) => string[]
}

/** Reads exports as an import does, in a folder that goes with the tests of the file. */
export function readExports(): Exports {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-services-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  function read(lines: readonly string[], options: Options = {}, standing: Standing = 'new'): MappedFile {
    const file = { name: 'export.csv', bytes: Buffer.from(lines.join('\r\n')) }
    const reading = readingFor(file, { dir, ...options })
    if (reading === null) throw new Error('This is no export of another service.')
    // As it comes back from the journal.
    const kept = readingOf(JSON.parse(JSON.stringify(reading)))
    if (kept === null) throw new Error('The reading does not survive the journal.')
    return readMapped(file, kept, standing)
  }

  function rows(lines: readonly string[], options: Options = {}): string[] {
    return read(lines, options).rows.map(({ values }) => {
      const [id, micros, , account, type, asset, quantity, currency, total, fee, feeCurrency] = values
      const time = new Date(Number(micros as bigint) / 1000).toISOString().replace('.000Z', 'Z')
      const amounts = [quantity, total, fee].map((each) =>
        each === null ? '' : formatAmount(each as bigint),
      )
      return [
        id,
        time,
        account,
        type,
        asset,
        amounts[0],
        currency ?? '',
        amounts[1],
        amounts[2],
        feeCurrency ?? '',
      ].join(',')
    })
  }

  return { dir, read, rows }
}

/** The refusal of what is done. */
export function refusal(work: () => unknown): UsageError {
  try {
    work()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** Header of Kraken's ledgers. */
export const KRAKEN = '"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"'
