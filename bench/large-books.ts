// A year of five unified accounts, landed as ready rows: spot fills over 20 coins with a fee in the platform coin and the
// orders behind them, futures with their records, orders and funding, and interest; all in one balance per coin that closes. Some
// rows are landed twice, as a look-back lands them, some tell no balance, and some orders fill over midnight.
import type { DuckDBConnection } from '@duckdb/node-api'

const ACCOUNTS = ['main', 'desk-2', 'desk-3', 'desk-4', 'desk-5'] as const

/** Rows of one round: two fills of three legs, two futures closes of one row (amount and fee), a funding, an interest. */
const ROWS_OF_ROUND = 10
/** What the books make of them. */
const ENTRIES_OF_ROUND = 12
const PAGE_ROWS = 500
/** One row in so many stands in a second page too. */
const SEEN_TWICE = 100
/** One row in so many tells no balance. */
const SILENT = 9_973
const YEAR = ['2025-01-01 00:00:00+00', '2025-12-31 23:59:59+00'] as const
const YEAR_MS = 364 * 86_400_000

export interface LargeBooks {
  readonly accounts: number
  /** Rows landed, in all feeds. */
  readonly rows: number
}

/** Fills an empty landing database with at least so many entries' worth of rows. */
export async function landLargeBooks(connection: DuckDBConnection, entries: number): Promise<LargeBooks> {
  const rounds = Math.ceil(entries / ENTRIES_OF_ROUND / ACCOUNTS.length)
  let rows = 0
  let pages = 0
  const insert = async (statement: string): Promise<number> => {
    const changed = Number((await connection.run(statement)).rowsChanged)
    rows += changed
    return changed
  }
  for (const [index, account] of ACCOUNTS.entries()) {
    await connection.run(
      `insert into landing.main.accounts values ('${account}', 'venue', '${index + 1}', 'unified', 'unified', 0)`,
    )
    for (const { feed, partitions, statement } of feedsOf(account, index, rounds)) {
      const first = pages + 1
      const landed = await insert(statement(first))
      pages += Math.ceil(landed / PAGE_ROWS) + 1
      await connection.run(pagesSql(account, feed, first, pages))
      for (const partition of partitions)
        await connection.run(
          `insert into landing.main.covered
           values (${first}, '${account}', '${feed}', '${partition}', '${YEAR[0]}', '${YEAR[1]}', ${PAGE_ROWS})`,
        )
      if (feed === 'tax.records') {
        await insert(seenTwiceSql(account, pages + 1))
        pages += 1
        await connection.run(pagesSql(account, feed, pages, pages))
      }
    }
  }
  await connection.run('checkpoint landing')
  return { accounts: ACCOUNTS.length, rows }
}

interface Feed {
  readonly feed: string
  readonly partitions: readonly string[]
  readonly statement: (firstPage: number) => string
}

const feedsOf = (account: string, index: number, rounds: number): Feed[] => [
  {
    feed: 'tax.records',
    partitions: ['SPOT', 'MARGIN-crossed', 'USDT-FUTURES'],
    statement: (page) => taxRecordsSql(account, index, rounds, page),
  },
  {
    feed: 'tax.futuresRecords',
    partitions: ['USDT-FUTURES'],
    statement: (page) => futuresRecordsSql(account, index, rounds, page),
  },
  {
    feed: 'trade.orderHistory',
    partitions: ['SPOT', 'MARGIN', 'USDT-FUTURES'],
    statement: (page) => ordersSql(account, index, rounds, page),
  },
]

const pagesSql = (account: string, feed: string, first: number, last: number): string => `
insert into landing.main.pages
  (page_id, run_id, account, feed, partition, path, status, received_at, row_count, quarantined)
select page_id, 'run-1', '${account}', '${feed}', '', '/', 200, timestamptz '2026-01-01 00:00:00+00', ${PAGE_ROWS}, 0
from range(${first}, ${last + 1}) as pages(page_id)`

/** Rounds of an account: when each begins, its coin and its size. */
const roundsSql = (rounds: number): string => `
rounds as (
  select n, 'C' || (1 + n % 20) as coin, cast(1 + (n * 7919) % 1000 as decimal(38, 18)) as size,
    timestamptz '${YEAR[0]}' + to_milliseconds(cast(n * ${YEAR_MS}::hugeint // ${rounds} as bigint)) as begins_at
  from range(${rounds}) as all_rounds(n)
)`

const id = (index: number, place: string): string =>
  `cast(1375573238000000000 + ${index} * 100000000000 + ${place} as varchar)`

const PLATFORM_FEE = '0.0004556178732628'

