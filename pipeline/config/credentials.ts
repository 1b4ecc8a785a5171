// Where the credentials of accounts come from: the environment, or a separate file, which is refused if others can read
// it. They are never in the configuration, which only states which of the two applies to each account.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type AccountAccess, type Credentials, secretsOfAccount } from '../../connectors/access.ts'
import { UsageError } from '../../models/error.ts'
import { readFit, SMALL_FILE_BYTES, unreadable } from './input-file.ts'
import { readYaml } from './yaml.ts'

/** The account settings of the configuration. */
interface Configured {
  readonly accounts: Readonly<
    Record<string, { readonly uid?: string | undefined; readonly credentials: 'env' | 'file' }>
  >
}

const credentialSection = z.strictObject({
  key: z.string().optional(),
  secret: z.string().optional(),
  passphrase: z.string().optional(),
  tax_key: z.string().optional(),
  tax_secret: z.string().optional(),
  tax_passphrase: z.string().optional(),
})

type Section = z.output<typeof credentialSection>

const CREDENTIALS_FILE = 'credentials.yaml'

const API_PARTS = ['key', 'secret', 'passphrase'] as const
const TAX_PARTS = ['tax_key', 'tax_secret', 'tax_passphrase'] as const

/** The accounts of the configuration with their credentials; missing credentials are left out. */
export function readAccounts(
  config: Configured,
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
): AccountAccess[] {
  const usesFile = Object.values(config.accounts).some((account) => account.credentials === 'file')
  const sections = usesFile ? readCredentials(join(dir, CREDENTIALS_FILE), Object.keys(config.accounts)) : {}
  const accounts = Object.entries(config.accounts).map(([name, account]) => {
    const section =
      account.credentials === 'file' ? (sections[name] ?? {}) : fromEnvironment(name, environment)
    const where = (part: string): string => placeOfPart(name, part, config, dir)
    const api = credentials(name, section, API_PARTS, where)
    const tax = credentials(`${name} (tax)`, section, TAX_PARTS, where)
    return {
      name,
      ...(account.uid === undefined ? {} : { uid: account.uid }),
      ...(api === null ? {} : { api }),
      ...(tax === null ? {} : { tax }),
    }
  })
  refuseSharedKeys(accounts, config, dir)
  return accounts
}

/**
 * One key under two names is one account of the venue, whose every figure would count twice. The key itself is not
 * shown.
 */
function refuseSharedKeys(accounts: readonly AccountAccess[], config: Configured, dir: string): void {
  const owners = new Map<string, AccountAccess>()
  for (const access of accounts)
    for (const { key } of [access.api, access.tax].filter((given) => given !== undefined)) {
      const owner = owners.get(key) ?? access
      owners.set(key, owner)
      if (owner === access) continue
      throw new UsageError(`The accounts ${owner.name} and ${access.name} have the same key.`, {
        where: [owner, access].map((one) => placeOfCredentials(one.name, config, dir)).join('; '),
        expected: 'separate keys for each account: under two names every figure would count twice',
        found: 'the same key under both names',
        action: `Give ${access.name} its own key, or remove it from the configuration. Nothing was sent.`,
      })
    }
}

/**
 * Credentials of all accounts, for requests that need none: books whose credentials file is elsewhere have none of it.
 */
export function configuredSecrets(
  config: Configured,
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const hasFile = existsSync(join(dir, CREDENTIALS_FILE))
  const accounts = Object.entries(config.accounts).filter(
    ([, { credentials }]) => hasFile || credentials === 'env',
  )
  return readAccounts({ ...config, accounts: Object.fromEntries(accounts) }, dir, environment).flatMap(
    secretsOfAccount,
  )
}

/** One of the two credentials of an account; null if the section has no part of it. */
function credentials(
  of: string,
  section: Section,
  parts: typeof API_PARTS | typeof TAX_PARTS,
  where: (part: string) => string,
): Credentials | null {
  const [key, secret, passphrase] = parts.map((part) => section[part])
  if (!key && !secret && !passphrase) return null
  if (!key || !secret || !passphrase) {
    const missing = parts.filter((part) => !section[part])
    throw new UsageError(`The credentials of account ${of} are incomplete.`, {
      where: missing.map(where).join(', '),
      expected: 'a key, a secret and a passphrase',
      found: missing.map((part) => `no ${part.replace('tax_', '')}`).join(', '),
      action: 'Give all three or none.',
    })
  }
  for (const [at, [part, value]] of Object.entries({ key, secret, passphrase }).entries()) {
    const wrong = unsendable(value, part !== 'secret')
    if (wrong === null) continue
    throw new UsageError(`The ${part} of account ${of} cannot be what the venue issued.`, {
      where: where(parts[at] as string),
      expected: 'the text as the venue shows it, without surrounding white space or line breaks',
      found: wrong,
      action: 'Give it again; in YAML on the same line (`key: …`, not `key: |`). Nothing was sent.',
    })
  }
  return { key, secret, passphrase }
}

/** What makes a credential impossible to send, without quoting it; null for one that may be right. */
function unsendable(value: string, isHeader: boolean): string | null {
  if (value !== value.trim()) return 'white space at the beginning or end'
  for (const character of value) {
    const code = character.codePointAt(0) as number
    if (code < 0x20 || code === 0x7f) return 'a control character, such as a tab or a line break'
    if (isHeader && code > 0xff) return 'a character that is not allowed in a request header'
  }
  return null
}

