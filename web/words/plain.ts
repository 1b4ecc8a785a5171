// Small words that several views share.

export function count(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en-GB').replaceAll(',', ' ')} ${number === 1 ? one : several}`
}

/** `net_pnl` as `net PnL`: names of columns as words. */
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
