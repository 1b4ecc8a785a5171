// Everything at a glance: net worth, profit and loss, open breaks, gaps in coverage, and what the venue forgets next.
import type {
  BreakCountRow,
  FeedStatus,
  NetWorthRow,
  Overview as OverviewAnswer,
  PnlKind,
  PnlRow,
  RunRow,
} from '../../pipeline/serve/api.ts'
import { type Bar, StackedBars } from '../charts/bars.tsx'
import { Figure } from '../charts/figure.tsx'
import { Lines } from '../charts/lines.tsx'
import { MemoryBar } from '../charts/memory.tsx'
import { Amount, Unknown } from '../parts/amount.tsx'
import { AccountFilter, Filters } from '../parts/filters.tsx'
import { Badge, Instant, type Tone } from '../parts/marks.tsx'
import { NotPublished } from '../parts/not-published.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { about, now, stamp } from '../state/books.ts'
import { addressOf, parameters } from '../state/router.ts'
import { sum } from '../words/digits.ts'
import { feedInWords, memoryOf, statusTone, statusWord } from '../words/feeds.ts'
import { all, count } from '../words/plain.ts'
import { dayInWords, distanceInWords, monthInWords } from '../words/times.ts'

export function Overview() {
  const account = parameters.value.account
  const answer = useAnswer<OverviewAnswer>('/api/overview', { account })
  return (
    <>
      <Head title="Overview" />
      <Filters names={['account']}>
        <AccountFilter />
      </Filters>
      <Answered answer={answer} what="the overview">
        {(data) => (
          <div class="grid">
            <div>
              <Worth
                rows={data.netWorth.rows}
                sql={data.netWorth.sql}
                account={account}
                run={data.lastRun.rows[0]}
              />
              <Profit rows={data.pnl.rows} sql={data.pnl.sql} account={account} />
            </div>
            <div>
              <State data={data} />
              <OpenBreaks rows={data.breaks.rows} sql={data.breaks.sql} account={account} />
              <Worst
                rows={data.coverage.rows}
                sql={data.coverage.sql}
                of={data.feedCount}
                account={account}
              />
            </div>
          </div>
        )}
      </Answered>
    </>
  )
}

function Worth({
  rows,
  sql,
  account,
  run,
}: {
  readonly rows: readonly NetWorthRow[]
  readonly sql: string
  readonly account: string | undefined
  /** The last run; on the day it ended, the books know only what had happened by then. */
  readonly run: RunRow | undefined
}) {
  const last = rows.at(-1)
  const isGoingOn = last !== undefined && run?.ended_at?.slice(0, 10) === last.day
  const currency = last?.currency ?? ''
  const first = rows[0]
  return (
    <Section title="Net worth" sql={sql} csv={{ view: 'net-worth', filters: { account } }}>
      {last === undefined ? (
        <Empty
          title={
            account === undefined ? 'Nothing has been valued yet.' : `Nothing in ${account} has been valued.`
          }
        >
          The nightly run fetches prices; the books then value each day.
        </Empty>
      ) : (
        <>
          <p class="headline">
            <Amount value={last.value} />
            <span class="unit">{currency}</span>
          </p>
          <p class="quiet">
            {isGoingOn ? 'so far on' : 'at the end of'} {dayInWords(last.day)}, net of debts
            {last.unpriced_coins > 0 ? (
              <>
                ;{' '}
                <strong class="warn">
                  {count(last.unpriced_coins, 'coin')} without a price not included
                </strong>
              </>
            ) : null}
          </p>
          <Figure
            says={`Net worth by day from ${dayInWords(first?.day ?? last.day)} to ${dayInWords(last.day)}, in ${currency}: from ${first?.value ?? 'not known'} to ${last.value ?? 'not known'}.`}
            draw={(width) => (
              <Lines
                width={width}
                height={200}
                unit={currency}
                series={[{ name: 'Net worth', points: rows }]}
              />
            )}
            table={() => (
              <Table
                caption="Net worth by day"
                rows={[...rows].reverse()}
                keyOf={({ day }) => day}
                columns={[
                  { kind: 'row', head: 'Day', value: ({ day }) => day },
                  { kind: 'amount', head: `Net worth, ${currency}`, value: ({ value }) => value },
                  {
                    kind: 'number',
                    head: 'Coins without a price',
                    value: ({ unpriced_coins }) => unpriced_coins,
                  },
                ]}
              />
            )}
          />
          <p class="more">
            Calculated from the <a href={addressOf('accounts', { account })}>balances of each account</a>,
            valued at the latest price of each day.
          </p>
        </>
      )}
    </Section>
  )
}

