// Breaks as work: what was expected, what was found, since when; where to look; and a note that explains it until its figures
// change.
import { useEffect, useRef, useState } from 'preact/hooks'
import type {
  BreakRow,
  Breaks as BreaksAnswer,
  NoteProgress,
  NoteRow,
  OneBreak,
  Severity,
} from '../../pipeline/serve/api.ts'
import { Amount, Unknown } from '../parts/amount.tsx'
import { AccountFilter, CoinFilter, Filters, Pager, SelectFilter, Tabs } from '../parts/filters.tsx'
import { Icon } from '../parts/icon.tsx'
import { Badge, Instant, ProofLink, type Tone } from '../parts/marks.tsx'
import { NotPublished } from '../parts/not-published.tsx'
import { Command, Prose } from '../parts/prose.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty, FailureNote } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { send, useAnswer } from '../state/answer.ts'
import { noteProgress, now } from '../state/books.ts'
import { failureOf } from '../state/failure.ts'
import { parameters, refine } from '../state/router.ts'
import { say } from '../state/toasts.ts'
import { count, grouped } from '../words/plain.ts'
import { distanceInWords } from '../words/times.ts'

const NAMES = ['status', 'severity', 'check', 'account', 'coin']
const TONES: Readonly<Record<Severity, Tone>> = { error: 'bad', warning: 'warn', notice: 'note' }

export function Breaks() {
  const { cursor, break: chosen, ...given } = parameters.value
  const filters = Object.fromEntries(NAMES.map((name) => [name, given[name]]))
  const answer = useAnswer<BreaksAnswer>('/api/breaks', { ...filters, cursor })
  const checks = [...new Set(answer.data?.counts.rows.map(({ check_name }) => check_name) ?? [])].sort()
  return (
    <>
      <Head title="Breaks">
        Disagreements between the books and the venue, or within the books. Each stays open until its figures
        agree or someone explains it.
      </Head>
      <Filters names={NAMES}>
        <Tabs
          name="status"
          label="Status"
          first="open"
          choices={[
            { value: 'open', label: 'Open' },
            { value: 'explained', label: 'Explained' },
            { value: 'resolved', label: 'Resolved' },
            { value: 'all', label: 'All' },
          ]}
        />
        <SelectFilter
          name="severity"
          label="Severity"
          all="Every severity"
          choices={['error', 'warning', 'notice']}
        />
        <SelectFilter name="check" label="Check" all="Every check" choices={checks} />
        <AccountFilter />
        <CoinFilter />
      </Filters>
      {chosen === undefined ? null : <Chosen key={chosen} id={chosen} />}
      <Answered answer={answer} what="the breaks">
        {(data) => (
          <>
            {data.unpublished === null ? null : <NotPublished totals={data.unpublished} />}
            <Section
              title={titleOf(data, given.status ?? 'open')}
              says={given.account === undefined ? undefined : `Of ${given.account}, and of no account.`}
              sql={data.breaks.sql}
              csv={{ view: 'breaks', filters }}
            >
              {data.breaks.rows.length === 0 ? (
                <Empty
                  title={
                    given.status === undefined
                      ? 'No open breaks match these filters.'
                      : 'No breaks match these filters.'
                  }
                >
                  {given.status === undefined
                    ? 'Explained and resolved breaks are under the tabs above.'
                    : 'Clear a filter to see more.'}
                </Empty>
              ) : (
                <>
                  <BreakTable rows={data.breaks.rows} chosen={chosen} />
                  <Pager next={data.breaks.next} shown={data.breaks.rows.length} />
                </>
              )}
            </Section>
          </>
        )}
      </Answered>
    </>
  )
}

/** Counts for each status separately: an explained or resolved error is not an open error. */
function titleOf({ counts }: BreaksAnswer, status: string): string {
  const rowsOf = (wanted: string) => counts.rows.filter((row) => row.status === wanted)
  const bySeverity = (wanted: string): string =>
    (['error', 'warning', 'notice'] as const)
      .map((severity) => count(total(rowsOf(wanted).filter((row) => row.severity === severity)), severity))
      .join(', ')
  if (status in STATUS_HEADS) return bySeverity(status)
  return Object.entries(STATUS_HEADS)
    .filter(([one]) => one === 'open' || rowsOf(one).length > 0)
    .map(([one, head]) =>
      one === 'open' ? `${head}: ${bySeverity(one)}` : `${head}: ${grouped(total(rowsOf(one)))}`,
    )
    .join('; ')
}

