// Each step of a proof as a sentence in an accountant's terms, with its figures as they are in the books.
import type { ComponentChildren } from 'preact'
import type { Cell, ProofStep } from '../../pipeline/serve/api.ts'
import { Amount, Unknown } from '../parts/amount.tsx'
import { Prose } from '../parts/prose.tsx'
import { sum } from '../words/digits.ts'
import { count } from '../words/plain.ts'
import { dayInWords, timeInWords } from '../words/times.ts'

type Fields = ProofStep['fields']

/** The label of the step, shown above its sentence. */
export function kindOf({ what }: ProofStep): string {
  return KINDS[what] ?? what
}

const KINDS: Readonly<Record<string, string>> = {
  disposal: 'Disposal',
  'piece of lot': 'Piece, matched with a lot',
  'piece without a known lot': 'Piece without a known lot',
  lot: 'Lot',
  'left of it': 'Left in the lot',
  'disposed of by': 'Disposed of by',
  event: 'Lot event',
  trade: 'Trade',
  transaction: 'Transaction',
  entry: 'Entry in the books',
  record: 'Venue record',
  'imported row': 'Imported row',
  'withdrawn row': 'Withdrawn row',
  'quarantined row': 'Quarantined row',
  deal: 'P2P deal',
  'own deal': 'Your own P2P deal',
  'own trade': 'Your own trade',
  valuation: 'Valuation',
  price: 'Price',
  break: 'Break',
  line: 'Report line',
  frame: 'Journal frame',
}

/** `currency` comes from the steps above, for the amounts of a step that names none. */
export function Sentence({ step, currency }: { readonly step: ProofStep; readonly currency: string | null }) {
  const say = SAYINGS[step.what]
  return <>{say === undefined ? step.id : say({ currency, ...step.fields }, step)}</>
}

const text = (cell: Cell | undefined): string | null =>
  cell === undefined || cell === null ? null : String(cell)

function A({
  fields,
  name,
  unit,
}: {
  readonly fields: Fields
  readonly name: string
  readonly unit?: string | undefined
}) {
  const value = text(fields[name])
  const coin = unit === undefined ? null : text(fields[unit])
  return (
    <strong class="figure-in-words">
      <Amount value={value} isSigned={false} coin={coin} />
    </strong>
  )
}

function At({ fields, name }: { readonly fields: Fields; readonly name: string }) {
  const at = text(fields[name])
  return at === null ? <Unknown>at an unknown time</Unknown> : <time dateTime={at}>{timeInWords(at)}</time>
}

function Where({ fields }: { readonly fields: Fields }) {
  return <>{[text(fields.account), text(fields.ledger)].filter((one) => one !== null).join(', ')}</>
}

const isNegative = (cell: Cell | undefined): boolean => text(cell)?.startsWith('-') ?? false

/** An amount without its sign, which the sentence expresses in words. */
function Size({
  fields,
  name,
  unit,
}: {
  readonly fields: Fields
  readonly name: string
  readonly unit: string
}) {
  const value = text(fields[name])
  return (
    <strong class="figure-in-words">
      <Amount value={value?.replace(/^-/, '') ?? null} coin={text(fields[unit])} />
    </strong>
  )
}

type Saying = (fields: Fields, step: ProofStep) => ComponentChildren

