// The configuration of the books: tieout.yaml, checked by a schema. It never contains credentials (credentials.ts). An
// unknown key is an error that names the nearest known one.
import leven from 'leven'
import { z } from 'zod'
import type { BudgetOverride } from '../../connectors/budgets.ts'
import type { Rate } from '../../connectors/endpoint.ts'
import { ECB_URL } from '../../connectors/prices/ecb-rates.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { parseAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { parseSize } from '../engine/size.ts'
import { refuseSharedVariables } from './credentials.ts'
import { isLink, readFit, SMALL_FILE_BYTES, unreadable } from './input-file.ts'
import { INSTANT_EXPECTED, readInstant } from './instant.ts'
import { readYaml, type YamlReading } from './yaml.ts'

export const NOTIFY_EVENTS = ['failure', 'new_breaks'] as const
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number]

export interface NotifySettings {
  /** Program and arguments; run without a shell. */
  readonly command?: readonly string[] | undefined
  /** HTTPS, or HTTP to this machine. */
  readonly url?: string | undefined
  readonly on: readonly NotifyEvent[]
}

/**
 * How transfers of the P2P wallet are treated: as moves (their name), as funding legs of the account's own deals, or as
 * moves with the opposite sign.
 */
export const P2P_MEANINGS = ['moves', 'trades', 'reversed'] as const
export type P2pMeaning = (typeof P2P_MEANINGS)[number]

/** Every price source that the policy does not name. */
export const OTHER_SOURCES = 'others'

/**
 * The default order of price sources: what the user imports, then published rates, then the prices at which the venue
 * values lending and positions, then own trades, and last of all private deals.
 */
export const PRICE_ORDER = [OTHER_SOURCES, 'ecb', 'candles', 'ltv', 'marks', 'trades', 'p2p'] as const

/** In the form from which `expectationOf` takes both what was expected and what was found. */
const noInstant = (found: unknown): string =>
  `Invalid input: expected ${INSTANT_EXPECTED}, received ${foundIn(found)}`

const instant = z.string({ error: ({ input }) => noInstant(input) }).transform((text, context) => {
  const at = readInstant(text)
  if (at === null) context.addIssue({ code: 'custom', message: noInstant(text) })
  return at ?? z.NEVER
})

/** Beyond some 24 days Node's timers fire immediately; a budget that waits longer than a day is a typing mistake. */
const PER_MS_MAX = 86_400_000
const TIMEOUT_MS_MAX = 3_600_000
/** The venue's history begins after 1970, and is requested in milliseconds since then. */
const RETENTION_DAYS_MAX = 18_250

const rate = z.strictObject({
  count: z.number().int().positive(),
  per_ms: z.number().positive().max(PER_MS_MAX, `expected at most ${PER_MS_MAX} milliseconds (a day)`),
})

const SPAN_BOUNDS = 'expected 1 to 366 days'

const budget = rate.extend({
  /** Endpoints that name the same group share one budget. */
  group: z.string().optional(),
})

/** Names an account in the configuration, and its section of the credentials. */
const ACCOUNT_NAME = 'expected letters, digits, - and _, at most 64 characters'
export const accountName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, ACCOUNT_NAME)

/** A record in the schema silently drops this key. */
const UNSEEN_KEY = '__proto__'

/** The error for an account of that name, in the schema's form; undefined if there is no such account. */
function unseenAccount(value: unknown): z.core.$ZodIssue | undefined {
  const accounts = isMapping(value) ? value.accounts : undefined
  if (!isMapping(accounts) || !Object.hasOwn(accounts, UNSEEN_KEY)) return undefined
  const path = ['accounts', UNSEEN_KEY]
  return { code: 'custom', path, message: ACCOUNT_NAME, input: UNSEEN_KEY }
}

/** Data is sent encrypted, or stays on this machine. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '' || /[?#]/.test(text)) return false
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

const safeUrl = z
  .string()
  .refine(isSafeUrl, 'expected a URL with https, or with http if it is on this machine')

const LOSS_YEAR = 'expected the calendar year in which the tax year begins, such as 2025'
const LOSS_AMOUNT = 'expected a non-negative amount, in quotes, such as "1250.40"'

/** In quotes, or a whole number: an unquoted fraction would be read as a float. */
const lossAmount = z
  .union([z.string(), z.int()], { error: LOSS_AMOUNT })
  .transform(String)
  .refine((text) => {
    const amount = parseAmount(text)
    return amount.ok && amount.units >= 0n
  }, LOSS_AMOUNT)

const MEMORY = 'expected a size with its unit, at least 64MB, such as 8GB, 512MB or 2GiB'
const THREADS = 'expected a whole number of threads, from 1 to 1024'

