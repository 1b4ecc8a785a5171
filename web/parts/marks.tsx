// Small elements in sentences and cells: times, ids, hashes, states.
import type { ComponentChildren } from 'preact'
import { addressOf } from '../state/router.ts'
import { copy } from '../state/toasts.ts'
import { Unknown } from './amount.tsx'
import { Icon } from './icon.tsx'

export type Tone = 'good' | 'warn' | 'bad' | 'note' | 'plain'

export function Instant({ at }: { readonly at: string | null }) {
  if (at === null) return <Unknown />
  const rest = at.slice(19).replace(/Z$/, '')
  return (
    <time dateTime={at} class="instant">
      {at.slice(0, 10)} <span class="clock">{at.slice(11, 19)}</span>
      {rest === '' || rest === '.000' ? null : <span class="tail">{rest}</span>}
    </time>
  )
}

/** A state in a word, with a mark beside it that does not depend on colour. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** How a run ended; a run without an outcome was killed or is still running. */
export function Outcome({ of }: { readonly of: string | null }) {
  const tone = of === 'done' ? 'good' : of === null ? 'plain' : of === 'failed' ? 'bad' : 'warn'
  return <Badge tone={tone}>{of ?? 'not finished'}</Badge>
}

/** Long text shortened in the middle; copying, hovering and screen readers give the full text. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const head = Math.ceil((length - 1) * 0.4)
  return `${text.slice(0, head)}…${text.slice(text.length - (length - 1 - head))}`
}

/** A hash or an id, to be compared or pasted elsewhere. */
export function Hash({
  text,
  what,
  length = 14,
}: {
  readonly text: string
  readonly what: string
  readonly length?: number
}) {
  return (
    <span class="hash">
      <code title={text}>{shortened(text, length)}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <button
      type="button"
      class="icon-button"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={() => copy(text, what)}
    >
      <Icon name="copy" />
    </button>
  )
}

/** An id that links to its proof. */
export function ProofLink({
  id,
  length = 24,
  children,
}: {
  readonly id: string
  readonly length?: number
  readonly children?: ComponentChildren
}) {
  return (
    <a class="proof-link" href={addressOf('proof', { id })} title={`Proof of ${id}`}>
      {children ?? <code>{shortened(id, length)}</code>}
    </a>
  )
}