const SAYINGS: Readonly<Record<string, Saying>> = {
  disposal: (fields, step) =>
    fields.quantity === undefined ? (
      <>
        <Whole step={step} /> left {text(fields.account)} on <At fields={fields} name="disposed_at" />. Under{' '}
        {text(fields.method)} and the rules “{text(fields.rules)}”, it is matched in{' '}
        {count(Number(fields.pieces), 'piece')}.
      </>
    ) : (
      <>
        <A fields={fields} name="quantity" /> disposed of on <At fields={fields} name="disposed_at" />,{' '}
        {gainWords(fields)}
      </>
    ),
  'piece of lot': (fields) => (
    <>
      <A fields={fields} name="quantity" /> came from the lot acquired on{' '}
      {text(fields.acquired_at) === null ? (
        <Unknown>an unknown day</Unknown>
      ) : (
        dayInWords(text(fields.acquired_at) as string)
      )}
      {fields.holding_days === undefined ? '' : `, held ${count(Number(fields.holding_days), 'day')}`};{' '}
      {gainWords(fields)}
    </>
  ),
  'piece without a known lot': (fields) => (
    <>
      <A fields={fields} name="quantity" /> came from no known lot, so it has no known cost or gain.
    </>
  ),
  lot: (fields) => (
    <>
      {Number(fields.pieces_left) === 0 ? 'Nothing is left of this lot' : 'Some of this lot is left'};{' '}
      {Number(fields.disposals) === 0
        ? 'nothing was disposed of from it.'
        : `${count(Number(fields.disposals), 'disposal')} took from it.`}
    </>
  ),
  'left of it': (fields) => (
    <>
      <A fields={fields} name="quantity_left" unit="coin" /> are still held, at a cost of{' '}
      <A fields={fields} name="cost_basis_left" unit="currency" />.
    </>
  ),
  'disposed of by': (fields) => (
    <>
      <A fields={fields} name="quantity" /> went on <At fields={fields} name="disposed_at" />,{' '}
      {gainWords(fields)}
    </>
  ),
  event: (fields) => (
    <>
      <A fields={fields} name="quantity" unit="coin" />{' '}
      {EVENT_WORDS[text(fields.kind) ?? ''] ?? text(fields.kind)}, counted at{' '}
      <A fields={fields} name="value" unit="currency" />.
    </>
  ),
  trade: (fields) => (
    <>
      {text(fields.side) === 'buy' ? 'Bought' : 'Sold'} <A fields={fields} name="quantity" unit="base" /> at{' '}
      <A fields={fields} name="price" /> for <A fields={fields} name="quote_amount" unit="quote" /> on{' '}
      <At fields={fields} name="traded_at" />
      {/[1-9]/.test(text(fields.fee) ?? '') ? (
        <>
          , fee <A fields={fields} name="fee" unit="fee_coin" />
        </>
      ) : null}
      .
    </>
  ),
  transaction: (fields) =>
    Number(fields.entries) === 1 ? (
      <>A single entry.</>
    ) : (
      <>{count(Number(fields.entries), 'entry', 'entries')} that form one transaction.</>
    ),
  entry: (fields) => (
    <>
      <Size fields={fields} name="amount" unit="coin" /> {isNegative(fields.amount) ? 'left' : 'came into'}{' '}
      <Where fields={fields} /> on <At fields={fields} name="occurred_at" />:{' '}
      {(text(fields.kind) ?? '').replaceAll('_', ' ')}
      {text(fields.counter_account) === null ? '' : `, against ${text(fields.counter_account)}`}.
    </>
  ),
  record: (fields, { id }) => (
    <>
      The venue’s own record {id} in {text(fields.feed)}
      {text(fields.type) === null ? '' : `, of the venue’s type ${text(fields.type)}`}
      {fields.is_current === false ? '. The venue has since changed it.' : '.'}
    </>
  ),
  'imported row': () => <>A row of a file that you imported.</>,
  'withdrawn row': (fields) => (
    <>
      A row of {text(fields.file_name)}, which you imported and withdrew on {text(fields.withdrawn_at)}: it is
      not included in any figure.
    </>
  ),
  'quarantined row': (fields) => (
    <>
      A row that was received but quarantined
      {text(fields.field) === '' ? '' : ` because of the field ${text(fields.field)}`}: {text(fields.reason)}.
    </>
  ),
  deal: (fields) => (
    <>
      {text(fields.side) === 'buy' ? 'Bought' : 'Sold'} <A fields={fields} name="quantity" unit="coin" /> for{' '}
      <A fields={fields} name="fiat_amount" unit="fiat" /> in a P2P deal.
    </>
  ),
  'own deal': (fields) => (
    <>
      {text(fields.side)} <A fields={fields} name="quantity" /> for <A fields={fields} name="fiat_amount" />
    </>
  ),
  'own trade': (fields) => (
    <>
      {text(fields.side)} <A fields={fields} name="quantity" /> for <A fields={fields} name="quote_amount" />
    </>
  ),
  valuation: (fields) => (
    <>
      <A fields={fields} name="quantity" unit="coin" />{' '}
      {text(fields.value) === null ? 'had no price' : 'were worth '}
      {text(fields.value) === null ? null : <A fields={fields} name="value" unit="currency" />}
      {text(fields.path) === null ? '' : `, via ${(text(fields.path) as string).replaceAll(' > ', ' → ')}`}.
    </>
  ),
  price: (fields) =>
    fields.price === undefined ? (
      <>A price from {text(fields.source)}.</>
    ) : (
      <>
        One {text(fields.coin)} was <A fields={fields} name="price" unit="currency" /> at{' '}
        <At fields={fields} name="priced_at" />, from {text(fields.source)}
        {text(fields.age) === null ? '' : `, ${ageInWords(text(fields.age) as string)} old at the time`}.
      </>
    ),
  break: (fields) => <Prose text={text(fields.explanation) ?? ''} />,
  line: (fields) =>
    fields.amount === undefined ? (
      <>The sum of {count(Number(fields.disposals ?? 0), 'disposal')}.</>
    ) : (
      <>
        <A fields={fields} name="amount" />: the sum of {count(Number(fields.entries), 'entry', 'entries')},
        from <At fields={fields} name="first_at" /> to <At fields={fields} name="last_at" />.
      </>
    ),
  frame: () => <>One response from the venue, as it was received.</>,
}

