// 4.3 is asked for each sub-account that is known: one that is gone silences no other, and an ND broker, who may not call
// 4.13, has those that a key was made for.
import { expect, test } from 'vitest'
import { askBooks, askLedger } from '../support/ask-ledger.ts'
import { daysAgo } from '../support/days-ago.ts'
import { command } from '../support/in-process.ts'
import { type Answers, excluded, refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const EMAIL = '/api/v2/broker/account/subaccount-email'
const FEEDS = `{ since: ${daysAgo(30)}, feeds: [futures.subaccountAssets, broker.subaccountEmail] }`

/** Each sub-account has its record, but for the first. */
const emails: Answers = {
  [EMAIL]: (query) => {
    const subUid = query.get('subUid')
    return subUid === '11' ? refused('40054', 400) : { subUid, userName: 'a', email: `${subUid}@example.org` }
  },
}

const found = (dir: string) => askBooks(dir, ['select sub_uid from subaccount_emails order by sub_uid'])
const WORDS = "select status, code from coverage where feed = 'broker.subaccountEmail' order by all"

test('a sub-account without a record suppresses no other', async () => {
  const assets = ['11', '12', '13'].map((userId) => ({ userId, assetsList: [] }))
  const venue = await traderVenue({
    ...TRADER,
    ...excluded(400),
    '/api/v2/mix/account/sub-account-assets': () => assets,
    ...emails,
  })
  const dir = traderBooks(venue.baseUrl, FEEDS)
  await command(['sync', '--dir', dir])
  expect(await found(dir)).toEqual([[{ sub_uid: '12' }, { sub_uid: '13' }]])
}, 120_000)

test('what one night could not request for an account without sub-accounts is no gap once a later night could', async () => {
  const venue = await traderVenue({ '/api/v3/account/settings': () => refused('40018', 400) })
  const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(30)} }`)
  expect((await command(['sync', '--dir', dir])).code).toBe(4)
  expect(await askBooks(dir, [WORDS])).toEqual([[{ status: 'failed', code: '40018' }]])
  venue.answers = { ...TRADER, ...excluded(400) }
  await command(['nightly', '--dir', dir])
  const open = "select explanation from breaks where check_name = 'coverage' and status = 'open'"
  expect(await askLedger(dir, [WORDS, open])).toEqual([[{ status: 'not_applicable', code: 'not asked' }], []])
}, 120_000)

test('an ND broker has the sub-accounts for which a key was created; without any the feed says so', async () => {
  const venue = await traderVenue({
    ...TRADER,
    ...excluded(400),
    ...emails,
    '/api/v2/broker/manage/create-subaccount-apikey': () => ({
      ...{ subUid: '21', apiKey: 'a key', secretKey: 'a secret', label: 'l' },
      ...{ ipList: [], permType: 'readonly', permList: [] },
    }),
  })
  const dir = traderBooks(venue.baseUrl, FEEDS)
  await command(['sync', '--dir', dir])
  expect(await askBooks(dir, [WORDS])).toEqual([[{ status: 'not_applicable', code: 'not asked' }]])

  const fields = [
    'subUid=21',
    'passphrase=passphrase1',
    'label=l',
    'permType=readonly',
    'permList=spot_trade',
  ]
  const made = await command([
    ...['call', 'broker.createApiKey', ...fields, '--write', '--save-as', 'sub-21', '--dir', dir],
  ])
  expect(made.code, made.stderr).toBe(0)
  await command(['sync', '--accounts', 'trader', '--dir', dir])
  expect(await found(dir)).toEqual([[{ sub_uid: '21' }]])
}, 120_000)
