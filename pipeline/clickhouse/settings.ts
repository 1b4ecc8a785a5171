// Where the ClickHouse server stands and who asks it: the configuration says the one, the environment the other.
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
  /** Certificates of the authorities that the server is known by, as PEM; those of Node when absent. */
  readonly ca?: Buffer
  /** Further servers that share the accounts; they read one another without a password. */
  readonly shards?: readonly string[]
  /** Longest time of one statement of a build. */
  readonly timeoutMs?: number
}

/** The environment variables that hold the credentials; the configuration never does. */
export const USER_VARIABLE = 'TIEOUT_CLICKHOUSE_USER'
export const PASSWORD_VARIABLE = 'TIEOUT_CLICKHOUSE_PASSWORD'

/** A server's own user without a password, where the environment names nobody. */
const DEFAULT_USER = 'default'

/** UsageError where the file of certificates cannot be read. */
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
    expected: 'a file of certificates in PEM',
    action: 'Correct engine.clickhouse.ca_file, or the permissions of the file.',
  })