const KINDS: readonly PnlKind[] = ['gains', 'futures', 'fees', 'funding', 'interest', 'liquidations']
const KIND_WORDS: Readonly<Record<PnlKind, string>> = {
  gains: 'Gains on lots',
  futures: 'Futures',
  fees: 'Fees outside trades',
  funding: 'Funding',
  interest: 'Interest',
  liquidations: 'Liquidations outside futures',
}

const kindOf = (words: string): PnlKind => KINDS.find((kind) => KIND_WORDS[kind] === words) as PnlKind

const ENTRY_KINDS: Readonly<Record<Exclude<PnlKind, 'gains'>, string>> = {
  futures: 'realised_pnl',
  fees: 'fee',
  funding: 'funding',
  interest: 'interest',
  liquidations: 'liquidation',
}

/** Link to what makes up a month's amount: the pieces of its disposals, or the entries of its kind. Months are in UTC. */
function madeOf(kind: PnlKind, month: string, coin: string, account: string | undefined): string {
  const next = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 1))
  const last = new Date(next.getTime() - 1).toISOString()
  // Days in the gains view follow the rules, which may use another time zone; so the limits are given as UTC instants.
  if (kind === 'gains') return addressOf('gains', { account, from: `${month}T00:00:00.000Z`, to: last })
  return addressOf('ledger', { account, kind: ENTRY_KINDS[kind], coin, from: month, to: last.slice(0, 10) })
}

interface CoinMonths {
  readonly coin: string
  readonly months: readonly Bar[]
  readonly unknownPieces: number
}

/** Months of one coin each: amounts of different coins are never added. */
function byCoin(rows: readonly PnlRow[]): CoinMonths[] {
  const coins = [...new Set(rows.map(({ coin }) => coin ?? ''))]
  const months = [...new Set(rows.map(({ month }) => month))].sort()
  return coins
    .map((coin) => {
      const own = rows.filter((row) => (row.coin ?? '') === coin)
      return {
        coin,
        unknownPieces: own.reduce((total, row) => total + row.unknown_pieces, 0),
        months: months.map((at) => {
          const here = own.filter(({ month }) => month === at)
          const parts = Object.fromEntries(here.map(({ kind, amount }) => [KIND_WORDS[kind], amount]))
          const known = here.map(({ amount }) => amount).filter((amount) => amount !== null)
          const isWhole = known.length === here.length
          return { at, parts, total: isWhole ? known.reduce(sum, '0') : null }
        }),
      }
    })
    .sort((a, b) => weight(b) - weight(a))
}

function weight({ coin, months }: CoinMonths): number {
  const isReporting = coin === about.value?.currency
  return isReporting ? 1e9 : months.filter(({ parts }) => Object.keys(parts).length > 0).length
}

function Profit({
  rows,
  sql,
  account,
}: {
  readonly rows: readonly PnlRow[]
  readonly sql: string
  readonly account: string | undefined
}) {
  const coins = byCoin(rows)
  const [main, ...others] = coins
  const names = KINDS.map((kind) => KIND_WORDS[kind])
  return (
    <Section
      title="Profit and loss by month"
      says="Realised, by kind. Each coin is shown separately, because amounts in different coins are never added."
      sql={sql}
      csv={{ view: 'pnl', filters: { account } }}
    >
      {main === undefined ? (
        <Empty
          title={
            account === undefined
              ? 'Nothing has been realised yet.'
              : `Nothing in ${account} has been realised.`
          }
        />
      ) : (
        <>
          <MonthBars coin={main} names={names} account={account} height={210} hasLegend />
          {others.length === 0 ? null : (
            <ul class="multiples" aria-label="Other coins">
              {others.map((coin) => (
                <li key={coin.coin}>
                  <MonthBars coin={coin} names={names} account={account} height={130} />
                </li>
              ))}
            </ul>
          )}
          <p class="more">
            Calculated from the <a href={addressOf('gains', { account })}>disposals of lots</a> and from the
            entries for <a href={addressOf('ledger', { account, kind: 'realised_pnl' })}>realised results</a>,{' '}
            <a href={addressOf('ledger', { account, kind: 'liquidation' })}>liquidations</a>,{' '}
            <a href={addressOf('ledger', { account, kind: 'funding' })}>funding</a>,{' '}
            <a href={addressOf('ledger', { account, kind: 'interest' })}>interest</a> and{' '}
            <a href={addressOf('ledger', { account, kind: 'fee' })}>fees</a>. Fees on spot and margin trades
            are included in the gains, but the list of fees shows them too.
          </p>
        </>
      )}
    </Section>
  )
}