const STATUS_HEADS: Readonly<Record<string, string>> = {
  open: 'Open',
  explained: 'explained',
  resolved: 'resolved',
}

function total(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0)
}

function agoOf({ first_seen_at }: BreakRow): string {
  return distanceInWords(first_seen_at, now.value)
}

function BreakTable({
  rows,
  chosen,
}: {
  readonly rows: readonly BreakRow[]
  readonly chosen: string | undefined
}) {
  return (
    <Table
      caption="Breaks"
      rows={rows}
      keyOf={({ break_id }) => break_id}
      isChosen={({ break_id }) => break_id === chosen}
      columns={[
        {
          kind: 'text',
          head: 'Severity',
          value: ({ severity }) => severity,
          show: ({ severity }) => <Badge tone={TONES[severity]}>{severity}</Badge>,
        },
        {
          kind: 'row',
          head: 'Check',
          value: ({ check_name }) => check_name,
          show: ({ break_id, check_name, ...row }) => (
            <>
              <button
                type="button"
                class="link"
                data-break={break_id}
                onClick={() => refine({ break: break_id })}
              >
                {check_name.replaceAll('_', ' ')}
              </button>
              {hasFigures(row) ? null : (
                <p class="row-words quiet">
                  <Prose text={row.explanation} />
                </p>
              )}
            </>
          ),
        },
        { kind: 'text', head: 'Where', value: (row) => whereOf(row), wraps: true },
        { kind: 'amount', head: 'Expected', value: ({ expected }) => expected },
        { kind: 'amount', head: 'Found', value: ({ found }) => found },
        { kind: 'amount', head: 'Difference', value: ({ difference }) => difference },
        { kind: 'text', head: 'First seen', value: agoOf, isExtra: true },
        { kind: 'text', head: 'Status', value: ({ status }) => status },
      ]}
    />
  )
}

/** A row without figures is told from others of its check by its words. */
function hasFigures({ expected, found, difference }: Pick<BreakRow, 'expected' | 'found' | 'difference'>) {
  return [expected, found, difference].some((figure) => figure !== null)
}

function whereOf({ account, ledger, coin }: BreakRow): string {
  const parts = [account, ledger, coin].filter((one) => one !== null && one !== '')
  return parts.length === 0 ? 'The books as a whole' : parts.join(' · ')
}

/** One break, with its evidence and the notes on it. */
function Chosen({ id }: { readonly id: string }) {
  const answer = useAnswer<OneBreak>(`/api/breaks/${encodeURIComponent(id)}`)
  const place = useRef<HTMLDivElement>(null)
  const progress = noteProgress.value
  const own = progress?.breakId === id ? progress : null
  useEffect(() => {
    if (answer.data !== null) place.current?.scrollIntoView({ block: 'nearest' })
  }, [answer.data === null])
  return (
    <div ref={place}>
      <Answered answer={answer} what="the break">
        {(data) => {
          const row = data.break.rows[0]
          return row === undefined ? (
            <Empty title="There is no such break in these books." />
          ) : (
            <Open data={data} row={row} progress={own} />
          )
        }}
      </Answered>
    </div>
  )
}

