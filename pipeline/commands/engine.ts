// Which engine builds and answers: the configuration says so, and a command line may say otherwise.
import { UsageError } from '../../models/error.ts'
import { type ClickHouseSettings, clickHouseSettings } from '../clickhouse/settings.ts'
import { type Config, clickHouseConfig } from '../config/config.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { type EngineSettings, engineSettings } from '../engine/settings.ts'
import type { LedgerSource } from '../ledger/distant.ts'
import type { EngineArguments } from './engine-options.ts'

/** The configuration with the engine that the command line names: `engine.clickhouse` is there where ClickHouse is meant. */
export function engineConfig(context: CommandContext, { engine, url, database }: EngineArguments): Config {
  const config = optionalConfig(context)
  const { clickhouse: configured, ...duckdb } = config.engine
  if (engine === 'duckdb') {
    if (url === undefined && database === undefined) return { ...config, engine: duckdb }
    throw new UsageError('A server is named for the engine that needs none.', {
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

/** The server that the books are on; null where they are files. */
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

/** Loads what asks a server when it is asked: with it comes DuckDB, which `tieout sql` has no use for in this process. */
const sourceOn = (server: ClickHouseSettings): LedgerSource => ({
  open: async (signal) => (await import('../clickhouse/source.ts')).clickHouseSource(server).open(signal),
})

/** Refuses what can only be done on books that are files, rather than do it on an older ledger that happens to lie there. */
export function mustBeFiles({ engine }: Config, command: string): void {
  if (engine.clickhouse === undefined) return
  throw new UsageError(`${command} works on books that DuckDB has built.`, {
    where: 'engine.clickhouse of the configuration',
    expected: 'a ledger in a file',
    action:
      'Build one with `tieout build --engine duckdb` and name a configuration without that section (--config).',
  })
}
