// What a benchmark may be asked for on its command line.
export interface BenchOptions {
  readonly entries?: number
  /** As DuckDB spells it. */
  readonly memory?: string
}
