// Past runs and the current one: feeds, requests against the venue's budget, and the expected end.
import type { LiveFeed, LiveRun, RunRow, Runs as RunsAnswer } from '../../pipeline/serve/api.ts'
import { MemoryBar } from '../charts/memory.tsx'
import { Pager } from '../parts/filters.tsx'
import { Instant, Outcome } from '../parts/marks.tsx'
import { Prose } from '../parts/prose.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { liveRun } from '../state/books.ts'
import { parameters } from '../state/router.ts'
import { count } from '../words/plain.ts'
import { spanInWords } from '../words/times.ts'

export function Runs() {
  const answer = useAnswer<RunsAnswer>('/api/runs', { cursor: parameters.value.cursor })
  const live = liveRun.value
  return (
    <>
      <Head title="Runs">Every run that fetched or built, newest first.</Head>
      {live === null ? null : <Live run={live} />}
      <Answered answer={answer} what="the runs">
        {({ runs }) => (
          <Section title="History" sql={runs.sql} csv={{ view: 'runs', filters: {} }}>
            {runs.rows.length === 0 ? (
              <Empty title="No run has been published yet.">
                <Prose text="Schedule `tieout nightly`; this page shows its progress while it runs." />
              </Empty>
            ) : (
              <>
                <History rows={runs.rows} />
                <Pager next={runs.next} shown={runs.rows.length} />
              </>
            )}
          </Section>
        )}
      </Answered>
    </>
  )
}

function History({ rows }: { readonly rows: readonly RunRow[] }) {
  return (
    <Table
      caption="Runs, newest first"
      rows={rows}
      keyOf={(row) => row.run_id ?? `${row.started_at} ${row.command}`}
      columns={[
        {
          kind: 'row',
          head: 'Started, UTC',
          value: ({ started_at }) => started_at,
          show: ({ started_at }) => <Instant at={started_at} />,
        },
        { kind: 'text', head: 'Command', value: ({ command }) => command },
        {
          kind: 'text',
          head: 'Outcome',
          value: ({ outcome }) => outcome,
          show: ({ outcome }) => <Outcome of={outcome} />,
        },
        {
          kind: 'text',
          head: 'Took',
          value: ({ started_at, ended_at }) =>
            started_at === null || ended_at === null
              ? null
              : took(Date.parse(ended_at) - Date.parse(started_at)),
        },
        { kind: 'number', head: 'Requests', value: ({ requests }) => requests },
        { kind: 'number', head: 'Rows', value: ({ rows: fetched }) => fetched },
        { kind: 'number', head: 'Retries', value: ({ retries }) => retries },
      ]}
    />
  )
}

function took(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : spanInWords(ms)
}

const PHASES: Readonly<Record<LiveRun['phase'], string>> = {
  fetching: 'fetching',
  building: 'building the books',
  died: 'died before it finished',
}

function Live({ run }: { readonly run: LiveRun }) {
  const isGone = run.phase === 'died'
  return (
    <Section
      title={`${run.command}, ${PHASES[run.phase]}`}
      says={`Process ${run.pid}, since ${run.startedAt.slice(11, 19)} UTC.`}
    >
      {isGone ? (
        <p class="verdict bad">
          The process is gone and its run did not finish. Progress is kept: run it again to resume from the
          last page.
        </p>
      ) : null}
      <dl class="figures" aria-live="off">
        <Figure name="Requests" value={`${run.requestsDone} of ${run.requestsPlanned} planned so far`} />
        <Figure name="Rows" value={String(run.rows)} />
        <Figure
          name="Pace"
          value={
            run.perMinute === null ? 'not known yet' : `${Math.round(run.perMinute)} requests per minute`
          }
        />
        <Figure
          name="Expected end"
          value={run.endsAbout === null ? 'not known yet' : `${run.endsAbout.slice(11, 16)} UTC`}
        />
      </dl>
      <p class="unseen" role="status">
        {run.command}, {PHASES[run.phase]}
      </p>
      {run.feeds.length === 0 ? null : (
        <Table<LiveFeed>
          caption="Feeds of this run"
          rows={run.feeds}
          keyOf={({ account, feed }) => `${account} ${feed}`}
          columns={[
            { kind: 'row', head: 'Feed', value: ({ account, feed }) => `${account} · ${feed}` },
            {
              kind: 'text',
              head: 'Progress',
              value: () => '',
              show: ({ requestsDone, requestsPlanned }) => (
                <span class="memory-line">
                  <MemoryBar
                    width={90}
                    height={8}
                    share={requestsPlanned === 0 ? 0 : requestsDone / requestsPlanned}
                    tone="good"
                  />
                  {requestsDone} of {requestsPlanned}
                </span>
              ),
            },
            { kind: 'number', head: 'Rows', value: ({ rows }) => rows },
            {
              kind: 'number',
              head: 'Budget per minute',
              value: ({ budgetPerMinute }) => budgetPerMinute,
              isExtra: true,
            },
            { kind: 'text', head: 'State', value: ({ status }) => status ?? 'fetching' },
          ]}
        />
      )}
      {run.notes.length === 0 ? null : (
        <ul class="run-notes" aria-label={count(run.notes.length, 'note')}>
          {run.notes.map((note, at) => (
            <li key={at}>{note}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
