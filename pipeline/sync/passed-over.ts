// Windows that alone cannot be had: how many may be passed over, and when they are asked for again in halves.
import type { Endpoint } from '../../connectors/endpoint.ts'
import { partsOf } from '../../connectors/walk-state.ts'
import type { Range } from '../../models/ranges.ts'
import type { Asking } from './page.ts'

/** As long as no page of a feed has come, after so many windows halves of them tell whether it is the feed or the windows. */
const WINDOWS_BEFORE_HALVES = 3

/** Three windows and both halves of each: where nothing came of any of them it is the feed that cannot be had. */
const MOST_WITHOUT_A_PAGE = 9

/** So many windows of a partition are passed over in a run: a bad instant takes some ten of them, once. */
const MOST_IN_A_PARTITION = 60

/** What a run knows of a feed of which windows are passed over. */
export class Skips {
  #hasHad = false
  #withoutAPage = 0
  #cursorsInVain = 0

  /** Whether any page of the feed has come. */
  get hasHad(): boolean {
    return this.#hasHad
  }

  /** By a cursor, or as the first page of its window. */
  had(byCursor: boolean): void {
    this.#hasHad = true
    if (byCursor) this.#cursorsInVain = 0
  }

  /** A page that a cursor asked for could not be had, after the tries that it has. */
  hadNoneByCursor(): void {
    this.#cursorsInVain += 1
  }

  /** Whether first pages come and no others, so that the tries for one more would tell nothing new. */
  get onlyFirstPages(): boolean {
    return this.#cursorsInVain >= WINDOWS_BEFORE_HALVES
  }

  /** Whether one more window may be passed over in a partition of which `before` have been. */
  another(before: number): boolean {
    if (this.#hasHad) return before < MOST_IN_A_PARTITION
    this.#withoutAPage += 1
    return this.#withoutAPage < MOST_WITHOUT_A_PAGE
  }

  /** Whether it is time to find out if anything of the feed can be had. */
  get isInDoubt(): boolean {
    return !this.#hasHad && this.#withoutAPage >= WINDOWS_BEFORE_HALVES
  }
}

/**
 * What a partition is asked for, in its order. What was passed over comes again in halves once nothing else is left, so that
 * all that can be had has come by then, and the small rest at last. As long as nothing of the feed has come, they are asked
 * for once alone.
 */
export class Queue {
  readonly #endpoint: Endpoint
  readonly #skips: Skips
  readonly #walks: Asking[]
  readonly #last: Asking[]
  readonly #parts = new Set<Asking>()
  #passed: Range[] = []
  #hasDivided = false
  #hasLeft = false

  constructor(endpoint: Endpoint, skips: Skips, walks: readonly Asking[], last: readonly Asking[]) {
    this.#endpoint = endpoint
    this.#skips = skips
    this.#walks = [...walks]
    this.#last = [...last]
  }

  /** Whether what this is a part of was passed over in this run. */
  isPart(asking: Asking): boolean {
    return this.#parts.has(asking)
  }

  /** Whether anything that was passed over has not come in halves either. */
  get hasLeft(): boolean {
    return this.#hasLeft || this.#passed.length > 0
  }

  /** `next` is what the walk goes on with. */
  passOver(ranges: readonly Range[], mayBeDivided: boolean, next: Asking | null): void {
    if (mayBeDivided) this.#passed.push(...ranges)
    else this.#hasLeft = true
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
    const parts = this.#passed.map((range) => partsOf(this.#endpoint, range))
    this.#hasDivided ||= parts.length > 0
    this.#hasLeft ||= parts.some(({ length }) => length === 0)
    this.#passed = []
    this.#walks.unshift(...parts.flat())
    for (const part of parts.flat()) this.#parts.add(part)
  }
}
