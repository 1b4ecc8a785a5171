// The engine's results, kept as numbers while it runs and written out with their texts when it has finished:
// ids, accounts and coins are joined back by the row of their event, which is many times faster than carrying
// them along.
import { type DuckDBConnection, listValue } from '@duckdb/node-api'
import type {
  BorrowedCoins,
  DisposalPiece,
  EventId,
  LotProblem,
  MovedPiece,
  OpenLot,
  ShortSalePiece,
  ShortSales,
  Sink,
} from './event.ts'
import type { Held } from './held.ts'
import { scratchTables, writeOut } from './results-sql.ts'
import { type LotTableName, lotTableNames } from './tables.ts'
import { UnknownBasis, type UnknownBasisRow } from './unknown-basis.ts'
import { Words } from './words.ts'
import { mustFit, RowWriter } from './writer.ts'

/** What is the same in all rows, or follows from the time. */
export interface Labels {
  readonly rules: string
  readonly currency: string | null
  readonly methodAt: (us: bigint) => string
  /** The method of the open lots. */
  readonly lastMethod: string
  /** Open lots are held across all accounts. */
  readonly isHeldTogether: boolean
  readonly shortSales: ShortSales
  readonly heldFor: (piece: Pick<DisposalPiece, 'acquiredAtUs' | 'disposedAtUs'>) => Held
}

type Writers = { readonly [Name in LotTableName]: RowWriter<(typeof scratchTables)[Name]> }

export class Results implements Sink {
  readonly #labels: Labels
  readonly #writers: Writers
  readonly #wanted: readonly LotTableName[]
  readonly #unknown: UnknownBasis
  readonly #words = new Words()

  private constructor(
    labels: Labels,
    writers: Writers,
    wanted: readonly LotTableName[],
    unknown: UnknownBasis,
  ) {
    this.#labels = labels
    this.#writers = writers
    this.#wanted = wanted
    this.#unknown = unknown
  }

  /** `wanted`: the tables that are needed; the others are not written. `unknown`: what earlier results add up to. */
  static async open(
    connection: DuckDBConnection,
    labels: Labels,
    {
      wanted = lotTableNames,
      unknown = [],
    }: {
      readonly wanted?: readonly LotTableName[] | undefined
      readonly unknown?: readonly UnknownBasisRow[]
    },
  ): Promise<Results> {
    const writers: Partial<Record<LotTableName, RowWriter>> = {}
    for (const name of lotTableNames)
      writers[name] = await RowWriter.create(connection, `found_${name}`, scratchTables[name], name)
    return new Results(labels, writers as Writers, wanted, new UnknownBasis(unknown))
  }

