// Where the ClickHouse server stands, and what every statement is run under so that one text means the same in both engines.
import { readFileSync } from 'node:fs'
import { UsageError } from '../../models/error.ts'

/** The section `engine.clickhouse` of the configuration, with what the environment adds. */
export interface ClickHouseSettings {
  /** HTTP or HTTPS, without a name or a password. */
  readonly url: string
  /** The databases of the books are this one and others whose names begin with it. */
  readonly database: string
  readonly user: string
  readonly password: string
  /** Certificates of the authorities that the server is known by, as PEM; those of Node when absent. */
  readonly ca?: Buffer
  /** Longest time of one statement of a build. */
  readonly timeoutMs?: number
}

/** The environment variables that hold the credentials; the configuration never does. */
export const USER_VARIABLE = 'TIEOUT_CLICKHOUSE_USER'
export const PASSWORD_VARIABLE = 'TIEOUT_CLICKHOUSE_PASSWORD'

export interface ClickHouseConfig {
  readonly url?: string | undefined
  readonly database?: string | undefined
  readonly ca_file?: string | undefined
}

export const DEFAULT_DATABASE = 'tieout'

/** A server's own user without a password, where the environment names nobody. */
const DEFAULT_USER = 'default'

/** UsageError where no server is named, or the file of certificates cannot be read. */
export function clickHouseSettings(
  config: ClickHouseConfig,
  environment: Readonly<Record<string, string | undefined>>,
): ClickHouseSettings {
  if (config.url === undefined)
    throw new UsageError('No ClickHouse server is named.', {
      where: 'engine.clickhouse.url of the configuration, or --url',
      expected: 'an address such as https://clickhouse.example.com:8443',
      action: 'Name it; the user and the password come from the environment.',
    })
  return {
    url: config.url,
    database: config.database ?? DEFAULT_DATABASE,
    user: environment[USER_VARIABLE] ?? DEFAULT_USER,
    password: environment[PASSWORD_VARIABLE] ?? '',
    ...(config.ca_file === undefined ? {} : { ca: certificates(config.ca_file) }),
  }
}

function certificates(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new UsageError('The certificates of the ClickHouse server cannot be read.', {
      where: file,
      expected: 'a file of certificates in PEM',
      found: (cause as NodeJS.ErrnoException).code ?? String(cause),
      action: 'Correct engine.clickhouse.ca_file, or the permissions of the file.',
      cause,
    })
  }
}

/**
 * Where ClickHouse by itself would answer otherwise than DuckDB: outer joins give null and not zero, an alias never hides a
 * column of its input, a bare union is one of different rows, a cast keeps what is null, an aggregate of nothing is null.
 */
export const SESSION: Readonly<Record<string, string | number>> = {
  join_use_nulls: 1,
  prefer_column_name_to_alias: 1,
  union_default_mode: 'DISTINCT',
  cast_keep_nullable: 1,
  aggregate_functions_null_for_empty: 1,
  session_timezone: 'UTC',
  output_format_json_escape_forward_slashes: 0,
  date_time_overflow_behavior: 'saturate',
}
