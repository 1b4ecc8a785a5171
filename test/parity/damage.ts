// Damages books as no venue would, so that the tables that are empty in clean ones have rows: what is missing, told twice,
// told otherwise, of an unknown kind, without its coin, beyond all amounts, or kept aside. The same seed does the same.
import type { DuckDBConnection } from '@duckdb/node-api'
import { identifier } from '../../pipeline/engine/quote.ts'

/** Columns that say which record a row is; damage to one would make another record. */
const IDENTITY: ReadonlySet<string> = new Set(['account', 'partition', 'page_id', 'page_row', 'id', 'extra'])

interface Column {
  readonly name: string
  readonly type: string
}

/** Changes what has landed in the database that is attached as `landing`. */
export async function damage(connection: DuckDBConnection, seed: number): Promise<void> {
  const reader = await connection.runAndReadAll(
    `select table_name, column_name, data_type from duckdb_columns()
     where database_name = 'landing' order by table_name, column_index`,
  )
  const tables = new Map<string, Column[]>()
  for (const [table, name, type] of reader.getRowsJson() as string[][])
    tables.set(table as string, [
      ...(tables.get(table as string) ?? []),
      { name: name as string, type: type as string },
    ])
  let nth = seed
  const run = (statement: string): Promise<unknown> => connection.run(statement)
  /** Picks so many of a thousand rows. */
  const some = (perMille: number): string => {
    nth += 1
    return `hash(rowid + ${nth * 1_000_003}) % 1000 < ${perMille}`
  }
  for (const [table, columns] of tables) {
    const isRecord = ['page_id', 'page_row', 'extra'].every((name) =>
      columns.some((one) => one.name === name),
    )
    if (!isRecord) continue
    const name = `landing.main.${identifier(table)}`
    await run(`delete from ${name} where ${some(5)}`)
    for (const column of columns.filter((one) => !IDENTITY.has(one.name))) {
      const cell = identifier(column.name)
      if (column.type.startsWith('DECIMAL')) {
        await run(`update ${name} set ${cell} = ${cell} + 0.000000000000000001 where ${some(4)}`)
        await run(`update ${name} set ${cell} = -${cell} where ${some(3)}`)
        await run(`update ${name} set ${cell} = null where ${some(3)}`)
      } else if (column.type === 'VARCHAR') {
        // Amounts without a coin are kept aside before they land.
        if (!/coin$/.test(column.name)) await run(`update ${name} set ${cell} = null where ${some(3)}`)
        await run(`update ${name} set ${cell} = ${cell} || '/Ünknown"' where ${some(3)}`)
      } else if (column.type.startsWith('TIMESTAMP'))
        await run(`update ${name} set ${cell} = ${cell} - interval 40 day where ${some(2)}`)
    }
    await run(`update ${name} set extra = '{"unknownField":"1.50","other":[1,2]}' where ${some(5)}`)
    // The same row in another place of a page, and the same record with other content.
    const at = (place: number): string => `page_row + ${place} as page_row`
    await run(`insert into ${name} select * replace (${at(1_000)}) from ${name} where ${some(8)}`)
    const amount = columns.find((one) => one.type.startsWith('DECIMAL'))
    if (amount !== undefined)
      await run(
        `insert into ${name} select * replace (${identifier(amount.name)} + 1 as ${identifier(amount.name)}, ${at(2_000)}) from ${name} where ${some(4)}`,
      )
  }
  // Orders that do more than close what is held, and so turn a position round.
  const oneWay = `hold_mode = 'one_way_mode' and category like '%-FUTURES'`
  await run(`update landing.main.orders set pos_side = null where ${oneWay}`)
  await run(`update landing.main.orders set cum_exec_qty = cum_exec_qty * 3 where ${oneWay} and ${some(300)}`)
  await run(`delete from landing.main.covered where ${some(60)}`)
  const of = `(select account from landing.main.accounts limit 1)`
  const at = `timestamptz '2026-10-01 00:00:00+00'`
  await run(`insert into landing.main.quarantine
    select ${of}, 'tax.records', 'SPOT', 1, number, 'amount', 'no amount', '{"id":"' || number || '"}', ${at} from range(3) as t (number)`)
  await run(`insert into landing.main.drift
    select ${of}, 'tax.records', 1, field, problem, 'an example', 3 from (values ('x', 'unknown field'), ('y', 'number instead of text'),
      ('z', 'unknown value'), ('v', 'duplicate key')) as t (field, problem)`)
  await run(`insert into landing.main.statements
    select 900000 + row_number() over (), 'run-x', ${of}, feed, '', ${at} - interval 20 day, ${at}, status, code, 'a reason', ${at}, false
    from (values ('tax.records', 'lost', '40000'), ('p2p.orders', 'failed', '40014'), ('trade.orderHistory', 'pending', null),
      ('tax.p2pRecords', 'unproven', null), ('loan.ltv', 'not_applicable', '40084'), ('tax.futuresRecords', null, '40014')) as t (feed, status, code)`)
  await run(`insert into landing.main.writes
    select 910000 + row_number() over (), ${of}, 'wallet.subaccountTransfer', '/path', '{"amount":"1"}', ${at}, outcome, code, 'a message',
      case when outcome is not null then ${at} end
    from (values ('done', '00000'), ('refused', '40014'), ('partial', '00000'), ('unknown', null), (null, null)) as t (outcome, code)`)
  await run(`insert into landing.main.runs values
    ('run-x', ${at}, ${at} + interval 1 hour, 'nightly', 10, 100, 2, 'done', 899998, null), ('run-y', ${at}, null, 'sync', 1, 0, 0, null, 899999, null),
    ('run-z', ${at}, null, 'sync', 1, 0, 0, null, 900000, 'p2p.orders, tax.records')`)
  await run(`insert into landing.main.imports values
    (920001, 'trades', 'trades.csv', 8, 'aa', ${at}, null), (920002, 'lots', 'lots.csv', 2, 'bb', ${at}, null),
    (920003, 'prices', 'prices.csv', 2, 'cc', ${at}, null), (920004, 'trades', 'withdrawn.csv', 1, 'dd', ${at}, null)`)
  await run(`insert into landing.main.imported_trades
    (page_id, page_row, id, occurred_at, nanos, account, type, asset, quantity, currency, total, fee, fee_currency)
    select page, place, id, ${at} + place * interval 1 hour, 0, account, type, asset, quantity, 'USDT', total, fee, 'USDT'
    from (values
      (920001, 0, 'i1', 'elsewhere', 'buy', 'BTC', 2.5, 100000.123456789012345678, 1),
      (920001, 1, 'i2', 'elsewhere', 'sell', 'BTC', 0.7, 40000, 0.5),
      (920001, 2, 't9:out', 'elsewhere', 'transfer_out', 'BTC', 0.4, null, 0),
      (920001, 3, 't9:in', 'other', 'transfer_in', 'BTC', 0.399, null, 0),
      (920001, 4, 'i3', 'elsewhere', 'income', 'ETH', 0.01, 20, 0),
      (920001, 5, 'i4', 'elsewhere', 'gift_in', 'ETH', 1, 2000, 0),
      (920001, 6, 'i5', 'elsewhere', 'gift_out', 'ETH', 0.5, 900, 0),
      (920001, 7, 't8:out', 'elsewhere', 'transfer_out', 'ETH', 0.1, null, 0),
      (920004, 0, 'w1', 'elsewhere', 'buy', 'SOL', 1, 150, 0)
    ) as t (page, place, id, account, type, asset, quantity, total, fee)`)
  await run(`insert into landing.main.imported_lots
    select 920002, place, 'l' || place, ${at} - interval 400 day, 0, 'elsewhere', asset, quantity, basis, 'USDT'
    from (values (0, 'SOL', 10, 500), (1, 'DOGE', 1000, null)) as t (place, asset, quantity, basis)`)
  await run(`insert into landing.main.imported_prices
    (page_id, page_row, priced_at, asset, currency, price, source)
    values (920003, 0, ${at}, 'BTC', 'USDT', 65000.5, 'mine'), (920003, 1, ${at}, 'EUR', 'USDT', 1.08, 'mine')`)
  await run(`insert into landing.main.import_withdrawals values (930000, 920004, ${at})`)
  await run(`insert into landing.main.price_pages
    (page_id, run_id, source, asset, currency, unit, path, status, received_at, starts_at, ends_at, row_count, problem)
    values (940000, 'run-x', 'candles', 'BTC', 'USDT', '1d', '/p', 200, ${at}, ${at}, ${at} + interval 2 day, 2, null),
      (940001, 'run-x', 'candles', 'XYZ', 'USDT', '1d', '/p', 400, ${at}, null, null, 0, 'no such pair'),
      (940002, 'run-x', 'candles', 'ETH', 'USDT', '1h', '/p', 200, ${at}, ${at}, ${at}, 0, 'row 3 of an answer'),
      (940002, 'run-x', 'candles', 'ETH', 'USDT', '1h', '/p', 200, ${at}, ${at} + interval 1 hour, ${at} + interval 2 hour, 0, null)`)
  await run(`insert into landing.main.quarantine
    (account, feed, partition, page_id, page_row, field, reason, raw, first_seen_at)
    values (null, 'prices.candles', 'ETH/USDT 1h', 940002, 3, 'close', 'expected a price', '["0"]', ${at})`)
  await run(`insert into landing.main.fetched_prices
    (page_id, page_row, priced_at, asset, currency, price, source, unit)
    values (940000, 0, ${at}, 'BTC', 'USDT', 65001, 'candles', '1d'), (940000, 1, ${at} + interval 1 day, 'BTC', 'USDT', 65002, 'candles', '1d')`)
}
