// Which lots a report is about: those published, if they were matched as it asks, else those of a new run.
import { afterEach, describe, expect, test } from 'vitest'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { computeDisposals, disposalsOf, lotsBefore } from '../../pipeline/reports/disposals.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { account, publish } from './books.ts'

const opened: Ledger[] = []
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close()
})

/** Bought 1 BTC for 100 in January, one for 300 with the first instant of June; sold one for 250 in July. */
const EVENTS = [
  account('main'),
  `insert into lot_events values
    ('main', 'BTC', '2025-01-02 00:00:00+00', 1, 'b1', 'acquire', 1, 100, 'USDT', null),
    ('main', 'BTC', '2025-06-01 00:00:00+00', 2, 'b2', 'acquire', 1, 300, 'USDT', null),
    ('main', 'BTC', '2025-07-01 00:00:00+00', 3, 's1', 'dispose', 1, 250, 'USDT', null)`,
]

async function books(...statements: readonly string[]): Promise<Ledger> {
  const ledger = await openLedger(await publish(statements))
  opened.push(ledger)
  return ledger
}

const lots = async (reader: Awaited<ReturnType<typeof lotsBefore>>) =>
  (await reader?.query('select lot_id, quantity_left, cost_basis_left from lots order by lot_id'))?.map(
    (row) => row.join(' '),
  ) ?? null

describe('the lots before an instant', () => {
  test('are those of what happened before it, not in it', async () => {
    const ledger = await books(...EVENTS)
    const at = async (before: string) =>
      await lots(await lotsBefore(ledger, { method: 'fifo' }, undefined, before))
    expect(await at('2025-01-02T00:00:00.000Z')).toEqual([])
    expect(await at('2025-06-01T00:00:00.000Z')).toEqual(['b1 1 100'])
    expect(await at('2025-06-01T00:00:00.001Z')).toEqual(['b1 1 100', 'b2 1 300'])
    expect(await at('2025-07-01T00:00:00.001Z')).toEqual(['b2 1 300'])
  })

  test('are what its sales left, where later purchases belong to them', async () => {
    const ledger = await books(
      account('main'),
      `insert into lot_events values
        ('main', 'BTC', '2025-01-02 12:00:00+00', 1, 'b1', 'acquire', 1, 100, 'GBP', null),
        ('main', 'BTC', '2025-02-02 12:00:00+00', 2, 's1', 'dispose', 1, 250, 'GBP', null),
        ('main', 'BTC', '2025-02-12 12:00:00+00', 3, 'b2', 'acquire', 1, 300, 'GBP', null)`,
    )
    const left = await lotsBefore(ledger, { rules: 'uk' }, undefined, '2025-02-05T00:00:00.000Z')
    // The sale is of what was bought within 30 days, so what cost 100 is still held.
    expect(await left?.query('select sum(quantity_left), sum(cost_basis_left) from lots')).toEqual([
      ['1', '100'],
    ])
  })

  test.each([
    ["'UTC', 'disposal', null::timestamptz, false", ['b1 1 100']],
    ["'Europe/Berlin', 'disposal', null::timestamptz, false", null],
    ["'UTC', 'net', null::timestamptz, false", null],
    ["'UTC', 'disposal', timestamptz '2025-01-01 00:00:00', false", null],
    ["'UTC', 'disposal', null::timestamptz, true", null],
  ])(
    'published as %s, without another request, are told only if matched as configured',
    async (how, expected) => {
      const { method, scope } = matchingOf({})
      const ledger = await books(
        ...EVENTS,
        `create table lot_matching as select * from (values ('${method}', '${scope}', 'generic', ${how}))
         as given (method, scope, rules, time_zone, fees_in_kind, exchange_fees_given_from, exchange_fees_shared)`,
      )
      expect(await lots(await lotsBefore(ledger, {}, undefined, '2025-06-01T00:00:00.000Z'))).toEqual(
        expected,
      )
    },
  )
})

test('a currency that the books have, or that they cannot be converted to, leaves them as published', async () => {
  const asPublished = ['As published; matching method not recorded.']
  const ledger = await books(...EVENTS)
  for (const currency of ['USDT', 'EUR'])
    expect((await disposalsOf(ledger, {}, currency)).notes).toEqual(asPublished)
  const inEuros = await books(...EVENTS.map((statement) => statement.replaceAll("'USDT'", "'EUR'")))
  expect((await disposalsOf(inEuros, {}, 'EUR')).notes).toEqual(asPublished)
})

