// Where the ClickHouse server is (from the configuration), and who connects to it (from the environment).
import type { ClickHouseConfig } from '../config/config.ts'
import { readInputFile, SMALL_FILE_BYTES } from '../config/input-file.ts'

/** The section `engine.clickhouse` of the configuration, with what the environment adds. */
export interface ClickHouseSettings {
  /** HTTP or HTTPS, without a name or a password. */
  readonly url: string
  /** The databases of the books are this one and others whose names begin with it. */
  readonly database: string
  readonly user: string
  readonly password: string
  /** Certificates of the authorities that sign the server's certificate, as PEM; those of Node if absent. */
  readonly ca?: Buffer
  /** Further servers that share the accounts; they read from each other without a password. */
  readonly shards?: readonly string[]
  /** Longest time of one statement of a build. */
  readonly timeoutMs?: number
}

/** The environment variables that hold the credentials; the configuration never does. */
export const USER_VARIABLE = 'TIEOUT_CLICKHOUSE_USER'
export const PASSWORD_VARIABLE = 'TIEOUT_CLICKHOUSE_PASSWORD'

/** The server's own user without a password, if the environment names no user. */
const DEFAULT_USER = 'default'

/** Throws a UsageError if the file of certificates cannot be read. */
export function clickHouseSettings(
  { url, database, shards, ca_file: caFile }: ClickHouseConfig,
  environment: Readonly<Record<string, string | undefined>>,
): ClickHouseSettings {
  return {
    url,
    database,
    user: environment[USER_VARIABLE] ?? DEFAULT_USER,
    password: environment[PASSWORD_VARIABLE] ?? '',
    ...(shards === undefined ? {} : { shards }),
    ...(caFile === undefined ? {} : { ca: certificates(caFile) }),
  }
}

const certificates = (file: string): Buffer =>
  readInputFile(file, SMALL_FILE_BYTES, {
    message: 'The certificates of the ClickHouse server cannot be read.',
    expected: 'a file of PEM certificates',
    action: 'Correct engine.clickhouse.ca_file, or the permissions of the file.',
  })
