// Rows of one feed, in the order of events, so that times rise. Time bounds are inclusive at both ends, the cursor is
// exclusive (parts 1 and 4). A page is cut out of the list by binary search, even if ids are not in the order of
// events: each row knows the smallest id that follows and the largest that came before, and these rise.

import { mannerOf, type Way } from './paging.ts'

interface Placed<Row> {
  readonly serial: bigint
  readonly ts: number
  readonly row: Row
  /** Of this row and all newer ones. */
  smallestOnward: bigint
  /** Of this row and all older ones. */
  largestSoFar: bigint
}

export interface PageRequest<Row> {
  way: Way
  fromMs?: number | undefined
  toMs?: number | undefined
  /** The id of a row; what it means depends on the way of paging. */
  cursor?: string | undefined
  limit: number
  keep?: (row: Row) => boolean
}

export class Feed<Row> {
  #rows: Placed<Row>[] = []

  append(id: string, ts: number, row: Row): void {
    const serial = BigInt(id)
    const largest = this.#rows.at(-1)?.largestSoFar ?? serial
    this.#rows.push({
      serial,
      ts,
      row,
      smallestOnward: serial,
      largestSoFar: largest > serial ? largest : serial,
    })
    for (let index = this.#rows.length - 2; index >= 0; index--) {
      const older = this.#rows[index]!
      if (older.smallestOnward <= serial) break
      older.smallestOnward = serial
    }
  }

  /** The first rows of what a request asks for, in the order of its way of paging. */
  page({ way, fromMs, toMs, cursor, limit, keep }: PageRequest<Row>): Row[] {
    const manner = mannerOf(way)
    const wantsSmaller = manner.cursor === 'smaller'
    const given = cursor === undefined ? undefined : BigInt(cursor)
    let first = fromMs === undefined ? 0 : this.#firstWhere(({ ts }) => ts >= fromMs)
    let end = toMs === undefined ? this.#rows.length : this.#firstWhere(({ ts }) => ts > toMs)
    if (given !== undefined && wantsSmaller) {
      end = Math.min(
        end,
        this.#firstWhere(({ smallestOnward }) => smallestOnward >= given),
      )
    } else if (given !== undefined) {
      first = Math.max(
        first,
        this.#firstWhere(({ largestSoFar }) => largestSoFar > given),
      )
    }
    const isAskedFor = (serial: bigint): boolean =>
      given === undefined || (wantsSmaller ? serial < given : serial > given)
    const page: Row[] = []
    const [start, step] = manner.from === 'newest' ? [end - 1, -1] : [first, 1]
    for (let index = start; index >= first && index < end && page.length < limit; index += step) {
      const { serial, row } = this.#rows[index]!
      if (isAskedFor(serial) && (keep === undefined || keep(row))) page.push(row)
    }
    return page
  }

  find(wanted: (row: Row) => boolean): Row | undefined {
    return this.#rows.findLast(({ row }) => wanted(row))?.row
  }

  *[Symbol.iterator](): Generator<Row> {
    for (const { row } of this.#rows) yield row
  }

  /**
   * How the faults that damage records are applied: each row is replaced by the rows returned for it. Rows whose ids
   * rise stay in the order of their ids, others in the order of their times.
   */
  rewrite(change: (row: Row) => { id: string; ts: number; row: Row }[] | undefined): void {
    const hasRisingIds = this.#rows.every(({ serial, smallestOnward }) => serial === smallestOnward)
    const rows = this.#rows.flatMap(({ serial, ts, row }) => {
      const kept = [{ id: serial.toString(), ts, row }]
      return change(row) ?? kept
    })
    rows.sort((a, b) => (hasRisingIds ? compare(BigInt(a.id), BigInt(b.id)) : a.ts - b.ts))
    this.#rows = []
    for (const { id, ts, row } of rows) this.append(id, ts, row)
  }

  #firstWhere(holds: (placed: Placed<Row>) => boolean): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(this.#rows[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
