// Windows that alone cannot be fetched: how many may be skipped, and when they are requested again in halves.
import { days, type Endpoint } from '../../connectors/endpoint.ts'
import { partsOf, type WalkState } from '../../connectors/walk-state.ts'
import type { Asking } from './page.ts'

/**
 * If no page of a feed has arrived after this many windows, halves of them show whether the feed or the windows are at
 * fault.
 */
const WINDOWS_BEFORE_HALVES = 3

/**
 * Three windows and both halves of each: if none of them returned anything, the feed itself cannot be read. If that
 * many in a row get no proper answer later on, the rest of the partition is left.
 */
const MOST_WITHOUT_A_PAGE = 9

/** In a row without a proper answer: all that a partition may take, and as many partitions of which the first gets none. */
const MOST_UNANSWERED = 2 * MOST_WITHOUT_A_PAGE

/**
 * How many windows of a partition are skipped in a run, and how many parts of them: a bad instant takes some ten, once.
 */
const MOST_IN_A_PARTITION = 60

/** What a run knows about a feed of which windows are skipped. */
export class Skips {
  #hasHad = false
  #withoutAPage = 0
  #cursorsInVain = 0
  #unanswered = 0

  /** Whether any page of the feed has arrived. */
  get hasHad(): boolean {
    return this.#hasHad
  }

  /** Requested by a cursor, or as the first page of its window. */
  had(byCursor: boolean): void {
    this.#hasHad = true
    this.#unanswered = 0
    if (byCursor) this.#cursorsInVain = 0
  }

  /** A page requested by a cursor could not be fetched, after all its tries. */
  hadNoneByCursor(): void {
    this.#cursorsInVain += 1
  }

  /** A page got no proper answer, after all its tries. */
  unanswered(): void {
    this.#unanswered += 1
  }

