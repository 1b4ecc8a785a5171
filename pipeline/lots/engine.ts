// The lots engine: ordered events go in, pieces of disposals and open lots come out, exact to 10^-18. For
// every account and coin: acquired + moved in + borrowed = left + disposed + moved out + repaid − missing, to
// the last unit, with borrowed coins on hand counted as left and short sales as disposed of.
import { TieoutError, UsageError } from '../../models/error.ts'
import type {
  Allocation,
  CoinBook,
  EventId,
  Gifts,
  LotEvent,
  MatchingRule,
  NamedLotsOf,
  RuleContext,
  Scope,
  ShortSales,
  Sink,
} from './event.ts'
import { LoanBook } from './loans.ts'
import { average } from './methods/average.ts'
import { ca } from './methods/ca.ts'
import { fifo, hifo, lifo, lofo } from './methods/ordered.ts'
import { specific } from './methods/specific.ts'
import { uk } from './methods/uk.ts'
import { type CarriedForward, RunningBook, type RunningRule } from './running-book.ts'
import { type Phase, ScheduledBook } from './scheduled-book.ts'
import { effectiveAtUs, problemOf } from './transfers.ts'

/** Methods that decide immediately, and so can follow one another. */
const runningRules = { fifo, lifo, hifo, lofo, average, specific } satisfies Record<string, RunningRule>
const rules = { ...runningRules, uk, ca } satisfies Record<string, MatchingRule>

export type Method = keyof typeof rules

export const methods = Object.keys(rules) as Method[]

/** What applies from a time on. */
export interface Change {
  /** Unix microseconds. */
  readonly fromUs: bigint
  readonly method: Method
  readonly scope: Scope
}

export interface LotOptions {
  readonly method: Method
  readonly scope: Scope
  /** By ascending time. A method that looks ahead can neither follow nor be followed by another. */
  readonly changes?: readonly Change[]
  /** Where lots go when the scope changes from universal to account. */
  readonly allocations?: readonly Allocation<EventId>[]
  /** For `specific`. */
  readonly selections?: NamedLotsOf
  /** IANA name of the zone whose days count; UTC by default. */
  readonly timeZone?: string
  /** How the law treats coins given away; by default they leave without a gain. */
  readonly gifts?: Gifts
  /** When the law counts a sale of borrowed coins; by default when it is closed. */
  readonly shortSales?: ShortSales
  /** How far the law looks ahead; by default not at all. */
  readonly lookAheadDays?: number
  /** For a method that looks ahead: the moment before which it ends, although it sees the days after it. */
  readonly untilUs?: bigint
}

/** A run that begins where an earlier one was at some moment, or is carried on by a later one from some moments. */
export interface Passage {
  /** By coin: what was held before the first event. */
  readonly broughtForward?: ReadonlyMap<string, CarriedForward>
  /** Unix microseconds, ascending. None of them lies between the two legs of a transfer. */
  readonly momentsUs?: readonly bigint[]
  /**
   * Receives what is held of a coin at one of these moments, if anything has happened with it by then. The parcels are those
   * that the run goes on with. Null if nothing can go on from there: there have been loans, or the method is yet to change.
   */
  readonly carry?: (atUs: bigint, coin: string, lots: CarriedForward | null) => void
}

/** Whether a run with these options can be carried on: not if a method looks ahead or pools what it holds. */
export function canBeCarriedOn({ method, changes = [], shortSales = 'when closed' }: LotOptions): boolean {
  const used = [method, ...changes.map((change) => change.method)]
  return shortSales === 'when closed' && used.every((one) => isRunning(one) && one !== 'average')
}

/** Runs one method over events sorted by coin, then time, then place (`inOrder` sorts them so). */
export class LotEngine {
  readonly #rule: RuleThatFollows
  readonly #context: RuleContext
  readonly #passage: Passage
  /** How many moments of the current coin have passed. */
  #passed = 0
  #book: CoinBook | undefined
  #last: LotEvent | undefined
  /** Of the current coin. */
  #hasLoans = false
  readonly #coins = new Set<string>()
  #coin = ''

  constructor(options: LotOptions, sink: Sink, passage: Passage = {}) {
    this.#rule = ruleOf(options)
    this.#passage = passage
    const { scope, selections = new Map(), timeZone = 'UTC', lookAheadDays = 0 } = options
    const { gifts = 'leave', shortSales = 'when closed', untilUs = null } = options
    this.#context = { scope, sink, selections, timeZone, gifts, shortSales, lookAheadDays, untilUs }
  }

