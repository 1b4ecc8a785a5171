// Makes decimal text readable without converting it to a number: every digit is shown exactly as the server answered.

export interface Digits {
  readonly isNegative: boolean
  /** Whole digits in groups of three, the first one shorter. */
  readonly groups: readonly string[]
  /** Decimals without the point; empty for a whole number. */
  readonly decimals: string
}

export function digitsOf(amount: string): Digits {
  const isNegative = amount.startsWith('-')
  const [whole = '0', decimals = ''] = (isNegative ? amount.slice(1) : amount).split('.')
  const first = whole.length % 3
  const groups = [
    ...(first === 0 ? [] : [whole.slice(0, first)]),
    ...(whole.slice(first).match(/.{3}/g) ?? []),
  ]
  return { isNegative, groups, decimals }
}

/** The largest number of decimals among the amounts, for aligning their decimal points. */
export function decimalsOf(amounts: Iterable<string | null>): number {
  let most = 0
  for (const amount of amounts) if (amount !== null) most = Math.max(most, digitsOf(amount).decimals.length)
  return most
}

/** A position in a chart, for which a float is good enough; null if there is no amount. */
export function placeOf(amount: string | null): number | null {
  return amount === null ? null : Number(amount)
}

/** Truncated to some decimals, for an axis label or a headline beside the exact amount; never rounded up. */
export function shortened(amount: string, decimals: number): string {
  const { isNegative, groups, decimals: all } = digitsOf(amount)
  const kept = decimals === 0 || all === '' ? '' : `.${all.slice(0, decimals).padEnd(decimals, '0')}`
  return `${isNegative ? '-' : ''}${groups.join(' ')}${kept}`
}

/** a + b, exactly. */
export function sum(a: string, b: string): string {
  const [x, y] = [digitsOf(a), digitsOf(b)]
  const scale = Math.max(x.decimals.length, y.decimals.length)
  const units = (one: Digits): bigint =>
    BigInt(`${one.isNegative ? '-' : ''}${one.groups.join('')}${one.decimals.padEnd(scale, '0')}`)
  const total = units(x) + units(y)
  const text = (total < 0n ? -total : total).toString().padStart(scale + 1, '0')
  const decimals = text.slice(text.length - scale).replace(/0+$/, '')
  const whole = text.slice(0, text.length - scale)
  return `${total < 0n ? '-' : ''}${whole}${scale === 0 || decimals === '' ? '' : `.${decimals}`}`
}
