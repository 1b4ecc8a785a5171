// The command-line options of the benchmarks.
export interface BenchOptions {
  readonly entries?: number
  /** As DuckDB spells it. */
  readonly memory?: string
  /** How many accounts `accounts` has; a thousand if absent. */
  readonly accounts?: number
  /** How many further accounts fail in it; none if absent. */
  readonly failing?: number
  /** How many nights `nights` has; five if absent. */
  readonly nights?: number
  /**
   * Where `serve` and `commands` keep their books, to be measured again without a new build, and `build` its
   * own, to be built again by another version; by default they are removed after the run.
   */
  readonly books?: string
}
