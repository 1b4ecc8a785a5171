// Each feed by day: what was received in full, what is missing and why, and how long the venue will remember the rest.
import { useEffect, useRef, useState } from 'preact/hooks'
import type {
  Coverage as CoverageAnswer,
  CoverageRow,
  CoverageRun,
  CoverageRuns,
  CoverageStatus,
  FeedStatus,
} from '../../pipeline/serve/api.ts'
import { DayStrip, type Stretch } from '../charts/days.tsx'
import { MemoryBar } from '../charts/memory.tsx'
import { AccountFilter, DayFilters, Filters, SelectFilter, Tabs } from '../parts/filters.tsx'
import { Badge, Hash, Instant, Outcome } from '../parts/marks.tsx'
import { Prose } from '../parts/prose.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { now } from '../state/books.ts'
import { parameters, refine } from '../state/router.ts'
import { feedInWords, feedOnly, memoryOf, statusTone, statusWord } from '../words/feeds.ts'
import { count, listed } from '../words/plain.ts'
import { dayAfter, dayInWords, spanInWords, timeInWords } from '../words/times.ts'

const NAMES = ['account', 'feed', 'from', 'to', 'days']

/** How many days back the grid goes by default. */
const DAYS = 90

const STATUS_WORDS: Readonly<Record<CoverageStatus, string>> = {
  complete: 'complete',
  empty: 'complete, nothing happened',
  pending: 'still to be fetched',
  unproven: 'fetched, completeness not proven',
  lost: 'lost: the venue had forgotten it',
  failed: 'failed: the venue refused',
  missing: 'missing, reason not known',
  not_applicable: 'does not apply to the account',
}

export function Coverage() {
  const { account, feed, days, from, to, show, row: chosen } = parameters.value
  const until = to ?? now.value.slice(0, 10)
  const since = from ?? dayAfter(until, -(Number(days ?? DAYS) - 1))
  const filters = { account, feed, from: since, to: until }
  const answer = useAnswer<CoverageAnswer>('/api/coverage', filters)
  const feeds = [...new Set(answer.data?.feeds.rows.map((one) => one.feed) ?? [])].sort()
  return (
    <>
      <Head title="Coverage">
        What was received from each feed, day by day, and when the venue will forget the rest.
      </Head>
      <Filters names={NAMES}>
        <AccountFilter />
        <SelectFilter name="feed" label="Feed" all="All feeds" choices={feeds} />
        <SelectFilter
          name="days"
          label="Days back"
          all={`${DAYS} days`}
          choices={[
            { value: '30', label: '30 days' },
            { value: '180', label: '180 days' },
            { value: '366', label: 'A year' },
            { value: '731', label: 'Two years' },
          ]}
        />
        <DayFilters />
        <Tabs
          name="show"
          label="What to show"
          first="days"
          choices={[
            { value: 'days', label: 'By day' },
            { value: 'intervals', label: 'As a table' },
          ]}
        />
      </Filters>
      <Answered answer={answer} what="the coverage">
        {(data) => {
          const feedRows = data.feeds.rows
          if (feedRows.length === 0)
            return (
              <Empty title="No feed has been fetched yet.">
                <Prose text="Run `tieout nightly`; each feed then has a row here." />
              </Empty>
            )
          const opened = feedRows.find((one) => keyOf(one) === chosen)
          return (
            <>
              <Running rows={feedRows} />
              {opened === undefined ? null : (
                <OneFeed
                  row={opened}
                  intervals={intervalsOf(opened, data.intervals.rows)}
                  days={{ from: since, to: until }}
                />
              )}
              <Section
                title={`${count(feedRows.length, 'feed')}, ${dayInWords(since)} to ${dayInWords(until)}`}
                sql={data.intervals.sql}
                csv={{ view: 'coverage', filters }}
              >
                {show === 'intervals' ? (
                  <Intervals rows={data.intervals.rows} />
                ) : (
                  <Grid data={data} since={since} until={until} chosen={chosen} />
                )}
              </Section>
            </>
          )
        }}
      </Answered>
    </>
  )
}

