// The book of a coin whose method or scope changes with time: at each change one book ends and the next takes
// over its lots. Lots held under universal scope are allotted to accounts, and lots of accounts are combined.
import { allocate, Claims } from './allocation.ts'
import type { Allocation, CoinBook, EventId, LotEvent, RuleContext, Scope } from './event.ts'
import { quantityOf } from './parcel.ts'
import type { CarriedForward, RunningBook, RunningRule } from './running-book.ts'
import { effectiveAtUs } from './transfers.ts'

/** One method over one scope, until the next phase begins. */
export interface Phase {
  /** Unix microseconds; ignored for the first phase, which applies from the beginning. */
  readonly fromUs: bigint
  readonly rule: RunningRule
  readonly scope: Scope
}

export class ScheduledBook implements CoinBook {
  readonly #context: Omit<RuleContext, 'scope'>
  readonly #allocations: readonly Allocation<EventId>[]
  readonly #coming: Phase[]
  #claims = new Claims()
  #scope: Scope
  #book: RunningBook

  constructor(
    context: Omit<RuleContext, 'scope'>,
    phases: readonly [Phase, ...Phase[]],
    allocations: readonly Allocation<EventId>[],
  ) {
    const [first, ...coming] = phases
    this.#context = context
    this.#allocations = allocations
    this.#coming = coming
    this.#scope = first.scope
    this.#book = this.#open(first)
  }

  apply(event: LotEvent): void {
    this.#changeUntil(effectiveAtUs(event))
    this.#claims.see(event)
    this.#book.apply(event)
  }

  /** What it holds at this moment, before any later event; null unless its last phase has begun. */
  carriedAt(us: bigint): CarriedForward | null {
    this.#changeUntil(us)
    return this.#coming.length > 0 ? null : this.#book.carried()
  }

  /** The last phase begins even if nothing happened in it: open lots are held by its scope. */
  finish(): void {
    this.#changeUntil(null)
    this.#book.finish()
  }

  #open({ rule, scope }: Phase, inherited?: CarriedForward): RunningBook {
    const { sink } = this.#context
    const context = {
      ...this.#context,
      scope,
      sink: scope === 'account' ? sink : this.#claims.watching(sink),
    }
    return rule(context, inherited)
  }

  #changeUntil(us: bigint | null): void {
    for (let next = this.#coming[0]; next !== undefined; next = this.#coming[0]) {
      if (us !== null && us < next.fromUs) return
      this.#coming.shift()
      this.#change(next)
    }
  }

  #change(phase: Phase): void {
    const carried = this.#rearranged(this.#book.carried(), phase)
    this.#scope = phase.scope
    this.#book = this.#open(phase, carried)
  }

  #rearranged(carried: CarriedForward, { scope, fromUs }: Phase): CarriedForward {
    if (scope === this.#scope) return carried
    const { sink } = this.#context
    if (scope === 'account') return allocate(carried, this.#claims, this.#allocations, { atUs: fromUs, sink })
    this.#claims = new Claims()
    return this.#together(carried)
  }

  /** Coins in transit belong to their destination; they arrive as a move inside the whole. */
  #together({ coin, parcels, underway, order }: CarriedForward): CarriedForward {
    const together = []
    for (const { account, parcel } of parcels) {
      this.#claims.begin(account ?? '', quantityOf(parcel))
      together.push({ account: null, parcel })
    }
    for (const { out, taken } of underway.values())
      for (const parcel of taken.parcels) {
        this.#claims.begin(out.twin?.account ?? out.account, quantityOf(parcel))
        together.push({ account: null, parcel })
      }
    return { coin, parcels: together, underway: new Map(), order }
  }
}
