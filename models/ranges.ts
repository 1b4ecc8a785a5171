// Arithmetic of closed time ranges: pure functions named for the set operation.
// Times are whole milliseconds and both ends belong to a range, so ranges one millisecond apart touch, and touching ranges
// are one (the same rule as in sql/staging/covered_ranges.sql).

/** Closed range of Unix milliseconds, both ends included. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Sorted and disjoint ranges that cover the same instants. */
export function union(ranges: readonly Range[]): Range[] {
  const sorted = ranges.filter((range) => range.start <= range.end).toSorted((a, b) => a.start - b.start)
  const united: { start: number; end: number }[] = []
  for (const { start, end } of sorted) {
    const last = united.at(-1)
    if (last !== undefined && start <= last.end + 1) last.end = Math.max(last.end, end)
    else united.push({ start, end })
  }
  return united
}

/**
 * The parts of `needed` that no range of `covered` contains. Ends shared by a needed and a covered range stay in the
 * result if the remainder is longer, so that neighbouring windows touch; a remainder of one shared instant is dropped.
 */
export function difference(needed: readonly Range[], covered: readonly Range[]): Range[] {
  const have = union(covered)
  return union(needed).flatMap((need) => {
    const rest: Range[] = []
    let start = need.start
    let open = true
    for (const range of have) {
      if (range.end < start) continue
      if (range.start > need.end) break
      if (range.start > start) rest.push({ start, end: range.start })
      start = range.end
      open = range.end < need.end
      if (!open) break
    }
    if (open) rest.push({ start, end: need.end })
    return rest
  })
}

/** The parts of `ranges` inside `bounds`. */
export function clamp(ranges: readonly Range[], bounds: Range): Range[] {
  return ranges
    .map(({ start, end }) => ({ start: Math.max(start, bounds.start), end: Math.min(end, bounds.end) }))
    .filter((range) => range.start <= range.end)
}

/** Fewest windows of at most `spanMaxMs` that cover the range. */
export function windowCount(range: Range, spanMaxMs: number): number {
  return Math.max(1, Math.ceil((range.end - range.start) / spanMaxMs))
}