function keyOf({ account, feed, partition }: Pick<FeedStatus, 'account' | 'feed' | 'partition'>): string {
  return [account, feed, partition].join('|')
}

function intervalsOf(row: FeedStatus, intervals: readonly CoverageRow[]): CoverageRow[] {
  return intervals.filter((one) => keyOf(one) === keyOf(row))
}

/** How many feeds to list among those that the venue forgets soonest. */
const SOONEST = 4

function Running({ rows }: { readonly rows: readonly FeedStatus[] }) {
  const soonest = rows
    .flatMap((row) => {
      const memory = memoryOf(row, now.value)
      return memory === null ? [] : [{ row, memory }]
    })
    .sort((a, b) => Date.parse(a.row.forgetsAt as string) - Date.parse(b.row.forgetsAt as string))
    .slice(0, SOONEST)
  if (soonest.length === 0) return null
  return (
    <Section
      title="What the venue forgets next"
      says="Time left until the venue starts to forget what has not been fetched. The next run resets it."
    >
      <ul class="running-out">
        {soonest.map(({ row, memory }) => (
          <li key={keyOf(row)}>
            <span class={`left-words ${memory.tone}`}>{memory.says}</span>
            <MemoryBar width={180} height={10} share={memory.left} tone={memory.tone} />
            <span>{feedInWords(row)}</span>
            <span class="quiet">
              remembers {row.retentionDays} days
              {row.to === null ? '' : `; fetched up to ${timeInWords(row.to)}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const SHOWN_IN_LEGEND: readonly CoverageStatus[] = [
  'complete',
  'empty',
  'pending',
  'unproven',
  'lost',
  'failed',
  'missing',
  'not_applicable',
]

function Grid({
  data,
  since,
  until,
  chosen,
}: {
  readonly data: CoverageAnswer
  readonly since: string
  readonly until: string
  readonly chosen: string | undefined
}) {
  const head = useRef<HTMLTableCellElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = head.current as HTMLTableCellElement
    const observer = new ResizeObserver(() => setWidth(Math.max(120, Math.floor(element.clientWidth - 16))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const end = dayAfter(until, 1)
  const byFeed = grouped(data.intervals.rows)
  const [showsAll, setShowsAll] = useState(false)
  const apart = data.feeds.rows.filter(({ status }) => status === 'not_applicable').length
  const shown = data.feeds.rows.filter(({ status }) => showsAll || status !== 'not_applicable')
  const accounts = [...new Set(shown.map(({ account }) => account))]
  const present = new Set(data.intervals.rows.map(({ status }) => status))
  return (
    <>
      <ul class="legend">
        {SHOWN_IN_LEGEND.filter((status) => present.has(status)).map((status) => (
          <li key={status}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={`day ${status}`} width="10" height="10" rx="2" />
            </svg>
            {STATUS_WORDS[status]}
          </li>
        ))}
        <li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class="day unasked" width="10" height="10" rx="2" />
          </svg>
          not requested
        </li>
      </ul>
      <section class="table-frame" aria-label="Feeds by day" tabIndex={0}>
        <table class="feed-grid">
          <caption class="unseen">
            Feeds by day, {dayInWords(since)} to {dayInWords(until)}
          </caption>
          <thead>
            <tr>
              <th scope="col">Feed</th>
              <th scope="col" ref={head} class="days">
                <span class="day-ends">
                  <span>{dayInWords(since)}</span>
                  <span>{dayInWords(until)}</span>
                </span>
              </th>
              <th scope="col">State</th>
              <th scope="col">Time left</th>
            </tr>
          </thead>
          {accounts.map((account) => (
            <tbody key={account}>
              <tr class="account-row">
                <th scope="rowgroup" colSpan={4}>
                  {account}
                </th>
              </tr>
              {shown
                .filter((row) => row.account === account)
                .map((row) => {
                  const stretches = (byFeed.get(keyOf(row)) ?? []).flatMap((one) =>
                    stretchOf(one, since, end),
                  )
                  const memory = memoryOf(row, now.value)
                  return (
                    <tr key={keyOf(row)} aria-current={keyOf(row) === chosen ? 'true' : undefined}>
                      <th scope="row" class="feed-name">
                        <button type="button" class="link" onClick={() => refine({ row: keyOf(row) })}>
                          {feedOnly(row)}
                          <span class="unseen"> of {row.account}</span>
                        </button>
                      </th>
                      <td class="days">
                        <span class="unseen">{inWords(stretches)}</span>
                        {width === 0 ? null : (
                          <DayStrip width={width} height={16} from={since} to={end} stretches={stretches} />
                        )}
                      </td>
                      <td>
                        <Badge tone={statusTone(row)}>{statusWord(row)}</Badge>
                      </td>
                      <td class="memory-cell">
                        {memory === null ? (
                          <span class="quiet">no known limit</span>
                        ) : (
                          <span class="memory-line">
                            <MemoryBar width={48} height={8} share={memory.left} tone={memory.tone} />
                            {memory.says}
                          </span>
                        )}
                      </td>
                    </tr>
                  )
                })}
            </tbody>
          ))}
        </table>
      </section>
      {apart === 0 ? null : (
        <p class="more">
          <button type="button" class="button small" onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Hide' : 'Show'} {count(apart, 'feed')} that {apart === 1 ? 'does' : 'do'} not apply
          </button>
        </p>
      )}
    </>
  )
}

function grouped(rows: readonly CoverageRow[]): ReadonlyMap<string, readonly CoverageRow[]> {
  const byFeed = new Map<string, CoverageRow[]>()
  for (const row of rows) {
    const own = byFeed.get(keyOf(row))
    if (own === undefined) byFeed.set(keyOf(row), [row])
    else own.push(row)
  }
  return byFeed
}

function stretchOf(
  { starts_at, ends_at, status, reason, code }: CoverageRow,
  since: string,
  end: string,
): Stretch[] {
  // An interval without times applies to the whole feed, so to every day.
  const [from, to] = [starts_at ?? since, ends_at ?? end]
  const why = [reason, code === null || code === '' ? null : `code ${code}`]
    .filter((one) => one !== null)
    .join(', ')
  const when =
    starts_at === null || ends_at === null
      ? 'the whole feed'
      : `${timeInWords(starts_at)} to ${timeInWords(ends_at)}`
  return [{ from, to, status, says: `${STATUS_WORDS[status]}: ${when}${why === '' ? '' : `\n${why}`}` }]
}

/** The strip in words, for screen readers. */
function inWords(stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return 'Not requested for these days.'
  const lengths = new Map<CoverageStatus, number>()
  for (const { from, to, status } of stretches)
    lengths.set(status, (lengths.get(status) ?? 0) + Date.parse(to) - Date.parse(from))
  return listed([...lengths].map(([status, ms]) => `${STATUS_WORDS[status]} for ${spanInWords(ms)}`))
}

function OneFeed({
  row,
  intervals,
  days,
}: {
  readonly row: FeedStatus
  readonly intervals: readonly CoverageRow[]
  readonly days: { readonly from: string; readonly to: string }
}) {
  const { account, feed, partition } = row
  const runs = useAnswer<CoverageRuns>('/api/coverage/runs', { account, feed, partition, ...days })
  return (
    <>
      <Section
        title={feedInWords(row)}
        says={
          row.to === null ? (
            'Not fetched yet.'
          ) : (
            <>
              Fetched up to {timeInWords(row.to)}
              {row.reason === null ? '' : `. ${row.reason}`}
            </>
          )
        }
        tools={
          <button type="button" class="button small" onClick={() => refine({ row: undefined })}>
            Close
          </button>
        }
      >
        <Intervals rows={intervals} />
      </Section>
      <Answered answer={runs} what="the runs of this feed">
        {({ runs: { rows, sql } }) => (
          <Section title="Runs that received records for these days" sql={sql}>
            <Fetches rows={rows} />
          </Section>
        )}
      </Answered>
    </>
  )
}

/** The runs that received records for the days shown. */
function Fetches({ rows }: { readonly rows: readonly CoverageRun[] }) {
  if (rows.length === 0)
    return (
      <Empty title="No run has covered these days.">
        Lists of the present state are read in full by every run.
      </Empty>
    )
  return (
    <Table
      caption="Runs that received it"
      rows={rows}
      keyOf={({ run_id }) => run_id}
      columns={[
        {
          kind: 'row',
          head: 'Run started, UTC',
          value: ({ started_at }) => started_at,
          show: ({ started_at, run_id }) => (started_at === null ? run_id : <Instant at={started_at} />),
        },
        { kind: 'text', head: 'Command', value: ({ command }) => command },
        {
          kind: 'text',
          head: 'Outcome',
          value: ({ outcome }) => outcome,
          show: ({ outcome }) => <Outcome of={outcome} />,
        },
        {
          kind: 'time',
          head: 'Received from, UTC',
          value: ({ starts_at }) => starts_at,
          show: ({ starts_at }) => <Instant at={starts_at} />,
        },
        {
          kind: 'time',
          head: 'To, UTC',
          value: ({ ends_at }) => ends_at,
          show: ({ ends_at }) => <Instant at={ends_at} />,
        },
        { kind: 'number', head: 'Pages', value: ({ pages }) => pages },
        { kind: 'number', head: 'Rows', value: ({ rows: received }) => received },
        {
          kind: 'text',
          head: 'Run',
          value: ({ run_id }) => run_id,
          show: ({ run_id }) => <Hash text={run_id} what="run id" />,
        },
      ]}
    />
  )
}

const TONES: Readonly<Record<CoverageStatus, 'good' | 'warn' | 'bad' | 'plain'>> = {
  complete: 'good',
  empty: 'good',
  pending: 'warn',
  unproven: 'warn',
  lost: 'warn',
  failed: 'bad',
  missing: 'bad',
  not_applicable: 'plain',
}

function Intervals({ rows }: { readonly rows: readonly CoverageRow[] }) {
  if (rows.length === 0)
    return <Empty title="There are no intervals on these days.">Choose other days.</Empty>
  return (
    <Table
      caption="Intervals of coverage"
      rows={rows}
      keyOf={(row) => JSON.stringify([row.account, row.feed, row.partition, row.starts_at, row.status])}
      columns={[
        { kind: 'row', head: 'Feed', value: (row) => feedInWords(row) },
        {
          kind: 'text',
          head: 'State',
          value: ({ status }) => status,
          show: ({ status }) => <Badge tone={TONES[status]}>{status.replaceAll('_', ' ')}</Badge>,
        },
        {
          kind: 'time',
          head: 'From, UTC',
          value: ({ starts_at }) => starts_at,
          show: ({ starts_at }) => (starts_at === null ? 'the whole feed' : <Instant at={starts_at} />),
        },
        {
          kind: 'time',
          head: 'To, UTC',
          value: ({ ends_at }) => ends_at,
          show: ({ ends_at }) => (ends_at === null ? '' : <Instant at={ends_at} />),
        },
        {
          kind: 'text',
          head: 'Reason',
          wraps: true,
          value: ({ reason }) => reason,
          show: ({ reason, code }) => (
            <>
              {reason ?? ''}
              {code === null || code === '' ? null : <span class="quiet"> (code {code})</span>}
            </>
          ),
        },
      ]}
    />
  )
}