/** The books use this database and some whose names begin with it; these characters need no quoting on the server. */
const DATABASE = 'expected letters, digits and _, beginning with a letter, at most 40 characters'

/** The server that builds books too large for one machine; the user and password come from the environment. */
const clickhouse = z.strictObject({
  url: safeUrl,
  database: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, DATABASE)
    .default('tieout'),
  /** Further servers, which hold the rows of other accounts. */
  shards: z.array(safeUrl).min(1).optional(),
  /** Certificates of the authorities that sign the server's certificate, if they are not among the usual ones. */
  ca_file: z.string().min(1).optional(),
})

export type ClickHouseConfig = z.output<typeof clickhouse>

/** The server as given on the command line, checked like the configuration. */
export function clickHouseConfig(given: {
  readonly url?: string | undefined
  readonly database?: string | undefined
}): ClickHouseConfig {
  const checked = clickhouse.safeParse(given)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0] as z.core.$ZodIssue
  const option = issue.path[0] === 'database' ? '--database' : '--url'
  throw new UsageError('The ClickHouse server is not named correctly.', {
    where: option,
    expected:
      given.url === undefined && option === '--url'
        ? 'the address of the server, such as https://clickhouse.example.com:8443'
        : expectationOf(issue).expected,
    action: 'Correct it, or name the server under engine.clickhouse in the configuration.',
  })
}

/** Who is notified when a run fails or finds new breaks. */
const notifying = z
  .strictObject({
    command: z.array(z.string().min(1)).min(1).optional(),
    url: safeUrl.optional(),
    on: z
      .array(z.enum(NOTIFY_EVENTS))
      .min(1)
      .default([...NOTIFY_EVENTS]),
  })
  .refine(
    ({ command, url }) => command !== undefined || url !== undefined,
    'expected a command, a url or both',
  )

/** With less memory not even empty books can be built. */
const MEMORY_BYTES_MIN = 64_000_000