const isKnown = ({ parts }: Bar): boolean => Object.values(parts).some((amount) => amount !== null)

function MonthBars({
  coin,
  names,
  account,
  height,
  hasLegend,
}: {
  readonly coin: CoinMonths
  readonly names: readonly string[]
  readonly account: string | undefined
  readonly height: number
  readonly hasLegend?: boolean
}) {
  const { months } = coin
  const last = months.at(-1)
  return (
    <>
      <h3 class="coin-title">
        {coin.coin === '' ? 'Currency not known' : coin.coin}
        {coin.unknownPieces > 0 ? (
          <a class="quiet small" href={addressOf('gains', { account, known: 'no' })}>
            {count(coin.unknownPieces, 'piece')} with unknown gain
          </a>
        ) : null}
      </h3>
      {months.some(isKnown) ? (
        <Figure
          says={`Profit and loss by month in ${coin.coin}, ${count(months.length, 'month')}; ${last === undefined ? '' : `${monthInWords(last.at)}: ${last.total ?? 'not known'}.`}`}
          legend={hasLegend ? names : undefined}
          total={hasLegend ? 'Total' : undefined}
          draw={(width) => (
            <StackedBars width={width} height={height} parts={names} bars={months} unit={coin.coin} />
          )}
          table={() => (
            <Table
              caption={`Profit and loss by month in ${coin.coin}`}
              rows={months}
              keyOf={({ at }) => at}
              columns={[
                { kind: 'row', head: 'Month', value: ({ at }) => monthInWords(at) },
                ...names.map((name) => ({
                  kind: 'amount' as const,
                  head: name,
                  // A month without such amounts shows zero; only an existing amount can be unknown.
                  value: ({ parts }: Bar) => (name in parts ? (parts[name] ?? null) : '0'),
                  link: ({ at, parts }: Bar) =>
                    name in parts
                      ? {
                          href: madeOf(kindOf(name), at, coin.coin, account),
                          title: 'Show what it is made up of',
                        }
                      : null,
                })),
                { kind: 'amount', head: 'Total', value: ({ total }) => total },
              ]}
            />
          )}
        />
      ) : (
        <p class="quiet">No amount of these months is known.</p>
      )}
    </>
  )
}

const toneOf = (meaning: string): Tone => (meaning === 'good' ? 'good' : meaning === 'bad' ? 'bad' : 'warn')

