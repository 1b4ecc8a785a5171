// Traces any figure down to the bytes that the venue sent. Every id has one address.
import type { Entries, Proof as ProofAnswer, ProofStep } from '../../pipeline/serve/api.ts'
import { Filters, TextFilter } from '../parts/filters.tsx'
import { Icon } from '../parts/icon.tsx'
import { ProofLink } from '../parts/marks.tsx'
import { Command } from '../parts/prose.tsx'
import { Head } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { firstPlaces, Tree } from '../proof/tree.tsx'
import { useAnswer } from '../state/answer.ts'
import { addressOf, parameters, refine } from '../state/router.ts'
import { count, grouped } from '../words/plain.ts'

/** How many steps are shown side by side before the rest are omitted. */
const LIMIT = 20

export function Proof() {
  const { id, limit, method, scope, rules, currency } = parameters.value
  const asked = { id, limit: limit ?? String(LIMIT), method, scope, rules, currency }
  const answer = useAnswer<ProofAnswer>(id === undefined ? null : '/api/proof', asked)
  return (
    <>
      <Head title="Proof">
        Trace a figure, step by step, to the venue’s own record and the bytes in which it arrived.
      </Head>
      <Filters names={['id']}>
        <TextFilter
          name="id"
          label="ID of a disposal, lot, entry, trade, break, report line or venue record"
          placeholder="main/tax.records/1387526618150338560/amount"
        />
      </Filters>
      {id === undefined ? (
        <Begin />
      ) : (
        <Answered answer={answer} what="the proof, and checking its hashes">
          {(data) => <Shown data={data} />}
        </Answered>
      )}
    </>
  )
}

function Shown({ data }: { readonly data: ProofAnswer }) {
  const places = firstPlaces(data.steps)
  return (
    <>
      <Verdict data={data} />
      <ol class="steps root">
        {data.steps.map((step, at) => (
          <Tree
            key={`${data.id}-${at}`}
            step={step}
            path={`step-${at}`}
            places={places}
            isOpen={at === 0}
            figures={NONE}
            currency={null}
            coin={null}
          />
        ))}
      </ol>
    </>
  )
}

const NONE: ReadonlySet<string> = new Set()

/** What the proof is based on, in a line. */
function Verdict({ data }: { readonly data: ProofAnswer }) {
  const rows = new Set<string>()
  const frames = new Set<number>()
  let erased = 0
  let omitted = 0
  const visit = (step: ProofStep): void => {
    omitted += step.omitted ?? 0
    if (step.evidence !== undefined) {
      const place = `${step.evidence.frame}/${step.evidence.row}`
      if (!rows.has(place) && step.evidence.erased) erased += 1
      rows.add(place)
      frames.add(step.evidence.frame)
    }
    for (const below of step.steps) visit(below)
  }
  for (const step of data.steps) visit(step)
  return (
    <div class="proof-verdict">
      {rows.size === 0 ? (
        <p>This is not based on any record from the venue.</p>
      ) : (
        <p>
          <span class="seal">
            <Icon name="check" /> Proven
          </span>{' '}
          by {count(rows.size, 'received row')} in {count(frames.size, 'frame')} of the journal.{' '}
          {rows.size === 1 ? 'Its hash' : 'Their hashes'} and the chain were recalculated for this answer
          {erased > 0 ? `; the bytes of ${count(erased, 'row')} were erased on purpose` : ''}.
        </p>
      )}
      <Command text={data.command} says="On the command line" />
      {omitted === 0 ? null : (
        <p>
          {count(omitted, 'further step')} not shown.{' '}
          <button type="button" class="button small" onClick={() => refine({ limit: String(LIMIT * 50) })}>
            Show up to {grouped(LIMIT * 50)} at each step
          </button>
        </p>
      )}
    </div>
  )
}

/** Shown without an id: where to find ids, and one to try. */
function Begin() {
  const answer = useAnswer<Entries>('/api/entries', { kind: 'trade' })
  return (
    <Empty title="Which figure do you want to prove?">
      Every ID in these views links here: a date in the <a href={addressOf('ledger')}>ledger</a>, a disposal
      or a lot under <a href={addressOf('gains')}>gains</a> and <a href={addressOf('lots')}>lots</a>, the
      evidence of a <a href={addressOf('breaks')}>break</a>. You can also paste an ID from a report above.
      {answer.data === null || answer.data.entries.rows.length === 0 ? null : (
        <>
          {' '}
          For example:{' '}
          <ProofLink id={answer.data.entries.rows[0]?.entry_id ?? ''}>
            the last trade of {answer.data.entries.rows[0]?.coin} in {answer.data.entries.rows[0]?.account}
          </ProofLink>
          .
        </>
      )}
    </Empty>
  )
}
