// One account of the venue under two names, with different keys: it is read under one of them, always the same, and the
// other is said to be misconfigured once. Nor are two accounts of the venue read under one name.
import { expect, onTestFinished, test } from 'vitest'
import type { AccountAccess } from '../../connectors/access.ts'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { erase, findEraseTargets } from '../../pipeline/books/erase.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { booksOfTest, settings, syncFeeds } from '../support/sync.ts'
import { envelope, loopback, START } from '../support/venue.ts'

const taxRecords = findEndpoint('tax.records')!

const accessOf = (name: string): AccountAccess => {
  const credential = { key: `key of ${name}`, secret: `secret of ${name}`, passphrase: 'a passphrase' }
  return { name, api: credential, tax: credential }
}
const [first, second, other] = ['first', 'second', 'other'].map(accessOf) as [
  AccountAccess,
  AccountAccess,
  AccountAccess,
]

/** Books, and nights over some accounts, of which the first two are one and the same. */
async function books() {
  const { venue, clock, received, settle } = await loopback(({ path, headers }, response) => {
    const uid = headers['access-key'] === other.api?.key ? '2002' : '1001'
    response.end(envelope(path.startsWith(settings.path) ? { uid } : []))
  })
  let opened: Books = await booksOfTest(clock)
  /** What the command does, up to the building of the ledger. */
  const eraseAll = async (account: string): Promise<void> => {
    const { dir } = opened
    await opened.close()
    await erase(dir, await findEraseTargets(dir, { frames: [], account }), clock)
    opened = await openBooks(dir, { clock, command: 'test' })
    onTestFinished(opened.close)
  }
  const night = async (accounts: readonly AccountAccess[], uids: Readonly<Record<string, string>> = {}) => {
    received.length = 0
    const { misconfigured, failures } = await settle(
      syncFeeds(opened, venue, clock, {
        config: {
          ...emptyConfig,
          accounts: Object.fromEntries(
            [first, second, other].map(({ name }) => [
              name,
              { credentials: 'env' as const, ...(uids[name] === undefined ? {} : { uid: uids[name] }) },
            ]),
          ),
        },
        accounts,
        feeds: [taxRecords],
        since: START - 86_400_000,
      }),
    )
    const read = [first, second, other].filter(({ api }) =>
      received.some(
        ({ path, headers }) => path.startsWith(taxRecords.path) && headers['access-key'] === api?.key,
      ),
    )
    return {
      misconfigured,
      failures: failures.map(({ message }) => message),
      read: read.map(({ name }) => name),
    }
  }
  return Object.assign(night, { eraseAll })
}

test('one of the two is read, the same one every night, and the other reported once; the other accounts continue', async () => {
  const night = await books()
  const found = await night([first, second, other])
  const [own = ''] = found.read
  const twin = own === 'first' ? 'second' : 'first'
  expect(found).toEqual({
    misconfigured: true,
    failures: [`Account ${twin} is the same venue account as ${own}.`],
    read: [own, 'other'],
  })
  expect(await night([second, first, other])).toEqual(found)
})

test('the books’ own account continues to be read, even if it is second or the other is requested alone', async () => {
  const night = await books()
  expect(await night([second])).toMatchObject({ misconfigured: false, read: ['second'] })
  const refused = {
    misconfigured: true,
    failures: ['Account first is the same venue account as second.'],
  }
  expect(await night([first])).toEqual({ ...refused, read: [] })
  expect(await night([first, second])).toEqual({ ...refused, read: ['second'] })
})

test('a uid that the configuration states belongs to that account, whichever is requested first', async () => {
  const night = await books()
  expect(await night([first], { second: '1001' })).toMatchObject({ misconfigured: true, read: [] })
})

test('credentials of another account under a name of the books are refused, whether or not its uid is stated', async () => {
  const night = await books()
  expect(await night([first])).toMatchObject({ misconfigured: false, read: ['first'] })
  const renamed = { ...other, name: 'first' }
  const refused = {
    misconfigured: true,
    failures: ['Account first is not the account that the books have under this name.'],
    read: [],
  }
  expect(await night([renamed])).toEqual(refused)
  expect(await night([{ ...renamed, uid: '2002' }], { first: '2002' })).toEqual(refused)
  expect(await night([renamed, other])).toEqual({ ...refused, read: ['other'] })
  expect(await night([second], { first: '2002' })).toMatchObject({ misconfigured: true, read: [] })
  // A refused night leaves no word behind: the account of the books is read as before.
  expect(await night([first])).toEqual({ misconfigured: false, failures: [], read: ['first'] })
})

test('and also if the account’s data were erased: its ranges count as received, and are those of no other account', async () => {
  const night = await books()
  await night([first])
  await night.eraseAll('first')
  expect(await night([{ ...other, name: 'first', uid: '2002' }], { first: '2002' })).toEqual({
    misconfigured: true,
    failures: ['Account first is not the account that the books have under this name.'],
    read: [],
  })
  expect(await night([first])).toEqual({ misconfigured: false, failures: [], read: ['first'] })
})

test('a uid that was stated by mistake, under which nothing was read, prevents nothing once it is corrected', async () => {
  const night = await books()
  expect(await night([{ ...first, uid: '2002' }], { first: '2002' })).toMatchObject({
    misconfigured: true,
    read: [],
  })
  expect(await night([first])).toEqual({ misconfigured: false, failures: [], read: ['first'] })
})
