// The section of a return for futures: results, fees and funding of the tax year, as they were booked in each margin coin, and
// together at what each was worth in its moment. Whether and how they count is for the rule that each line names; none of it
// is in the figures of the return.
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
/** What a law may treat otherwise than gains are losses: a return asks for them apart. */
const VALUED = [
  'results above zero',
  'results below zero',
  'results of positions',
  'fees',
  'funding',
  'net',
] as const

/** From every account, or the one that is asked for: each result, fee and funding stands here once. */
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
  // What can be filed comes first: a long table is shortened on a terminal.
  return { rows: [...valued, ...inCoins], warnings: unknown === 0 ? [] : [withoutValue(unknown, count)] }
}

const withoutValue = (unknown: number, count: number): string =>
  `INCOMPLETE: ${unknown} of ${counted(count, 'amount')} of futures ${unknown === 1 ? 'has' : 'have'} no known value, so that futures have no figures in one ` +
  'currency. Import prices (`tieout import prices`), or fetch them (`tieout prices fetch`).'
