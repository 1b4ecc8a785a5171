// The owner's own choices name disposals and lots by their ids; the step knows them by the row of the event. A lot that
// there is not is kept by its name, so that the engine finds it missing and says so.
import { type DuckDBConnection, DuckDBDecimalValue } from '@duckdb/node-api'
import type { Allocation, Selection, Selections } from './event.ts'
import { smaller } from './share.ts'

interface NamedRow {
  readonly coin: string
  readonly kind: string
  readonly row: string
  readonly quantity: bigint
}

const MARK = '?'

/** The name of a lot that there is not; null for one that there is. */
export function nameOfNoLot(id: string): string | null {
  return id.startsWith(MARK) ? id.slice(MARK.length) : null
}

export class NamedRows {
  readonly #rows = new Map<string, NamedRow[]>()

  /** Looks up all that the choices name. */
  static async read(
    connection: DuckDBConnection,
    selections: Selections,
    allocations: readonly Allocation[],
  ): Promise<NamedRows> {
    const named = new NamedRows()
    const ids = new Set(allocations.map(({ lotId }) => lotId))
    for (const [id, lots] of selections) {
      ids.add(id)
      for (const { lotId } of lots) ids.add(lotId)
    }
    if (ids.size === 0) return named
    await connection.run('create or replace temp table named_ids (id varchar)')
    const appender = await connection.createAppender('named_ids', 'main', 'temp')
    for (const id of ids) {
      appender.appendVarchar(id)
      appender.endRow()
    }
    appender.closeSync()
    const found = await connection.runAndReadAll(`
      select lot_events.rowid, event_id, coin, kind, cast(quantity as decimal(38, 18))
      from lot_events join temp.named_ids on id = event_id order by happened_at, place, lot_events.rowid`)
    await connection.run('drop table temp.named_ids')
    for (const [row, id, coin, kind, quantity] of found.getRows()) {
      const units = quantity instanceof DuckDBDecimalValue ? quantity.value : 0n
      named.#add(String(id), { row: String(row), coin: String(coin), kind: String(kind), quantity: units })
    }
    return named
  }

  /** By the row of each event that disposes; events of one id and coin, in their order, share what is named. */
  selections(given: Selections): Selections {
    const selections = new Map<string, readonly Selection[]>()
    for (const [id, lots] of given) {
      const open = new Map<string, Selection[]>()
      const rows = (this.#rows.get(id) ?? []).filter((row) => !isAcquired(row))
      for (const [at, { row, coin, quantity }] of rows.entries()) {
        const named = open.get(coin) ?? this.#lotsOf(coin, lots)
        const isLast = rows.slice(at + 1).every((later) => later.coin !== coin)
        const [own, rest] = isLast ? [named, []] : split(named, quantity)
        open.set(coin, rest)
        selections.set(row, own)
      }
    }
    return selections
  }

  allocations(given: readonly Allocation[]): Allocation[] {
    return given.map((one) => ({ ...one, lotId: this.#lot(one.lotId, one.coin) }))
  }

  /** Without a coin a line is for the coin of its lot. */
  #lotsOf(coin: string, lots: readonly Selection[]): Selection[] {
    return lots
      .filter((lot) => (lot.coin ?? this.#coinOf(lot.lotId) ?? coin) === coin)
      .map(({ lotId, quantity }) => ({ lotId: this.#lot(lotId, coin), quantity }))
  }

  #acquired(id: string): NamedRow[] {
    return (this.#rows.get(id) ?? []).filter(isAcquired)
  }

  /** Null where the name does not decide it. */
  #coinOf(id: string): string | null {
    const coins = new Set(this.#acquired(id).map(({ coin }) => coin))
    const [only] = coins
    return coins.size === 1 && only !== undefined ? only : null
  }

  #lot(id: string, coin: string): string {
    return this.#acquired(id).find((one) => one.coin === coin)?.row ?? MARK + id
  }

  #add(id: string, row: NamedRow): void {
    const same = this.#rows.get(id)
    if (same === undefined) this.#rows.set(id, [row])
    else same.push(row)
  }
}

function isAcquired({ kind }: NamedRow): boolean {
  return kind === 'acquire' || kind === 'transfer_in'
}

/** The front of the line up to a quantity, and what is left of it. */
function split(lots: readonly Selection[], quantity: bigint): [Selection[], Selection[]] {
  const [front, rest]: [Selection[], Selection[]] = [[], []]
  let open = quantity
  for (const lot of lots) {
    const taken = smaller(open, lot.quantity)
    open -= taken
    if (taken > 0n) front.push({ ...lot, quantity: taken })
    if (taken < lot.quantity) rest.push({ ...lot, quantity: lot.quantity - taken })
  }
  return [front, rest]
}
