// How a command line names the engine. Apart from what looks at it, since every command that has these options loads them.
export const ENGINES = ['duckdb', 'clickhouse'] as const

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

/** Options of the commands that build or read the books on either engine. */
export const engineOptions = {
  engine: {
    choices: ENGINES,
    describe: 'Where the books are built and read; as the configuration says when absent',
    requiresArg: true,
  },
  url: text('Address of the ClickHouse server, instead of engine.clickhouse.url'),
  database: text('Its database, instead of engine.clickhouse.database'),
} as const

export interface EngineArguments {
  readonly engine?: (typeof ENGINES)[number] | undefined
  readonly url?: string | undefined
  readonly database?: string | undefined
}
