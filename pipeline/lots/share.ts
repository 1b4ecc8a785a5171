// Splitting an amount without losing a unit: a piece is the difference of two rounded running totals, so the
// pieces of a whole sum to the whole, however and in whatever order it was split.

/** n / d to the nearest whole number, halves away from zero; d must be above zero. */
export function roundDiv(n: bigint, d: bigint): bigint {
  const half = d >> 1n
  return (n < 0n ? n - half : n + half) / d
}

/** The share of `total` that belongs to the first `part` of `whole`, rounded to a unit. */
export function shareUpTo(total: bigint, part: bigint, whole: bigint): bigint {
  if (part === whole) return total
  return part === 0n ? 0n : roundDiv(total * part, whole)
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
