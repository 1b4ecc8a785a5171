// What a configuration may not say: each is refused before anything is sent, read or built.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const refused: readonly (readonly [what: string, yaml: string, found: string])[] = [
  ['a notifier without a program', 'notify: { command: [] }', 'expected: a non-empty list'],
  ['a notifier without a name', 'notify: { command: [""] }', 'expected: a non-empty string'],
  [
    'keys sent in clear to another machine',
    'venue: { base_url: "http://192.0.2.1:80" }',
    'http if it is on this machine',
  ],
  ['a name and password in the address', 'venue: { base_url: "https://me:secret@example.com" }', 'base_url'],
  ['a query in the address', 'venue: { base_url: "https://example.com/?x=1" }', 'base_url'],
  ['a feed that writes', 'history: { feeds: [spot.placeOrder] }', 'There is no feed spot.placeOrder.'],
  ...(
    [
      ['budgets', '{ count: 1, per_ms: 5 }'],
      ['retention_days', '5'],
      ['span_days', '5'],
    ] as const
  ).map(
    ([map, value]) =>
      [
        `an endpoint of ${map} that no map of this language keeps`,
        `venue: { ${map}: { __proto__: ${value} } }`,
        'names an endpoint that does not exist: __proto__',
      ] as const,
  ),
  ['no feed at all', 'history: { feeds: [] }', 'No feed is named.'],
  ['a history that is yet to come', 'history: { since: 2031-01-01 }', 'history.since is in the future.'],
  ...[
    '01.02.2026',
    '2026-02-30',
    '"Tuesday 5"',
    '2026-02-01T00:00:00',
    '2026-02-01T00:00:00+25:00',
    '2026',
    '-5',
    '~',
    '[2026-01-01]',
  ].map(
    (since) =>
      [
        `a history since ${since}`,
        `history: { since: ${since} }`,
        'an ISO-8601 date such as 2026-01-31',
      ] as const,
  ),
  ['a date with its found text', 'history: { since: 01.02.2026 }', 'found:    "01.02.2026"'],
  ['nothing for a date', 'history: { since: ~ }', 'found:    nothing'],
  [
    'a number for a uid',
    'venue: { base_url: 5 }',
    'expected: a string, in quotes if it is all digits\n  found:    a number',
  ],
  ['a word for a list', 'history: { feeds: tax.records }', 'expected: a list\n  found:    a string'],
  ['a key that nothing knows', 'reports: {}\ngone: 1', 'has an unknown key: gone'],
  [
    'a time that is not above zero',
    'venue: { retention_days: { tax.records: -1 } }',
    'expected: a number above 0',
  ],
  ...['999999999999', '3600001'].map(
    (ms) =>
      [
        `a time-out of ${ms}`,
        `venue: { timeout_ms: ${ms} }`,
        'expected: at most 3600000 milliseconds',
      ] as const,
  ),
  ...[
    'venue: { budgets: { tax.records: { count: 1, per_ms: 1.0e300 } } }',
    'venue: { ip_budget: { count: 1, per_ms: 86400001 } }',
    'prices: { sources: { ecb: { budget: { count: 1, per_ms: .inf } } } }',
  ].map((yaml) => [`a budget that never comes back: ${yaml}`, yaml, 'per_ms'] as const),
  [
    'a budget of more than a day',
    'venue: { ip_budget: { count: 1, per_ms: 1.0e300 } }',
    'expected: at most 86400000 milliseconds (a day)',
  ],
  [
    'a memory of longer than there are dates',
    'venue: { retention_days: { tax.records: 1.0e+308 } }',
    'expected: at most 18250 days (fifty years)',
  ],
  [
    'losses that its rules do not take',
    'reports: { rules: de, losses: { into: 2025, amount: "4000", long_term: "1500" } }',
    'The configured losses do not fit the rules.',
  ],
  ['rules that there are not', 'reports: { rules: atlantis }', 'atlantis'],
  ['a method that its rules forbid', 'reports: { rules: uk, method: hifo }', 'hifo'],
  ['a currency in lower case', 'reports: { currency: eur }', 'a currency code in upper case'],
]

