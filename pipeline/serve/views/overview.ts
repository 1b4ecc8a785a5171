// The overview: the state of the books, read only from the marts and the journal's last segment, so that its cost does not
// depend on the length of the history.
import { concerning } from '../../ledger/breaks.ts'
import { type FeedStatus, lastGoodRunAt, readFeeds, unbuiltFrames } from '../../reports/status.ts'
import { verdict } from '../../reports/status-text.ts'
import type { BreakCountRow, NetWorthRow, Overview, PnlRow, RunRow } from '../api.ts'
import type { Edition } from '../published.ts'
import { Conditions, type Question, question, rowsOf, written } from '../question.ts'
import { type BooksFolder, unpublishedTotals } from './breaks.ts'
import { coverageQuestion } from './coverage.ts'
import type { Filters, Now } from './filters.ts'
import { runColumns } from './runs.ts'

/** A coin without a price counts once, however many accounts hold it. */
export function netWorthQuestion({ account }: Filters): Question {
  const conditions = new Conditions().oneOf('account', account)
  const worth = conditions.where
  return question(
    `
    with
    worth as (
      select day, sum(value) as value, any_value(currency) as currency
      from net_worth
      ${worth}
      group by day
    ),
    unpriced as (
      select day, count(distinct coin) as coins
      from daily_valuation
      ${conditions.add('own_value is null').where}
      group by day
    )
    select worth.day as day, value, currency, coalesce(coins, 0) as unpriced_coins
    from worth left join unpriced on unpriced.day = worth.day
    order by worth.day`,
    conditions.values,
  )
}

/** Amounts by month, kind and coin; amounts in different coins are never added. */
export function pnlQuestion({ account }: Filters): Question {
  const conditions = new Conditions().oneOf('account', account)
  return question(
    `
    with
    parts as (
      select account, month,
        case when product_line = 'LOTS' then 'gains' when product_line like '%-FUTURES' then 'futures'
          else 'liquidations' end as kind,
        coin, realised_pnl as amount, unknown_pieces
      from pnl_monthly
      union all
      select account, month, 'fees', coin, fees, 0 from pnl_monthly
      union all
      select account, month, 'funding', coin, funding, 0 from pnl_monthly
      union all
      select account, month, 'interest', coin, interest, 0 from pnl_monthly
    )
    select month, kind, coin, sum(amount) as amount, sum(unknown_pieces) as unknown_pieces
    from parts
    ${conditions.where}
    group by month, kind, coin
    having sum(amount) <> 0 or sum(unknown_pieces) > 0
    order by month, kind, coin`,
    conditions.values,
  )
}

/** Open breaks by severity and by how long ago a build first found them. */
export function breakCountsQuestion({ account }: Filters, { now }: Now): Question {
  const conditions = new Conditions().add("status = 'open'").oneOf('account', account, concerning)
  const at = `${conditions.value(new Date(now).toISOString())}::timestamptz`
  return question(
    `
    select severity,
      case when first_seen_at > ${at} - interval 1 day then 'day'
        when first_seen_at > ${at} - interval 7 days then 'week'
        when first_seen_at > ${at} - interval 30 days then 'month'
        else 'older' end as age,
      count(*) as count
    from breaks
    ${conditions.where}
    group by severity, age
    order by severity, age`,
    conditions.values,
  )
}

const SHOWN_FEEDS = 12

/** Feeds with gaps first, longest first; then those that the venue forgets soonest. */
const worstFirst = (one: FeedStatus, other: FeedStatus): number =>
  gapMs(other) - gapMs(one) || (one.forgetsAt ?? '9999').localeCompare(other.forgetsAt ?? '9999')

const gapMs = ({ gaps }: FeedStatus): number =>
  gaps.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0)

export async function overview(
  { ledger, stamp }: Edition,
  filters: Filters,
  now: Now,
  books: BooksFolder,
): Promise<Overview> {
  const accounts = new Conditions().oneOf('account', filters.account)
  const isChosen = ({ account }: FeedStatus): boolean =>
    accounts.where === '' || Object.values(accounts.values).includes(account)
  const feeds = (await readFeeds(ledger, now)).filter(isChosen)
  const [forgetsNext = null] = feeds
    .filter(({ forgetsAt }) => forgetsAt !== null)
    .toSorted((one, other) => String(one.forgetsAt).localeCompare(String(other.forgetsAt)))
  const lastRun = await rowsOf<RunRow>(
    ledger,
    question(`${runColumns}\norder by started_at desc nulls last\nlimit 1`),
  )
  const { publishedAt, openErrors: error, openWarnings: warning } = stamp
  const [notices] =
    (await ledger.query("select count(*) from breaks where status = 'open' and severity = 'notice'"))[0] ?? []
  const unpublished = await unpublishedTotals(books)
  return {
    stamp,
    verdict: verdict({
      dir: books.dir,
      publishedAt,
      unpublished,
      unbuilt: await unbuiltFrames(ledger, books.dir, books.disk),
      breaks: { error, warning, notice: Number(notices) },
      runs: lastRun.rows,
    }),
    unpublished,
    netWorth: await rowsOf<NetWorthRow>(ledger, netWorthQuestion(filters)),
    pnl: await rowsOf<PnlRow>(ledger, pnlQuestion(filters)),
    breaks: await rowsOf<BreakCountRow>(ledger, breakCountsQuestion(filters, now)),
    coverage: {
      rows: feeds.toSorted(worstFirst).slice(0, SHOWN_FEEDS),
      sql: written(coverageQuestion(filters)),
    },
    feedCount: feeds.length,
    forgetsNext,
    lastRun,
    lastGoodRunAt: await lastGoodRunAt(ledger, now.now),
  }
}
