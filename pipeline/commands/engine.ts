// Which engine builds and answers: set in the configuration, overridden by the command line.
import { UsageError } from '../../models/error.ts'
import { type ClickHouseSettings, clickHouseSettings } from '../clickhouse/settings.ts'
import { type Config, clickHouseConfig } from '../config/config.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { type EngineSettings, engineSettings } from '../engine/settings.ts'
import type { LedgerSource } from '../ledger/distant.ts'
import type { EngineArguments } from './engine-options.ts'

/** The configuration with the engine named on the command line; `engine.clickhouse` is present only for ClickHouse. */
export function engineConfig(context: CommandContext, { engine, url, database }: EngineArguments): Config {
  const config = optionalConfig(context)
  const { clickhouse: configured, ...duckdb } = config.engine
  if (engine === 'duckdb') {
    if (url === undefined && database === undefined) return { ...config, engine: duckdb }
    throw new UsageError('--url and --database are not options of the engine duckdb.', {
      where: '--engine duckdb',
      expected: 'no --url and no --database',
      action: 'Omit them, or use --engine clickhouse.',
    })
  }
  const isAsked = engine === 'clickhouse' || url !== undefined || database !== undefined
  if (!isAsked) return config
  const clickhouse = {
    ...(configured?.ca_file === undefined ? {} : { ca_file: configured.ca_file }),
    ...(configured?.shards === undefined ? {} : { shards: configured.shards }),
    ...clickHouseConfig({ url: url ?? configured?.url, database: database ?? configured?.database }),
  }
  return { ...config, engine: { ...duckdb, clickhouse } }
}

/** The server that holds the books; null if they are files. */
export const serverOf = ({ engine: { clickhouse } }: Config): ClickHouseSettings | null =>
  clickhouse === undefined ? null : clickHouseSettings(clickhouse, process.env)

/** How a command that reads opens the published ledger. */
export function readingOptions(
  { signal }: Pick<CommandContext, 'signal'>,
  config: Config,
): {
  readonly signal: AbortSignal
  readonly engine: EngineSettings
  readonly source: LedgerSource | undefined
} {
  const server = serverOf(config)
  return {
    signal,
    engine: engineSettings(config.engine),
    source: server === null ? undefined : sourceOn(server),
  }
}

/** Loads the ClickHouse client only when needed: it brings in DuckDB, which `tieout sql` does not need in this process. */
const sourceOn = (server: ClickHouseSettings): LedgerSource => ({
  open: async (signal) => (await import('../clickhouse/source.ts')).clickHouseSource(server).open(signal),
})

/** Refuses a command that needs books in files, so that it does not run on an older ledger file left in the folder. */
export function mustBeFiles({ engine }: Config, command: string): void {
  if (engine.clickhouse === undefined) return
  throw new UsageError(`${command} works only on books built by DuckDB.`, {
    where: 'engine.clickhouse in the configuration',
    expected: 'a ledger in a file',
    action:
      'Run `tieout build --engine duckdb`, then name a configuration without that section with --config.',
  })
}
