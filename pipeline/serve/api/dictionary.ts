// Dictionary: what each table means and what it is built from.
import type { SchemaTable } from './console.ts'
import type { Stamped } from './shapes.ts'

/** GET /api/dictionary */
export interface Dictionary extends Stamped {
  readonly tables: readonly DictionaryTable[]
}

export interface DictionaryTable extends SchemaTable {
  /** What it is built from, as the lines of a tree. */
  readonly madeFrom: readonly LineageLine[]
  /** Feeds, files and configuration at the bottom. */
  readonly sources: readonly string[]
  /** Published tables that are built from it, by name. */
  readonly usedBy: readonly string[]
}

export interface LineageLine {
  readonly depth: number
  readonly name: string
  readonly says: string
  readonly kind: 'table' | 'step' | 'source'
}
