// Whether the published ledger is what a build made of these books: all of it can be read, each table has the rows that the
// ledger says of it, and what it was built from is what has landed. Nothing is made again for this; `verify --rebuild` does that.
import { TieoutError, UsageError } from '../../models/error.ts'
import type { CommandContext } from '../config/context.ts'
import {
  askMade,
  askPublished,
  isSame,
  landedRows,
  type MadeTables,
  NO_ROWS,
  ORIGIN,
  type Rows,
} from '../ledger/kept.ts'
import { isOfThisProgram, type Ledger, NoLedger, openLedger } from '../ledger/ledger.ts'
import type { Books } from './books.ts'

export interface LedgerFound {
  /** Tables that were read through; null where no ledger is published, or it cannot be read. */
  readonly tables: number | null
  readonly problems: readonly string[]
}

/** `isErasing`: the ledger may rest on what has gone from landing meanwhile, which the caller tells. */
export async function verifyLedger(
  { dir, clock, signal, tell }: CommandContext,
  { landing }: Books,
  isErasing: boolean,
): Promise<LedgerFound> {
  try {
    const ledger = await openLedger(dir, { engine: landing.engine, clock, signal })
    try {
      return await readThrough(ledger, landing, isErasing)
    } finally {
      ledger.close()
    }
  } catch (cause) {
    if (cause instanceof NoLedger) {
      // `sync` without `build` is in order.
      if (landing.landedSeq > 0) tell(NOT_PUBLISHED)
      return { tables: null, problems: [] }
    }
    // What the reader may not do, or has no memory for, says nothing of the file.
    if (!(cause instanceof TieoutError) || cause instanceof UsageError) throw cause
    return { tables: null, problems: [unreadable(cause)] }
  }
}

const NOT_PUBLISHED =
  'There is no published ledger (ledger.duckdb) of what has landed, so none was verified: `tieout build` makes it.'

async function readThrough(
  ledger: Ledger,
  landing: Books['landing'],
  isErasing: boolean,
): Promise<LedgerFound> {
  const isThere = (table: string): boolean => ledger.tables.has(table.slice('main.'.length))
  if (!isThere('main.made_tables'))
    return { tables: null, problems: ['ledger: it does not say how its tables were made; run tieout build'] }
  const made = await askMade((question) => ledger.query(question))
  const isOwn = await isOfThisProgram(ledger)
  const own = [...made.keys()].filter((table) => table.startsWith('main.'))
  const found = await askPublished((question) => ledger.query(question), own.filter(isThere))
  const differing = own.filter((table) => differs(table, made, found))
  const hasOthersHash = (table: string): boolean =>
    !isOwn && found.get(table)?.count === made.get(table)?.count && found.has(table)
  const problems = differing
    .filter((table) => !hasOthersHash(table))
    .map((table) => problemOf(table, made.get(table) ?? NO_ROWS, found.get(table)))
  const untold = differing.filter(hasOthersHash).length
  if (untold > 0) problems.push(othersHashes(untold))
  if (isOwn && !isErasing && (await isOfOtherBooks(ledger, made, landing))) problems.push(FOREIGN)
  return { tables: found.size, problems }
}

/** Of the table of the origin the ledger says what decided it, and not its rows. */
const differs = (table: string, made: MadeTables, found: ReadonlyMap<string, Rows>): boolean =>
  !found.has(table) || (table !== ORIGIN && !isSame(made.get(table), found.get(table)))

function problemOf(table: string, made: Rows, found: Rows | undefined): string {
  if (found === undefined) return `ledger: table ${table} is not there; run tieout build`
  const differ = `does not hold the rows that the build made (${made.count} then, ${found.count} now)`
  return `ledger: table ${table} ${differ}; run tieout build`
}

/** Nobody can tell such tables from ones that were changed since, and a build makes both good. */
const othersHashes = (count: number): string =>
  `ledger: another version of tieout built it, and ${count} of its tables ${count === 1 ? 'has' : 'have'} another hash than that version wrote down, which it may have made otherwise; run tieout build`

const FOREIGN =
  'ledger: it was built from other rows than have landed here, as that of other books is; run tieout build'

/**
 * Whether a ledger of this program was built from other rows than those that have landed. Once something has landed since, this
 * cannot be told without a build; nor of another program's, which may have landed the same otherwise.
 */
async function isOfOtherBooks(
  ledger: Ledger,
  made: MadeTables,
  { connection, landedSeq }: Books['landing'],
): Promise<boolean> {
  const [builtUpTo] = (await ledger.query('select landed_seq from about'))[0] ?? []
  if (Number(builtUpTo) !== landedSeq) return false
  const landed = await landedRows(connection)
  return [...made].some(([table, rows]) => landed.has(table) && !isSame(rows, landed.get(table)))
}

/** The message of the database has more lines for some errors. */
function unreadable({ message, details: { found = message } }: TieoutError): string {
  return `ledger: it cannot be read (${(found.split('\n')[0] ?? '').replace(/\.$/, '')}); run tieout build`
}