const schema = z.strictObject({
  venue: z
    .strictObject({
      /** Keys are sent there with each request. */
      base_url: safeUrl.optional(),
      budgets: z.record(z.string(), budget).default({}),
      /** What this machine's address may send over all endpoints, if it differs from the venue's 100 a second. */
      ip_budget: rate.optional(),
      /** How many days the venue keeps a feed, if the default is known to be wrong. */
      retention_days: z
        .record(
          z.string(),
          z
            .number()
            .positive()
            .max(RETENTION_DAYS_MAX, `expected at most ${RETENTION_DAYS_MAX} days (fifty years)`),
        )
        .default({}),
      /** Longest span of one request in days, if the venue accepts a different one than documented. */
      span_days: z
        .record(
          z.string(),
          z
            .number('expected whole days')
            .int('expected whole days')
            .min(1, SPAN_BOUNDS)
            .max(366, SPAN_BOUNDS),
        )
        .default({}),
      timeout_ms: z
        .number()
        .int()
        .positive()
        .max(TIMEOUT_MS_MAX, `expected at most ${TIMEOUT_MS_MAX} milliseconds (an hour)`)
        .optional(),
    })
    .prefault({}),
  history: z.strictObject({ since: instant.optional(), feeds: z.array(z.string()).optional() }).prefault({}),
  accounts: z
    .record(
      accountName,
      z.strictObject({
        uid: z.string().optional(),
        credentials: z.enum(['env', 'file']).default('env'),
        /** How balances of a unified account are kept, overriding what the data shows. */
        balances: z.enum(['unified', 'per-line']).optional(),
        /** How transfers of the P2P wallet are treated, if they are not moves. */
        p2p_transfers: z.enum(P2P_MEANINGS).optional(),
      }),
    )
    .default({}),
  reports: z
    .strictObject({
      currency: z
        .string()
        .refine((text) => text === text.toUpperCase(), 'expected a currency code in upper case, such as EUR')
        .optional(),
      method: z.string().optional(),
      scope: z.string().optional(),
      rules: z.string().optional(),
      time_zone: z.string().optional(),
      /** How a fee in the acquired coin is treated, if the rules leave a choice. */
      fees_in_kind: z.enum(['disposal', 'net']).optional(),
      /** Losses carried forward from returns before the books, in the currency of the return. */
      losses: z
        .strictObject({
          into: z.int(LOSS_YEAR).min(1970, LOSS_YEAR).max(9999, LOSS_YEAR),
          amount: lossAmount,
          long_term: lossAmount.optional(),
        })
        .optional(),
    })
    .prefault({}),
  prices: z
    .strictObject({
      /**
       * The price sources to use, in order of preference. A source that is neither named nor among the others is not
       * used.
       */
      order: z
        .array(z.string().min(1))
        .min(1)
        .refine((order) => new Set(order).size === order.length, 'expected each source once')
        .default([...PRICE_ORDER]),
      /** The sources to ask for prices that the books need; if none is named, none is asked. */
      sources: z
        .strictObject({
          /** The venue's own candles; its base URL unless another one is named. */
          candles: z.strictObject({ url: safeUrl.optional(), budget: rate.optional() }).optional(),
          /** Reference rates of the European Central Bank. */
          ecb: z.strictObject({ url: safeUrl.default(ECB_URL), budget: rate.optional() }).optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  /** Limits for DuckDB (a share of the machine by default), and the server that builds in its place. */
  engine: z
    .strictObject({
      memory: z
        .string({ error: MEMORY })
        .refine((text) => (parseSize(text) ?? 0) >= MEMORY_BYTES_MIN, MEMORY)
        .optional(),
      threads: z.int({ error: THREADS }).min(1, { error: THREADS }).max(1_024, { error: THREADS }).optional(),
      clickhouse: clickhouse.optional(),
    })
    .prefault({}),
  privacy: z.strictObject({ publish_personal_data: z.boolean().default(false) }).prefault({}),
  notify: notifying.optional(),
})

export type Config = z.output<typeof schema>

export const emptyConfig: Config = schema.parse({})

/** Reads the configuration. A missing file returns null, so that commands that need none still work. */
export function readConfig(file: string, knownFeeds: readonly string[]): Config | null {
  let source: string
  try {
    source = readFit(file, SMALL_FILE_BYTES).toString()
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const { code = '' } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isLink(file)) return null
    const expected = 'a YAML file such as `tieout init` writes'
    const action = ['EACCES', 'EPERM'].includes(code)
      ? 'Give this user permission to read it, or name another file with --config.'
      : 'Name the right folder with --dir, or the right file with --config.'
    throw unreadable(file, { message: 'The configuration cannot be read.', expected, action }, cause)
  }
  const read = readYaml(source)
  if (!read.ok) {
    throw new UsageError('The configuration is not valid YAML.', {
      where: read.line === null ? file : `${file}:${read.line}`,
      found: read.problem,
      action: 'Correct that line. `tieout init` writes a commented example.',
    })
  }
  const value = filled(read.value ?? {})
  const checked = schema.safeParse(value)
  const issue = unseenAccount(value) ?? (checked.success ? undefined : chiefIssue(checked.error))
  if (issue !== undefined || !checked.success)
    throw badKey(file, read, issue as z.core.$ZodIssue, {
      schema,
      what: 'The configuration',
      action: 'Correct the value. `tieout init` writes a commented example.',
    })
  refuseSharedVariables(file, checked.data)
  const named = [
    ...(checked.data.history.feeds ?? []),
    ...['budgets', 'retention_days', 'span_days'].flatMap((map) => keysOf(value, ['venue', map])),
  ]
  for (const feed of named) {
    if (knownFeeds.includes(feed)) continue
    throw new UsageError(`The configuration names an endpoint that does not exist: ${feed}.`, {
      where: file,
      expected: `an endpoint name, perhaps ${nearest(feed, knownFeeds)}`,
      action: 'Run `tieout endpoints` to list them all.',
    })
  }
  return checked.data
}

/**
 * The notification settings of a configuration that is refused for another reason. Undefined if it has none, and if
 * they cannot be trusted: in a text that is not valid YAML, any line may mean something else than it seems to.
 */
export function readNotify(file: string): NotifySettings | undefined {
  try {
    const read = readYaml(readFit(file, SMALL_FILE_BYTES).toString())
    const section = read.ok && isMapping(read.value) ? read.value.notify : undefined
    return notifying.safeParse(section).data
  } catch {
    // What is wrong with the file has already been reported.
    return undefined
  }
}

/** Keys as written: the check of a map skips `__proto__`. */
function keysOf(value: unknown, [key, ...path]: readonly string[]): string[] {
  if (!isMapping(value)) return []
  return key === undefined ? Object.keys(value) : keysOf(value[key], path)
}

/** Budgets by endpoint, as the connectors take them. */
export function budgetOverrides({ venue }: Config): Readonly<Record<string, BudgetOverride>> {
  return Object.fromEntries(
    Object.entries(venue.budgets).map(([name, { count, per_ms, group }]) => [
      name,
      { count, perMs: per_ms, ...(group === undefined ? {} : { group }) },
    ]),
  )
}

/** What one address may send over all endpoints. */
export function addressRateOf({ venue: { ip_budget } }: Config): Rate {
  if (ip_budget === undefined) return defaultProfile.ipRate
  return { scope: 'ip', count: ip_budget.count, perMs: ip_budget.per_ms }
}

/** A section or an account that holds only comments is null in YAML and sets nothing: its defaults apply. */
function filled(value: unknown): unknown {
  if (!isMapping(value)) return value
  const sections = Object.entries(value).filter(([, section]) => section !== null)
  const accounts = value.accounts
  if (!isMapping(accounts)) return Object.fromEntries(sections)
  const named = Object.entries(accounts).map(([name, account]) => [name, account ?? {}])
  return { ...Object.fromEntries(sections), accounts: Object.fromEntries(named) }
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema that a YAML file is checked against, and how messages refer to the file. */
export interface CheckedYaml {
  readonly schema: z.ZodType
  readonly what: string
  /** What to do about a bad value. */
  readonly action: string
}

/** The issue to name: an unknown key before others, since a required key that is misspelt is reported as missing too. */
export const chiefIssue = ({ issues }: z.ZodError): z.core.$ZodIssue =>
  (issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]) as z.core.$ZodIssue

/** The error for a key that the schema does not know (with the nearest known one), or for a value that it refuses. */
export function badKey(
  file: string,
  { document, lineAt }: Extract<YamlReading, { ok: true }>,
  issue: z.core.$ZodIssue,
  { schema, what, action }: CheckedYaml,
): UsageError {
  const path = issue.path.map(String)
  // A value given in place of several, such as a word in place of a section, has no position for its inner keys; the
  // nearest enclosing key has one.
  const at = (keys: readonly string[]): string => {
    if (keys.length === 0) return file
    const node = document.getIn(keys, true) as { range?: [number] } | undefined
    return node?.range === undefined ? at(keys.slice(0, -1)) : `${file}:${lineAt(node.range[0])}`
  }
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] as string
    const known = knownKeys(schema, path)
    return new UsageError(`${what} has an unknown key: ${[...path, key].join('.')}.`, {
      where: at([...path, key]),
      expected: `one of ${known.join(', ')}; the nearest is ${nearest(key, known)}`,
      action: 'Correct or remove the key.',
    })
  }
  return new UsageError(`${what} has a bad value at ${path.join('.') || 'its top'}.`, {
    where: at(path),
    ...expectationOf(issue),
    action,
  })
}

/** Types of values, as a reader of YAML would name them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string, in quotes if it is all digits',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of names to values',
  record: 'a mapping of names to values',
  null: 'nothing',
  undefined: 'nothing',
}
const FOUND: Readonly<Record<string, string>> = { ...TYPES, string: 'a string' }

/** A value as it was written, if it fits on one line. */
function foundIn(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || value === undefined) return 'nothing'
  return typeof value === 'object' ? 'a list or a mapping' : String(value)
}

