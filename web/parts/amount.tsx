// An amount: exact text. Digits are grouped by spacing rather than by characters, so that copying it or reading it aloud gives
// exactly what the server answered. In a column, the decimal points are aligned.
import type { ComponentChildren } from 'preact'
import { type Digits, digitsOf } from '../words/digits.ts'

interface Props {
  readonly value: string | null
  /** Decimals in the column; shorter amounts are padded with space. */
  readonly decimals?: number | undefined
  readonly coin?: string | null | undefined
  /** Colours a loss. */
  readonly isSigned?: boolean | undefined
}

/** Decimals beyond these are smaller and dimmed, because they are seldom of interest. */
const PLAIN_DECIMALS = 4

export function Amount({ value, decimals, coin, isSigned }: Props) {
  if (value === null) return <Unknown />
  const digits = digitsOf(value)
  const [plain, tail] = [digits.decimals.slice(0, PLAIN_DECIMALS), digits.decimals.slice(PLAIN_DECIMALS)]
  const most = decimals ?? 0
  const fill = {
    plain: '0'.repeat(Math.max(0, Math.min(most, PLAIN_DECIMALS) - plain.length)),
    tail: '0'.repeat(Math.max(0, most - PLAIN_DECIMALS - tail.length)),
  }
  const isNegative = isSigned !== false && digits.isNegative
  return (
    <span class={isNegative ? 'amount negative' : 'amount'}>
      {digits.isNegative ? '-' : ''}
      {digits.groups.map((group, at) => (
        <span key={at} class="group">
          {group}
        </span>
      ))}
      {plain === '' ? '' : `.${plain}`}
      {fill.plain === '' ? null : <Fill digits={`${plain === '' ? '.' : ''}${fill.plain}`} />}
      {tail === '' ? null : <span class={isTiny(digits) ? 'tail significant' : 'tail'}>{tail}</span>}
      {fill.tail === '' ? null : <Fill digits={fill.tail} isTail />}
      {coin === undefined || coin === null ? null : <span class="unit"> {coin}</span>}
    </span>
  )
}

/** There are only zeros before the tail, so the tail is what matters. */
function isTiny({ groups, decimals }: Digits): boolean {
  return !/[1-9]/.test(groups.join('') + decimals.slice(0, PLAIN_DECIMALS))
}

/** Space for absent digits, made by the style sheet alone: nothing to copy and nothing to read aloud. */
function Fill({ digits, isTail }: { readonly digits: string; readonly isTail?: boolean }) {
  return <span class={isTail ? 'fill tail' : 'fill'} aria-hidden="true" data-fill={digits} />
}

/** An unknown value: never shown as zero or as an empty cell. */
export function Unknown({ children }: { readonly children?: ComponentChildren }) {
  return (
    <span class="unknown">
      {children ?? (
        <>
          <span aria-hidden="true">–</span>
          <span class="unseen">not known</span>
        </>
      )}
    </span>
  )
}
