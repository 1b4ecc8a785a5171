// Small phrases that several views share.
import type { Matching } from '../../pipeline/serve/api.ts'

export function count(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en-GB').replaceAll(',', ' ')} ${number === 1 ? one : several}`
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
