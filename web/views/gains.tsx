// Disposals: each piece with the lot it came from, its term and its gain; and the result under other methods.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DisposalRow, Gains as GainsAnswer, GainTotalRow, MethodLine } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { AccountFilter, CoinFilter, DayFilters, Filters, Pager, SelectFilter } from '../parts/filters.tsx'
import { ProofLink } from '../parts/marks.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty, FailureNote } from '../parts/states.tsx'
import { columnsOf, Table, type TableColumn } from '../parts/table.tsx'
import { lines, replaced, useAnswer } from '../state/answer.ts'
import { generation, isOfTheseBooks } from '../state/books.ts'
import { failureOf, RequestFailed, refusalOf } from '../state/failure.ts'
import { parameters, queryOf } from '../state/router.ts'
import { decimalsOf } from '../words/digits.ts'
import { matchedBy } from '../words/plain.ts'

const NAMES = ['year', 'account', 'coin', 'term', 'known', 'from', 'to']

export function Gains() {
  const { cursor, ...given } = parameters.value
  const filters = Object.fromEntries(NAMES.map((name) => [name, given[name]]))
  const answer = useAnswer<GainsAnswer>('/api/gains', { ...filters, cursor })
  const terms = [
    ...new Set(answer.data?.totals.rows.map(({ term }) => term).filter((term) => term !== null) ?? []),
  ]
  return (
    <>
      <Head title="Gains">
        Every piece of every disposal, as published: its proceeds, cost and holding period.
        {matchedBy(answer.data?.matching ?? null)}
      </Head>
      <Filters names={NAMES}>
        <SelectFilter
          name="year"
          label="Tax year"
          all="All years"
          choices={(answer.data?.years ?? []).map(String)}
        />
        <AccountFilter />
        <CoinFilter />
        {terms.length === 0 && given.term === undefined ? null : (
          <SelectFilter name="term" label="Term" all="Every term" choices={terms} />
        )}
        <SelectFilter
          name="known"
          label="Gain"
          all="Known or not"
          choices={[
            { value: 'yes', label: 'Known' },
            { value: 'no', label: 'Not known' },
          ]}
        />
        <DayFilters />
      </Filters>
      <Answered answer={answer} what="the gains">
        {(data) => (
          <>
            <Totals data={data} filters={filters} />
            <Methods
              key={`${generation.value} ${queryOf(filters)}`}
              filters={{ account: filters.account, year: filters.year, from: filters.from, to: filters.to }}
            />
            <Pieces data={data} filters={filters} />
          </>
        )}
      </Answered>
    </>
  )
}

type Given = Readonly<Record<string, string | undefined>>

interface TotalRow extends Omit<GainTotalRow, 'coin' | 'quantity'> {
  readonly coin: string | null
  readonly quantity: string | null
}

function Totals({ data, filters }: { readonly data: GainsAnswer; readonly filters: Given }) {
  const { rows, sql } = data.totals
  const currency = rows[0]?.currency ?? ''
  const decimals = decimalsOf(rows.map(({ quantity }) => quantity))
  const coins = new Set(rows.map(({ coin }) => coin))
  const together =
    coins.size < 2 ? [] : data.together.rows.map((row) => ({ ...row, coin: null, quantity: null }))
  return (
    <Section
      title="By coin and term"
      says={`Disposals without a known gain are in separate rows.${rows.some(isCharged) ? AFTER_FEES : ''}`}
      sql={sql}
      csv={{ view: 'gain-totals', filters }}
    >
      {rows.length === 0 ? (
        <Empty title="No disposals match these filters.">Choose another year or clear a filter.</Empty>
      ) : (
        <Table<TotalRow>
          caption="Gains by coin and term"
          rows={rows}
          totals={together}
          keyOf={(row) => JSON.stringify([row.coin, row.currency, row.term, row.is_known])}
          columns={[
            { kind: 'row', head: 'Coin', value: ({ coin }) => coin ?? 'all coins' },
            {
              kind: 'text',
              head: 'Term',
              value: ({ term, is_known }) => (is_known ? (term ?? 'any') : 'gain not known'),
            },
            { kind: 'number', head: 'Pieces', value: ({ pieces }) => pieces },
            {
              kind: 'amount',
              head: 'Quantity',
              value: ({ quantity }) => quantity,
              // Quantities of different coins have no sum.
              show: ({ coin, quantity }) =>
                coin === null ? '' : <Amount value={quantity} decimals={decimals} />,
              isExtra: true,
            },
            { kind: 'amount', head: `Proceeds, ${currency}`, value: ({ proceeds }) => proceeds },
            ...feesOf<TotalRow>(rows),
            { kind: 'amount', head: 'Cost', value: ({ cost_basis }) => cost_basis },
            ...deniedOf<TotalRow>(rows),
            { kind: 'amount', head: 'Gain', value: ({ gain }) => gain },
          ]}
        />
      )}
    </Section>
  )
}

interface Charged {
  readonly fees?: string | null
}

const AFTER_FEES = ' Proceeds are after the fees.'
const isCharged = ({ fees }: Charged): boolean => /[1-9]/.test(fees ?? '')

/** A column after the proceeds, if any disposal had a fee. */
function feesOf<Row extends Charged>(rows: readonly Row[]): TableColumn<Row>[] {
  if (!rows.some(isCharged)) return []
  return [
    {
      kind: 'amount',
      head: 'Fees',
      says: 'Fees of the disposals, already taken off the proceeds',
      value: ({ fees = null }) => fees,
      isExtra: true,
    },
  ]
}

interface Denied {
  readonly denied_loss: string | null
}

