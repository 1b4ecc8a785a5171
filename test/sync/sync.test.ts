// What a run records about itself, and which secrets it keeps out of the journal.
import { expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { CredentialRefused } from '../../connectors/errors.ts'
import { systemClock } from '../../models/clock.ts'
import { type SyncOptions, sync } from '../../pipeline/sync/sync.ts'

const settings = findEndpoint('account.settings')!
const request = { method: settings.method, path: settings.path }
const keysOf = (name: string) => ({
  key: `${name}-key`,
  secret: `${name}-secret`,
  passphrase: `${name}-phrase`,
})

/** Runs with no feed but the settings, which tell this uid; what is journaled, and how the run ended. */
async function run(uid: string | null, more: Partial<SyncOptions> = {}) {
  const frames: { meta: Record<string, unknown>; body: string }[] = []
  const journal = {
    append: async (meta: Record<string, unknown>, body = Buffer.alloc(0)) => {
      frames.push({ meta, body: body.toString() })
      return { seq: frames.length, meta, body }
    },
  }
  const landing = {
    landedSeq: 0,
    land: async (batch: readonly { seq: number }[]) => {
      landing.landedSeq = batch.at(-1)!.seq
      return { rows: 0 }
    },
    account: async () => null,
    uids: async () => new Map(),
    uidsOfHistory: async () => new Map(),
  }
  const answer = async () => {
    if (uid === null)
      throw new CredentialRefused({
        ...{ endpoint: settings, account: 'main', code: '40006', status: 400, message: 'no', body: null },
        request,
      })
    const data = { uid, accountMode: 'unified' }
    const body = Buffer.from(JSON.stringify({ data, echo: 'other-secret' }))
    return { request, status: 200, body, envelope: { data, requestTime: 1 }, sentAt: 0 }
  }
  const venue = {
    venueAt: () => null,
    account: () => ({ request: answer }),
    counters: { requests: 1, retries: 0 },
  }
  const options = {
    ...{ journal, landing, venue, venueName: 'a venue', feeds: [settings], settings, run: 'a run' },
    config: { accounts: { main: { uid: '17' } }, history: {}, venue: { retention_days: {} } },
    accounts: [{ name: 'main', uid: '17', api: keysOf('main') }],
    clock: { ...systemClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) },
    ...{ now: () => 0, signal: new AbortController().signal, command: 'test', progress: () => undefined },
    ...more,
  }
  const result = await sync(options as unknown as SyncOptions)
  return { result, outcome: frames.at(-1)?.meta.outcome, bodies: frames.map(({ body }) => body).join('\n') }
}

it('a run over everything is done, and one over a part of it has done a part', async () => {
  expect((await run('17')).outcome).toBe('done')
  expect((await run('17', { isPart: true })).outcome).toBe('part done')
})

it('a run that met another account than the configured one is incomplete, whatever else it read', async () => {
  const { result, outcome } = await run('4711')
  expect([outcome, result.misconfigured, result.incomplete]).toEqual(['incomplete', true, false])
})

it('a run whose key was refused is refused', async () => {
  expect((await run(null)).outcome).toBe('refused')
})

it('keys of accounts that this run does not read are kept out of the journal as well', async () => {
  const others = Object.values(keysOf('other'))
  expect((await run('17', { secrets: others })).bodies).toContain('"echo":"************"')
  expect((await run('17')).bodies).toContain('"echo":"other-secret"')
})