function taxRecordsSql(account: string, index: number, rounds: number, firstPage: number): string {
  return `
insert into landing.main.tax_records
with ${roundsSql(rounds)},
rows as (
  select n, begins_at, 0 as nth, 'SPOT' as line, coin, 'ORDER_DEALT_IN' as type, size as amount, 0 as fee from rounds
  union all select n, begins_at, 1, 'SPOT', 'BGB', 'ORDER_PLF_FEE_OUT', -${PLATFORM_FEE}, 0 from rounds
  union all select n, begins_at, 2, 'SPOT', 'USDT', 'ORDER_DEALT_FROZEN_OUT', -size * 1.25, 0 from rounds
  union all select n, begins_at, 3, 'SPOT', 'USDT', 'ORDER_DEALT_IN', size * 0.63, 0 from rounds
  union all select n, begins_at, 4, 'SPOT', 'BGB', 'ORDER_PLF_FEE_OUT', -${PLATFORM_FEE}, 0 from rounds
  union all select n, begins_at, 5, 'SPOT', coin, 'ORDER_DEALT_FROZEN_OUT', -size * 0.5, 0 from rounds
  union all select n, begins_at, 6, 'USDT-FUTURES', 'USDT', 'CLOSE_LONG', size * 0.7, -size * 0.01 from rounds
  union all select n, begins_at, 7, 'USDT-FUTURES', 'USDT', 'CLOSE_SHORT', -size * 0.05, -size * 0.01 from rounds
  union all select n, begins_at, 8, 'USDT-FUTURES', 'USDT', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', -size * 0.01, 0 from rounds
  union all select n, begins_at, 9, 'MARGIN-crossed', 'USDT', 'INTEREST_SETTLEMENT_OUT', -size * 0.0001, 0 from rounds
),
placed as (select *, n * ${ROWS_OF_ROUND} + nth as place from rows)
select '${account}', line, ${firstPage} + place // ${PAGE_ROWS}, place % ${PAGE_ROWS}, ${id(index, 'place')}, coin, type,
  cast(amount as decimal(38, 18)), cast(fee as decimal(38, 18)),
  case
    when place % ${SILENT} <> ${SILENT - 1}
      then cast(1000000000 + sum(cast(amount + fee as decimal(38, 18))) over (partition by coin order by place) as decimal(38, 18))
  end,
  begins_at + to_milliseconds((nth // 3) * 1000), null
from placed`
}

const seenTwiceSql = (account: string, page: number): string => `
insert into landing.main.tax_records
select * replace (${page} as page_id, cast(row_number() over () - 1 as integer) as page_row)
from landing.main.tax_records
where account = '${account}' and cast(id as hugeint) % ${SEEN_TWICE} = 0`

function futuresRecordsSql(account: string, index: number, rounds: number, firstPage: number): string {
  const place = 'n * 3 + nth - 6'
  return `
insert into landing.main.futures_records
with ${roundsSql(rounds)},
rows as (
  select n, begins_at, coin, 6 as nth, 'close_long' as type, size * 0.7 as amount, -size * 0.01 as fee from rounds
  union all select n, begins_at, coin, 7, 'close_short', -size * 0.05, -size * 0.01 from rounds
  union all select n, begins_at, coin, 8, 'contract_main_settle_fee', -size * 0.01, 0 from rounds
)
select '${account}', 'USDT-FUTURES', ${firstPage} + (${place}) // ${PAGE_ROWS}, (${place}) % ${PAGE_ROWS},
  ${id(index, `50000000000 + ${place}`)}, coin || 'USDT', 'USDT', type,
  cast(amount as decimal(38, 18)), cast(fee as decimal(38, 18)),
  begins_at + to_milliseconds((nth // 3) * 1000), null
from rows`
}

/** An order for each fill of a round: two of spot, two of futures. One in fifty of spot was placed the day before. */
function ordersSql(account: string, index: number, rounds: number, firstPage: number): string {
  const place = 'n * 4 + nth'
  const platformFee = `'[{"feeCoin":"BGB","fee":"${PLATFORM_FEE}"}]'`
  const futuresFee = `'[{"feeCoin":"USDT","fee":"' || cast(size * 0.01 as varchar) || '"}]'`
  return `
insert into landing.main.orders by name
with ${roundsSql(rounds)},
rows as (
  select n, begins_at, coin, 0 as nth, 'SPOT' as category, 'buy' as side, null as pos_side, size as quantity,
    size * 1.25 as value, ${platformFee} as fees, 0 as seconds from rounds
  union all select n, begins_at, coin, 1, 'SPOT', 'sell', null, size * 0.5, size * 0.63, ${platformFee}, 1 from rounds
  union all select n, begins_at, coin, 2, 'USDT-FUTURES', 'sell', 'long', size, size * 2, ${futuresFee}, 2 from rounds
  union all select n, begins_at, coin, 3, 'USDT-FUTURES', 'buy', 'short', size, size * 2, ${futuresFee}, 2 from rounds
)
select '${account}' as account, category as partition, ${firstPage} + (${place}) // ${PAGE_ROWS} as page_id,
  cast((${place}) % ${PAGE_ROWS} as integer) as page_row, ${id(index, `70000000000 + ${place}`)} as order_id, category,
  coin || 'USDT' as symbol, 'market' as order_type, side, cast(quantity as decimal(38, 18)) as qty,
  cast(quantity as decimal(38, 18)) as cum_exec_qty, cast(value as decimal(38, 18)) as cum_exec_value,
  'filled' as order_status, pos_side, fees as fee_detail,
  begins_at - case when category = 'SPOT' and n % 50 = 49 then interval 1 day else interval 0 day end as created_time,
  begins_at + to_seconds(seconds) as updated_time
from rows`
}
