// What was paid in the period and stands in no figure of a return: fees that belong to no trade, and interest. Whether they
// reduce a gain or an income is for a law that the rules here do not cover; a return must not pass over them in silence.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import type { Reader } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import { entryParts } from './pnl.ts'
import { OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'

/** One sentence with the amounts by coin; none where nothing was paid. */
export async function unfiledNotes(ledger: Reader, request: ReportRequest): Promise<string[]> {
  const rows = await sums(
    ledger,
    `select coin, sum(fee) filter (not is_of_futures), sum(interest) filter (interest < 0), ${reach('fee', 'interest')}
     from ${entryParts(ledger)}
     where ${OF_ACCOUNT} and ${within('occurred_at')}
     group by coin order by coin`,
    { ...valuesOf(request), zone: request.zone },
  )
  const paid = [...inWords('fees that belong to no trade', rows, 1), ...inWords('interest', rows, 2)]
  if (paid.length === 0) return []
  return [
    `Paid, and in no figure of the return: ${paid.join('; ')} (\`report pnl\` has them). Whether it reduces anything is for the taxpayer to say.`,
  ]
}

function inWords(what: string, rows: readonly Row[], column: number): string[] {
  const amounts = rows.flatMap((row) => {
    const amount = parseAmount(String(row[column] ?? '0'))
    return amount.ok && amount.units < 0n ? [`${formatAmount(-amount.units)} ${row[0]}`] : []
  })
  return amounts.length === 0 ? [] : [`${what}, ${amounts.join(', ')}`]
}
