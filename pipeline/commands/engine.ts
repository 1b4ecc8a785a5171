// Which engine builds and answers: the configuration says so, and a command line may say otherwise.
import { UsageError } from '../../models/error.ts'
import { type Config, clickHouseConfig } from '../config/config.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'

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

/** The configuration with the engine that the command line names: `engine.clickhouse` is there where ClickHouse is meant. */
export function engineConfig(context: CommandContext, { engine, url, database }: EngineArguments): Config {
  const config = optionalConfig(context)
  const { clickhouse: configured, ...duckdb } = config.engine
  if (engine === 'duckdb') {
    if (url === undefined && database === undefined) return { ...config, engine: duckdb }
    throw new UsageError('A server is named for the engine that needs none.', {
      where: '--engine duckdb',
      expected: 'no --url and no --database',
      action: 'Leave them away, or say --engine clickhouse.',
    })
  }
  const isAsked = engine === 'clickhouse' || url !== undefined || database !== undefined
  if (!isAsked) return config
  const clickhouse = {
    ...(configured?.ca_file === undefined ? {} : { ca_file: configured.ca_file }),
    ...clickHouseConfig({ url: url ?? configured?.url, database: database ?? configured?.database }),
  }
  return { ...config, engine: { ...duckdb, clickhouse } }
}
