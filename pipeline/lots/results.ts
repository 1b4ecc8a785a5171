// What the engine finds, kept as numbers while it runs and written out with its texts when it has ended: ids, accounts
// and coins are joined back by the row of their event, which is many times faster than carrying them along.
import { type DuckDBConnection, listValue } from '@duckdb/node-api'
import type {
  BorrowedCoins,
  DisposalPiece,
  LotProblem,
  MovedPiece,
  OpenLot,
  ShortSalePiece,
  ShortSales,
  Sink,
} from './event.ts'
import type { Held } from './held.ts'
import { nameOfNoLot } from './named-lots.ts'
import { scratchTables, writeOut } from './results-sql.ts'
import { type LotTableName, lotTableNames } from './tables.ts'
import { UnknownBasis } from './unknown-basis.ts'
import { RowWriter } from './writer.ts'

/** What of a row is known; the cells of the rest are zero. */
const PROCEEDS = 1
const COST = 2
const DENIED = 4
const DATE = 8
const BOUGHT_AGAIN = 16

/** No row of an event, no word, no days. */
const NONE = -1

/** What is the same in all rows, or follows from the time. */
export interface Labels {
  readonly rules: string
  readonly currency: string | null
  readonly methodAt: (us: bigint) => string
  /** The method of what is left. */
  readonly lastMethod: string
  /** What is left is held over all accounts. */
  readonly isHeldTogether: boolean
  readonly shortSales: ShortSales
  readonly heldFor: (piece: Pick<DisposalPiece, 'acquiredAtUs' | 'disposedAtUs'>) => Held
}

export class Results implements Sink {
  readonly #labels: Labels
  readonly #writers: Record<LotTableName, RowWriter>
  readonly #unknown = new UnknownBasis()
  readonly #codes = new Map<string, number>()

  private constructor(labels: Labels, writers: Record<LotTableName, RowWriter>) {
    this.#labels = labels
    this.#writers = writers
  }

  static async open(connection: DuckDBConnection, labels: Labels): Promise<Results> {
    const writers = {} as Record<LotTableName, RowWriter>
    for (const name of lotTableNames)
      writers[name] = await RowWriter.create(connection, `found_${name}`, scratchTables[name], name)
    return new Results(labels, writers)
  }

  piece(piece: DisposalPiece): void {
    this.#unknown.disposed(piece)
    const { quantity, proceeds, costBasis, deniedLoss, acquiredAtUs } = piece
    const { days, term } = this.#labels.heldFor(piece)
    const known =
      (proceeds === null ? 0 : PROCEEDS) |
      (costBasis === null ? 0 : COST) |
      (deniedLoss === null ? 0 : DENIED) |
      (acquiredAtUs === null ? 0 : DATE)
    this.#writers.disposals.append([
      Number(piece.disposalId),
      rowOf(piece.lotId),
      known,
      quantity,
      proceeds ?? 0n,
      costBasis ?? 0n,
      deniedLoss ?? 0n,
      this.#code(this.#labels.methodAt(piece.disposedAtUs)),
      days ?? NONE,
      this.#code(term),
    ])
  }

  lot({ account, coin, acquiredAtUs, quantityLeft, costBasisLeft, lotId }: OpenLot): void {
    const known = (costBasisLeft === null ? 0 : COST) | (acquiredAtUs === null ? 0 : DATE)
    // Held together, a lot is told by where it was acquired: an account, whichever side of its books' beginning.
    const where = this.#labels.isHeldTogether ? (account?.replace(/\/before$/, '') ?? null) : account
    const [heldBy, of] = [this.#code(where), this.#code(coin)]
    this.#writers.lots.append([heldBy, of, rowOf(lotId), known, quantityLeft, costBasisLeft ?? 0n])
  }

  moved(piece: MovedPiece): void {
    this.#unknown.moved(piece)
    const { costBasis, acquiredAtUs } = piece
    this.#writers.lot_transfers.append([
      Number(piece.eventId),
      rowOf(piece.lotId),
      (costBasis === null ? 0 : COST) | (acquiredAtUs === null ? 0 : DATE),
      this.#code(piece.toAccount),
      piece.quantity,
      costBasis ?? 0n,
      this.#code(this.#labels.methodAt(piece.movedAtUs)),
      this.#code(piece.basis),
    ])
  }

  shortSale({ sale, quantity, proceeds, closing }: ShortSalePiece): void {
    const cost = closing?.cost ?? null
    const isBought = closing?.event.kind === 'acquire'
    if (isBought && cost === null) {
      const { account, coin, id: disposalId } = sale
      this.#unknown.disposed({ account, coin, quantity, basis: 'unvalued', disposalId })
    }
    const acquiredAtUs = closing?.event.happenedAtUs ?? null
    const disposedAtUs = this.#labels.shortSales === 'when sold' ? sale.happenedAtUs : (acquiredAtUs ?? 0n)
    const { days, term } = this.#labels.heldFor({ acquiredAtUs, disposedAtUs })
    this.#writers.short_sales.append([
      Number(sale.id),
      rowOf(closing?.event.id ?? null),
      (proceeds === null ? 0 : PROCEEDS) | (cost === null ? 0 : COST) | (isBought ? BOUGHT_AGAIN : 0),
      quantity,
      proceeds ?? 0n,
      cost ?? 0n,
      this.#code(this.#labels.methodAt(disposedAtUs)),
      days ?? NONE,
      this.#code(term),
    ])
  }

  borrowed({ account, coin, quantity }: BorrowedCoins): void {
    this.#writers.borrowed_coins.append([this.#code(account), this.#code(coin), quantity])
  }

  problem({ problem, account, coin, happenedAtUs, eventId, lotId, quantity }: LotProblem): void {
    const noLot = lotId === null ? null : nameOfNoLot(lotId)
    this.#writers.lot_problems.append([
      this.#code(problem),
      this.#code(account),
      this.#code(coin),
      happenedAtUs,
      rowOf(eventId),
      rowOf(lotId),
      this.#code(noLot),
      quantity,
    ])
  }

  /** Writes the published tables; call it once, after the engine's last event. */
  async finish(connection: DuckDBConnection): Promise<void> {
    for (const { account, coin, quantity, unvaluedQuantity, disposals } of this.#unknown.rows()) {
      const [of, what] = [this.#code(account), this.#code(coin)]
      this.#writers.unknown_basis.append([of, what, quantity, unvaluedQuantity, disposals])
    }
    const filled = lotTableNames.filter((name) => this.#writers[name].close() > 0)
    const { rules, currency, lastMethod: method, shortSales } = this.#labels
    const words = listValue([...this.#codes.keys()])
    await writeOut(connection, filled, { words, rules, currency, method, short_sales: shortSales })
  }

  #code(word: string | null): number {
    if (word === null) return NONE
    let code = this.#codes.get(word)
    if (code === undefined) {
      code = this.#codes.size
      this.#codes.set(word, code)
    }
    return code
  }
}

/** The row of an event by its id; none for a lot that there is not. */
function rowOf(id: string | null): number {
  return id === null || nameOfNoLot(id) !== null ? NONE : Number(id)
}
