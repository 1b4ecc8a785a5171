// An amount: exact text, digits grouped by space between boxes rather than by characters, so that what is copied or read
// aloud is what was answered. In a column the decimal points stand below each other.
import type { ComponentChildren } from 'preact'
import { digitsOf } from '../words/digits.ts'

interface Props {
  readonly value: string | null
  /** Decimals that the column has; shorter amounts are filled up by space. */
  readonly decimals?: number | undefined
  readonly coin?: string | null | undefined
  /** Colours a loss. */
  readonly isSigned?: boolean | undefined
}

/** Decimals beyond these are dimmed: they are there, and seldom what one looks for. */
const PLAIN_DECIMALS = 4

export function Amount({ value, decimals, coin, isSigned }: Props) {
  if (value === null) return <Unknown />
  const digits = digitsOf(value)
  const missing = Math.max(0, (decimals ?? 0) - digits.decimals.length)
  const isNegative = isSigned !== false && digits.isNegative
  return (
    <span class={isNegative ? 'amount negative' : 'amount'}>
      {digits.isNegative ? '-' : ''}
      {digits.groups.map((group, at) => (
        <span key={at} class="group">
          {group}
        </span>
      ))}
      {digits.decimals === '' ? '' : `.${digits.decimals.slice(0, PLAIN_DECIMALS)}`}
      {digits.decimals.length > PLAIN_DECIMALS ? (
        <span class="tail">{digits.decimals.slice(PLAIN_DECIMALS)}</span>
      ) : null}
      {missing > 0 ? (
        <span
          class="fill"
          aria-hidden="true"
          data-fill={`${digits.decimals === '' ? '.' : ''}${'0'.repeat(missing)}`}
        />
      ) : null}
      {coin === undefined || coin === null ? null : <span class="unit"> {coin}</span>}
    </span>
  )
}

/** What is not known: never a zero, and never an empty cell. */
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
