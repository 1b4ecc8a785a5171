// Small phrases that several views share.
import type { Matching } from '../../pipeline/serve/api.ts'

/** A number of things, with its digits in groups of three as those of amounts; it does not break over two lines. */
export function grouped(number: number): string {
  return number.toLocaleString('en-GB').replaceAll(',', '\u00a0')
}

export function count(number: number, one: string, several = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : several}`
}

/** `All 12 rows`, but `1 row`. */
export function all(number: number, one: string): string {
  return number > 1 ? `All ${count(number, one)}` : count(number, one)
}

/** A column name as words: `net_pnl` as `net PnL`. */
export function named(column: string): string {
  return column
    .replaceAll('_', ' ')
    .replace(/\bpnl\b/, 'PnL')
    .replace(/\bid\b/, 'ID')
}

/** Joined as a list in a sentence. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** How the published lots were matched, as a sentence that follows another; empty if none were. */
export function matchedBy(matching: Matching | null): string {
  if (matching === null) return ''
  const { method, scope, rules, time_zone } = matching
  return ` Matched by ${method}, scope ${scope}, under the rules “${rules}”, days of ${time_zone}.`
}