  /**
   * Whether the next partition is requested if the rest of one is left. As long as no page of the feed has arrived, only
   * a missing answer leaves that open: what the venue refuses outright, it would refuse for the others.
   */
  get goesOn(): boolean {
    if (this.#hasHad) return this.#unanswered < MOST_UNANSWERED
    return this.#unanswered > 0 && this.#unanswered < WINDOWS_BEFORE_HALVES
  }

  /** Whether only first pages arrive, so that trying one more would show nothing new. */
  get onlyFirstPages(): boolean {
    return this.#cursorsInVain >= WINDOWS_BEFORE_HALVES
  }

  /** Whether one more window may be skipped in a partition of which `before` have been. */
  another(before: number): boolean {
    if (this.#hasHad) return before < MOST_IN_A_PARTITION && this.#unanswered < MOST_WITHOUT_A_PAGE
    return this.#withoutAPage + 1 < MOST_WITHOUT_A_PAGE
  }

  /** A window was skipped. */
  skipped(): void {
    if (!this.#hasHad) this.#withoutAPage += 1
  }

  /** Whether it is time to find out if anything of the feed can be fetched. */
  get isInDoubt(): boolean {
    return !this.#hasHad && this.#withoutAPage >= WINDOWS_BEFORE_HALVES
  }
}

const GOLDEN_SECTION = (Math.sqrt(5) - 1) / 2

/**
 * Where a night begins with what was skipped, between 0 and 1, to go round from there: of more than a night requests, or
 * beside what can never be fetched, nothing is left out for ever. Steps of the golden section spread evenly, however
 * regular the runs are.
 */
const turnOf = (now: number): number => (Math.floor(now / days(1)) * GOLDEN_SECTION) % 1

export function inTurn<T>(list: readonly T[], now: number): readonly T[] {
  const first = Math.floor(turnOf(now) * list.length)
  return [...list.slice(first), ...list.slice(0, first)]
}

/** A window of the plan, or a part of one that was skipped, be it in an earlier run. */
export type Size = 'window' | 'part'

interface PassedOver {
  readonly walk: WalkState
  readonly hides: boolean
}

/**
 * What is requested of a partition, in order. Skipped windows are requested again in parts once nothing else is left,
 * so that everything that can be fetched has arrived by then and the small rest comes last. One is divided to its end
 * before the next, so that a night settles some however many there are, and each night begins at another instant. As long
 * as nothing of the feed has arrived, they are requested only once, all together.
 */
export class Queue {
  readonly #endpoint: Endpoint
  readonly #skips: Skips
  readonly #walks: Asking[]
  readonly #last: Asking[]
  readonly #parts = new Set<Asking>()
  readonly #again: ReadonlySet<Asking>
  readonly #now: number
  readonly #skipped: Record<Size, number> = { window: 0, part: 0 }
  /** From the oldest to the newest. */
  #passed: readonly PassedOver[] = []
  /** The instant at which this night begins with them. */
  #beginsAt: number | null = null
  #hasDivided = false
  #hasLeft = false

  constructor(
    endpoint: Endpoint,
    skips: Skips,
    walks: readonly Asking[],
    last: readonly Asking[],
    now: number,
  ) {
    this.#endpoint = endpoint
    this.#skips = skips
    this.#walks = [...walks]
    this.#last = [...last]
    this.#again = new Set(last)
    this.#now = now
  }

  /** Whether the window of which this is a part was skipped in this run. */
  isPart(asking: Asking): boolean {
    return this.#parts.has(asking)
  }

  /** Whether it was skipped in an earlier run. */
  isAgain(asking: Asking): boolean {
    return this.#again.has(asking)
  }

  sizeOf(asking: Asking): Size {
    return this.isPart(asking) || this.isAgain(asking) ? 'part' : 'window'
  }

  /** Whether one more of this size may be skipped. */
  maySkip(size: Size): boolean {
    return this.#skips.another(this.#skipped[size])
  }

  /** One of this size was skipped. */
  skipped(size: Size): void {
    this.#skipped[size] += 1
    this.#skips.skipped()
  }

  /** Whether anything that was skipped has not arrived in halves either. */
  get hasLeft(): boolean {
    return this.#hasLeft || this.#passed.length > 0
  }

  /**
   * `hides`: a full page arrived and the one after it did not, so that rows may be missing however small the window is;
   * `next` is what the walk that began with `first` continues with.
   */
  passOver(first: Asking, left: PassedOver, mayBeDivided: boolean, next: Asking | null): void {
    this.skipped(this.sizeOf(first))
    if (!mayBeDivided) this.#hasLeft = true
    else this.#passed = [...this.#passed, left].toSorted((a, b) => a.walk.open.end - b.walk.open.end)
    if (next !== null) this.#walks.unshift(next)
  }

  next(): Asking | undefined {
    if (this.#walks.length === 0 || this.#skips.isInDoubt) this.#divide()
    return this.#walks.shift() ?? this.#last.shift()
  }

  get rest(): readonly Asking[] {
    return [...this.#walks, ...this.#last]
  }

  #divide(): void {
    if (this.#hasDivided && !this.#skips.hasHad) return
    do {
      const parts = this.#nextLeft().map(({ walk, hides }) => partsOf(this.#endpoint, walk, hides))
      this.#hasDivided ||= parts.length > 0
      this.#hasLeft ||= parts.some(({ length }) => length === 0)
      this.#walks.unshift(...parts.flat())
      for (const part of parts.flat()) this.#parts.add(part)
    } while (this.#walks.length === 0 && this.#passed.length > 0)
  }

  /** Takes what is divided next. */
  #nextLeft(): readonly PassedOver[] {
    const passed = this.#passed
    const [oldest, newest] = [passed[0], passed.at(-1)]
    if (oldest === undefined || newest === undefined) return []
    if (!this.#skips.hasHad) {
      this.#passed = []
      return passed.toReversed()
    }
    const { start } = oldest.walk.open
    const beginsAt = this.#beginsAt ?? start + turnOf(this.#now) * (newest.walk.open.end - start)
    this.#beginsAt = beginsAt
    const next = passed.find(({ walk }) => walk.open.end > beginsAt) ?? oldest
    this.#passed = passed.filter((one) => one !== next)
    return [next]
  }
}
