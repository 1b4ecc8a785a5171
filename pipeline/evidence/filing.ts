// A report as it was filed: its lines word for word, the options that it was asked with, and hashes of
// everything it was made from. It is stored as DIR/filings/NAME.json, written once and never replaced, and
// its own hash reveals any later change.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { closing } from '../../models/closing.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { canonicalJson, JsonError, parseJsonBytes } from '../../models/json.ts'
import { type Disk, DiskError, nameBeside } from '../journal/disk.ts'
import type { Cell } from '../output/cell.ts'
import { clearLeftIn } from '../output/left-beside.ts'
import type { Inputs } from './inputs.ts'
import type { StoredOptions } from './options.ts'

export const FILING_FORMAT = 1

export interface Filing {
  readonly format: number
  readonly name: string
  /** ISO-8601 in UTC. */
  readonly frozen_at: string
  /** Name of the report, its options, and the configuration's choice of lots. */
  readonly report: string
  readonly options: StoredOptions
  readonly defaults: StoredOptions
  readonly title: string
  readonly inputs: Inputs
  /** Columns that together identify a line. */
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Cells in the order of the columns; amounts and times as text. */
  readonly rows: readonly (readonly Cell[])[]
  readonly totals: readonly (readonly Cell[])[]
  readonly notes: readonly string[]
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const filingsFolder = (dir: string): string => join(dir, 'filings')

/** Names of the existing filings, without opening them. */
export async function filingNames(disk: Disk, dir: string): Promise<string[]> {
  const files = (await disk.list(filingsFolder(dir))) ?? []
  return files.filter((name) => /^[^.].*\.json$/.test(name)).map((name) => name.replace(/\.json$/, ''))
}

/** Names of the filings in which the text is a cell. */
export async function filingsWith(disk: Disk, dir: string, cell: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await filingNames(disk, dir)) {
    const bytes = await disk.readFile(join(filingsFolder(dir), `${name}.json`))
    if (bytes?.includes(JSON.stringify(cell)) === true) found.push(name)
  }
  return found
}

/** UsageError for a name that is not a plain file name. */
function fileOf(dir: string, name: string): string {
  if (NAME.test(name)) return join(filingsFolder(dir), `${name}.json`)
  throw new UsageError('Invalid filing name.', {
    where: name,
    expected: 'letters, digits, dots, - and _, at most 64, the first a letter or a digit',
    action: 'Choose another name, such as gains-2025.',
  })
}

/** Checked before any work is done: UsageError if a filing of this name exists, or the name is invalid. */
export async function mustBeNew(disk: Disk, dir: string, name: string): Promise<void> {
  const names = await disk.list(filingsFolder(dir))
  if (names?.includes(`${name}.json`) === true) throw taken(fileOf(dir, name))
  fileOf(dir, name)
}

function taken(file: string): UsageError {
  return new UsageError('A filing of this name already exists.', {
    where: file,
    expected: 'an unused name; a filing is never replaced',
    action: 'Choose another name, or compare with the filing (--against).',
  })
}

/** Writes the filing completely or not at all, and returns its file. UsageError if the name is taken. */
export async function writeFiling(disk: Disk, dir: string, filing: Filing): Promise<string> {
  const file = fileOf(dir, filing.name)
  const folder = filingsFolder(dir)
  const beside = nameBeside(file)
  try {
    await disk.makeDir(folder, 0o700)
    await clearLeftIn(folder)
    const written = await disk.open(beside, 'create', 0o600)
    await closing(written, async () => {
      await written.write(Buffer.from(textOf(filing)), 0)
      await written.sync()
    })
    // Linking a finished file to its name: two processes that freeze at the same time cannot replace each
    // other's filing.
    if (!(await disk.link(beside, file))) throw taken(file)
    await disk.syncDir(folder)
    return file
  } finally {
    await disk.remove(beside).catch((error: unknown) => {
      if (!(error instanceof DiskError)) throw error
    })
  }
}

const hashOf = (filing: unknown): string => createHash('sha256').update(canonicalJson(filing)).digest('hex')

/** One line of text for each line of the report, so that people and version control can read it. */
function textOf(filing: Filing): string {
  const { rows, ...rest } = filing
  const head = JSON.stringify({ sha256: hashOf(filing), ...rest }, null, 2).replace(/\n}$/, '')
  return `${head},\n  "rows": [${rows.map((row) => `\n    ${JSON.stringify(row)}`).join(',')}\n  ]\n}\n`
}

/**
 * UsageError that lists the existing filings if there is none of this name; CorruptionError if it is not what
 * was frozen.
 */
export async function readFiling(disk: Disk, dir: string, name: string): Promise<Filing> {
  const file = fileOf(dir, name)
  const bytes = await disk.readFile(file)
  if (bytes === null) {
    const names = ((await disk.list(filingsFolder(dir))) ?? []).filter((each) => each.endsWith('.json'))
    throw new UsageError('There is no filing of this name.', {
      where: file,
      expected:
        names.length === 0
          ? 'a filing; none is frozen yet'
          : `one of ${names.map((each) => each.replace(/\.json$/, '')).join(', ')}`,
      action: 'Correct the name, or freeze a report first: `tieout report gains --freeze NAME`.',
    })
  }
  const { sha256, ...filing } = parsed(file, bytes)
  if (filing.format !== FILING_FORMAT) throw otherFormat(file, JSON.stringify(filing.format) ?? 'none')
  if (sha256 === hashOf(filing)) return filing
  throw changed(file, 'the hash that was written with it', 'different content')
}

function parsed(file: string, bytes: Buffer): Filing & { readonly sha256: string } {
  const read = readJson(bytes)
  if (typeof read === 'object' && read !== null) return read as Filing & { readonly sha256: string }
  throw changed(file, 'an object in JSON', 'something else')
}

/** Null for text that is not JSON, or is nested deeper than any filing. */
function readJson(bytes: Buffer): unknown {
  try {
    return parseJsonBytes(bytes).value
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

function changed(file: string, expected: string, found: string): CorruptionError {
  return new CorruptionError('The filing has changed since it was frozen.', {
    where: file,
    expected,
    found,
    action: 'Restore the file from a backup.',
  })
}

function otherFormat(file: string, found: string): UsageError {
  return new UsageError('The filing was frozen by another version of tieout.', {
    where: file,
    expected: `format ${FILING_FORMAT}`,
    found: `format ${found}`,
    action: 'Install the version that wrote it, or a later one.',
  })
}
