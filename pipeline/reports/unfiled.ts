// What is in no figure of a return: fees that belong to no trade and interest, to the extent that they were
// paid, and what liquidations outside futures took or made good. Whether it counts depends on law that the
// rules here do not cover, but a return must not omit it silently.
import { formatAmount, parseAmount } from '../../models/amount.ts'
import type { Reader } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import { entryParts } from './pnl.ts'
import { OF_ACCOUNT, type ReportRequest, reach, sums, valuesOf, within } from './report.ts'

/**
 * One sentence for what was paid and one for liquidations, with the amounts by coin; none if there is nothing
 * to report.
 */
export async function unfiledNotes(ledger: Reader, request: ReportRequest): Promise<string[]> {
  const rows = await sums(
    ledger,
    `select coin, sum(fee) filter (not is_of_futures), sum(interest) filter (interest < 0),
       sum(realised_pnl) filter (not is_of_futures), ${reach('fee', 'interest', 'realised_pnl')}
     from ${entryParts(ledger)}
     where ${OF_ACCOUNT} and ${within('occurred_at')}
     group by coin order by coin`,
    { ...valuesOf(request), zone: request.zone },
  )
  const paid = [
    ...inWords('fees that belong to no trade', ofEach(rows, 1, isPaid)),
    ...inWords('interest', ofEach(rows, 2, isPaid)),
  ]
  const results = ofEach(rows, 3, (units) => units !== 0n)
  return [
    ...(paid.length === 0
      ? []
      : [
          `Paid, but not included as a cost in any figure of the return: ${paid.join('; ')} (\`report pnl\` lists them). Whether it reduces anything is for the taxpayer to decide; coins that were paid are disposals like any others.`,
        ]),
    ...(results.length === 0
      ? []
      : [
          `What liquidations outside futures took or made good is not included in any figure of the return: ${results.map(inCoin).join(', ')} (\`report pnl\` lists it). ` +
            'Whether it counts is for the taxpayer to decide.',
        ]),
  ]
}

interface CoinAmount {
  readonly units: bigint
  readonly coin: string
}

const isPaid = (units: bigint): boolean => units < 0n

/** The amounts of a column that pass the test, with their coins. */
function ofEach(rows: readonly Row[], column: number, counts: (units: bigint) => boolean): CoinAmount[] {
  return rows.flatMap((row) => {
    const amount = parseAmount(String(row[column] ?? '0'))
    return amount.ok && counts(amount.units) ? [{ units: amount.units, coin: String(row[0]) }] : []
  })
}

const inCoin = ({ units, coin }: CoinAmount): string => `${formatAmount(units)} ${coin}`

function inWords(what: string, paid: readonly CoinAmount[]): string[] {
  const amounts = paid.map(({ units, coin }) => inCoin({ units: -units, coin }))
  return amounts.length === 0 ? [] : [`${what}, ${amounts.join(', ')}`]
}
