// Anything on a page that the interface document does not describe: kept in the row, and counted here, one line for
// each field and problem of a page, so that a new field or value is visible and never stops a run.
import type { Field, RecordType } from '../../models/record.ts'

export type DriftProblem =
  | 'unknown field'
  | 'number instead of text'
  | 'boolean instead of text'
  | 'unknown value'
  | 'value that does not fit'
  | 'duplicate key'
  | 'byte-order mark'

export interface DriftLine {
  readonly field: string
  readonly problem: DriftProblem
  /** A value as received, shortened; null if it may be personal data. */
  readonly example: string | null
  rows: number
}

const EXAMPLE_LENGTH_MAX = 200

export class Drift {
  readonly #fields: ReadonlyMap<string, Field>
  /** In a record with personal fields an undeclared one may be personal too. */
  readonly #hasPersonal: boolean
  #lines = new Map<string, DriftLine>()

  constructor(record: RecordType) {
    const fields = Object.entries(record.fields)
    this.#fields = new Map(
      fields.flatMap(([name, field]) =>
        [name, ...field.aliases].map((spelling) => [spelling, field] as const),
      ),
    )
    this.#hasPersonal = fields.some(([, field]) => field.personal)
  }

  add(problem: DriftProblem, field: string, value?: unknown): void {
    const key = `${problem}/${field}`
    const line = this.#lines.get(key)
    if (line === undefined)
      this.#lines.set(key, { field, problem, example: this.#example(field, value), rows: 1 })
    else line.rows += 1
  }

  /** The lines since the last call. */
  take(): DriftLine[] {
    const lines = [...this.#lines.values()]
    this.#lines = new Map()
    return lines
  }

  #example(field: string, value: unknown): string | null {
    if (value === undefined || (this.#fields.get(field)?.personal ?? this.#hasPersonal)) return null
    return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, EXAMPLE_LENGTH_MAX)
  }
}
