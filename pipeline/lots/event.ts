// The data types of the lots engine: events go in, pieces of disposals and open lots come out. Quantities and
// money are whole numbers of 10^-18 units; null is an unknown amount, never zero.

/**
 * give: leaves without anything in return; a disposal only if the rules of a country make it one. borrow,
 * repay: the principal of a loan, received and repaid.
 */
export const EVENT_KINDS = [
  'acquire',
  'dispose',
  'give',
  'transfer_in',
  'transfer_out',
  'borrow',
  'repay',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]

/** Kinds that bring coins, and so take no lots. */
export const BRINGING_KINDS: readonly EventKind[] = ['acquire', 'transfer_in', 'borrow']

/**
 * In the build step, an event is identified by its row in `lot_events`, which costs less than its text. A
 * text is the name of a lot that does not exist or, in books that are not in a table, the id of any event.
 */
export type EventId = number | string

/** The other leg of a transfer between own accounts. */
export interface Twin {
  readonly id: EventId
  readonly account: string
  readonly happenedAtUs: bigint
  readonly quantity: bigint
}

/** One change of one coin in one account that affects lots. */
export interface LotEvent {
  readonly account: string
  readonly coin: string
  /** Unix microseconds. */
  readonly happenedAtUs: bigint
  /** Order among events of equal microseconds; a source with finer times encodes them here. */
  readonly place: bigint
  readonly id: EventId
  readonly kind: EventKind
  /** More than zero. */
  readonly quantity: bigint
  /**
   * acquire: basis including the fee. dispose: proceeds after the fee, possibly negative. give: the value
   * given. transfer_out: the value of the network fee, if less arrives than leaves. transfer_in, borrow,
   * repay: unused.
   */
  readonly value: bigint | null
  /** dispose, give: the fees that the value is net of; none if absent. Never below zero. */
  readonly fees?: bigint
  /** Ties the two legs of a transfer; for a loan, the wallet that owes it, if the account has several. */
  readonly transferId?: string
  /** Set by `inOrder` on both legs of a transfer if both are known. */
  readonly twin?: Twin
  /**
   * For a fee that the law requires to be paid by the coins it was withheld from, whatever the method: their
   * acquisition.
   */
  readonly keptFrom?: EventId
  /**
   * The whole event of which loans have left this part. The unit cost of a purchase is based on the whole.
   */
  readonly whole?: Pick<LotEvent, 'quantity' | 'value'>
}

/**
 * known: the cost is known. unvalued: the lot is known, its cost is not. missing: no lot is known, because
 * more was disposed of than the history accounts for.
 */
export type Basis = 'known' | 'unvalued' | 'missing'

/** One matched piece of one disposal. */
export interface DisposalPiece {
  readonly account: string
  readonly coin: string
  readonly kind: 'disposal' | 'network fee'
  readonly disposedAtUs: bigint
  /** Null for a pool, a missing lot, and a lot whose date is unknown. */
  readonly acquiredAtUs: bigint | null
  readonly quantity: bigint
  readonly proceeds: bigint | null
  /** The fees that the proceeds are net of; null if the proceeds are unknown. */
  readonly fees: bigint | null
  readonly costBasis: bigint | null
  /** The part of a loss that the rules disallow; null if they disallow nothing. */
  readonly deniedLoss: bigint | null
  /** Proceeds − cost basis + denied loss; null if one of the first two is unknown. */
  readonly gain: bigint | null
  readonly disposalId: EventId
  /** Null for a pool and a missing lot. */
  readonly lotId: EventId | null
  readonly basis: Basis
}

/** What is left of a lot, or of a pool (lotId and acquiredAtUs null). */
export interface OpenLot {
  /** Where it is held; under universal scope, where it was acquired; null for a pool. */
  readonly account: string | null
  readonly coin: string
  readonly acquiredAtUs: bigint | null
  readonly quantityLeft: bigint
  readonly costBasisLeft: bigint | null
  readonly lotId: EventId | null
}

/** A piece of a lot that changed accounts, or was given away, with its basis and its date. */
export interface MovedPiece {
  readonly coin: string
  /** Id of the outgoing leg. */
  readonly eventId: EventId
  readonly movedAtUs: bigint
  readonly fromAccount: string
  /** Null for a gift, and if no second leg is known. */
  readonly toAccount: string | null
  readonly acquiredAtUs: bigint | null
  readonly quantity: bigint
  readonly costBasis: bigint | null
  readonly lotId: EventId | null
  readonly basis: Basis
}

