// Lines of a report that sum many records: a balance, a line of a statement, a line of the profit and loss.
// The sum is calculated again from the rows behind the line, of which the newest are followed.
import type { Row } from '../output/cell.ts'
import type { Period } from '../reports/period.ts'
import { entryParts, LINE_ID, lotParts } from '../reports/pnl.ts'
import { reach, sums, within } from '../reports/report.ts'
import { entryStep } from './entries.ts'
import { importedSteps, type LotBooks } from './lots.ts'
import { ask, inTurn, textOf } from './source.ts'
import { type Fields, type Step, step } from './step.ts'

/**
 * Lines of the requested period; empty if the id does not have the form of a line, or nothing was ever behind
 * it.
 */
export async function lineSteps(books: LotBooks, id: string): Promise<Step[]> {
  return [...(await walletLine(books, id)), ...(await entryLine(books, id)), ...(await lotLine(books, id))]
}

/** What a line sums: rows of `entries` or of `imported_entries` between two instants. */
interface Summed {
  readonly where: string
  readonly values: Readonly<Record<string, string | null>>
  /**
   * Where to find the amounts that the line takes from these rows, in SQL; absent if it takes the rows' own
   * amounts.
   */
  readonly counted?: string
  readonly span: Span
  /** The time that the figures are for, in words. */
  readonly when: Fields
}

type Span = Pick<Period, 'from' | 'before'>

/** `account/ledger/coin`, optionally followed by `/opening`, `/closing`, `/owed` or `/movement/kind`. */
async function walletLine(books: LotBooks, id: string): Promise<Step[]> {
  const line =
    /^(?<wallet>[^/]+\/[^/]+\/[^/]+)(\/(?<part>opening|closing|owed|movement\/(?<kind>.+)))?$/.exec(
      id,
    )?.groups
  if (line === undefined) return []
  const { wallet = '', part = 'closing', kind = null } = line
  const where = `concat_ws('/', account, ledger, coin) = $wallet and ($kind::varchar is null or kind = $kind)`
  const span = spanOf(part, books.period)
  const summed = { where, values: { wallet, kind }, span, when: { period: inWords(span) } }
  if (part === 'owed') {
    if (!['postings', 'liabilities'].every((table) => books.ledger.tables.has(table))) return []
    const when = { ...summed.when, ...(await owedBefore(books, wallet)) }
    return await entriesLine(books, id, { ...summed, when, where: `${where} and ${OF_LOANS}` })
  }
  return [...(await entriesLine(books, id, summed)), ...(await importedLine(books, id, summed))]
}

/** What the line adds to its entries: what was owed before the books began, if anything was. */
const owedBefore = async ({ ledger }: LotBooks, wallet: string): Promise<Fields> =>
  (
    await ask(
      ledger,
      `select owed_before from liabilities
       where concat_ws('/', account, ledger, coin) = $wallet and owed_before <> 0`,
      { wallet },
    )
  )[0] ?? {}

/** There is nothing before this. */
const BEFORE_ALL = '-infinity'

/**
 * A movement belongs to the period; a balance covers everything before its end, an opening balance everything
 * before its beginning.
 */
function spanOf(part: string, { from, before }: Span): Span {
  if (part === 'opening') return { from: null, before: from ?? BEFORE_ALL }
  return { from: part.startsWith('movement/') ? from : null, before }
}

function inWords({ from, before }: Span): string {
  if (before === BEFORE_ALL) return 'before all of history: use --from or --year to set where a period begins'
  const limits = [
    ...(from === null ? [] : [`from ${from}`]),
    ...(before === null ? [] : [`before ${before}`]),
  ]
  return limits.join(', ') || 'all of history'
}

/** A line of the profit and loss names its month; a period is mentioned if one was asked for. */
const narrowed = (period: Period): Fields => (period.label === '' ? {} : { period: inWords(period) })

/** Entries that borrow or repay. */
const OF_LOANS = `entry_id || '/counter' in (
  select posting_id from postings where starts_with(account_name, 'Liabilities:'))`

/** A wallet of an account known only from imports is based on their rows. */
async function importedLine(books: LotBooks, id: string, summed: Summed): Promise<Step[]> {
  const { ledger } = books
  if (!ledger.tables.has('imported_entries')) return []
  return await lineOf(
    books,
    id,
    { ...summed, table: 'imported_entries' },
    async (row) => await importedSteps(ledger, textOf(row.imported_id)),
  )
}

