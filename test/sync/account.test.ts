// What the settings of an account decide for its feeds: read, not read, and why.
import { expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { openOrders } from '../../connectors/endpoints/trade.ts'
import {
  CredentialRefused,
  IpRefused,
  MalformedAnswer,
  ParameterRefused,
  type Refusal,
  UnknownRefusal,
} from '../../connectors/errors.ts'
import { syncAccount } from '../../pipeline/sync/account.ts'
import type { SyncContext } from '../../pipeline/sync/context.ts'
import { UidOwners } from '../../pipeline/sync/owners.ts'
import { turns } from '../support/venue.ts'

const settings = findEndpoint('account.settings') as Endpoint
const keys = { key: 'a key', secret: 'a secret', passphrase: 'a phrase' }
const list = (name: string, more: Partial<Endpoint> = {}): Endpoint => ({
  ...openOrders,
  name,
  applies: 'all',
  partitions: [{ label: '', params: {} }],
  ...more,
})
const api = list('a list')
const tax = list('a tax list', { credential: 'tax' })
const bySub = list('by sub-account', {
  paramFrom: { ...findEndpoint('broker.subaccountEmail')!.paramFrom!, param: 'sub', feed: 'a list' },
})

const refusal = (code: string, status: number | null = 400): Refusal => ({
  endpoint: settings,
  account: 'main',
  code,
  status,
  message: 'as the venue says',
  request: { method: 'GET', path: settings.path },
  body: null,
})

interface Options {
  readonly feeds?: readonly Endpoint[]
  readonly history?: string
  readonly word?: string
  readonly named?: readonly string[]
  readonly feedAnswers?: (name: string) => Promise<void>
}

/** Syncs an account whose settings are answered like this; which feeds were requested, and what was recorded. */
async function synced(
  answer: object | Error,
  { feeds = [api, tax], history, word, named = [], feedAnswers = async () => undefined }: Options = {},
) {
  const asked: string[] = []
  const said: unknown[] = []
  const accounts: unknown[] = []
  const request = async (endpoint: Endpoint) => {
    const isSettings = endpoint.name === settings.name
    if (!isSettings) asked.push(endpoint.name)
    if (isSettings && answer instanceof Error) throw answer
    if (!isSettings) await feedAnswers(endpoint.name)
    const data = isSettings ? answer : { list: [], cursor: null }
    const envelope = { data, requestTime: 1 }
    const asRequested = { method: endpoint.method, path: endpoint.path }
    return { request: asRequested, status: 200, body: Buffer.alloc(0), envelope, sentAt: 0 }
  }
  type Recorded = { kind: string; feed?: string; status?: string; code?: string; uid?: string | null }
  const context = {
    run: 'a run',
    venueName: 'a venue',
    venue: { venueAt: () => null, account: () => ({ request }) },
    landing: {
      account: async () => null,
      covered: async () => [],
      wanted: async () => ({ from: null, lost: [] }),
      unfinished: async () => [],
      oldestUnsettled: async () => null,
      oldestThatLeft: async () => null,
      distinctValues: async () => [],
      writtenValues: async () => [],
      wordOnFeed: async () => word ?? null,
    },
    recorder: {
      flush: async () => undefined,
      record: async ({ kind, feed, status, code, uid }: Recorded) => {
        if (kind === 'account') accounts.push(uid)
        if (kind === 'statement') said.push([feed, status, code])
      },
    },
    owners: new UidOwners(new Map(history === undefined ? [] : [['main', history]])),
    secrets: [],
    clock: { monotonic: () => 0, wall: () => 0 },
    now: () => 0,
    signal: new AbortController().signal,
    config: { history: { feeds: named }, venue: { retention_days: {} } },
    feeds: [settings, ...feeds],
    progress: () => undefined,
    outcome: {
      ...{ refusals: [], failures: [], incomplete: false, misconfigured: false },
      ...{ answered: 0, givenUp: 0 },
    },
  }
  const access = { name: 'main', api: keys, tax: keys }
  await syncAccount(context as unknown as SyncContext, settings, access, 0)
  return { asked, said, accounts, outcome: context.outcome }
}

const OWN = { uid: '17', accountMode: 'unified' }

it('an account that is not that of the books is not read with any key, and stays the one that it was', async () => {
  const { asked, said, accounts, outcome } = await synced(OWN, { history: '4711' })
  expect(asked).toEqual([])
  expect(said).toEqual([
    ['a list', 'failed', 'other account'],
    ['a tax list', 'failed', 'other account'],
  ])
  expect([accounts, outcome.misconfigured]).toEqual([['4711'], true])
})

it('a refused key stops what is read with it, a refused address everything', async () => {
  const ofKey = await synced(new CredentialRefused(refusal('40006')))
  expect(ofKey.asked).toEqual(['a tax list'])
  expect(ofKey.said).toEqual([
    ['account.settings', 'failed', '40006'],
    ['a list', 'failed', '40006'],
  ])
  const ofAddress = await synced(new IpRefused(refusal('40018')))
  expect(ofAddress.asked).toEqual([])
  expect(ofAddress.said).toEqual([
    ['account.settings', 'failed', '40018'],
    ['a list', 'failed', '40018'],
    ['a tax list', 'failed', '40018'],
  ])
})

it('settings that the venue itself refuses stop nothing: what may be asked again is pending, the rest failed', async () => {
  const again = await synced(new UnknownRefusal(refusal('99999')))
  expect(again.asked).toEqual(['a list', 'a tax list'])
  expect(again.said).toEqual([['account.settings', 'pending', '99999']])
  const never = await synced(new ParameterRefused(refusal('40017')))
  expect(never.asked).toEqual(['a list', 'a tax list'])
  expect(never.said).toEqual([['account.settings', 'failed', '40017']])
})

it('an answer that may have come from anywhere stops everything for now', async () => {
  const { asked, said } = await synced(new MalformedAnswer(refusal('malformed answer', 200)))
  expect(asked).toEqual([])
  expect(said).toEqual([
    ['account.settings', 'pending', 'malformed answer'],
    ['a list', 'pending', 'unreachable'],
    ['a tax list', 'pending', 'unreachable'],
  ])
})

it('an unexpected error of one feed is thrown once the others have ended', async () => {
  const ended: string[] = []
  const broken = new Error('a defect')
  const feedAnswers = async (name: string): Promise<void> => {
    if (name === 'a list') throw broken
    await turns()
    ended.push(name)
  }
  await expect(synced(OWN, { feedAnswers })).rejects.toBe(broken)
  expect(ended).toEqual(['a tax list'])
})

it('a feed that says what became of the rows of another is read after it, even if it is listed before', async () => {
  const after = list('its ends', { endsOf: { feed: 'a list', partition: 'category' } })
  const order: string[] = []
  const feedAnswers = async (name: string): Promise<void> => {
    order.push(`${name} asked`)
    await turns()
    order.push(`${name} answered`)
  }
  await synced(OWN, { feeds: [after, api], feedAnswers })
  expect(order).toEqual(['a list asked', 'a list answered', 'its ends asked', 'its ends answered'])
})

it('a feed without sub-accounts to ask for takes back that it was left, if it could be read now', async () => {
  const nothing = ['by sub-account', 'not_applicable', 'not asked']
  const feeds = [bySub]
  for (const word of ['pending', 'failed'])
    expect((await synced(OWN, { feeds, word })).said).toEqual([nothing])
  expect((await synced(OWN, { feeds, word: 'lost' })).said).toEqual([])
  expect((await synced(OWN, { feeds })).said).toEqual([])
  expect((await synced(OWN, { feeds, named: ['by sub-account'] })).said).toEqual([nothing])
  const refused = await synced(new CredentialRefused(refusal('40006')), { feeds, word: 'failed' })
  expect(refused.said).not.toContainEqual(nothing)
})
