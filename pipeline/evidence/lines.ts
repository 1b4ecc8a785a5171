// Lines of a report that sum many records: a balance, a line of a statement, a line of the profit and loss. The sum is
// made again from what the line rests on, of which the newest are followed.
import type { Row } from '../output/cell.ts'
import { entryParts, LINE_ID, lotParts } from '../reports/pnl.ts'
import { reach, sums } from '../reports/report.ts'
import { entryStep } from './entries.ts'
import { importedSteps, type LotBooks } from './lots.ts'
import { ask, inTurn, textOf } from './source.ts'
import { type Step, step } from './step.ts'

/** Lines over all of history; none when the id is not of the form of a line, or nothing stands behind it. */
export async function lineSteps(books: LotBooks, id: string): Promise<Step[]> {
  return [...(await walletLine(books, id)), ...(await entryLine(books, id)), ...(await lotLine(books, id))]
}

/** `account/ledger/coin`, or with `/opening`, `/closing`, `/owed` or `/movement/kind` behind it. */
async function walletLine(books: LotBooks, id: string): Promise<Step[]> {
  const line =
    /^(?<wallet>[^/]+\/[^/]+\/[^/]+)(\/(opening|closing|(?<owed>owed)|movement\/(?<kind>.+)))?$/.exec(
      id,
    )?.groups
  if (line === undefined) return []
  const where = `concat_ws('/', account, ledger, coin) = $wallet and ($kind::varchar is null or kind = $kind)`
  const values = { wallet: line.wallet as string, kind: line.kind ?? null }
  if (line.owed !== undefined)
    return books.ledger.tables.has('postings')
      ? await entriesLine(books, id, `${where} and ${OF_LOANS}`, values)
      : []
  return [...(await entriesLine(books, id, where, values)), ...(await importedLine(books, id, where, values))]
}

/** Entries that borrow or give back. */
const OF_LOANS = `entry_id || '/counter' in (
  select posting_id from postings where starts_with(account_name, 'Liabilities:'))`

/** A wallet of an account that imports alone tell of rests on their rows. */
async function importedLine(
  { ledger, limit }: LotBooks,
  id: string,
  where: string,
  values: Record<string, string | null>,
): Promise<Step[]> {
  if (!ledger.tables.has('imported_entries')) return []
  const from = `from imported_entries where ${where}`
  const [sum] = await sums(
    ledger,
    `select count(*), sum(amount), min(occurred_at), max(occurred_at), ${reach('amount')} ${from}`,
    values,
  )
  const [rows = 0, amount = null, firstAt = null, lastAt = null] = sum ?? []
  if (rows === 0) return []
  const newest = await ask(
    ledger,
    `select imported_id ${from} order by occurred_at desc, entry_id desc limit ${limit}`,
    values,
  )
  const steps = (await inTurn(newest, (row) => importedSteps(ledger, textOf(row.imported_id)))).flat()
  const fields = { entries: rows, amount, first_at: firstAt, last_at: lastAt }
  return [step('line', id, fields, { steps, omitted: Number(rows) - newest.length })]
}

/** `account/month/product line/symbol/coin` of futures and interest: the entries of that month. */
async function entryLine(books: LotBooks, id: string): Promise<Step[]> {
  const where = `entry_id in (select entry_id from ${entryParts()} where ${LINE_ID} = $id)`
  return isMonth(id) ? await entriesLine(books, id, where, { id, zone: books.zone }) : []
}

/** Only such an id is worth the look at all that a line of the profit and loss may rest on. */
const isMonth = (id: string): boolean => /^.+\/\d{4}-\d{2}-01\/[^/]+\/.*\//.test(id)

async function entriesLine(
  { ledger, limit }: LotBooks,
  id: string,
  where: string,
  values: Record<string, string | null>,
): Promise<Step[]> {
  const [sum] = await sums(
    ledger,
    `select count(*), sum(amount), min(occurred_at), max(occurred_at), ${reach('amount')} from entries where ${where}`,
    values,
  )
  const [entries = 0, amount = null, firstAt = null, lastAt = null] = sum ?? []
  if (entries === 0) return []
  const newest = await ask(
    ledger,
    `select * from entries where ${where} order by occurred_at desc, entry_id desc limit ${limit}`,
    values,
  )
  const steps = await inTurn(newest, (entry) => entryStep(ledger, entry))
  const fields = { entries, amount, first_at: firstAt, last_at: lastAt }
  return [step('line', id, fields, { steps, omitted: Number(entries) - steps.length })]
}

/** `account/month/LOTS/coin/currency`: the disposals of that month, each to be explained by its own id. */
async function lotLine({ matched, limit, zone }: LotBooks, id: string): Promise<Step[]> {
  if (!isMonth(id) || !matched.tables.has('disposals')) return []
  const disposals = await sums(
    matched,
    `select disposal_id, min(occurred_at), sum(quantity), sum(proceeds), sum(cost_basis), sum(realised_pnl), count(*),
       ${reach('quantity', 'proceeds', 'cost_basis', 'realised_pnl')}
     from ${lotParts()}
     where ${LINE_ID} = $id
     group by disposal_id order by min(occurred_at) desc, disposal_id desc`,
    { id, zone },
  )
  if (disposals.length === 0) return []
  const steps = disposals.slice(0, limit).map(shallow)
  return [
    step('line', id, { disposals: disposals.length }, { steps, omitted: disposals.length - steps.length }),
  ]
}

const SHALLOW = ['disposed_at', 'quantity', 'proceeds', 'cost_basis', 'gain', 'pieces']

function shallow([id, ...cells]: Row): Step {
  const named = cells.map((cell, at) => [SHALLOW[at] as string, cell] as const)
  return step('disposal', String(id), Object.fromEntries(named.filter(([, cell]) => cell !== null)))
}
