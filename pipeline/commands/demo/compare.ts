// Compares the published ledger with the sandbox's truth: every balance, loan, futures figure and record count, exact to the
// last digit. A figure missing on one side counts as zero there.
import { formatAmount, parseAmount } from '../../../models/amount.ts'
import type { Truth } from '../../../sandbox/index.ts'
import { feedRecords } from '../../ledger/feeds.ts'
import { type Ledger, openLedger } from '../../ledger/ledger.ts'

export interface Difference {
  readonly what: string
  readonly truth: string
  readonly ledger: string
}

export interface Comparison {
  readonly balances: number
  readonly loans: number
  /** Null if they were not compared. */
  readonly futuresFigures: number | null
  readonly records: number
  readonly differences: readonly Difference[]
}

/** `isWhole` is false if the history began before what the venue remembers; then only the sandbox knows the futures figures. */
export async function compareWithTruth(dir: string, truth: Truth, isWhole = true): Promise<Comparison> {
  const ledger = await openLedger(dir)
  try {
    const differences: Difference[] = []
    const balances = await compareFigures(ledger, BALANCES, truthBalances(truth), differences)
    const loans = await compareFigures(ledger, LOANS, truthLoans(truth), differences)
    const futuresFigures = isWhole
      ? await compareFigures(ledger, FUTURES, truthFutures(truth), differences)
      : null
    const records = await compareFigures(ledger, recordCounts(truth), truthRecords(truth), differences)
    return { balances, loans, futuresFigures, records, differences }
  } finally {
    ledger.close()
  }
}

/** An account known only from imports has no uid and is not part of the sandbox's truth. */
const BALANCES = `
  select 'balance of ' || accounts.uid || ' ' || ledger || ' ' || coin, cast(quantity as varchar)
  from balances join accounts using (account)
  where accounts.uid is not null`

const LOANS = `
  select 'loan of ' || accounts.uid || ' ' || ledger || ' ' || coin, cast(quantity as varchar)
  from liabilities join accounts using (account)
  where accounts.uid is not null`

const FUTURES = `
  with totals as (
    select uid, product_type, symbol, margin_coin,
      sum(realised_pnl) as pnl, sum(funding) as funding_total, sum(fees) as fees_total
    from futures_pnl join accounts using (account)
    group by all
  )
  select concat_ws(' ', 'futures PnL of', uid, product_type, symbol, margin_coin), cast(pnl as varchar) from totals
  union all
  select concat_ws(' ', 'funding of', uid, product_type, symbol, margin_coin), cast(funding_total as varchar) from totals
  union all
  select concat_ws(' ', 'futures fees of', uid, product_type, symbol, margin_coin), cast(fees_total as varchar) from totals`

/** Record counts of the feeds whose records the truth counts. */
function recordCounts(truth: Truth): string {
  const counted = new Set(truth.accounts.flatMap(({ records }) => Object.keys(records)))
  return feedRecords
    .filter(({ feed }) => counted.has(feed))
    .map(
      ({ feed, record }) =>
        `select '${feed} of ' || uid, cast(count(*) as varchar)
         from ${record.table} join accounts using (account) where is_current group by uid`,
    )
    .join(' union all ')
}

function truthBalances(truth: Truth): Map<string, string> {
  return new Map(
    truth.accounts.flatMap(({ uid, balances }) =>
      balances.map(
        ({ ledger, coin, quantity }) => [`balance of ${uid} ${ledger} ${coin}`, quantity] as const,
      ),
    ),
  )
}

function truthLoans(truth: Truth): Map<string, string> {
  return new Map(
    truth.accounts.flatMap(({ uid, loans }) =>
      loans.map(({ ledger, coin, quantity }) => [`loan of ${uid} ${ledger} ${coin}`, quantity] as const),
    ),
  )
}

function truthFutures(truth: Truth): Map<string, string> {
  return new Map(
    truth.accounts.flatMap(({ uid, futuresPnl }) =>
      futuresPnl.flatMap(({ productType, symbol, marginCoin, realisedPnl, funding, fees }) => {
        const of = `${uid} ${productType} ${symbol} ${marginCoin}`
        return [
          [`futures PnL of ${of}`, realisedPnl],
          [`funding of ${of}`, funding],
          [`futures fees of ${of}`, fees],
        ] as const
      }),
    ),
  )
}

function truthRecords(truth: Truth): Map<string, string> {
  return new Map(
    truth.accounts.flatMap(({ uid, records }) =>
      Object.entries(records).map(([feed, count]) => [`${feed} of ${uid}`, String(count)] as const),
    ),
  )
}

/** Compares named figures; a figure missing on one side counts as zero there. */
async function compareFigures(
  ledger: Ledger,
  query: string,
  truth: ReadonlyMap<string, string>,
  differences: Difference[],
): Promise<number> {
  const found = new Map(
    (await ledger.query(query)).map(([what, figure]) => [String(what), exact(String(figure))]),
  )
  const names = new Set([...truth.keys(), ...found.keys()])
  for (const what of names) {
    const expected = exact(truth.get(what) ?? '0')
    const ours = found.get(what) ?? '0'
    if (expected !== ours) differences.push({ what, truth: expected, ledger: ours })
  }
  return names.size
}

/** The shortest text of the same number, so that 1.50 and 1.5 compare as one. */
function exact(text: string): string {
  const parsed = parseAmount(text)
  return parsed.ok ? formatAmount(parsed.units) : text
}

export function describeComparison(comparison: Comparison): string {
  const { balances, loans, futuresFigures, records, differences } = comparison
  if (differences.length === 0)
    return futuresFigures === null
      ? `Every balance equals the sandbox’s truth exactly: ${balances} balances, ${loans} loans, ${records} record counts. ` +
          'Its futures figures are not compared: they cover the whole history, of which the venue keeps only the last part.'
      : `Every balance and PnL figure equals the sandbox’s truth exactly: ` +
          `${balances} balances, ${loans} loans, ${futuresFigures} futures figures, ${records} record counts.`
  return [
    `${differences.length} figures differ from the sandbox’s truth:`,
    ...differences
      .slice(0, 20)
      .map(({ what, truth, ledger }) => `  ${what}: truth ${truth}, ledger ${ledger}`),
    ...(differences.length > 20 ? [`  and ${differences.length - 20} more`] : []),
  ].join('\n')
}
