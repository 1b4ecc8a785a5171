// Lots and gains: what is held and what it cost, and what was disposed of, piece by piece, as published.
import type { Reader } from '../../ledger/reader.ts'
import { publishedMatching } from '../../reports/disposals.ts'
import { startOfYear, type TaxCalendar, utcCalendar } from '../../rules/calendar.ts'
import { calendarOf } from '../../rules/catalogue.ts'
import { lawOf } from '../../rules/matching.ts'
import type {
  DisposalRow,
  Gains,
  GainTotalRow,
  HoldingRow,
  LotRow,
  Lots,
  Matching,
  UnknownBasisRow,
} from '../api.ts'
import { behind, type Key, LIMIT, orderBy, pageOf, withinReach } from '../keyset.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf, written } from '../question.ts'
import { Refusal } from '../refusal.ts'
import { type Filters, periodOf } from './filters.ts'

const UNKNOWN = '-infinity'

/** An extra column after those of a page: the row's position in the file, for the cursor. It says nothing about lots, so no CSV has it. */
const PLACE = 'rowid'

const lotKeys: readonly Key[] = [
  { sql: 'account', type: 'varchar', order: 'asc', of: (row: LotRow) => row.account },
  { sql: 'coin', type: 'varchar', order: 'asc', of: (row: LotRow) => row.coin },
  {
    sql: `coalesce(acquired_at, '${UNKNOWN}'::timestamptz)`,
    type: 'timestamptz',
    order: 'asc',
    of: (row: LotRow) => row.acquired_at ?? UNKNOWN,
  },
  { sql: PLACE, type: 'bigint', order: 'asc', of: (row: LotRow) => row.rowid },
]

const LOT_COLUMNS = 'account, coin, method, acquired_at, quantity_left, cost_basis_left, currency, lot_id'

const lotConditions = ({ account, coin }: Filters): Conditions =>
  new Conditions().oneOf('account', account).oneOf('coin', coin)

export function lotsQuestion(filters: Filters): Question {
  const conditions = lotConditions(filters)
  return question(
    `select ${LOT_COLUMNS}\nfrom lots\n${conditions.where}\n${orderBy(lotKeys)}`,
    conditions.values,
  )
}

export function holdingsQuestion(filters: Filters): Question {
  const conditions = lotConditions(filters)
  return question(
    `
    select account, coin, count(*) as lots, sum(quantity_left) as quantity_left, sum(cost_basis_left) as cost_basis_left,
      any_value(currency) as currency,
      coalesce(sum(quantity_left) filter (cost_basis_left is null), 0) as quantity_without_basis
    from lots
    ${conditions.where}
    group by account, coin
    order by account, coin`,
    conditions.values,
  )
}

export function unknownBasisQuestion(filters: Filters): Question {
  const conditions = lotConditions(filters)
  return question(
    `
    select account, coin, quantity, unvalued_quantity, disposals
    from unknown_basis
    ${conditions.where}
    order by account, coin`,
    conditions.values,
  )
}

export async function lots({ ledger, stamp }: Edition, filters: Filters): Promise<Lots> {
  const conditions = lotConditions(filters)
  behind(conditions, lotKeys, filters.cursor, stamp)
  const asked = question(
    `select ${LOT_COLUMNS}, ${PLACE}\nfrom lots\n${conditions.where}\n${orderBy(lotKeys)}\n${LIMIT}`,
    conditions.values,
  )
  return {
    stamp,
    lots: await pageOf<LotRow>(ledger, asked, lotKeys, stamp),
    holdings: await rowsOf<HoldingRow>(ledger, holdingsQuestion(filters)),
    unknownBasis: await rowsOf<UnknownBasisRow>(ledger, unknownBasisQuestion(filters)),
    matching: await matchingOf(ledger),
  }
}

/** How the published lots were matched; null if they were not. */
async function matchingOf(ledger: Reader): Promise<Matching | null> {
  const matching = await publishedMatching(ledger)
  if (matching === null) return null
  const { method, scope, rules, timeZone } = matching
  return { method, scope, rules, time_zone: timeZone }
}

const disposedAt: Key = {
  sql: 'disposed_at',
  type: 'timestamptz',
  order: 'desc',
  of: (row: DisposalRow) => row.disposed_at,
}

const pieceKeys: readonly Key[] = [
  disposedAt,
  { sql: PLACE, type: 'bigint', order: 'desc', of: (row: DisposalRow) => row.rowid },
]

const PIECE_COLUMNS = `account, coin, method, rules, disposed_at, acquired_at, quantity, proceeds, cost_basis, denied_loss, gain,
  currency, holding_days, term, disposal_id, lot_id`

/** Those of `report gains`; books of an earlier version have no fees apart. */
const pieceColumns = (ledger: Pick<Reader, 'tables'>): string =>
  hasFees(ledger) ? `${PIECE_COLUMNS}, fees` : PIECE_COLUMNS

