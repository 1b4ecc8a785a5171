// Which account a uid belongs to, by what the books have and what the configuration states.
import { expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Config } from '../../pipeline/config/config.ts'
import { uidOwners } from '../../pipeline/sync/owners.ts'

interface Known {
  /** Uids that the configuration states for the account `main`, that the books know of it, and whose history they have. */
  readonly stated?: string
  readonly known?: string
  readonly history?: string
}

/** Who owns the uid if another account of the configuration claims it. */
async function ownerOf(uid: string, { stated, known, history }: Known): Promise<string> {
  const mapOf = (one: string | undefined) => new Map(one === undefined ? [] : [['main', one]])
  const landing = { uids: async () => mapOf(known), uidsOfHistory: async () => mapOf(history) }
  const config = { accounts: { main: { uid: stated }, other: {} } } as unknown as Config
  const owners = await uidOwners(landing, config, [], findEndpoint('account.settings')!)
  return owners.claim(uid, 'other')
}

it('the account whose history the books have keeps its uid, even if the configuration states another', async () => {
  expect(await ownerOf('7', { stated: '9', known: '7', history: '7' })).toBe('main')
})

it('and it does not get the other uid, under which the books have nothing of it', async () => {
  expect(await ownerOf('9', { stated: '9', known: '7', history: '7' })).toBe('other')
})

it('a uid under which nothing was read is free once the configuration states another', async () => {
  expect(await ownerOf('7', { stated: '9', known: '7' })).toBe('other')
  expect(await ownerOf('9', { stated: '9', known: '7' })).toBe('main')
})

it('a uid that the books know of an account, or that the configuration states, is its own', async () => {
  expect(await ownerOf('7', { known: '7' })).toBe('main')
  expect(await ownerOf('9', { stated: '9' })).toBe('main')
  expect(await ownerOf('8', { stated: '9' })).toBe('other')
})
