// How several servers share the books: which account stands where, and how the first server sees the parts as one table.
import { expect, test } from 'vitest'
import { Server } from '../../pipeline/clickhouse/server.ts'
import { isByAccount, partsOf, shardOf, unionOf } from '../../pipeline/clickhouse/shards.ts'
import { States } from '../../pipeline/clickhouse/states.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { fakeServer, VERSION } from './fake-server.ts'

const settingsOf = (url: string) => ({ url, database: 'books', user: 'default', password: '' })

test('an account stays on the same server as long as the number of servers is the same', () => {
  const accounts = ['main', 'sub-1', 'sub-2', 'broker', 'classic', 'parent']
  expect(accounts.map((account) => shardOf(account, 2))).toEqual(SHARDS_OF_TWO)
  expect(accounts.map((account) => shardOf(account, 1))).toEqual([0, 0, 0, 0, 0, 0])
})

/** Fixed: with another distribution all that has landed would stand on the wrong server. */
const SHARDS_OF_TWO = [1, 1, 0, 1, 0, 0]

test('what the venue sent is divided by account, what is calculated over all accounts is not', () => {
  const records = generatedModels({ publishPersonalData: false }).filter(({ table }) =>
    table.startsWith('main.'),
  )
  expect(records.filter(({ table }) => !isByAccount(table))).toEqual([])
  for (const table of [
    'main.prices',
    'main.transfers',
    'staging.sum_guard',
    'staging.reporting',
    'main.lot_events',
  ])
    expect(isByAccount(table)).toBe(false)
})

test('the parts of a table are one select for the first server', async () => {
  const here = await fakeServer(() => VERSION)
  const there = await fakeServer(() => VERSION)
  const servers = [await Server.open(settingsOf(here.url)), await Server.open(settingsOf(there.url))]
  const columns = new Map([
    ['coin', 'VARCHAR'],
    ['amount', 'DECIMAL(38,18)'],
  ])
  const question = encodeURIComponent('select "coin", "amount" from "books_b1_part"."entries" format Native')
  expect(unionOf(servers, 'main.entries', partsOf('books', 'b1'), columns)).toBe(
    [
      'select "coin", "amount" from "books_b1_part"."entries"',
      'union all',
      `select "coin", "amount" from url('${there.url}/?query=${question}', 'Native', '"coin" Nullable(String), "amount" Nullable(Decimal(38, 18))')`,
    ].join('\n'),
  )
  for (const server of servers) await server.close()
})

test('builds that died are cleaned up on every server, and the last two states stay', async () => {
  const databases = [
    'books',
    'books_landing',
    'books_landing_part',
    'books_b20261101000000000',
    'books_b20261101000000000_part',
    'books_b20261101000000000_part_staging',
    'books_b20261001000000000',
    'books_b20260901000000000',
    'books_b20261102000000000_part_landing',
    'bookshop_b20260901000000000',
  ]
  const { url, asked } = await fakeServer(({ statement }) => {
    if (statement.startsWith('select build'))
      return { body: '["b20261101000000000"]\n["b20261001000000000"]\n' }
    if (statement.startsWith('select name'))
      return { body: databases.map((name) => `["${name}"]\n`).join('') }
    return VERSION
  })
  const server = await Server.open(settingsOf(url))
  await new States([server], 'books').clear()
  await server.close()
  // With `sync`: what is dropped without it stays on the server's disk for minutes, erased names included.
  const dropped = asked.map(({ statement }) => /^drop database if exists "(.*)" sync$/.exec(statement)?.[1])
  expect(dropped.filter((name) => name !== undefined)).toEqual([
    'books_b20261101000000000_part_staging',
    'books_b20260901000000000',
    'books_b20261102000000000_part_landing',
  ])
})