/** `account/month/product line/symbol/coin` of futures and interest: the entries of that month. */
async function entryLine(books: LotBooks, id: string): Promise<Step[]> {
  if (!isMonth(id)) return []
  const { ledger, period, zone } = books
  const where = `entry_id in (select entry_id from ${entryParts(ledger)} where ${LINE_ID} = $id)`
  const summed = { where, values: { id, zone }, span: period, when: narrowed(period) }
  // A line includes no more of a transfer than the network fee.
  const counted = `(select *, realised_pnl + fee + funding + interest as amount from ${entryParts(ledger)})`
  const steps = await entriesLine(books, id, { ...summed, counted })
  return steps.length > 0 ? steps : await importedLine(books, id, { ...summed, counted })
}

/** Only such an id justifies scanning everything that a line of the profit and loss may be based on. */
const isMonth = (id: string): boolean => /^.+\/\d{4}-\d{2}-01\/[^/]+\/.*\//.test(id)

async function entriesLine(books: LotBooks, id: string, summed: Summed): Promise<Step[]> {
  return await lineOf(books, id, { ...summed, table: 'entries' }, async (entry) => [
    await entryStep(books.ledger, entry),
  ])
}

/** The sum of its rows, of which the newest are followed; empty if no row ever belonged to the line. */
async function lineOf(
  { ledger, limit }: LotBooks,
  id: string,
  { table, where, values, counted, span, when }: Summed & { readonly table: string },
  below: (row: Fields) => Promise<Step[]>,
): Promise<Step[]> {
  const from = `from ${table} where ${where} and ${within('occurred_at')}`
  const all = { ...values, ...boundsOf(span) }
  const amounts =
    counted === undefined ? from : `from ${counted} where entry_id in (select entry_id ${from}) and ${where}`
  const [sum] = await sums(
    ledger,
    `select count(*), sum(amount), min(occurred_at), max(occurred_at), ${reach('amount')} ${amounts}`,
    all,
  )
  const [entries = 0, amount = null, firstAt = null, lastAt = null] = sum ?? []
  if (entries === 0) {
    const known = await ledger.query(`select 1 from ${table} where ${where} limit 1`, values)
    return known.length === 0 ? [] : [step('line', id, { ...when, entries: 0, amount: '0' })]
  }
  const newest = await ask(
    ledger,
    `select * ${from} order by occurred_at desc, entry_id desc limit ${limit}`,
    all,
  )
  const steps = (await inTurn(newest, below)).flat()
  const fields = { ...when, entries, amount, first_at: firstAt, last_at: lastAt }
  return [step('line', id, fields, { steps, omitted: Number(entries) - newest.length })]
}

/** As the values of `within`. */
const boundsOf = ({ from, before }: Span): Span => ({ from, before })

/** `account/month/LOTS/coin/currency`: the disposals of that month, each to be explained by its own id. */
async function lotLine({ matched, limit, zone, period }: LotBooks, id: string): Promise<Step[]> {
  if (!isMonth(id) || !matched.tables.has('disposals')) return []
  const from = `from ${lotParts()} where ${LINE_ID} = $id`
  const disposals = await sums(
    matched,
    `select disposal_id, min(occurred_at), sum(quantity), sum(proceeds), sum(cost_basis), sum(realised_pnl), count(*),
       ${reach('quantity', 'proceeds', 'cost_basis', 'realised_pnl')}
     ${from} and ${within('occurred_at')}
     group by disposal_id order by min(occurred_at) desc, disposal_id desc`,
    { id, zone, ...boundsOf(period) },
  )
  const known = disposals[0] ?? (await matched.query(`select 1 ${from} limit 1`, { id, zone }))[0]
  if (known === undefined) return []
  const steps = disposals.slice(0, limit).map(shallow)
  const fields = { ...narrowed(period), disposals: disposals.length }
  return [step('line', id, fields, { steps, omitted: disposals.length - steps.length })]
}

const SHALLOW = ['disposed_at', 'quantity', 'proceeds', 'cost_basis', 'gain', 'pieces']

function shallow([id, ...cells]: Row): Step {
  const named = cells.map((cell, at) => [SHALLOW[at] as string, cell] as const)
  return step('disposal', String(id), Object.fromEntries(named.filter(([, cell]) => cell !== null)))
}
