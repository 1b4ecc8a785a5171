// The futures section of a return: results, fees and funding of the tax year, as booked in each margin coin
// and in total at each amount's value at its time. Whether and how they count depends on the rule that each
// line names; none of it is included in the figures of the return.
import { counted } from '../../models/text.ts'
import type { Reader } from '../ledger/reader.ts'
import type { Cell, Row } from '../output/cell.ts'
import type { Law } from '../rules/law.ts'
import { entryParts } from './pnl.ts'
import { addAmounts, OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'

export interface YearFutures {
  /** In the columns of `report taxes`. */
  readonly rows: readonly Row[]
  readonly warnings: readonly string[]
}

const FORM = 'Futures (not part of the figures above)'
const IN_COIN = ['results of positions', 'fees', 'funding', 'net'] as const
/** Some laws treat losses differently from gains, and their returns ask for the two separately. */
const VALUED = [
  'results above zero',
  'results below zero',
  'results of positions',
  'fees',
  'funding',
  'net',
] as const

/** From every account, or the requested one; each result, fee and funding payment appears here once. */
export async function yearFutures(
  ledger: Reader,
  request: ReportRequest,
  law: Law,
  year: number,
): Promise<YearFutures> {
  const values = { ...valuesOf(request), zone: request.zone }
  const ofYear = `from ${entryParts(ledger)} as parts
    where ${OF_ACCOUNT} and ${within('occurred_at')} and is_of_futures`
  const found = await sums(
    ledger,
    `select product_line, coin, sum(realised_pnl), sum(fee), sum(funding), sum(realised_pnl) + sum(fee) + sum(funding),
       ${reach('realised_pnl', 'fee', 'funding')}
     ${ofYear} group by product_line, coin order by product_line, coin`,
    values,
  )
  const { rule, source, fromYear } = law.futures
  const holds =
    fromYear === null || year >= fromYear ? `${rule} (${source})` : `before ${fromYear}: not covered`
  const row = (figure: string, value: string | null, currency: Cell): Row => [
    law.name,
    request.period.label,
    FORM,
    null,
    figure,
    value,
    currency,
    holds,
  ]
  const inCoins = found.flatMap(([line, coin, ...amounts]) =>
    IN_COIN.map((figure, at) => row(`${line}: ${figure}`, addAmounts([amounts[at]]) ?? '0', coin ?? null)),
  )
  // Books of an earlier version have no values of entries.
  if (found.length === 0 || !ledger.tables.has('entry_values')) return { rows: inCoins, warnings: [] }
  const [together = []] = await sums(
    ledger,
    `select sum(value) filter (realised_pnl > 0), sum(value) filter (realised_pnl < 0),
       sum(value) filter (realised_pnl <> 0), sum(value) filter (fee <> 0), sum(value) filter (funding <> 0), sum(value),
       min(currency), count(*), count(*) filter (value is null), ${reach('value')}
     from (
       select parts.realised_pnl, parts.fee, parts.funding, entry_values.value, entry_values.currency
       from (select * ${ofYear} and (realised_pnl <> 0 or fee <> 0 or funding <> 0)) as parts
       left join entry_values on entry_values.entry_id = parts.entry_id
     )`,
    values,
  )
  const [currency, count, unknown] = [together[6] ?? null, Number(together[7]), Number(together[8])]
  const valued = VALUED.map((figure, at) =>
    row(
      `all, valued at their time: ${figure}`,
      unknown > 0 ? null : (addAmounts([together[at] ?? null]) ?? '0'),
      currency,
    ),
  )
  // Figures that can be filed come first: a long table is shortened on a terminal.
  return { rows: [...valued, ...inCoins], warnings: unknown === 0 ? [] : [withoutValue(unknown, count)] }
}

const withoutValue = (unknown: number, count: number): string =>
  `INCOMPLETE: ${unknown} of ${counted(count, 'amount')} of futures ${unknown === 1 ? 'has' : 'have'} no known value, so there are no futures figures in a single ` +
  'currency. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).'
