// What a record declares of the books reaches the models: the view of moved records, the table of feeds, and the checks of
// types have a part for every feed, without a list of feeds anywhere else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { appliesTo } from '../../connectors/endpoint.ts'
import { packageRoot } from '../../pipeline/config/root.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'

const models = generatedModels({ publishPersonalData: false })
const selectOf = (table: string): string => models.find((model) => model.table === table)!.select
const booked = feedRecords.filter(({ record }) => (record.typed?.books ?? null) !== null)

describe('a booked record', () => {
  test('is one of the moved records, and its types are received and checked', () => {
    for (const table of ['moved_records', 'record_days', 'unclassified_records']) {
      const feeds = [...selectOf(`staging.${table}`).matchAll(/'([\w.]+)' as feed/g)].map(([, feed]) => feed)
      expect(feeds).toEqual(booked.map(({ feed }) => feed))
    }
  })

  test('names fields that exist, and a single id by which the venue identifies the change', () => {
    for (const { record } of booked) {
      const { coin, time, field, books } = record.typed!
      const { amount, fee = amount, balance = amount, symbol = field } = books!
      for (const name of [coin, time, field, amount, fee, balance, symbol])
        expect(record.fields).toHaveProperty(name)
      expect(record.key).toHaveLength(1)
    }
  })

  test('is described with its sign, its line and what it yields to', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(
      `select feed, line, has_balance, is_unsigned, yields_to_unified from (${selectOf('staging.feeds')}) where is_booked`,
    )
    const rows = reader.getRowsJson()
    expect(rows).toHaveLength(booked.length)
    for (const row of [
      ['tax.records', null, true, false, false],
      ['tax.futuresRecords', null, false, false, true],
      ['tax.p2pRecords', 'P2P', false, true, false],
    ])
      expect(rows).toContainEqual(row)
    const rested = await connection.runAndReadAll(
      `select feed from (${selectOf('staging.feeds')}) where is_rested_on and not is_booked`,
    )
    expect(rested.getRowsJson().flat()).toEqual(['trade.orderHistory', 'p2p.orders'])
    connection.closeSync()
    instance.closeSync()
  })
})

test('a model that names a feed is about that feed', () => {
  /** Rules of single feeds: another feed has no part in them. */
  const special = [
    'checks/balance_snapshots',
    'checks/futures_v3_v2',
    'checks/p2p_match',
    'checks/p2p_meaning',
    'intermediate/coverage/both_covered',
    'intermediate/futures/futures_secondary',
    'intermediate/futures/position_readings',
    'intermediate/orders/order_spans',
    'intermediate/chain/line_ledgers',
    'ledger/entries',
    'ledger/unmatched_legs',
    'staging/equal_records',
    'staging/tax_books',
  ]
  const folder = join(packageRoot, 'sql')
  const naming = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql') && /'tax\.\w+'/.test(readFileSync(join(folder, name), 'utf8')))
    .map((name) => name.replace('.sql', ''))
  expect(naming.toSorted()).toEqual(special.toSorted())
})

describe('an endpoint that applies to one kind of account', () => {
  const of = (applies: 'all' | 'unified' | 'classic') => ({ ...endpoints[0]!, applies })

  test.each([
    ['all', ['unified', 'classic', 'unknown']],
    ['unified', ['unified', 'unknown']],
    ['classic', ['classic', 'unknown']],
  ] as const)('%s: it is requested for %j', (applies, expected) => {
    const kinds = ['unified', 'classic', 'unknown'].filter((kind) => appliesTo(of(applies), kind))
    expect(kinds).toEqual(expected)
  })
})
