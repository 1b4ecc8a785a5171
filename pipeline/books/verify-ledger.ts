// Whether the published ledger is what a build made of these books: all of it can be read, each table has the rows that
// the ledger records for it, and it was built from what has landed. Nothing is rebuilt for this; `verify --rebuild`
// does that.
import { TieoutError, UsageError } from '../../models/error.ts'
import type { CommandContext } from '../config/context.ts'
import { askMade, askPublished, type MadeTables, ORIGIN } from '../ledger/kept.ts'
import { landedRows } from '../ledger/landed.ts'
import { isOfThisProgram, type Ledger, NoLedger, openLedger } from '../ledger/ledger.ts'
import { isSame, NO_ROWS, type Rows } from '../ledger/rows.ts'
import type { Books } from './books.ts'

export interface LedgerFound {
  /** Tables that were read completely; null if no ledger is published, or it cannot be read. */
  readonly tables: number | null
  readonly problems: readonly string[]
}

/** `isErasing`: the ledger may depend on rows since removed from landing, which the caller reports. */
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
      // `sync` without `build` is allowed.
      if (landing.landedSeq > 0) tell(NOT_PUBLISHED)
      return { tables: null, problems: [] }
    }
    // The reader's own limits (permissions, memory) prove nothing about the file.
    if (!(cause instanceof TieoutError) || cause instanceof UsageError) throw cause
    return { tables: null, problems: [unreadable(cause)] }
  }
}

const NOT_PUBLISHED =
  'There is no published ledger (ledger.duckdb) of what has landed, so none was verified. Run `tieout build` to create it.'

async function readThrough(
  ledger: Ledger,
  landing: Books['landing'],
  isErasing: boolean,
): Promise<LedgerFound> {
  const isThere = (table: string): boolean => ledger.tables.has(table.slice('main.'.length))
  if (!isThere('main.made_tables'))
    return {
      tables: null,
      problems: ['ledger: it has no record of how its tables were built; run tieout build'],
    }
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

/** For the origin table, the ledger records its inputs and not its rows. */
const differs = (table: string, made: MadeTables, found: ReadonlyMap<string, Rows>): boolean =>
  !found.has(table) || (table !== ORIGIN && !isSame(made.get(table), found.get(table)))

function problemOf(table: string, made: Rows, found: Rows | undefined): string {
  if (found === undefined) return `ledger: table ${table} is not there; run tieout build --full`
  const differ = `does not hold the rows that the build wrote (${made.count} then, ${found.count} now)`
  return `ledger: table ${table} ${differ}; run tieout build --full`
}

/** Such tables cannot be told from ones that were changed later, and a build corrects both. */
const othersHashes = (count: number): string =>
  `ledger: another version of tieout built it, and ${count} of its tables ${count === 1 ? 'has' : 'have'} a different hash from the one that version recorded, which may have been computed differently; run tieout build`

const FOREIGN =
  'ledger: it was built from rows other than those that have landed here, so it may belong to other books; run tieout build --full'

/**
 * Whether a ledger of this program was built from other rows than those that have landed. Once more has landed, this
 * cannot be told without a build. Nor can it be told for another version's ledger, which may have landed the same data
 * differently.
 */
async function isOfOtherBooks(
  ledger: Ledger,
  made: MadeTables,
  { connection, landedSeq }: Books['landing'],
): Promise<boolean> {
  const [builtUpTo] = (await ledger.query('select landed_seq from about'))[0] ?? []
  if (Number(builtUpTo) !== landedSeq) return false
  const { landed } = await landedRows(connection)
  return [...made].some(([table, rows]) => landed.has(table) && !isSame(rows, landed.get(table)))
}

/** For some errors the database's message has several lines. */
function unreadable({ message, details: { found = message } }: TieoutError): string {
  return `ledger: it cannot be read (${(found.split('\n')[0] ?? '').replace(/\.$/, '')}); run tieout build --full`
}