/** Accounts of one configuration that would read the same variables. */
const colliding: readonly (readonly [accounts: string, variable: string])[] = [
  ['desk-1: {}, desk_1: {}', 'TIEOUT_DESK_1_KEY for both'],
  ['Main: {}, main: {}', 'TIEOUT_MAIN_KEY for both'],
  ['main: {}, main-tax: {}', 'TIEOUT_MAIN_TAX_KEY for both'],
  ['main-tax: {}, x: {}, main: {}', 'TIEOUT_MAIN_TAX_KEY for both'],
]

describe('accounts whose credentials come from the environment may not share a variable', () => {
  const planned = async (accounts: string) => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'tieout.yaml'), `accounts: { ${accounts} }\n`)
    return command(['plan', '--dir', dir])
  }
  for (const [accounts, variable] of colliding)
    test(accounts, async () => {
      const { code, stderr } = await planned(accounts)
      expect(code).toBe(2)
      expect(stderr).toContain(variable)
    })
  test('accounts read from the file are not affected', async () => {
    expect((await planned('main: { credentials: file }, Main: {}')).code).toBe(0)
  })
})

test('a plan needs no credentials, and reports what is missing for a run', async () => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'tieout.yaml'), 'accounts: { unset: {}, other: {} }\n')
  const { code, stdout, stderr } = await command(['plan', '--dir', dir, '--accounts', 'unset'])
  expect(code).toBe(0)
  expect(stdout).toContain('under the rate budgets.')
  expect(stderr).toContain(
    'Not yet ready for a run: The account unset has no credentials. (TIEOUT_UNSET_KEY, TIEOUT_UNSET_SECRET, TIEOUT_UNSET_PASSPHRASE)',
  )
})

describe('a selection may not be empty, for any command that takes one', () => {
  for (const [option, what] of [
    ['--accounts', 'account'],
    ['--feeds', 'feed'],
  ] as const)
    for (const given of ['', ',', ' , '])
      test(`${option} ${JSON.stringify(given)}`, async () => {
        const dir = temporaryFolder()
        writeFileSync(join(dir, 'tieout.yaml'), 'accounts: { main: {} }\n')
        for (const name of ['plan', 'sync', 'nightly']) {
          const { code, stderr } = await command([name, '--dir', dir, option, given])
          expect([name, code]).toEqual([name, 2])
          expect(stderr).toContain(`No ${what} is named.`)
        }
      })
})

describe('an invalid account name is refused with its place', () => {
  for (const name of ['__proto__', '_main', 'a b'])
    for (const also of ['', ', main: {}'])
      test(`${name}${also}`, async () => {
        const dir = temporaryFolder()
        writeFileSync(join(dir, 'tieout.yaml'), `accounts: { ${name}: {}${also} }\n`)
        const { code, stderr } = await command(['plan', '--dir', dir])
        expect(code).toBe(2)
        expect(stderr).toContain(`a bad value at accounts.${name}`)
        expect(stderr).toContain('letters, digits, - and _')
      })
})

describe('a configuration may not have', () => {
  for (const [what, yaml, found] of refused)
    test(what, async () => {
      const dir = temporaryFolder()
      writeFileSync(join(dir, 'tieout.yaml'), `accounts: { main: {} }\n${yaml}\n`)
      for (const name of ['plan', 'nightly']) {
        const { code, stderr } = await command([name, '--dir', dir, '--now', '2026-11-01'])
        expect([name, code]).toEqual([name, 2])
        expect(stderr).toContain(found)
        expect(stderr).not.toContain('secret')
      }
    })
})

test('a file in place of the books’ folder is not reported as a permission error', async () => {
  const file = join(temporaryFolder(), 'books')
  writeFileSync(file, '')
  const { code, stderr } = await command(['status', '--dir', file])
  expect(code).toBe(2)
  expect(stderr).toContain('found:    a file where the path needs a folder (ENOTDIR)')
  expect(stderr).toContain('next:     Name the right folder with --dir, or the right file with --config.')
})

test('a folder in place of the configuration is not reported as a permission error', async () => {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'tieout.yaml'))
  const { code, stderr } = await command(['plan', '--dir', dir])
  expect(code).toBe(2)
  expect(stderr).toContain('found:    a folder (EISDIR)')
  expect(stderr).toContain('next:     Name the right folder with --dir, or the right file with --config.')
})
