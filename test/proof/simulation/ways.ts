// The ways in which the venue has been reported to page feeds by the id of a row: the order of a list, and which rows a
// cursor lets through. Source: venue-facts, Paging.
import type { Feed } from './feeds.ts'
import type { VenueRecord } from './history.ts'

export const WAYS = [
  'newest first',
  'newest first, literal',
  'oldest first, forward',
  'oldest first, literal',
  'unordered instants',
] as const

export type Way = (typeof WAYS)[number]

/** Feeds whose answers name the next page go on as documented, in every way. */
export const isPagedAsDocumented = ({ page }: Feed): boolean =>
  page.kind === 'cursor' && page.names === 'page'

/** The cursor lets ids below it through, wherever their rows stand in the list. */
export const isLiteral = (way: Way): boolean => way.endsWith('literal') || way === 'unordered instants'

/** Every row of a crowded instant can be had, and the pages prove it. */
export const provesInstants = (way: Way): boolean => !isLiteral(way)

/**
 * What nobody can tell apart from a venue that lacks the rows: where a cursor does not go on in the list, a page that was
 * cut short looks like the last one.
 */
export const allowsShortPages = (way: Way): boolean => !isLiteral(way)

/** A row of an answer, and the record that it tells of. */
interface Shown {
  readonly record: VenueRecord
}

const byId = (a: VenueRecord, b: VenueRecord): number => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)
const byTime = (a: Shown, b: Shown): number => a.record.ts - b.record.ts || byId(a.record, b.record)

/** The rows that there are, in the order of the list. */
export function listed<Row extends Shown>(rows: readonly Row[], way: Way): Row[] {
  const rising = rows.toSorted(byTime)
  if (way.startsWith('oldest first')) return rising
  if (way !== 'unordered instants') return rising.toReversed()
  const instants: Row[][] = []
  for (const row of rising) {
    const last = instants.at(-1)
    if (last?.[0]?.record.ts === row.record.ts) last.push(row)
    else instants.push([row])
  }
  return instants.toReversed().flatMap(turned)
}

/** Ids in an order that no page shows by chance: the second half first, both rising. */
function turned<Row>(rows: readonly Row[]): Row[] {
  const half = rows.length >> 1
  return [...rows.slice(half), ...rows.slice(0, half)]
}

/** Whether a row of the list stands behind the one that the cursor names, as the venue takes the cursor. */
export function passes(
  way: Way,
  list: readonly VenueRecord[],
  cursor: VenueRecord,
): (record: VenueRecord) => boolean {
  if (isLiteral(way)) return (record) => BigInt(record.id) < BigInt(cursor.id)
  const order = new Map(list.map((record, place) => [record.id, place]))
  const place = order.get(cursor.id) ?? -1
  return (record) => (order.get(record.id) ?? -1) > place
}
