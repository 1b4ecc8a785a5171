// Rows of one feed, oldest first. Ids and times both rise in the order of events, so a page is cut out of the
// list by two binary searches. Bounds in time are inclusive at both ends, the cursor is exclusive (parts 1 and 4).

interface Placed<Row> {
  readonly serial: bigint
  readonly ts: number
  readonly row: Row
}

export interface PageRequest<Row> {
  fromMs?: number | undefined
  toMs?: number | undefined
  /** Only rows with a smaller id. */
  beforeId?: string | undefined
  limit: number
  keep?: (row: Row) => boolean
}

export class Feed<Row> {
  #rows: Placed<Row>[] = []

  append(id: string, ts: number, row: Row): void {
    this.#rows.push({ serial: BigInt(id), ts, row })
  }

  /** The newest rows of the request, newest first. */
  page({ fromMs, toMs, beforeId, limit, keep }: PageRequest<Row>): Row[] {
    const first = fromMs === undefined ? 0 : this.#firstWhere((placed) => placed.ts >= fromMs)
    const before = beforeId === undefined ? undefined : BigInt(beforeId)
    const end = Math.min(
      toMs === undefined ? this.#rows.length : this.#firstWhere((placed) => placed.ts > toMs),
      before === undefined ? this.#rows.length : this.#firstWhere((placed) => placed.serial >= before),
    )
    const page: Row[] = []
    for (let index = end - 1; index >= first && page.length < limit; index--) {
      const { row } = this.#rows[index]!
      if (keep === undefined || keep(row)) page.push(row)
    }
    return page
  }

  find(wanted: (row: Row) => boolean): Row | undefined {
    return this.#rows.findLast(({ row }) => wanted(row))?.row
  }

  *[Symbol.iterator](): Generator<Row> {
    for (const { row } of this.#rows) yield row
  }

  /** How the faults that damage records reach in: each row is replaced by the rows returned for it. */
  rewrite(change: (row: Row) => { id: string; ts: number; row: Row }[] | undefined): void {
    this.#rows = this.#rows
      .flatMap((placed) => {
        const changed = change(placed.row)
        return changed?.map(({ id, ts, row }) => ({ serial: BigInt(id), ts, row })) ?? [placed]
      })
      .sort((a, b) => (a.serial < b.serial ? -1 : a.serial > b.serial ? 1 : 0))
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
