// Credentials: where they come from, and what is said of an account that has none.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { readAccounts, requireCredentials } from '../../pipeline/config/credentials.ts'
import { temporaryFolder } from '../support/cli.ts'

const config = {
  ...emptyConfig,
  accounts: { main: { credentials: 'env' as const }, 'sub-1': { credentials: 'env' as const } },
}
const SET = {
  TIEOUT_MAIN_TAX_KEY: 'k',
  TIEOUT_MAIN_TAX_SECRET: 's',
  TIEOUT_MAIN_TAX_PASSPHRASE: 'p',
}

test('one of the two credentials is enough; feeds that need the other are reported one by one', () => {
  const [main] = readAccounts(config, '/books', SET)
  expect(() => requireCredentials([main!], config, '/books')).not.toThrow()
})

/** What is said of the configuration, by error message. */
function refusalOf(work: () => unknown): UsageError {
  try {
    work()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('not refused')
}

test('two accounts with one key are refused, api or tax, and the key is not named', () => {
  const both = (part: 'KEY' | 'TAX_KEY') => {
    const [own, other] = part === 'KEY' ? ['', 'TAX_'] : ['TAX_', '']
    const of = (name: string, key: string, before: string | undefined) => ({
      [`TIEOUT_${name}_${before}KEY`]: key,
      [`TIEOUT_${name}_${before}SECRET`]: 'a-secret',
      [`TIEOUT_${name}_${before}PASSPHRASE`]: 'a-phrase',
    })
    return {
      ...of('MAIN', 'shared-key', own),
      ...of('SUB_1', 'shared-key', own),
      ...of('MAIN', 'key-a', other),
      ...of('SUB_1', 'key-b', other),
    }
  }
  for (const part of ['KEY', 'TAX_KEY'] as const) {
    const error = refusalOf(() => readAccounts(config, '/books', both(part)))
    expect(error.message).toBe('The accounts main and sub-1 have the same key.')
    expect(error.exitCode).toBe(2)
    expect(error.describe()).not.toMatch(/shared-key|a-secret|a-phrase/)
  }
  // One key for both purposes of one account is its own affair.
  const one = { ...SET, TIEOUT_MAIN_KEY: 'k', TIEOUT_MAIN_SECRET: 's', TIEOUT_MAIN_PASSPHRASE: 'p' }
  expect(readAccounts(config, '/books', one)).toHaveLength(2)
})

test.each([
  ['KEY', 'hidden\n', 'white space at the beginning or end'],
  ['SECRET', 'hidden\n', 'white space at the beginning or end'],
  ['PASSPHRASE', ' hidden', 'white space at the beginning or end'],
  ['SECRET', 'hid\nden', 'a control character, such as a tab or a line break'],
  ['KEY', 'hidden€', 'a character that is not allowed in a request header'],
])(
  'a %s that no request could carry is refused before anything is sent, and is not shown',
  (part, value, found) => {
    const given = { ...SET, TIEOUT_MAIN_KEY: 'k', TIEOUT_MAIN_SECRET: 's', TIEOUT_MAIN_PASSPHRASE: 'p' }
    for (const before of ['', 'TAX_']) {
      const error = refusalOf(() =>
        readAccounts(config, '/books', { ...given, [`TIEOUT_MAIN_${before}${part}`]: value }),
      )
      const of = before === '' ? 'main' : 'main (tax)'
      expect(error.message).toBe(
        `The ${part.toLowerCase()} of account ${of} cannot be what the venue issued.`,
      )
      expect([error.exitCode, error.details.found]).toEqual([2, found])
      expect(error.describe()).not.toMatch(/hid|den/)
    }
  },
)

test('a secret may contain any characters, because it is not sent in a header', () => {
  const given = { ...SET, TIEOUT_MAIN_TAX_SECRET: 's€' }
  expect(readAccounts(config, '/books', given)).toHaveLength(2)
})

test('an account without any is refused before anything is sent, with each variable or section named', () => {
  const accounts = readAccounts(config, '/books', SET)
  const refusal = (all: typeof accounts, of = config): UsageError => {
    try {
      requireCredentials(all, of, '/books')
    } catch (error) {
      if (error instanceof UsageError) return error
      throw error
    }
    throw new Error('not refused')
  }
  const one = refusal(accounts)
  expect(one.message).toBe('The account sub-1 has no credentials.')
  expect(one.details.where).toBe('TIEOUT_SUB_1_KEY, TIEOUT_SUB_1_SECRET, TIEOUT_SUB_1_PASSPHRASE')
  expect(one.exitCode).toBe(2)
  const inFile = { ...config, accounts: { main: { credentials: 'file' as const } } }
  const bare = refusal([{ name: 'main' }], inFile as never)
  expect(bare.details.where).toBe('section main of /books/credentials.yaml')
  expect(refusal([{ name: 'main' }, { name: 'sub-1' }]).message).toBe(
    '2 accounts have no credentials: main, sub-1.',
  )
})

test('an incomplete or unusable credential is refused with the place of what is wrong', () => {
  const partial = refusalOf(() => readAccounts(config, '/books', { TIEOUT_SUB_1_TAX_KEY: 'k' }))
  expect(partial.message).toBe('The credentials of account sub-1 (tax) are incomplete.')
  expect(partial.details.where).toBe('TIEOUT_SUB_1_TAX_SECRET, TIEOUT_SUB_1_TAX_PASSPHRASE')
  expect(partial.details.found).toBe('no secret, no passphrase')

  const spaced = { TIEOUT_MAIN_KEY: 'k', TIEOUT_MAIN_SECRET: ' s', TIEOUT_MAIN_PASSPHRASE: 'p' }
  expect(refusalOf(() => readAccounts(config, '/books', spaced)).details.where).toBe('TIEOUT_MAIN_SECRET')

  const dir = temporaryFolder()
  const file = join(dir, 'credentials.yaml')
  writeFileSync(file, 'main: { key: k, passphrase: p }\n', { mode: 0o600 })
  const inFile = { ...config, accounts: { main: { credentials: 'file' as const } } }
  expect(refusalOf(() => readAccounts(inFile, dir, {})).details.where).toBe(
    `secret in section main of ${file}`,
  )
})
