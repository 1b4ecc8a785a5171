// What is wrong with the cells of a file: all of it in one error, by line and column, so that a file is
// corrected once. A reader throws for what it cannot read; its caller collects the errors, and in the end
// nothing of such a file is used.
import { describeLines, UsageError } from '../../models/error.ts'

/** How many are listed individually; the rest are only counted. */
const SHOWN_MAX = 100

const ACTION = 'Correct the cell and import the file again; nothing of it has been imported.'
const ACTION_OF_SEVERAL = 'Correct them and import the file again; nothing of it has been imported.'

export interface Refusal {
  readonly line: number
  readonly column: string
  readonly message: string
  readonly expected: string
  readonly found: string
  /** What to do next, if it is not to correct the cell. */
  readonly action?: string
}

/** One or more cells that cannot be read. A single one reads like any other error, several are listed. */
export class RefusedCells extends UsageError {
  readonly file: string
  /** By line; no more than are shown. */
  readonly refusals: readonly Refusal[]
  /** The number of all of them, including those not shown. */
  readonly count: number

  constructor(file: string, refusals: readonly Refusal[], count = refusals.length, action?: string) {
    const [first, ...others] = refusals
    if (first === undefined) throw new Error('No cell was refused.')
    const isOne = others.length === 0
    const shared = refusals.every((each) => each.action === first.action) ? first.action : undefined
    super(isOne ? first.message : `${count} cells of the file cannot be read.`, {
      where: isOne ? placeOf(file, first) : file,
      expected: isOne ? first.expected : 'every cell in the format of its column',
      found: isOne ? first.found : `${placeOf(file, first)}, and ${count - 1} more`,
      action: action ?? shared ?? (isOne ? ACTION : ACTION_OF_SEVERAL),
    })
    this.file = file
    this.refusals = refusals
    this.count = count
  }

  /** The same cells with a different next step. */
  withAction(action: string): RefusedCells {
    return new RefusedCells(this.file, this.refusals, this.count, action)
  }

  override describe(): string {
    if (this.count === 1) return super.describe()
    const rest = this.count - this.refusals.length
    return describeLines([
      this.message,
      ...this.refusals.map(
        (each) =>
          `  ${placeOf(this.file, each)}: ${each.message} Expected ${each.expected}; found ${each.found}.`,
      ),
      rest === 0 ? '' : `  and ${rest} more`,
      `  next:     ${this.details.action}`,
    ])
  }
}

const placeOf = (file: string, { line, column }: Refusal): string => `${file}:${line}, column ${column}`

/** The error for one position in the file. */
export const refuseCell = (
  file: string,
  line: number,
  column: string,
  what: Omit<Refusal, 'line' | 'column'>,
) => new RefusedCells(file, [{ line, column, ...what }])

/** Collects refusals, so that reading continues with the next cell, row or line. */
export class Refusals {
  readonly #file: string
  readonly #kept: Refusal[] = []
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  /** The result of `work`, or undefined if it refuses a cell; any other error propagates. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof RefusedCells)) throw error
      this.add(error)
      return undefined
    }
  }

  add({ refusals, count }: RefusedCells): void {
    this.#count += count
    this.#kept.push(...refusals.slice(0, SHOWN_MAX - this.#kept.length))
  }

  /** Throws one error with all refusals, by line; does nothing if there are none. */
  throwIfAny(): void {
    if (this.#count === 0) return
    throw new RefusedCells(
      this.#file,
      this.#kept.toSorted((a, b) => a.line - b.line),
      this.#count,
    )
  }
}

/** Reads several cells of one row; all refusals are thrown together. */
export function together<T extends readonly unknown[]>(
  file: string,
  readers: { readonly [At in keyof T]: () => T[At] },
): T {
  const refusals = new Refusals(file)
  const values = readers.map((read) => refusals.attempt(read))
  refusals.throwIfAny()
  return values as unknown as T
}
