// A choice that may change from one tax year to the next: `fifo`, or `universal,2025:account`. Each part
// applies from the beginning of its tax year until the next part; the first may have no year and then applies
// from the beginning.
import { UsageError } from '../../models/error.ts'

export interface Part<T extends string> {
  readonly value: T
  /** First tax year; null from the beginning. */
  readonly fromYear: number | null
}

/** At least one part, by rising year; the first from the beginning. */
export type Schedule<T extends string> = readonly [Part<T>, ...Part<T>[]]

/** UsageError for an unknown value, an invalid year, and parts out of order. */
export function parseSchedule<T extends string>(
  option: string,
  text: string,
  known: readonly T[],
): Schedule<T> {
  const parts: Part<T>[] = []
  for (const piece of text.split(',')) {
    const [, year, name] = /^(?:(\d{4}):)?(.*)$/.exec(piece.trim()) ?? []
    const value = known.find((each) => each === name)
    if (value === undefined) throw notKnown(option, name ?? piece, known)
    const fromYear = year === undefined ? null : Number(year)
    const before = parts.at(-1)
    const isFirst = before === undefined
    if (isFirst !== (fromYear === null) || (fromYear ?? 0) <= (before?.fromYear ?? -1))
      throw outOfOrder(option, text)
    parts.push({ value, fromYear })
  }
  return parts as unknown as Schedule<T>
}

/** What applies in a tax year; null asks for the beginning. */
export function inYear<T extends string>(schedule: Schedule<T>, year: number | null): T {
  let { value } = schedule[0]
  for (const part of schedule)
    if (part.fromYear !== null && year !== null && part.fromYear <= year) value = part.value
  return value
}

export function showSchedule(schedule: Schedule<string>): string {
  return schedule
    .map(({ value, fromYear }) => (fromYear === null ? value : `${value} from ${fromYear}`))
    .join(', ')
}

function notKnown(option: string, given: string, known: readonly string[]): UsageError {
  return new UsageError(`Unknown ${option}: ${given}.`, {
    where: option,
    expected: `one of ${known.join(', ')}, or several such as ${known[0]},2025:${known[1] ?? known[0]}`,
    action: 'Correct the name.',
  })
}

function outOfOrder(option: string, text: string): UsageError {
  return new UsageError(`${option} does not state clearly what applies from when.`, {
    where: option,
    expected:
      'the first value without a year, then each later one with its tax year in ascending order, such as fifo,2025:hifo',
    found: text,
    action: 'Correct the years.',
  })
}