test('books that record no fees of exchanges apart are refused only under rules that move them', async () => {
  const ledger = await books(
    ...EVENTS,
    'create table kept as select * exclude (value_given, value_shared, value_before_fees, is_kept_back) from lot_events',
    'drop table lot_events',
    'alter table kept rename to lot_events',
  )
  expect(await lots(await computeDisposals(ledger, matchingOf({ rules: 'generic' }).options))).toEqual([
    'b2 1 300',
  ])
  for (const [rules, missing] of [
    ['us', 'value_given and is_kept_back'],
    ['uk', 'value_shared'],
  ] as const)
    await expect(computeDisposals(ledger, matchingOf({ rules }).options)).rejects.toMatchObject({
      details: { expected: `${missing}, which the rules read` },
    })
})

test('the method specific states that no lots were named only if none were', async () => {
  const ledger = await books(...EVENTS)
  const none =
    'No lots were named (--selection FILE), so the method specific matched everything first in, first out.'
  expect((await disposalsOf(ledger, { method: 'specific' })).notes).toContain(none)
  const selection = new Map([['s1', [{ lotId: 'b2', quantity: 10n ** 18n }]]])
  const { notes, reader } = await disposalsOf(ledger, { method: 'specific', selection })
  expect(notes).toEqual([expect.stringMatching(/^Computed for this report: method specific, /)])
  expect(await lots(reader)).toEqual(['b1 1 100'])
})

test('lots that the request names are matched anew, even if the published ones were matched by the same method', async () => {
  const published = (method: string, scope: string, rules: string) =>
    books(
      ...EVENTS,
      `create table lot_matching as select '${method}' as method, '${scope}' as scope, '${rules}' as rules,
         'UTC' as time_zone, 'disposal' as fees_in_kind,
         timestamptz '2025-01-01 00:00:00' as exchange_fees_given_from, false as exchange_fees_shared`,
    )
  const [first] = (
    await disposalsOf(await published('fifo', matchingOf({ rules: 'us' }).scope, 'us'), { rules: 'us' })
  ).notes
  expect(first).toBe('As published: method fifo, scope universal, account from 2025, rules us.')
  const allocation = [{ account: 'main', coin: 'BTC', lotId: 'b1', quantity: 10n ** 18n }]
  const allotted = await disposalsOf(await published('fifo', matchingOf({ rules: 'us' }).scope, 'us'), {
    ...{ rules: 'us', allocation },
  })
  expect(allotted.notes[0]).toMatch(/^Computed for this report: /)
  const selection = new Map([['s1', [{ lotId: 'b2', quantity: 10n ** 18n }]]])
  const { scope } = matchingOf({ rules: 'us', method: 'specific' })
  const named = await disposalsOf(await published('specific', scope, 'us'), {
    ...{ rules: 'us', method: 'specific', selection },
  })
  expect(named.notes[0]).toMatch(/^Computed for this report: /)
})

test('a named lot that no books know is too much for the one coin that its disposal gave, whatever that also brought', async () => {
  const selection = new Map([['s1', [{ lotId: 'unheard-of', quantity: 2n * 10n ** 18n }]]])
  const told = async (...events: readonly string[]) => {
    const rows = events.map((event, place) => {
      const [id, kind, coin] = event.split(' ')
      return `('main', '${coin}', '2025-07-01 00:00:00+00', ${place}, '${id}', '${kind}', 1, 100, 'USDT', null)`
    })
    const ledger = await books(account('main'), `insert into lot_events values ${rows.join(', ')}`)
    const { notes } = await disposalsOf(ledger, { method: 'specific', selection })
    return notes.filter((note) => note.includes('more than was disposed of'))
  }
  const excess = [
    'The selection names more than was disposed of; the excess had no effect: 2 for s1, which disposed of 1 BTC.',
  ]
  expect(await told('b1 acquire BTC', 's1 dispose BTC')).toEqual(excess)
  expect(await told('b1 acquire BTC', 's1 dispose BTC', 's1 acquire ETH')).toEqual(excess)
  // Of two coins, nobody knows which was meant.
  expect(await told('b1 acquire BTC', 'e1 acquire ETH', 's1 dispose BTC', 's1 dispose ETH')).toEqual([])
})