/** The environment variable that holds a part of an account's credentials. */
const variableOf = (account: string, part: string): string =>
  `TIEOUT_${account.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_${part.toUpperCase()}`

/**
 * Refuses names for which the same variables would be read: `desk-1` and `desk_1`, or the tax key of `main` and the key
 * of `main-tax`.
 */
export function refuseSharedVariables(file: string, { accounts }: Configured): void {
  const readers = new Map<string, string>()
  for (const [name, { credentials }] of Object.entries(accounts)) {
    if (credentials !== 'env') continue
    for (const part of [...API_PARTS, ...TAX_PARTS]) {
      const variable = variableOf(name, part)
      const other = readers.get(variable) ?? name
      readers.set(variable, other)
      if (other === name) continue
      throw new UsageError(`The accounts ${other} and ${name} would read the same environment variable.`, {
        where: `accounts in ${file}`,
        expected: 'names that still differ in upper case, with _ for -, and with TAX_ before KEY',
        found: `${variable} for both`,
        action: `Rename one of them, or put its credentials in the file: \`${name}: { credentials: file }\`.`,
      })
    }
  }
}

function fromEnvironment(name: string, environment: Readonly<Record<string, string | undefined>>): Section {
  return Object.fromEntries(
    [...API_PARTS, ...TAX_PARTS].map((part) => [part, environment[variableOf(name, part)]]),
  ) as Section
}

/** Where one part of an account's credentials belongs. */
const placeOfPart = (name: string, part: string, config: Configured, dir: string): string =>
  config.accounts[name]?.credentials === 'file'
    ? `${part} in section ${name} of ${join(dir, CREDENTIALS_FILE)}`
    : variableOf(name, part)

/** Where the credentials of an account belong. */
function placeOfCredentials(name: string, config: Configured, dir: string): string {
  if (config.accounts[name]?.credentials === 'file')
    return `section ${name} of ${join(dir, CREDENTIALS_FILE)}`
  return API_PARTS.map((part) => variableOf(name, part)).join(', ')
}

/** Refuses accounts that have no credentials at all: no nightly run could ever fetch anything for them. */
export function requireCredentials(
  accounts: readonly AccountAccess[],
  config: Configured,
  dir: string,
): void {
  const bare = accounts.filter(({ api, tax }) => api === undefined && tax === undefined)
  if (bare.length === 0) return
  throw new UsageError(
    bare.length === 1
      ? `The account ${bare[0]?.name} has no credentials.`
      : `${bare.length} accounts have no credentials: ${bare.map(({ name }) => name).join(', ')}.`,
    {
      where: bare.map(({ name }) => placeOfCredentials(name, config, dir)).join('; '),
      expected: 'a key, a secret and a passphrase (for the tax records, each with TAX_ or tax_ before it)',
      found: 'none of them',
      action: 'Set them, or remove the account from the configuration. Nothing was sent.',
    },
  )
}

/**
 * The sections of the credentials file, which only its owner may read. An error names only the sections of known
 * accounts.
 */
export function readCredentials(file: string, accounts: readonly string[] = []): Record<string, Section> {
  let source: string
  try {
    const mode = statSync(file).mode & 0o777
    if ((mode & 0o077) !== 0) {
      throw new UsageError('The credentials file can be read by others.', {
        where: file,
        expected: 'a file that only its owner can read (mode 600)',
        found: `mode ${mode.toString(8)}`,
        action: `chmod 600 ${file}`,
      })
    }
    source = readFit(file, SMALL_FILE_BYTES).toString()
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    const isThere = (cause as NodeJS.ErrnoException).code !== 'ENOENT'
    const refusal = {
      message: 'The credentials file cannot be read.',
      expected: 'a YAML file with a section for each account that has `credentials: file`',
      action: isThere
        ? 'Run this as the user who owns the file, or use `credentials: env`.'
        : 'Create it with mode 600, or use `credentials: env`.',
    }
    throw unreadable(file, refusal, cause)
  }
  // A parse error would quote the line, and with it a secret, so only its position is given.
  const read = readYaml(source)
  const checked = z.record(z.string(), credentialSection).safeParse(read.ok ? (read.value ?? {}) : null)
  if (!checked.success) {
    const inYaml = read.ok || read.line === null ? '' : `line ${read.line}`
    const place = read.ok ? placeOf(checked.error.issues[0], Object.keys(read.value ?? {}), accounts) : inYaml
    throw new UsageError('The credentials file cannot be parsed.', {
      where: `${file}, ${place || 'top'}`,
      expected:
        'sections of key, secret, passphrase, tax_key, tax_secret, tax_passphrase, each a string in quotes',
      action: 'Correct it. Values made only of digits need quotes.',
    })
  }
  return checked.data
}

/** The section and the field, if they are known ones: any other key may itself be a secret. */
function placeOf(
  issue: z.core.$ZodIssue | undefined,
  sections: readonly string[],
  accounts: readonly string[],
): string {
  const [section, field] = (issue?.path ?? []).map(String)
  if (section === undefined) return ''
  const named = accounts.includes(section) ? section : `section ${sections.indexOf(section) + 1}`
  return field !== undefined && field in credentialSection.shape ? `${named}.${field}` : named
}
