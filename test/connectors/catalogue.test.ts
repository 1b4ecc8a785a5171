// The catalogue against the interface document as test/document restates it: parts 2, 3, 4, 5 and 8.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalogueEntry, endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import { retentionOf } from '../../connectors/endpoint.ts'
import type { RecordType } from '../../models/record.ts'
import { recordDocs } from '../../pipeline/ledger/records.ts'
import { stated, statedRecords } from '../document/index.ts'

const expected = stated.map(([name, endpoint]) => {
  const { section, request, writes, permission, rate, spanMaxDays, retentionDays, pageSizeMax, paging } =
    endpoint
  const [method, path] = request.split(' ')
  return {
    section,
    name,
    method,
    path,
    public: endpoint.credential === 'none',
    writes: writes ?? false,
    permission: permission ?? null,
    rate,
    spanMaxDays: spanMaxDays ?? null,
    retentionDays: retentionDays ?? null,
    pageSizeMax: pageSizeMax ?? null,
    paging: paging ?? null,
  }
})

describe('the catalogue', () => {
  test.each(expected)('agrees with section $section: $name', (entry) => {
    const declared = findEndpoint(entry.name!)
    expect(declared && catalogueEntry(declared)).toEqual(entry)
  })

  test('has the endpoints of the document in the order of their sections and nothing else', () => {
    const sections = stated.map(([, { section }]) => section)
    expect(endpoints.map(({ section }) => section)).toEqual(sections)
    expect(sections).toEqual(sections.map((_, place) => `4.${place + 1}`))
  })

  test('signs by the key that the document asks for', () => {
    expect(endpoints.map(({ name, credential }) => [name, credential])).toEqual(
      stated.map(([name, { credential = 'api' }]) => [name, credential]),
    )
  })

  test('states for every write how to find out what became of it', () => {
    const silent = endpoints.filter(({ writes, outcome }) => writes && outcome === undefined)
    expect(silent).toEqual([])
  })

  test('has the partitions of the architecture', () => {
    const labels = endpoints.map(({ name, partitions }) => [
      name,
      partitions.length > 1 ? partitions.map(({ label }) => label).join(' ') : undefined,
    ])
    expect(labels).toEqual(stated.map(([name, { partitions }]) => [name, partitions]))
  })
})

describe('records', () => {
  const landing = endpoints.filter((endpoint) => endpoint.item !== null)

  test('of every reading endpoint have the fields of part 2, in its order', () => {
    expect(landing.map(({ name }) => name)).toEqual(statedRecords.map(([name]) => name))
    const namesOf = (item: RecordType | null, beyond: boolean): string[] =>
      Object.entries(item!.fields).flatMap(([field, one]) => (one.beyond === beyond ? [field] : []))
    for (const [name, , { fields, beyond = {} }] of statedRecords) {
      const { item } = findEndpoint(name)!
      expect(namesOf(item, false).toSorted()).toEqual(Object.keys(fields).toSorted())
      expect(namesOf(item, true)).toEqual(Object.keys(beyond))
    }
  })

  test('state for a column beyond the document that it is one', () => {
    expect(recordDocs(findEndpoint('account.settings')!.item!).get('account_level')).toBe(
      'basic, advanced, isolated or delta. Beyond the interface document; null where it was not sent.',
    )
  })

  test('land in the tables of the contract', () => {
    expect(landing.map(({ name, item }) => [name, item!.table])).toEqual(
      statedRecords.map(([name, , { table }]) => [name, table]),
    )
  })

  test('mark what names or reaches a person', () => {
    const personal = landing.map(({ name, item }) => [
      name,
      Object.entries(item!.fields)
        .flatMap(([field, one]) => (one.personal ? [field] : []))
        .toSorted(),
    ])
    expect(personal).toEqual(
      statedRecords.map(([name, , { personal: fields = [] }]) => [name, fields.toSorted()]),
    )
  })

  test('have their key, version and window field among their fields', () => {
    const namesOf = ({ item, window }: (typeof landing)[number]) =>
      [...item!.key, item!.version, window?.time].filter((name) => typeof name === 'string' && name !== '')
    const strange = landing.flatMap((endpoint) =>
      namesOf(endpoint).filter((name) => !((name as string) in (endpoint.item as RecordType).fields)),
    )
    expect(strange).toEqual([])
  })

  test('know every kind of order of 2.3.1, including the one under the profile’s name', () => {
    const kinds = findEndpoint('trade.orderHistory')!.item!.fields.delegateType!.values!
    expect([kinds.length, new Set(kinds).size]).toEqual([90, 90])
    expect(kinds).toContain('strategy_tradingview_signal')
    expect(kinds).not.toContain('strategy_<external_chart_platform>_signal')
  })
})

