// The disposals of one tax year, summed as returns require: disposals above and below their cost, pieces by
// term, and unknown gains separately. If only part of a disposal's gain is known, its known pieces count, as
// in the report of gains, so that every amount is in exactly one sum.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Cell, Row } from '../output/cell.ts'
import { calendarOf } from '../rules/catalogue.ts'
import { nothing, type Sums, type Totals } from '../rules/figures.ts'
import type { Law } from '../rules/law.ts'
import type { LotChoice } from '../rules/matching.ts'
import { OF_ACCOUNT, reach, sums, within } from './report.ts'

/**
 * Rows of `disposals` in the period, with a flag for those that are unknown. Under rules with terms, a piece
 * without a term is unknown. If the form has whole units, each amount is rounded to them (half away from
 * zero) and the gain is calculated from the rounded amounts, so that lines and totals agree.
 */
export const PIECES = `
  select * replace (
      case when $rounds then round(proceeds, 0)::decimal(38, 18) else proceeds end as proceeds,
      case when $rounds then round(cost_basis, 0)::decimal(38, 18) else cost_basis end as cost_basis,
      case when $rounds then round(denied_loss, 0)::decimal(38, 18) else denied_loss end as denied_loss,
      case
        when $rounds and gain is not null
        then (round(proceeds, 0) - round(cost_basis, 0) + coalesce(round(denied_loss, 0), 0))::decimal(38, 18)
        else gain
      end as gain
    ),
    gain is null or ($has_terms and term is null) as is_unknown
  from disposals
  where ${OF_ACCOUNT} and ${within('disposed_at')}
    and ($currency::varchar is null or currency is null or currency = $currency)`

/**
 * The same with the fees of the disposals as `charged`. If the form has them apart, proceeds are those before
 * fees. Otherwise they are not read: a ledger of an earlier version does not have them.
 */
const charged = (feesApart: boolean): string =>
  feesApart
    ? `select * replace (proceeds + fees as proceeds), fees as charged from (${PIECES})`
    : `select *, 0::decimal(38, 18) as charged from (${PIECES})`

const SUMMED = `count(*), sum(proceeds), sum(charged), sum(cost_basis), coalesce(sum(denied_loss), 0), sum(gain),
  ${reach('proceeds', 'charged', 'cost_basis', 'denied_loss', 'gain')}`

/**
 * The zone in whose days disposals are merged, for the value `$day_zone`; null under a law that keeps each
 * separate.
 */
export const dayZoneOf = (law: Law, { timeZone }: Pick<LotChoice, 'timeZone'>): string | null =>
  law.takesDayAsOne ? calendarOf(law, timeZone).timeZone : null

/**
 * What makes pieces one disposal: sales of borrowed coins are matched one by one, however the law treats
 * their day.
 */
const DISPOSAL = `coin, case when $day_zone::varchar is null then account end,
  case when $day_zone::varchar is null then disposal_id
    else cast(cast(timezone($day_zone::varchar, disposed_at) as date) as varchar) end`

/**
 * `values` are those of a report, with `currency`, `has_terms`, `rounds` and `day_zone`. `feesApart` is that of
 * the law; without it, proceeds are net of fees.
 */
export async function yearSums(reader: Reader, values: Values, feesApart = false): Promise<Sums> {
  const pieces = charged(feesApart)
  const { day_zone: _, ...ofPieces } = values
  const known = await sums(
    reader,
    `with pieces as (${pieces}),
     known as (
       select sum(proceeds) as proceeds, sum(charged) as charged, sum(cost_basis) as cost_basis, sum(denied_loss) as denied_loss,
         sum(gain) as gain
       from pieces where not is_unknown group by ${DISPOSAL}
     )
     select gain < 0, ${SUMMED} from known group by 1`,
    values,
  )
  const byTerm = await sums(
    reader,
    `with pieces as (${pieces}) select term, ${SUMMED} from pieces where not is_unknown group by 1`,
    ofPieces,
  )
  const [unknown] = await sums(
    reader,
    `with pieces as (${pieces}),
     lacking as (
       select bool_or(not is_unknown) as is_partly, bool_or(is_unknown and term is distinct from 'long') as is_not_long,
         sum(proceeds) filter (is_unknown) as proceeds
       from pieces group by ${DISPOSAL} having bool_or(is_unknown)
     )
     select count(*), count(*) filter (is_partly), count(*) filter (is_not_long), sum(proceeds), ${reach('proceeds')}
     from lacking`,
    values,
  )
  const ofTerm = (term: string) => totalsOf(byTerm.find((row) => row[0] === term))
  return {
    gains: totalsOf(known.find((row) => row[0] === false)),
    losses: totalsOf(known.find((row) => row[0] === true)),
    short: ofTerm('short'),
    long: ofTerm('long'),
    unknown: {
      count: Number(unknown?.[0] ?? 0),
      partly: Number(unknown?.[1] ?? 0),
      notLong: Number(unknown?.[2] ?? 0),
      proceeds: unitsOf(unknown?.[3]),
    },
  }
}

/** Whether every gain that counts is known. */
export const isKnown = ({ longIsFree }: Law, { unknown }: Sums): boolean =>
  (longIsFree ? unknown.notLong : unknown.count) === 0

/** If lines are in whole units, their sum differs from that of `report gains`; this states both. */
export async function roundingNotes(reader: Reader, values: Values): Promise<string[]> {
  if (values.rounds !== true) return []
  const gain = async (rounds: boolean): Promise<Row> => {
    const { account = null, from = null, before = null, currency = null, has_terms = null } = values
    const [row = []] = await sums(
      reader,
      `with pieces as (${PIECES}) select sum(gain), min(currency), ${reach('gain')} from pieces where not is_unknown`,
      { account, from, before, currency, has_terms, rounds },
    )
    return row
  }
  const [[rounded, currency = null], [exact]] = [await gain(true), await gain(false)]
  if (unitsOf(rounded) === unitsOf(exact)) return []
  const of = (cell: Cell | undefined): string => formatAmount(unitsOf(cell))
  return [
    `Amounts are rounded line by line, as the form requires: gains and losses total ${of(rounded)} ${currency}; unrounded, they ` +
      `total ${of(exact)}, as in \`report gains\` under the same rules.`,
  ]
}

function totalsOf(row: Row | undefined): Totals {
  if (row === undefined) return nothing
  const [, count, proceeds, fees, costBasis, deniedLoss, gain] = row
  return {
    count: Number(count),
    proceeds: unitsOf(proceeds),
    fees: unitsOf(fees),
    costBasis: unitsOf(costBasis),
    deniedLoss: unitsOf(deniedLoss),
    gain: unitsOf(gain),
  }
}

/** The sum over no rows is null, read as zero; cells are amounts that the database wrote. */
function unitsOf(cell: unknown): bigint {
  const amount = parseAmount(String(cell ?? '0'))
  if (amount.ok) return amount.units
  throw new RangeError(`A sum of disposals is ${String(cell)}: ${amount.problem}.`)
}
