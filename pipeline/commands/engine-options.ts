// How the command line names the engine. Kept apart from engine.ts because every command with these options loads this file.
export const ENGINES = ['duckdb', 'clickhouse'] as const

const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const

/** Options of commands that build or read the books on either engine. */
export const engineOptions = {
  engine: {
    choices: ENGINES,
    describe: 'Engine that builds and reads the books (default: as configured)',
    requiresArg: true,
  },
  url: text('URL of the ClickHouse server, overriding engine.clickhouse.url'),
  database: text('Database on it, overriding engine.clickhouse.database'),
} as const

export interface EngineArguments {
  readonly engine?: (typeof ENGINES)[number] | undefined
  readonly url?: string | undefined
  readonly database?: string | undefined
}
