// What is wrong with the cells of a file: all of it in one error, by line and column, so that a file is corrected once.
// A reader throws what it cannot take; whoever reads on collects it, and in the end nothing of such a file is used.
import { describeLines, UsageError } from '../../models/error.ts'

/** So many are shown one by one; of the rest their number. */
const SHOWN_MAX = 100

const ACTION = 'Correct the cell and import the file again; nothing of it has been imported.'
const ACTION_OF_SEVERAL = 'Correct them and import the file again; nothing of it has been imported.'

export interface Refusal {
  readonly line: number
  readonly column: string
  readonly message: string
  readonly expected: string
  readonly found: string
  /** What to do next, where it is not to correct the cell. */
  readonly action?: string
}

/** One or more cells that cannot be taken. With one it reads as any other error, with several it lists them. */
export class RefusedCells extends UsageError {
  readonly file: string
  /** By line; no more than are shown. */
  readonly refusals: readonly Refusal[]
  /** All of them, those beyond the shown ones too. */
  readonly count: number

  constructor(file: string, refusals: readonly Refusal[], count = refusals.length, action?: string) {
    const [first, ...others] = refusals
    if (first === undefined) throw new Error('No cell was refused.')
    const isOne = others.length === 0
    super(isOne ? first.message : `${count} cells of the file cannot be taken.`, {
      where: isOne ? placeOf(file, first) : file,
      expected: isOne ? first.expected : 'every cell as its column wants it',
      found: isOne ? first.found : `${placeOf(file, first)}, and ${count - 1} more`,
      action: action ?? (isOne ? (first.action ?? ACTION) : ACTION_OF_SEVERAL),
    })
    this.file = file
    this.refusals = refusals
    this.count = count
  }

  /** The same cells, with another remedy. */
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

/** The error for one place of the file. */
export const refuseCell = (
  file: string,
  line: number,
  column: string,
  what: Omit<Refusal, 'line' | 'column'>,
) => new RefusedCells(file, [{ line, column, ...what }])

/** Collects what is refused, so that reading goes on to the next cell, row or line. */
export class Refusals {
  readonly #file: string
  readonly #kept: Refusal[] = []
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  /** What `work` gives, or undefined where it refuses a cell; any other error goes on. */
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

  /** Throws one error with all that was refused, by line; nothing where nothing was. */
  throwIfAny(): void {
    if (this.#count === 0) return
    throw new RefusedCells(
      this.#file,
      this.#kept.toSorted((a, b) => a.line - b.line),
      this.#count,
    )
  }
}

/** Reads several cells of one row; all that are refused are thrown together. */
export function together<T extends readonly unknown[]>(
  file: string,
  readers: { readonly [At in keyof T]: () => T[At] },
): T {
  const refusals = new Refusals(file)
  const values = readers.map((read) => refusals.attempt(read))
  refusals.throwIfAny()
  return values as unknown as T
}