test('no file but the profile names the venue', () => {
  const folder = new URL('../../connectors/', import.meta.url)
  const naming = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'profile.ts')
    .filter((file) => /bitget|\bbgb\b|tradingview/i.test(readFileSync(new URL(file, folder), 'utf8')))
  expect(naming).toEqual([])
})

const DAY_MS = 86_400_000

test.each([
  ['tax.records', undefined, 366],
  ['tax.records', 100, 100],
  // No word of it in the document: two years are assumed.
  ['tax.futuresRecords', undefined, 730],
  ['tax.futuresRecords', 90, 90],
  ['tax.p2pRecords', undefined, 730],
  ['p2p.orders', undefined, 730],
  ['broker.customerKyc', undefined, 730],
  // A list of what happened, which no time can be asked of.
  ['market.liquidations', undefined, 3],
  ['market.liquidations', 5, 5],
  // A list of what is now has nothing to forget, whatever is configured.
  ['account.settings', undefined, Number.POSITIVE_INFINITY],
  ['account.settings', 5, Number.POSITIVE_INFINITY],
] as const)('how long the venue keeps %s, with %s days configured: %s', (name, configured, days) => {
  const endpoint = findEndpoint(name)!
  const override = configured === undefined ? undefined : configured * DAY_MS
  expect(retentionOf(endpoint, override) / DAY_MS).toBe(days)
})

// What a record is read again for: it may arrive late, or change for so long after the time by which it is listed.
test.each([
  ['tax.records', 1],
  ['tax.futuresRecords', 1],
  ['tax.p2pRecords', 1],
  ['trade.orderHistory', 7],
  ['p2p.orders', 7],
  ['broker.customers', 30],
  ['broker.customerKyc', 90],
] as const)('%s is read again for %s days', (name, days) => {
  expect((findEndpoint(name)?.window?.lookbackMs ?? 0) / DAY_MS).toBe(days)
})

test('each list whose rows are read again has a look-back above', () => {
  expect(endpoints.filter(({ window }) => window !== null)).toHaveLength(7)
})

test.each([
  ['p2p.orders', ['pending_pay', 'Paid', 'Appeal']],
  ['trade.orderHistory', ['live', 'new', 'partially_filled']],
])('a record of %s may still change in these states', (name, states) => {
  expect(findEndpoint(name)?.unsettled?.values).toEqual(states)
})

test('P2P orders are paged by the id of a row, so the meaning of that cursor has to be proven', () => {
  expect(findEndpoint('p2p.orders')?.page).toMatchObject({ kind: 'cursor', names: 'row' })
})

// Where one of these is missing, the venue's refusal is no gap in the books.
test('an account may not have opened what a feed is about, or not have the role that it takes', () => {
  const opened = endpoints.filter((endpoint) => endpoint.opened !== undefined)
  expect(opened.map(({ name, opened }) => `${name}: ${opened}`).toSorted()).toEqual([
    'futures.positions: product line',
    'futures.subaccountAssets: product line',
    'tax.futuresRecords: product line',
    'tax.p2pRecords: P2P',
    'tax.records: product line',
    'trade.orderHistory: product line',
  ])
  expect(findEndpoint('broker.subaccountEmail')?.role).toBe('a broker')
})

// Interface document, 4.8: orderId takes priority. A cancellation with another clientOid beside it is the same one.
test('beside an orderId, the clientOid of a cancellation has no effect', () => {
  const idle = findEndpoint('trade.cancelOrder')?.idleFields
  expect(idle?.({ orderId: '7', clientOid: 'mine' })).toEqual(['clientOid'])
  expect(idle?.({ clientOid: 'mine' })).toEqual([])
})
