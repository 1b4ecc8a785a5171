// The steps of a proof, from the figure down to the bytes. The first path is open; others open on demand. A step already shown
// is not repeated, only named.
import type { ProofStep } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { CopyButton, ProofLink } from '../parts/marks.tsx'
import { decimalsOf } from '../words/digits.ts'
import { count, named } from '../words/plain.ts'
import { Evidence, plain } from './evidence.tsx'
import { kindOf, ownProofOf, Sentence, sumOf } from './sentence.tsx'

/** Steps that are the same thing wherever they appear; a piece of a lot is different each time. */
const SAME: ReadonlySet<string> = new Set([
  'event',
  'trade',
  'transaction',
  'entry',
  'record',
  'imported row',
  'deal',
  'valuation',
])

/** The first place of every step, for those that appear more than once. */
export function firstPlaces(steps: readonly ProofStep[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>()
  const visit = (step: ProofStep, path: string): void => {
    const key = keyOf(step)
    if (key !== null && !places.has(key)) places.set(key, path)
    for (const [at, below] of step.steps.entries()) visit(below, `${path}-${at}`)
  }
  for (const [at, step] of steps.entries()) visit(step, `step-${at}`)
  return places
}

function keyOf({ what, id, fields, evidence }: ProofStep): string | null {
  return SAME.has(what) ? JSON.stringify([what, id, fields, evidence?.frame, evidence?.row]) : null
}

interface Props {
  readonly step: ProofStep
  readonly path: string
  readonly places: ReadonlyMap<string, string>
  readonly isOpen: boolean
  readonly figures: ReadonlySet<string>
  readonly currency: string | null
  /** The coin that the proof is about, once a step has named one. */
  readonly coin: string | null
}

export function Tree({ step, path, places, isOpen, figures, currency, coin }: Props) {
  const key = keyOf(step)
  const first = key === null ? path : (places.get(key) ?? path)
  const here = figuresOf(step)
  const below = here.size === 0 ? figures : new Set([...figures, ...here])
  const money = typeof step.fields.currency === 'string' ? step.fields.currency : currency
  const tone = toneOf(step.what)
  const of = coin ?? (typeof step.fields.coin === 'string' ? step.fields.coin : null)
  if (first !== path)
    return (
      <li class={`step ${tone}`}>
        <p class="step-head">
          <span class="step-kind">{kindOf(step)}</span>
          <span class="step-sentence">
            <Sentence step={step} currency={money} /> <a href={`#${first}`}>Shown above</a>
          </span>
        </p>
      </li>
    )
  const sum = sumOf(step, money)
  const own = step.id === '' ? null : ownProofOf(step)
  return (
    <li class={`step ${tone}`} id={path}>
      <details open={isOpen}>
        <summary class="step-head">
          <span class="step-kind">{kindOf(step)}</span>
          <span class="step-sentence">
            <Sentence step={step} currency={money} />
          </span>
        </summary>
        <div class="step-body">
          {sum === null ? null : <Calculation sum={sum} />}
          {step.evidence === undefined ? null : <Evidence evidence={step.evidence} figures={below} />}
          <FieldList step={step} />
          {step.steps.length === 0 ? null : (
            <ol class="steps">
              {step.steps.map((one, at) => (
                <Tree
                  key={`${path}-${at}`}
                  step={one}
                  path={`${path}-${at}`}
                  places={places}
                  isOpen={isOpen && at === wayDown(step, of)}
                  figures={below}
                  currency={money}
                  coin={of}
                />
              ))}
            </ol>
          )}
          {step.omitted === undefined ? null : (
            <p class="quiet">and {count(step.omitted, 'more step')} like these</p>
          )}
        </div>
      </details>
      {own === null ? null : (
        <p class="own-proof">
          <ProofLink id={step.id}>{own}</ProofLink>
        </p>
      )}
    </li>
  )
}

const RECORDS: ReadonlySet<string> = new Set(['record', 'imported row', 'deal'])

/** Which of the steps below to open: the record itself, else the entry of a trade in the coin that moved, else any step that leads to bytes. */
function wayDown({ steps, fields }: ProofStep, of: string | null): number {
  const leads = (step: ProofStep): boolean => step.evidence !== undefined || step.steps.some(leads)
  const coin = of ?? fields.base
  const ways = [
    (step: ProofStep) => RECORDS.has(step.what),
    (step: ProofStep) => coin !== undefined && step.fields.coin === coin,
    () => true,
  ]
  return (
    ways.map((isWay) => steps.findIndex((step) => leads(step) && isWay(step))).find((at) => at >= 0) ?? -1
  )
}

function toneOf(what: string): string {
  if (what === 'frame' || what.endsWith('row') || what === 'record') return 'ground'
  if (what === 'valuation' || what === 'price') return 'price'
  return what === 'break' ? 'broken' : 'book'
}

const FIGURES = ['amount', 'quantity', 'fee', 'price', 'quote_amount']

/** The figures of a step, to be highlighted in the bytes below it. */
function figuresOf({ fields }: ProofStep): ReadonlySet<string> {
  return new Set(
    FIGURES.flatMap((name) => {
      const value = fields[name]
      return typeof value === 'string' && /[1-9]/.test(value) ? [plain(value)] : []
    }),
  )
}

function Calculation({ sum }: { readonly sum: NonNullable<ReturnType<typeof sumOf>> }) {
  const decimals = decimalsOf([...sum.parts.map(({ value }) => value), sum.result.value])
  return (
    <table class="calculation">
      <caption class="unseen">How it was calculated</caption>
      <tbody>
        {sum.parts.map(({ sign, name, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="sign">{sign}</td>
            <td class="amount">
              <Amount value={value} decimals={decimals} />
            </td>
            <td class="unit">{sum.unit}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{sum.result.name}</th>
          <td class="sign">=</td>
          <td class="amount">
            <Amount value={sum.result.value} decimals={decimals} />
          </td>
          <td class="unit">{sum.unit}</td>
        </tr>
      </tfoot>
    </table>
  )
}

function FieldList({ step }: { readonly step: ProofStep }) {
  const fields = Object.entries(step.fields)
  return (
    <details class="all-fields">
      <summary>
        All fields of this {step.what}
        {step.id === '' ? null : (
          <code class="step-id" title={step.id}>
            {step.id}
          </code>
        )}
      </summary>
      <dl class="facts">
        {step.id === '' ? null : (
          <div>
            <dt>ID</dt>
            <dd>
              <code>{step.id}</code> <CopyButton text={step.id} what="ID" />
            </dd>
          </div>
        )}
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>{named(name)}</dt>
            <dd>
              {value === null ? (
                <span class="quiet">not known</span>
              ) : typeof value === 'object' ? (
                <code>{JSON.stringify(value)}</code>
              ) : (
                String(value)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
