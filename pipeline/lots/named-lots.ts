// The owner's own choices name disposals and lots by their ids; the step knows them by the row of the event. A lot that
// there is not is kept by its name, so that the engine finds it missing and says so.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Allocation, Selection, Selections } from './event.ts'

interface NamedRow {
  readonly coin: string
  readonly kind: string
  readonly row: string
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
      select lot_events.rowid, event_id, coin, kind
      from lot_events join temp.named_ids on id = event_id order by lot_events.rowid`)
    await connection.run('drop table temp.named_ids')
    for (const [row, id, coin, kind] of found.getRows())
      named.#add(String(id), { row: String(row), coin: String(coin), kind: String(kind) })
    return named
  }

  /** By the row of each event that disposes; events of one id and coin share their selection. */
  selections(given: Selections): Selections {
    const selections = new Map<string, readonly Selection[]>()
    for (const [id, lots] of given) {
      const byCoin = new Map<string, readonly Selection[]>()
      for (const { row, coin, kind } of this.#rows.get(id) ?? []) {
        if (kind === 'acquire' || kind === 'transfer_in') continue
        const ofCoin = byCoin.get(coin) ?? this.#lotsOf(coin, lots)
        byCoin.set(coin, ofCoin)
        selections.set(row, ofCoin)
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
    return (this.#rows.get(id) ?? []).filter(({ kind }) => kind === 'acquire' || kind === 'transfer_in')
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