  /** Throws a TieoutError if an event is out of order; every other problem goes to `sink.problem`. */
  apply(event: LotEvent): void {
    const last = this.#last
    const atUs = effectiveAtUs(event)
    if (this.#book === undefined || event.coin !== last?.coin) {
      if (last !== undefined && this.#coins.has(event.coin)) throw coinAgain(event, last)
      this.#close()
      this.#book = this.#open(event.coin, atUs)
    } else if (atUs < effectiveAtUs(last)) throw outOfOrder(event, last)
    this.#carryUntil(atUs)
    this.#last = event
    const isLoan = event.kind === 'borrow' || event.kind === 'repay'
    // If own coins are sold first, they are counted from the first event on.
    if (!this.#hasLoans && (isLoan || this.#context.shortSales === 'when sold')) {
      this.#hasLoans = true
      this.#book = new LoanBook(this.#book, this.#context)
    }
    if (event.quantity > 0n) this.#book.apply(event)
    else this.#context.sink.problem(problemOf(event, 'quantity not above zero', event.quantity))
  }

  /** A coin without any event keeps what was brought forward. */
  keep(coin: string): void {
    this.#close()
    this.#book = this.#open(coin, null)
    this.#last = undefined
  }

  /** Closes the last book; call it once, after the last event. */
  finish(): void {
    this.#close()
  }

  /** `firstUs`: when its first event takes effect. Of a coin that begins with it, nothing is held at earlier moments. */
  #open(coin: string, firstUs: bigint | null): CoinBook {
    this.#coins.add(coin)
    const inherited = this.#passage.broughtForward?.get(coin)
    this.#hasLoans = false
    const momentsUs = this.#passage.momentsUs ?? []
    const isNew = inherited === undefined && firstUs !== null
    this.#passed = isNew ? momentsUs.filter((us) => us <= firstUs).length : 0
    this.#coin = coin
    return this.#rule(this.#context, inherited)
  }

  #close(): void {
    this.#carryUntil(null)
    this.#book?.finish()
    this.#book = undefined
  }

  /** Hands over what is held at the moments up to this one, or at all that are left. */
  #carryUntil(us: bigint | null): void {
    const { momentsUs = [], carry } = this.#passage
    while (this.#book !== undefined && this.#passed < momentsUs.length) {
      const atUs = momentsUs[this.#passed] as bigint
      if (us !== null && us < atUs) return
      this.#passed += 1
      carry?.(atUs, this.#coin, carriedBy(this.#book, atUs))
    }
  }
}

function carriedBy(book: CoinBook, atUs: bigint): CarriedForward | null {
  if (book instanceof RunningBook) return book.carried()
  return book instanceof ScheduledBook ? book.carriedAt(atUs) : null
}

/** A rule whose book may follow that of an earlier run; one that looks ahead is given none to follow. */
type RuleThatFollows = (context: RuleContext, inherited?: CarriedForward) => CoinBook

function ruleOf({ method, scope, changes = [], allocations = [] }: LotOptions): RuleThatFollows {
  if (changes.length === 0) return rules[method]
  const phase = (change: Change): Phase => ({ ...change, rule: runningRule(change.method) })
  const first = phase({ fromUs: 0n, method, scope })
  const later = changes.map(phase)
  const { rule, scope: lastScope } = later.at(-1) ?? first
  return (context, inherited) =>
    inherited === undefined
      ? new ScheduledBook(context, [first, ...later], allocations)
      : rule({ ...context, scope: lastScope }, inherited)
}

function runningRule(method: Method): RunningRule {
  if (isRunning(method)) return runningRules[method]
  throw new UsageError(`The method ${method} cannot change with time.`, {
    expected: `one of ${Object.keys(runningRules).join(', ')} if the method or the scope changes`,
    action: 'Use one method and one scope for all years.',
  })
}

const isRunning = (method: Method): method is keyof typeof runningRules => method in runningRules

function coinAgain(event: LotEvent, before: LotEvent): TieoutError {
  return new TieoutError('The lots engine was given a coin whose book is already closed.', {
    where: `account ${event.account}, coin ${event.coin}, event ${event.id}`,
    expected: 'all events of a coin one after another',
    found: `events of ${before.coin} between them`,
    action: 'Sort the events by coin, time and place first.',
  })
}

function outOfOrder(event: LotEvent, before: LotEvent): TieoutError {
  return new TieoutError('The lots engine was given events out of order.', {
    where: `account ${event.account}, coin ${event.coin}, event ${event.id}`,
    expected: `a time not before ${before.happenedAtUs} (event ${before.id})`,
    found: `${event.happenedAtUs} (Unix microseconds)`,
    action: 'Sort the events by coin, time and place first.',
  })
}