  piece(piece: DisposalPiece): void {
    this.#unknown.disposed(piece)
    // It is calculated again where the rows are written out, which costs less than carrying it there.
    mustFit(piece.gain, 'table disposals, column gain')
    const { days, term } = this.#labels.heldFor(piece)
    const writer = this.#writers.disposals
    const { columns, row } = writer
    columns.account.set(row, this.#code(ofItsBooks(piece.account)))
    columns.coin.set(row, this.#code(piece.coin))
    columns.event.set(row, rowOf(piece.disposalId))
    columns.lot.set(row, rowOf(piece.lotId))
    columns.quantity.set(row, piece.quantity)
    columns.proceeds.set(row, piece.proceeds)
    columns.fees.set(row, piece.fees)
    columns.cost_basis.set(row, piece.costBasis)
    columns.denied_loss.set(row, piece.deniedLoss)
    columns.method.set(row, this.#code(this.#labels.methodAt(piece.disposedAtUs)))
    columns.holding_days.set(row, days)
    columns.term.set(row, this.#code(term))
    writer.endRow()
  }

  lot({ account, coin, quantityLeft, costBasisLeft, lotId }: OpenLot): void {
    // Under universal scope a lot is identified by where it was acquired: an account, on either side of its
    // books' beginning.
    const where = this.#labels.isHeldTogether && account !== null ? ofItsBooks(account) : account
    const writer = this.#writers.lots
    const { columns, row } = writer
    columns.account.set(row, this.#code(where))
    columns.coin.set(row, this.#code(coin))
    columns.lot.set(row, rowOf(lotId))
    columns.quantity_left.set(row, quantityLeft)
    columns.cost_basis_left.set(row, costBasisLeft)
    writer.endRow()
  }

  moved(piece: MovedPiece): void {
    this.#unknown.moved(piece)
    const writer = this.#writers.lot_transfers
    const { columns, row } = writer
    columns.event.set(row, rowOf(piece.eventId))
    columns.lot.set(row, rowOf(piece.lotId))
    columns.to_account.set(row, this.#code(piece.toAccount))
    columns.quantity.set(row, piece.quantity)
    columns.cost_basis.set(row, piece.costBasis)
    columns.method.set(row, this.#code(this.#labels.methodAt(piece.movedAtUs)))
    columns.basis.set(row, this.#code(piece.basis))
    writer.endRow()
  }

  shortSale({ sale, quantity, proceeds, fees, closing }: ShortSalePiece): void {
    const cost = closing?.cost ?? null
    const isBought = closing?.event.kind === 'acquire'
    if (isBought && cost === null) {
      const { account, coin, id: disposalId } = sale
      this.#unknown.disposed({ account, coin, quantity, basis: 'unvalued', disposalId })
    }
    // Calculated again where the rows are written out, like the gain of a piece.
    if (proceeds !== null && cost !== null) mustFit(proceeds - cost, 'table short_sales, column gain')
    const acquiredAtUs = closing?.event.happenedAtUs ?? null
    const disposedAtUs = this.#labels.shortSales === 'when sold' ? sale.happenedAtUs : (acquiredAtUs ?? 0n)
    const { days, term } = this.#labels.heldFor({ acquiredAtUs, disposedAtUs })
    const writer = this.#writers.short_sales
    const { columns, row } = writer
    columns.sale.set(row, rowOf(sale.id))
    columns.closing.set(row, rowOf(closing?.event.id ?? null))
    columns.is_bought_again.set(row, isBought ? 1 : 0)
    columns.sold_at.set(row, sale.happenedAtUs)
    columns.closed_at.set(row, acquiredAtUs)
    columns.quantity.set(row, quantity)
    columns.proceeds.set(row, proceeds)
    columns.fees.set(row, fees)
    columns.cost_basis.set(row, cost)
    columns.method.set(row, this.#code(this.#labels.methodAt(disposedAtUs)))
    columns.holding_days.set(row, days)
    columns.term.set(row, this.#code(term))
    writer.endRow()
  }

  borrowed({ account, coin, quantity }: BorrowedCoins): void {
    const writer = this.#writers.borrowed_coins
    const { columns, row } = writer
    columns.account.set(row, this.#code(account))
    columns.coin.set(row, this.#code(coin))
    columns.quantity.set(row, quantity)
    writer.endRow()
  }

  problem({ problem, account, coin, happenedAtUs, eventId, lotId, quantity }: LotProblem): void {
    const writer = this.#writers.lot_problems
    const { columns, row } = writer
    columns.problem.set(row, this.#code(problem))
    columns.account.set(row, this.#code(account))
    columns.coin.set(row, this.#code(coin))
    columns.happened_at.set(row, happenedAtUs)
    columns.event.set(row, rowOf(eventId))
    columns.lot.set(row, rowOf(lotId))
    columns.named_lot.set(row, this.#code(typeof lotId === 'string' ? lotId : null))
    columns.quantity.set(row, quantity)
    writer.endRow()
  }

  /** What of this coin has left each account without a known cost until now. */
  unknownOf(coin: string): UnknownBasisRow[] {
    return this.#unknown.rowsOf(coin)
  }

  /** Fills the published tables; call it once, after the engine's last event. */
  async finish(connection: DuckDBConnection): Promise<void> {
    for (const { account, coin, quantity, unvaluedQuantity, disposals } of this.#unknown.rows()) {
      const writer = this.#writers.unknown_basis
      const { columns, row } = writer
      columns.account.set(row, this.#code(account))
      columns.coin.set(row, this.#code(coin))
      columns.quantity.set(row, quantity)
      columns.unvalued_quantity.set(row, unvaluedQuantity)
      columns.disposals.set(row, disposals)
      writer.endRow()
    }
    const filled = lotTableNames.filter(
      (name) => this.#writers[name].close() > 0 && this.#wanted.includes(name),
    )
    const { rules, currency, lastMethod: method, shortSales } = this.#labels
    const words = listValue(this.#words.list())
    await writeOut(connection, filled, { words, rules, currency, method, short_sales: shortSales })
  }

  #code(word: string | null): number | null {
    return this.#words.codeOf(word)
  }
}

/** The row of an event; null for a lot that does not exist, which is known only by its name. */
const rowOf = (id: EventId | null): number | null => (typeof id === 'number' ? id : null)

const BEFORE = '/before'

/** The account itself: what it held before its own books begin is listed as `account/before`. */
const ofItsBooks = (account: string): string =>
  account.endsWith(BEFORE) ? account.slice(0, -BEFORE.length) : account