function Open({
  data,
  row,
  progress,
}: {
  readonly data: OneBreak
  readonly row: BreakRow
  readonly progress: NoteProgress | null
}) {
  const evidence = idsOf(row.evidence)
  return (
    <Section
      title={row.check_name.replaceAll('_', ' ')}
      says={whereOf(row)}
      sql={data.break.sql}
      tools={
        <button type="button" class="button small" onClick={() => refine({ break: undefined })}>
          <Icon name="close" /> Close
        </button>
      }
    >
      <div class="break-facts">
        <p>
          <Badge tone={TONES[row.severity]}>{row.severity}</Badge> {row.status}, first seen {agoOf(row)}
        </p>
        <p class="break-words">
          <Prose text={row.explanation} />
        </p>
        <Figures row={row} />
        <dl class="facts">
          {row.occurred_at === null ? null : (
            <div>
              <dt>Occurred</dt>
              <dd>
                <Instant at={row.occurred_at} /> UTC
              </dd>
            </div>
          )}
          <div>
            <dt>Evidence</dt>
            <dd>
              {evidence.length === 0 ? (
                <span class="quiet">none</span>
              ) : (
                <ul class="evidence-list">
                  {evidence.map((one) => (
                    <li key={one}>
                      <ProofLink id={one} length={46} />
                    </li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
          <div>
            <dt>Proof</dt>
            <dd>
              <ProofLink id={row.break_id} />
            </dd>
          </div>
        </dl>
        <Notes notes={data.notes.rows} />
        <NoteForm data={data} row={row} progress={progress} />
      </div>
    </Section>
  )
}

function idsOf(evidence: string): readonly string[] {
  try {
    return (JSON.parse(evidence) as unknown[]).map(String)
  } catch {
    return evidence === '' ? [] : [evidence]
  }
}

function Figures({ row }: { readonly row: BreakRow }) {
  if (row.expected === null && row.found === null) return null
  const unit = row.coin
  return (
    <dl class="figures">
      <div>
        <dt>Expected</dt>
        <dd>
          <Amount value={row.expected} coin={unit} />
        </dd>
      </div>
      <div>
        <dt>Found</dt>
        <dd>
          <Amount value={row.found} coin={unit} />
        </dd>
      </div>
      <div>
        <dt>Difference</dt>
        <dd>
          <Amount value={row.difference} coin={unit} />
          {row.difference === null || !/[1-9]/.test(row.difference) ? null : (
            <span class="quiet">
              {' '}
              {row.difference.startsWith('-') ? 'less than expected' : 'more than expected'}
            </span>
          )}
        </dd>
      </div>
    </dl>
  )
}

function Notes({ notes }: { readonly notes: readonly NoteRow[] }) {
  if (notes.length === 0) return null
  return (
    <section aria-label="Notes so far">
      <h3>Notes so far</h3>
      <ol class="notes">
        {notes.map(({ noted_at, note, is_withdrawn, is_of_these_figures }, place) => (
          <li key={place}>
            <Instant at={noted_at} />{' '}
            {is_withdrawn ? (
              <span class="quiet">withdrawn</span>
            ) : note === null ? (
              <Unknown>erased</Unknown>
            ) : (
              <q>{note}</q>
            )}
            {is_withdrawn || is_of_these_figures ? null : (
              <span class="warn"> The figures have changed since, so it no longer explains the break.</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

const PROGRESS: Readonly<Record<NoteProgress['state'], string>> = {
  building: 'Rebuilding the books …',
  noted: 'Note saved; publishing …',
  published: 'Note saved and published.',
  unpublished: 'Note saved, but the books have errors and were not published.',
  failed: 'The note was not saved.',
}

function NoteForm({
  data,
  row,
  progress,
}: {
  readonly data: OneBreak
  readonly row: BreakRow
  readonly progress: NoteProgress | null
}) {
  const [text, setText] = useState('')
  const [thrown, setThrown] = useState<unknown>(null)
  const [isSending, setSending] = useState(false)
  const isUnderWay = progress?.state === 'building' || progress?.state === 'noted'
  if (row.status === 'resolved') return null
  const note = async (words: string | null): Promise<void> => {
    setSending(true)
    setThrown(null)
    try {
      const begun = await send<NoteProgress>(`/api/breaks/${encodeURIComponent(row.break_id)}/note`, {
        note: words,
      })
      if (begun !== null) noteProgress.value = begun
      setText('')
      say(words === null ? 'Withdrawing the note' : 'Saving the note', 'good')
    } catch (error) {
      setThrown(error)
    } finally {
      setSending(false)
    }
  }
  if (data.noNote !== null)
    return (
      <div class="no-note">
        <p>
          <Prose text={data.noNote} />
        </p>
        <Command text={data.command} />
      </div>
    )
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void note(text.trim())
      }}
    >
      <label for="note">
        <strong>{row.status === 'explained' ? 'Another explanation' : 'The explanation'}</strong>
        <span class="quiet">
          {' '}
          The break counts as explained until its expected, found or difference figure changes.
        </span>
      </label>
      <textarea
        id="note"
        class="field"
        rows={3}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        disabled={isUnderWay}
      />
      <div class="tools">
        <button type="submit" class="button primary" disabled={isSending || isUnderWay || text.trim() === ''}>
          Save note
        </button>
        {row.status === 'explained' ? (
          <button type="button" class="button" disabled={isSending || isUnderWay} onClick={() => note(null)}>
            Withdraw note
          </button>
        ) : null}
      </div>
      <p
        role="status"
        class={progress?.state === 'failed' || progress?.state === 'unpublished' ? 'bad' : 'quiet'}
      >
        {progress === null ? '' : PROGRESS[progress.state]}
      </p>
      {progress?.error ? <FailureNote failure={progress.error} /> : null}
      {thrown === null ? null : <FailureNote failure={failureOf(thrown)} />}
    </form>
  )
}