const hasFees = ({ tables }: Pick<Reader, 'tables'>): boolean =>
  tables.get('disposals')?.includes('fees') === true

const sumsOf = (ledger: Pick<Reader, 'tables'>): string =>
  `sum(proceeds) as proceeds,${hasFees(ledger) ? ' sum(fees) as fees,' : ''} sum(cost_basis) as cost_basis,
      sum(denied_loss) as denied_loss, sum(gain) as gain`

/** The days and years of the rules that the published lots follow. */
async function publishedCalendar(ledger: Reader): Promise<TaxCalendar> {
  const matching = await publishedMatching(ledger)
  return matching === null ? utcCalendar : calendarOf(lawOf({ rules: matching.rules }), matching.timeZone)
}

function pieceConditions(filters: Filters, calendar: TaxCalendar): Conditions {
  const { account, coin, term, known } = filters
  const conditions = new Conditions()
    .oneOf('account', account)
    .oneOf('coin', coin)
    .oneOf('term', term)
    .within('disposed_at', periodOf(filters, calendar))
  if (known === undefined) return conditions
  if (known !== 'yes' && known !== 'no') {
    throw new Refusal(400, 'A gain is known or it is not.', {
      where: 'known',
      expected: 'yes or no',
      found: known,
      action: 'Correct it.',
    })
  }
  return conditions.add(known === 'yes' ? 'gain is not null' : 'gain is null')
}

export async function piecesQuestion({ ledger }: Edition, filters: Filters): Promise<Question> {
  const conditions = pieceConditions(filters, await publishedCalendar(ledger))
  return question(
    `select ${pieceColumns(ledger)}\nfrom disposals\n${conditions.where}\n${orderBy(pieceKeys)}`,
    conditions.values,
  )
}

export async function gainTotalsQuestion({ ledger }: Edition, filters: Filters): Promise<Question> {
  const conditions = pieceConditions(filters, await publishedCalendar(ledger))
  return question(
    `
    select coin, currency, term, gain is not null as is_known, count(*) as pieces, sum(quantity) as quantity,
      ${sumsOf(ledger)}
    from disposals
    ${conditions.where}
    group by coin, currency, term, gain is not null
    order by coin, currency, term, is_known`,
    conditions.values,
  )
}

/** Money of all coins together; their quantities cannot be added. */
async function gainsTogetherQuestion({ ledger }: Edition, filters: Filters): Promise<Question> {
  const conditions = pieceConditions(filters, await publishedCalendar(ledger))
  return question(
    `
    select currency, term, gain is not null as is_known, count(*) as pieces,
      ${sumsOf(ledger)}
    from disposals
    ${conditions.where}
    group by currency, term, gain is not null
    order by currency, term, is_known`,
    conditions.values,
  )
}

export async function gains(edition: Edition, filters: Filters): Promise<Gains> {
  const { ledger, stamp } = edition
  const calendar = await publishedCalendar(ledger)
  const conditions = pieceConditions(filters, calendar)
  const { where } = conditions
  const place = behind(conditions, pieceKeys, filters.cursor, stamp)
  const asked = (): Question =>
    question(
      `select ${pieceColumns(ledger)}, ${PLACE}\nfrom disposals\n${conditions.where}\n${orderBy(pieceKeys)}\n${LIMIT}`,
      conditions.values,
    )
  const sql = written(asked())
  withinReach(conditions, disposedAt, { table: 'disposals', where, place })
  return {
    stamp,
    pieces: { ...(await pageOf<DisposalRow>(ledger, asked(), pieceKeys, stamp)), sql },
    totals: await rowsOf<GainTotalRow>(ledger, await gainTotalsQuestion(edition, filters)),
    together: await rowsOf<Gains['together']['rows'][number]>(
      ledger,
      await gainsTogetherQuestion(edition, filters),
    ),
    years: await yearsOf(ledger, calendar),
    matching: await matchingOf(ledger),
  }
}

/** Tax years from the last disposal back to the first. */
async function yearsOf(ledger: Reader, calendar: TaxCalendar): Promise<number[]> {
  const [row] = await ledger.query('select min(disposed_at), max(disposed_at) from disposals')
  const [first, last] = row ?? []
  if (typeof first !== 'string' || typeof last !== 'string') return []
  const years: number[] = []
  for (let year = yearAt(last, calendar); year >= yearAt(first, calendar); year -= 1) years.push(year)
  return years
}

/** The calendar year in which the tax year of an instant begins. */
function yearAt(at: string, calendar: TaxCalendar): number {
  const ms = Date.parse(at)
  let year = new Date(ms).getUTCFullYear() + 1
  while (startOfYear(calendar, year) > ms) year -= 1
  return year
}