/** The verdict of `tieout status` first: whether the books tie out; then what happened last. */
function State({ data }: { readonly data: OverviewAnswer }) {
  const at = now.value
  const books = stamp.value ?? data.stamp
  const run: RunRow | undefined = data.lastRun.rows[0]
  const next = data.forgetsNext
  return (
    <Section title="State of the books" sql={data.lastRun.sql}>
      {data.unpublished === null ? (
        <p class={`verdict ${toneOf(data.verdict.meaning)}`}>
          {data.verdict.meaning === 'good' ? 'The books tie out.' : data.verdict.text}
        </p>
      ) : (
        <NotPublished totals={data.unpublished} />
      )}
      <dl class="state">
        <div>
          <dt>Open breaks</dt>
          <dd>
            <a href={addressOf('breaks')}>
              {count(books.openErrors, 'error')}, {count(books.openWarnings, 'warning')}
            </a>
          </dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>
            {run === undefined ? (
              <Unknown>none yet</Unknown>
            ) : (
              <>
                <a href={addressOf('runs')}>{run.command ?? 'run'}</a>
                {run.outcome === null ? ', not finished' : `, ${run.outcome}`}
                {run.ended_at === null ? null : (
                  <span class="quiet">, {distanceInWords(run.ended_at, at)}</span>
                )}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Last good run</dt>
          <dd>
            {data.lastGoodRunAt === null ? <Unknown>none yet</Unknown> : <Instant at={data.lastGoodRunAt} />}
          </dd>
        </div>
        <div>
          <dt>The venue forgets next</dt>
          <dd>
            {next === null || next.forgetsAt === null ? (
              'nothing that is known to be forgotten'
            ) : (
              <>
                <a href={addressOf('coverage', { account: next.account, feed: next.feed })}>
                  {feedInWords(next)}
                </a>
                <strong class={next.forgetsAt <= at ? 'bad' : ''}>
                  {' '}
                  {next.forgetsAt <= at
                    ? `has been forgetting since ${dayInWords(next.forgetsAt)}`
                    : distanceInWords(next.forgetsAt, at)}
                </strong>
              </>
            )}
          </dd>
        </div>
      </dl>
    </Section>
  )
}

const AGES: readonly { readonly age: BreakCountRow['age']; readonly head: string }[] = [
  { age: 'day', head: 'Up to a day' },
  { age: 'week', head: 'Up to a week' },
  { age: 'month', head: 'Up to a month' },
  { age: 'older', head: 'Older' },
]
const TONES = { error: 'bad', warning: 'warn', notice: 'note' } as const

function OpenBreaks({
  rows,
  sql,
  account,
}: {
  readonly rows: readonly BreakCountRow[]
  readonly sql: string
  readonly account: string | undefined
}) {
  const severities = (['error', 'warning', 'notice'] as const).filter((severity) =>
    rows.some((row) => row.severity === severity),
  )
  return (
    <Section
      title="Open breaks by age"
      says={account === undefined ? undefined : `Of ${account}, and of no account.`}
      sql={sql}
      csv={{ view: 'break-counts', filters: { account } }}
    >
      {severities.length === 0 ? (
        account === undefined ? (
          <Empty title="There are no open breaks." />
        ) : (
          <Empty title={`There are no open breaks of ${account} or of no account.`}>
            Breaks of other accounts are not counted here.
          </Empty>
        )
      ) : (
        <Table
          caption="Open breaks by severity and age"
          rows={severities}
          keyOf={(severity) => severity}
          columns={[
            {
              kind: 'row',
              head: 'Severity',
              value: (severity) => severity,
              show: (severity) => (
                <a href={addressOf('breaks', { severity, account })}>
                  <Badge tone={TONES[severity]}>{severity}</Badge>
                </a>
              ),
            },
            ...AGES.map(({ age, head }) => ({
              kind: 'number' as const,
              head,
              value: (severity: string) =>
                rows.find((row) => row.severity === severity && row.age === age)?.count ?? 0,
            })),
          ]}
        />
      )}
    </Section>
  )
}

/** How many feeds the overview lists; the coverage view lists all. */
const WORST = 6

function Worst({
  rows,
  sql,
  of,
  account,
}: {
  readonly rows: readonly FeedStatus[]
  readonly sql: string
  readonly of: number
  readonly account: string | undefined
}) {
  const at = now.value
  return (
    <Section
      title="Worst coverage"
      says="Feeds with gaps first, then those that the venue will forget soonest."
      sql={sql}
    >
      {rows.length === 0 ? (
        <Empty title="No feed has been fetched yet." />
      ) : (
        <Table
          caption="Feeds with the worst coverage"
          rows={rows.slice(0, WORST)}
          keyOf={({ account, feed, partition }) => `${account} ${feed} ${partition}`}
          columns={[
            {
              kind: 'row',
              head: 'Feed',
              wraps: true,
              value: (row) => feedInWords(row),
              show: (row) => (
                <a href={addressOf('coverage', { account: row.account, feed: row.feed })}>
                  {feedInWords(row)}
                </a>
              ),
            },
            {
              kind: 'text',
              head: 'State',
              value: () => '',
              show: (row) => <Badge tone={statusTone(row)}>{statusWord(row)}</Badge>,
            },
            {
              kind: 'text',
              head: 'Time left',
              value: () => '',
              show: (row) => {
                const memory = memoryOf(row, at)
                return memory === null ? (
                  <span class="quiet">no known limit</span>
                ) : (
                  <span class="memory-line narrow">
                    <MemoryBar width={56} height={8} share={memory.left} tone={memory.tone} />
                    {memory.says}
                  </span>
                )
              },
            },
          ]}
        />
      )}
      {of === 0 ? null : (
        <p class="more">
          <a href={addressOf('coverage', { account })}>{all(of, 'feed')} by day</a>
        </p>
      )}
    </Section>
  )
}