/** A column between cost and gain, if the rules deny any loss. */
function deniedOf<Row extends Denied>(rows: readonly Row[]): TableColumn<Row>[] {
  const isDenied = ({ denied_loss }: Denied): boolean => /[1-9]/.test(denied_loss ?? '')
  if (!rows.some(isDenied)) return []
  return [{ kind: 'amount', head: 'Denied loss', value: ({ denied_loss }) => denied_loss }]
}

function Pieces({ data, filters }: { readonly data: GainsAnswer; readonly filters: Given }) {
  const { rows, sql, next } = data.pieces
  if (rows.length === 0) return null
  return (
    <Section
      title="Pieces of disposals"
      says={`Newest first. Disposals and lots link to their proofs.${rows.some(isCharged) ? AFTER_FEES : ''}`}
      sql={sql}
      csv={{ view: 'gains', filters }}
    >
      <Table<DisposalRow>
        caption="Pieces of disposals"
        rows={rows}
        keyOf={(row) =>
          JSON.stringify([row.disposal_id, row.lot_id, row.acquired_at, row.quantity, row.gain])
        }
        columns={[
          {
            kind: 'row',
            head: 'Disposed of, UTC',
            value: ({ disposed_at }) => disposed_at,
            show: ({ disposal_id, disposed_at }) => (
              <ProofLink id={disposal_id}>
                <time class="instant" dateTime={disposed_at}>
                  {disposed_at.slice(0, 10)} {disposed_at.slice(11, 16)}
                </time>
              </ProofLink>
            ),
          },
          { kind: 'text', head: 'Account', value: ({ account }) => account },
          { kind: 'amount', head: 'Quantity', value: ({ quantity }) => quantity, coin: ({ coin }) => coin },
          {
            kind: 'text',
            head: 'Acquired',
            value: ({ acquired_at }) => acquired_at,
            show: ({ lot_id, acquired_at }) =>
              lot_id === null ? (
                (acquired_at?.slice(0, 10) ?? 'no known lot')
              ) : (
                <ProofLink id={lot_id}>{acquired_at?.slice(0, 10) ?? 'not known'}</ProofLink>
              ),
          },
          { kind: 'amount', head: `Proceeds, ${rows[0]?.currency ?? ''}`, value: ({ proceeds }) => proceeds },
          ...feesOf(rows),
          { kind: 'amount', head: 'Cost', value: ({ cost_basis }) => cost_basis },
          ...deniedOf(rows),
          { kind: 'amount', head: 'Gain', value: ({ gain }) => gain },
          ...(rows.some(({ term }) => term !== null)
            ? [{ kind: 'text' as const, head: 'Term', value: ({ term }: DisposalRow) => term }]
            : []),
        ]}
      />
      <Pager next={next} shown={rows.length} />
    </Section>
  )
}

const METHODS = ['fifo', 'lifo', 'hifo', 'lofo', 'average']

type Compared = Extract<MethodLine, { readonly kind: 'complete' }>

/** The same disposals under other methods, side by side; only on demand, because the lots have to be recalculated. */
function Methods({ filters }: { readonly filters: Given }) {
  const [said, setSaid] = useState('')
  const [result, setResult] = useState<Compared | null>(null)
  const [thrown, setThrown] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  const [isRunning, setRunning] = useState(false)
  useEffect(() => () => running.current?.abort(), [])
  const compare = async (): Promise<void> => {
    const abort = new AbortController()
    running.current = abort
    setThrown(null)
    setResult(null)
    setRunning(true)
    setSaid('Starting …')
    try {
      const answer = await fetch(
        `/api/gains/methods?${queryOf({ ...filters, methods: METHODS.join(',') })}`,
        { signal: abort.signal },
      )
      if (!answer.ok) throw await refusalOf(answer)
      for await (const line of lines<MethodLine>(answer)) {
        if (line.kind === 'progress') setSaid(`${line.method}, ${line.done} of ${line.of}`)
        else if (line.kind === 'failed') throw new RequestFailed(line.error, 500)
        else if (isOfTheseBooks(line.stamp)) setResult(line)
        else throw replaced()
      }
      setSaid('')
    } catch (error) {
      setSaid(abort.signal.aborted ? 'Cancelled.' : '')
      if (!abort.signal.aborted) setThrown(error)
    } finally {
      setRunning(false)
    }
  }
  return (
    <Section
      title="Methods side by side"
      says="The same disposals, in all coins, as other methods would match them. This does not change the published books."
      tools={
        isRunning ? (
          <button type="button" class="button small" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        ) : (
          <button type="button" class="button small" onClick={compare}>
            Compare {METHODS.join(', ')}
          </button>
        )
      }
    >
      <p role="status" class="quiet">
        {isRunning ? `Calculating: ${said}` : said}
      </p>
      {thrown === null ? null : <FailureNote failure={failureOf(thrown)} />}
      {result === null ? null : <Comparison result={result} />}
    </Section>
  )
}

/** The gains under each method side by side; the other columns on demand. */
function Comparison({ result }: { readonly result: Compared }) {
  const [isWhole, setWhole] = useState(false)
  const places = result.columns.flatMap(({ name, kind }, at) =>
    isWhole || kind !== 'amount' || name.endsWith('gain') ? [at] : [],
  )
  const kept = isWhole ? places : places.filter((at) => result.columns[at]?.kind !== 'number')
  const only = <T,>(cells: readonly T[]): T[] => kept.map((at) => cells[at] as T)
  return (
    <>
      <Table
        caption="Gains under several methods"
        rows={result.rows.map(only)}
        keyOf={(row) => JSON.stringify(row)}
        columns={columnsOf(only(result.columns))}
        totals={result.totals.map(only)}
      />
      <p class="more">
        <button type="button" class="button small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show gains only' : 'Show proceeds, cost and unknown pieces too'}
        </button>
      </p>
      <ul class="run-notes">
        {result.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  )
}