/** A sale of borrowed coins, or the part of it that one purchase or repayment closes. */
export interface ShortSalePiece {
  readonly sale: LotEvent
  readonly quantity: bigint
  readonly proceeds: bigint | null
  readonly fees: bigint | null
  /**
   * The purchase that closed it, with its cost (null if unknown), or the repayment with the account's own
   * lots, whose pieces are a disposal of that repayment. Null while it is open.
   */
  readonly closing: { readonly event: LotEvent; readonly cost: bigint | null } | null
}

/** Borrowed coins that an account still holds. */
export interface BorrowedCoins {
  readonly account: string
  readonly coin: string
  readonly quantity: bigint
}

export type ProblemKind =
  | 'transfer without its second leg'
  | 'transfer without its first leg'
  | 'more arrived than left'
  | 'selected lot not held'
  | 'selected lot not needed'
  | 'allotted lot not held'
  | 'quantity not above zero'

/** An inconsistency in the events; data for a check, never a reason to stop. */
export interface LotProblem {
  readonly problem: ProblemKind
  readonly account: string
  readonly coin: string
  readonly happenedAtUs: bigint
  readonly eventId: EventId
  /** The lot in question, if there is one. */
  readonly lotId: EventId | null
  readonly quantity: bigint
}

/** Receives results as they are found. Open lots of a coin come after its last event. */
export interface Sink {
  piece(piece: DisposalPiece): void
  lot(lot: OpenLot): void
  moved(piece: MovedPiece): void
  problem(problem: LotProblem): void
  shortSale(piece: ShortSalePiece): void
  /** Comes after the last event of the coin. */
  borrowed(coins: BorrowedCoins): void
}

/** The matching of one coin under one method: events in order, then `finish` once. */
export interface CoinBook {
  apply(event: LotEvent): void
  finish(): void
}

export type Scope = 'account' | 'universal'

/** The owner names a lot by its text, the build step by its row. */
export interface Selection<Id extends EventId = string> {
  readonly lotId: Id
  readonly quantity: bigint
  /** Needed only if one row disposes of several coins (a trade and its fee). */
  readonly coin?: string
}

/** By the id of a disposal or an outgoing transfer: which lots it takes, in this order. */
export type Selections = ReadonlyMap<string, readonly Selection[]>

/** The same, looked up one at a time. */
export interface NamedLotsOf {
  get(id: EventId): readonly Selection<EventId>[] | undefined
}

/** Which account a lot goes to when the scope changes from universal to account. */
export interface Allocation<Id extends EventId = string> {
  readonly account: string
  readonly coin: string
  readonly lotId: Id
  readonly quantity: bigint
}

/** Coins given away: a disposal at their value, or a transfer out with their basis and without a gain. */
export type Gifts = 'disposal' | 'leave'

/**
 * A fee withheld from the very coins that an acquisition brings: either those coins are acquired and disposed
 * of, or they were never acquired and the rest costs what was paid.
 */
export type FeesInKind = 'disposal' | 'net'

/** When the result of a short sale counts: once it is closed, or at the time of the sale. */
export type ShortSales = 'when closed' | 'when sold'

/** What a matching rule may know besides the events. */
export interface RuleContext {
  readonly scope: Scope
  readonly gifts: Gifts
  readonly shortSales: ShortSales
  /**
   * Days after a disposal in which an acquisition still affects it; unused by methods that decide
   * immediately.
   */
  readonly lookAheadDays: number
  /**
   * Unix microseconds; null for the end. Later events are seen but not carried out, so that lots are those of
   * that moment as left by the disposals before it. If a law merges a day and the moment falls within one,
   * the rest of that day is not seen. Only for methods that look ahead: other methods get the same result
   * from the earlier events alone.
   */
  readonly untilUs: bigint | null
  readonly sink: Sink
  readonly selections: NamedLotsOf
  /** IANA name of the zone whose days are counted. */
  readonly timeZone: string
}

/** A way of choosing lots. Each has its own file under `methods/`. */
export type MatchingRule = (context: RuleContext) => CoinBook