/** The total quantity disposed of, if every piece of it is shown; else only the coin. */
function Whole({ step: { fields, steps, omitted } }: { readonly step: ProofStep }) {
  const pieces = steps
    .filter(({ what }) => what.startsWith('piece'))
    .map((piece) => text(piece.fields.quantity))
  const known = pieces.filter((quantity) => quantity !== null)
  if (omitted !== undefined || known.length === 0 || known.length !== Number(fields.pieces))
    return <>{text(fields.coin)}</>
  return (
    <strong class="figure-in-words">
      <Amount value={known.reduce(sum)} coin={text(fields.coin)} />
    </strong>
  )
}

const EVENT_WORDS: Readonly<Record<string, string>> = { acquire: 'acquired', dispose: 'disposed of' }

function gainWords(fields: Fields): ComponentChildren {
  const gain = text(fields.gain)
  if (gain === null) return 'with no known gain.'
  return (
    <>
      {gain.startsWith('-') ? 'a loss of ' : 'a gain of '}
      <Size fields={fields} name="gain" unit="currency" />.
    </>
  )
}

/** `00:47:48.306` as `47 min`; `2 days 03:00:00` unchanged. */
function ageInWords(age: string): string {
  const found = /^(\d+):(\d+):(\d+)/.exec(age)
  if (found === null) return age
  const [hours, minutes, seconds] = found.slice(1).map(Number) as [number, number, number]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}

interface Sum {
  readonly parts: readonly { readonly sign: string; readonly name: string; readonly value: string }[]
  readonly result: { readonly name: string; readonly value: string }
  readonly unit: string | null
}

/** The calculation of a step, if it has one. */
export function sumOf({ what, fields }: ProofStep, currency: string | null): Sum | null {
  const [proceeds, cost, gain] = [text(fields.proceeds), text(fields.cost_basis), text(fields.gain)]
  if (proceeds !== null && cost !== null && gain !== null) {
    const denied = text(fields.denied_loss)
    return {
      parts: [
        { sign: '', name: 'Proceeds', value: proceeds },
        { sign: '−', name: 'Cost', value: cost },
        ...(denied === null || !/[1-9]/.test(denied)
          ? []
          : [{ sign: '+', name: 'Disallowed loss', value: denied }]),
      ],
      result: { name: gain.startsWith('-') ? 'Loss' : 'Gain', value: gain },
      unit: text(fields.currency) ?? currency,
    }
  }
  const [found, expected, difference] = [text(fields.found), text(fields.expected), text(fields.difference)]
  if (what === 'break' && found !== null && expected !== null && difference !== null)
    return {
      parts: [
        { sign: '', name: 'Found', value: found },
        { sign: '−', name: 'Expected', value: expected },
      ],
      result: { name: 'Difference', value: difference },
      unit: text(fields.coin),
    }
  return null
}

/** Steps with a separate proof, and the label of the link to it. */
const OWN_PROOFS: Readonly<Record<string, string>> = {
  'piece of lot': 'Proof of the lot',
  'disposed of by': 'Proof of the disposal',
  'own deal': 'Proof of the deal',
  'own trade': 'Proof of the trade',
}

/** Label of the link to a step's separate proof; null if it has none. */
export function ownProofOf({ what, fields }: ProofStep): string | null {
  if (what === 'disposal') return fields.quantity === undefined ? null : 'Proof of the disposal'
  return OWN_PROOFS[what] ?? null
}
