// What a benchmark may be asked for on its command line.
export interface BenchOptions {
  readonly entries?: number
  /** As DuckDB spells it. */
  readonly memory?: string
  /** How many accounts `accounts` has; a thousand when absent. */
  readonly accounts?: number
  /** How many more accounts of it fail; none when absent. */
  readonly failing?: number
  /**
   * Where `serve` and `commands` keep their books, to be measured again without being built again, and `build` its own, to be
   * built again by another version; by default they go with the run.
   */
  readonly books?: string
}