/** The schema's description of a value, in the words of our errors. */
function expectationOf(issue: z.core.$ZodIssue): { readonly expected: string; readonly found?: string } {
  if (issue.code === 'invalid_key') return expectationOf(issue.issues[0] as z.core.$ZodIssue)
  const [, type = '', found = ''] = /^Invalid input: expected (.+), received (.+)$/.exec(issue.message) ?? []
  if (type !== '') return { expected: TYPES[type] ?? type, found: FOUND[found] ?? found }
  const expected = issue.message
    .replace(/^(Invalid \w+: |Too \w+: )?expected /, '')
    .replace(/^array to have >=1 items$/, 'a non-empty list')
    .replace(/^string to have >=1 characters$/, 'a non-empty string')
    .replace(/^number to be >=/, 'a number from ')
    .replace(/^number to be >/, 'a number above ')
    .replace(/^number to be <=/, 'a number up to ')
    .replaceAll('"|"', '", "')
  return { expected }
}

/** The keys that the schema knows at a location. */
function knownKeys(schema: z.ZodType, path: readonly string[]): string[] {
  const unwrap = (type: z.ZodType): z.ZodType => {
    const { innerType, out } = type.def as { innerType?: z.ZodType; out?: z.ZodType }
    const inner = innerType ?? out
    return inner === undefined ? type : unwrap(inner)
  }
  let type: z.ZodType = schema
  for (const key of path) {
    const here = unwrap(type)
    if (here instanceof z.ZodObject) type = here.shape[key] as z.ZodType
    else if (here instanceof z.ZodRecord) type = here.valueType as z.ZodType
    else return []
  }
  const here = unwrap(type)
  return here instanceof z.ZodObject ? Object.keys(here.shape) : []
}

/** The known word that is closest in spelling. */
export function nearest(word: string, known: readonly string[]): string {
  return known.toSorted((a, b) => leven(word, a) - leven(word, b))[0] ?? 'none'
}
