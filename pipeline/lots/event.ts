// The nouns of the lots engine: events go in, pieces of disposals and open lots come out.
// Quantities and money are whole numbers of 10^-18 units; null is an amount that nobody knows, never zero.

/**
 * give: leaves without anything in return; no disposal unless the rules of a country make it one.
 * borrow, repay: the principal of a loan, received and given back.
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

/**
 * In the step of the build an event is known by its row in `lot_events`, which costs less than its text. A text is the name
 * of a lot that there is not, and in books that stand in no table the id of any event.
 */
export type EventId = number | string

/** The other leg of a transfer between own accounts. */
export interface Twin {
  readonly id: EventId
  readonly account: string
  readonly happenedAtUs: bigint
  readonly quantity: bigint
}

/** One change of one coin in one account that lots care about. */
export interface LotEvent {
  readonly account: string
  readonly coin: string
  /** Unix microseconds. */
  readonly happenedAtUs: bigint
  /** Order among events of equal microseconds; a source with finer times has them in here. */
  readonly place: bigint
  readonly id: EventId
  readonly kind: EventKind
  /** More than zero. */
  readonly quantity: bigint
  /**
   * acquire: basis with the fee. dispose: proceeds after the fee, possibly negative. give: what it was worth.
   * transfer_out: what the network fee was worth, where less arrives than leaves. transfer_in, borrow, repay: unused.
   */
  readonly value: bigint | null
  /** Ties the two legs of a transfer; of a loan, the wallet that owes it, where the account has several. */
  readonly transferId?: string
  /** Set by `inOrder` on both legs of a transfer whose two legs are known. */
  readonly twin?: Twin
  /** Of a fee, where the law has the coins pay it from which it was kept back, whatever the method: their acquisition. */
  readonly keptFrom?: EventId
  /** Of what loans have left of an event: the whole of it. The unit cost of a purchase goes by that. */
  readonly whole?: Pick<LotEvent, 'quantity' | 'value'>
}

/**
 * known: cost stands. unvalued: the lot is known, its cost is not.
 * missing: no lot is known, so more was disposed of than the history tells.
 */
export type Basis = 'known' | 'unvalued' | 'missing'

/** One matched piece of one disposal. */
export interface DisposalPiece {
  readonly account: string
  readonly coin: string
  readonly kind: 'disposal' | 'network fee'
  readonly disposedAtUs: bigint
  /** Null for a pool, a missing lot, and a lot whose date nobody knows. */
  readonly acquiredAtUs: bigint | null
  readonly quantity: bigint
  readonly proceeds: bigint | null
  readonly costBasis: bigint | null
  /** What the rules disallow of a loss; null where they disallow nothing. */
  readonly deniedLoss: bigint | null
  /** Proceeds − cost basis + denied loss; null where one of the first two is unknown. */
  readonly gain: bigint | null
  readonly disposalId: EventId
  /** Null for a pool and a missing lot. */
  readonly lotId: EventId | null
  readonly basis: Basis
}

/** What is left of a lot, or of a pool (lotId and acquiredAtUs null). */
export interface OpenLot {
  /** Where it lies; over all accounts, where it was acquired, and null for a pool. */
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
  /** Id of the leg that took it out. */
  readonly eventId: EventId
  readonly movedAtUs: bigint
  readonly fromAccount: string
  /** Null for a gift, and where no second leg is known. */
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
  /**
   * The purchase that closed it, with its cost (null where nobody knows), or the repayment with lots of one's own, whose
   * pieces are a disposal of that repayment. Null while it is open.
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

/** Something in the events that does not hold together; data for a check, never a reason to stop. */
export interface LotProblem {
  readonly problem: ProblemKind
  readonly account: string
  readonly coin: string
  readonly happenedAtUs: bigint
  readonly eventId: EventId
  /** The lot in question, where there is one. */
  readonly lotId: EventId | null
  readonly quantity: bigint
}

/** Where results go as they are found. Open lots of a coin come after its last event. */
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

/** The owner names a lot by its text, and the step by its row. */
export interface Selection<Id extends EventId = string> {
  readonly lotId: Id
  readonly quantity: bigint
  /** Needed only where one row disposes of several coins (a trade and its fee). */
  readonly coin?: string
}

/** By the id of a disposal or an outgoing transfer: which lots it takes, in this order. */
export type Selections = ReadonlyMap<string, readonly Selection[]>

/** The same, asked one by one. */
export interface NamedLotsOf {
  get(id: EventId): readonly Selection<EventId>[] | undefined
}

/** Which account a lot goes to when lots held over all accounts become those of accounts. */
export interface Allocation<Id extends EventId = string> {
  readonly account: string
  readonly coin: string
  readonly lotId: Id
  readonly quantity: bigint
}

/** Coins that are given away: a disposal at their value, or they leave with their basis and without a gain. */
export type Gifts = 'disposal' | 'leave'

/**
 * A fee that is kept back from the very coins that an acquisition brings: those coins are acquired and disposed of, or they
 * were never acquired, and the rest costs what was paid.
 */
export type FeesInKind = 'disposal' | 'net'

/** When the result of a short sale counts: once it is closed, or at the time of the sale. */
export type ShortSales = 'when closed' | 'when sold'

/** What a matching rule may know besides the events. */
export interface RuleContext {
  readonly scope: Scope
  readonly gifts: Gifts
  readonly shortSales: ShortSales
  /** Days after a disposal in which an acquisition still bears on it; of no use to a method that decides at once. */
  readonly lookAheadDays: number
  /**
   * Unix microseconds; null for the end. What happens from then on is seen and not done, so that lots are those of that moment
   * as the disposals before it left them; where a day is one, and it falls within it, the rest of that day is not seen. Only for
   * methods that look ahead: to others the events before it say as much.
   */
  readonly untilUs: bigint | null
  readonly sink: Sink
  readonly selections: NamedLotsOf
  /** IANA name; whose days are counted. */
  readonly timeZone: string
}

/** A way of choosing lots. Each stands in a file of its own under `methods/`. */
export type MatchingRule = (context: RuleContext) => CoinBook
