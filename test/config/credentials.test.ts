// Credentials: where they come from, and what is said of an account that has none.
import { expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { emptyConfig, readAccounts, requireCredentials } from '../../pipeline/config/config.ts'

const config = {
  ...emptyConfig,
  accounts: { main: { credentials: 'env' as const }, 'sub-1': { credentials: 'env' as const } },
}
const SET = {
  TIEOUT_MAIN_TAX_KEY: 'k',
  TIEOUT_MAIN_TAX_SECRET: 's',
  TIEOUT_MAIN_TAX_PASSPHRASE: 'p',
}

test('one of the two credentials is enough: what lacks the other is reported feed by feed', () => {
  const [main] = readAccounts(config, '/books', SET)
  expect(() => requireCredentials([main!], config, '/books')).not.toThrow()
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
