// A build that begins with the intermediate steps of the last one rebuilds only the days that have changed, and comes to the
// ledger that a full build makes: of books in which every table has rows, most of them wrong, that arrive in any order.
// SEEDS=20 tries as many other orders and damages.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mulberry32 } from '../../bench/random.ts'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { type BuildOptions, type BuildResult, buildLedger } from '../../pipeline/ledger/build.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { shippedModels } from '../../pipeline/ledger/models.ts'
import { readsOf } from '../../pipeline/ledger/parse-tree.ts'
import { isSame } from '../../pipeline/ledger/rows.ts'
import { makeDays, roomOf, takenBy, timesOf } from '../../pipeline/ledger/slices.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { startSandbox, writeSandboxConfig } from '../../sandbox/index.ts'
import { damage } from '../parity/damage.ts'
import { balanced, type Cells, type TaxRow, TestBooks } from '../support/books.ts'
import { command } from '../support/in-process.ts'

const NOW = '2026-11-01T00:00:00.000Z'
const FROM = Number(process.env.FROM ?? 1)
const SEEDS = Number(process.env.SEEDS ?? 2)
const NIGHTS = 4

const SPEED = 4_000

let folder: string

/** Books of twenty days, to be copied. */
const whole = (): string => join(folder, 'whole')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-slices-'))
  const venue = await startSandbox({ seed: 1, days: 20, now: new Date(NOW), speed: SPEED })
  try {
    await writeSandboxConfig(whole(), venue, { speed: SPEED })
    const on = ['--dir', whole(), '--now', NOW]
    expect([0, 3]).toContain((await command(['nightly', ...on])).code)
    // With opening lots, as their owner would fill them in.
    const lots = join(folder, 'lots.csv')
    writeFileSync(lots, (await command(['worksheet', ...on])).stdout)
    expect((await command(['import', 'lots', lots, '--no-build', ...on])).code).toBe(0)
  } finally {
    await venue.close()
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const steps = (dir: string): string => join(dir, 'steps.duckdb')

const build = (books: Books, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  buildLedger({
    dir: books.dir,
    landing: books.landing,
    now: new Date(NOW),
    clock: systemClock,
    config: { accounts: [], publishPersonalData: false, reportingCurrency: 'EUR' },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
    publishAnyway: true,
    keepSteps: true,
    ...options,
  })

/** The tables in which a build differs from a full one of the same, which makes one table after the other and keeps no steps. */
async function differences(
  books: Books,
  built: BuildResult,
  options: Partial<BuildOptions> = {},
): Promise<string[]> {
  const { instance, engine } = books.landing
  const landing = { instance, engine: { ...engine, threads: 1 } }
  return differing(
    await build(books, { ...options, landing, full: true, publish: false, keepSteps: false }),
    built,
  )
}

const differing = (full: BuildResult, { found }: BuildResult): string[] =>
  [...full.found].flatMap(([table, rows]) =>
    isSame(rows, found.get(table))
      ? []
      : [`${table}: ${found.get(table)?.count} rows instead of ${rows.count}`],
  )

const slicedIn = ({ tables }: BuildResult): string[] =>
  tables.flatMap(({ table, days }) => (days === undefined ? [] : [table]))

async function opened(name: string): Promise<Books> {
  const dir = join(folder, name)
  cpSync(whole(), dir, { recursive: true })
  rmSync(join(dir, 'ledger.duckdb'))
  return await openBooks(dir, { clock: systemClock, command: 'build' })
}

/** Puts what has landed aside; the function brings back the pages that satisfy a condition. */
async function setAside(books: Books): Promise<(which: string) => Promise<void>> {
  const { connection } = books.landing
  await connection.run(`attach ':memory:' as aside`)
  const reader = await connection.runAndReadAll(
    `select table_name from duckdb_columns() where database_name = 'landing' and column_name = 'page_id'`,
  )
  const tables = reader.getRowsJson().map(([table]) => String(table))
  for (const table of tables) {
    await connection.run(`create table aside.${table} as from landing.main.${table}`)
    await connection.run(`delete from landing.main.${table}`)
  }
  return async (which) => {
    for (const table of tables)
      await connection.run(`insert into landing.main.${table} from aside.${table} where ${which}`)
  }
}

test('a model reads by day what it reads at all, and what is divided into days', async () => {
  const models = [...shippedModels(), ...generatedModels({ publishPersonalData: false })]
  const times = timesOf(models, [lotsStep({ method: 'fifo', scope: 'account' })])
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    for (const model of models) {
      const { of = [], earlier = [], growing = [], since, spans, carries } = model.slices ?? {}
      const named = [...of, ...earlier, ...[since, spans].flatMap((one) => one?.table ?? [])]
      expect(new Set(named).size, model.table).toBe(named.length)
      // A list that is hidden is read from what has landed, and else is not.
      const reads = await readsOf(connection, model)
      const all = model.file.endsWith('(generated)') ? reads.concat(named) : reads
      expect(
        [...named, ...growing, ...(carries === undefined ? [] : [carries.table])].filter(
          (table) => !all.includes(table),
        ),
        model.table,
      ).toEqual([])
      expect(
        named.filter((table) => !times.has(table)),
        model.table,
      ).toEqual([])
      // A full build carries nothing on.
      if (carries !== undefined)
        expect(models.find(({ table }) => table === carries.table)?.select, model.table).toMatch(
          /\nwhere false$/,
        )
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})

for (let seed = FROM; seed < FROM + SEEDS; seed += 1)
  test(`nights with seed ${seed} arrive at what a full build makes`, async () => {
    const random = mulberry32(seed)
    const books = await opened(`nights-${seed}`)
    try {
      // Every second seed is of books in order, in which a gap is an exception.
      if (seed % 2 === 1) await damage(books.landing.connection, seed)
      const arrive = await setAside(books)
      // Most pages of a night are the next ones, and some come at any time.
      const isLate = `hash(page_id * ${1 + Math.floor(random() * 1e6)}) % 10 = 0`
      const last = Number(
        (
          await books.landing.connection.runAndReadAll('select max(page_id) from aside.pages')
        ).getRowsJson()[0]?.[0],
      )
      const nightOf = `case when ${isLate} then hash(page_id) % ${NIGHTS + 1}
        else greatest(0, ${NIGHTS} - cast(floor((${last} - page_id) / ${1 + Math.floor(random() * 6)}.0) as bigint)) end`
      const sliced = new Set<string>()
      const lots = [lotsStep(matchingOf({ rules: seed % 2 === 1 ? 'us' : 'generic' }).options)]
      for (let night = 0; night <= NIGHTS; night += 1) {
        await arrive(`${nightOf} = ${night}`)
        const built = await build(books, { steps: lots })
        for (const table of slicedIn(built)) sliced.add(table)
        // The first night is a full build itself.
        if (night > 0) expect(await differences(books, built, { steps: lots }), `night ${night}`).toEqual([])
      }
      expect(sliced).toContain('lots')
    } finally {
      await books.close()
    }
  }, 600_000)

test('a version of a record on another day counts, and counts no longer once it is gone', async () => {
  const books = await TestBooks.open()
  try {
    await books.account('main', 'unified')
    const row = (id: number, day: number, amount = '1'): Omit<TaxRow, 'balance'> => ({
      ...{ id: String(id), coin: 'BTC', type: 'TRANSFER_IN', amount },
      ts: `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`,
    })
    await books.tax('SPOT', balanced(Array.from({ length: 20 }, (_, at) => row(at + 1, at + 1))))
    const current = async (): Promise<unknown> =>
      (await books.query("select amount, is_current from tax_records where id = '5' order by ts")).flat()
    const build = (options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
      books.build({}, { keepSteps: true, publishAnyway: true, ...options })
    await build()
    const changes = [
      [() => books.tax('SPOT', [row(5, 15, '7')]), ['1', 'false', '7', 'true']],
      [() => books.sql("delete from landing.main.tax_records where id = '5' and amount = 7"), ['1', 'true']],
    ] as const
    for (const [change, expected] of changes) {
      await change()
      const built = await build()
      expect(slicedIn(built)).toContain('main.tax_records')
      expect(await current()).toEqual(expected)
      const full = await build({ full: true, publish: false, keepSteps: false })
      expect(differing(full, built)).toEqual([])
    }
  } finally {
    await books.close()
  }
})

test('what belongs to an order is found again when something in its lifetime changes, and other orders keep theirs', async () => {
  const books = await TestBooks.open()
  // Days of January, and before it.
  const at = (day: number, time: string): string =>
    `${new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)} ${time}:00+00`
  const bought = (day: number, time: string, id = String(1000 + day)): Omit<TaxRow, 'balance'>[] => [
    { id: `${id}1`, coin: 'ETH', type: 'ORDER_DEALT_IN', amount: '1', ts: at(day, time) },
    { id: `${id}2`, coin: 'USDT', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-3000', ts: at(day, time) },
  ]
  const order = (id: string, filled: string, from: string, to: string, more: Cells = {}): Cells => ({
    ...{ order_id: id, category: 'SPOT', symbol: 'ETHUSDT', side: 'buy', order_status: 'filled' },
    ...{ cum_exec_qty: filled, created_time: from, updated_time: to },
    ...more,
  })
  const fee = (day: number): Cells => ({
    ...{
      id: String(1000 + day),
      symbol: 'BTCUSDT',
      margin_coin: 'USDT',
      future_tax_type: 'open_long',
      amount: '0',
      fee: '-1',
    },
    ts: at(day, '20:00'),
  })
  const build = (options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
    books.build({}, { keepSteps: true, publishAnyway: true, ...options })
  const between = (time: string): string =>
    `${time} between '${at(8, '00:00')}' and '${at(13, '00:00')}' order by ${time}`
  const found = async (): Promise<unknown> => ({
    trades: (await books.query(`select order_id from trades where ${between('traded_at')}`)).flat(),
    fees: (
      await books.query(`select order_id from fees where symbol = 'BTCUSDT' and ${between('occurred_at')}`)
    ).flat(),
  })
  try {
    await books.account('main', 'unified')
    await books.account('classic', 'classic')
    // An order a day; P ends on the day on which the next one begins, which fills on three days, one of them missing.
    const days = Array.from({ length: 60 }, (_, day) => day - 44)
    const daily = days.filter((day) => day < 10 || day > 12)
    const fills = [...daily, 10, 12].flatMap((day) => bought(day, '10:00'))
    const p = [...bought(9, '13:00', 'p'), ...bought(10, '02:00', 'q')]
    await books.tax('SPOT', balanced([...fills, ...p], { USDT: '1000000' }))
    await books.page(
      'trade.orderHistory',
      [
        ...daily.map((day) => order(`day ${day}`, '1', at(day, '09:00'), at(day, '10:30'))),
        order('P', '2', at(9, '12:00'), at(10, '03:00')),
        order('long', '3', at(10, '05:00'), at(12, '11:00')),
      ],
      { partition: 'SPOT' },
    )
    const charged = (sum: string): Cells => ({
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      fee_detail: JSON.stringify([{ feeCoin: 'USDT', fee: sum }]),
    })
    const futures = { account: 'classic', partition: 'USDT-FUTURES' }
    await books.futures('USDT-FUTURES', days.filter((day) => day !== 11).map(fee), { account: 'classic' })
    await books.page(
      'trade.orderHistory',
      [
        ...days
          .filter((day) => day < 9)
          .map((day) => order(`fee ${day}`, '1', at(day, '19:00'), at(day, '21:00'), charged('1'))),
        order('F', '1', at(10, '00:00'), at(12, '23:00'), charged('3')),
      ],
      futures,
    )
    await build()
    const before = ['day 8', 'day 9', 'P', 'P']
    expect(await found()).toEqual({ trades: [...before, null, null], fees: ['fee 8', null, null, null] })
    const nights: [() => Promise<unknown>, { trades: (string | null)[]; fees: (string | null)[] }][] = [
      // What was missing arrives.
      [
        async () => {
          await books.tax('SPOT', balanced(bought(11, '10:00')))
          await books.futures('USDT-FUTURES', [fee(11)], { account: 'classic' })
        },
        { trades: [...before, 'long', 'long', 'long'], fees: ['fee 8', null, 'F', 'F', 'F'] },
      ],
      // Orders that arrive late were live beside others.
      [
        async () => {
          await books.page('trade.orderHistory', [order('late', '5', at(9, '09:30'), at(10, '10:10'))], {
            partition: 'SPOT',
          })
          await books.page(
            'trade.orderHistory',
            [order('late F', '1', at(9, '00:00'), at(10, '19:00'), charged('1'))],
            futures,
          )
        },
        {
          trades: ['day 8', null, null, null, null, null, null],
          fees: ['fee 8', 'late F', 'F', 'F', 'F'],
        },
      ],
      // An order that ended two days before is why the first fill of another does not count.
      [
        () => books.tax('SPOT', balanced(bought(12, '10:30', 'r'))),
        {
          trades: ['day 8', null, null, null, null, 'long', 'long', 'long'],
          fees: ['fee 8', 'late F', 'F', 'F', 'F'],
        },
      ],
      [
        () => books.sql("delete from landing.main.orders where order_id like 'late%'"),
        { trades: [...before, null, null, null, null], fees: ['fee 8', null, 'F', 'F', 'F'] },
      ],
    ]
    for (const [change, expected] of nights) {
      await change()
      const built = await build()
      expect(slicedIn(built)).toEqual(
        expect.arrayContaining(['staging.trade_orders', 'staging.futures_fee_orders']),
      )
      expect(await found()).toEqual(expected)
      expect(differing(await build({ full: true, publish: false, keepSteps: false }), built)).toEqual([])
    }
  } finally {
    await books.close()
  }
})

async function keptTables(path: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll('select table_name from duckdb_tables()')
    return reader.getRowsJson().flat()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test('steps that belong to another ledger, or cannot be read, are not used', async () => {
  const books = await TestBooks.open()
  const kept = join(folder, 'older.duckdb')
  const build = (options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
    books.build({}, { keepSteps: true, publishAnyway: true, ...options })
  const deleteSince = (day: number): Promise<void> =>
    books.sql(`delete from landing.main.tax_records where ts >= timestamptz '2026-01-${day} 00:00:00+00'`)
  try {
    await books.account('main', 'unified')
    await books.tax(
      'SPOT',
      balanced(
        Array.from({ length: 20 }, (_, day) => ({
          ...{ id: String(day), coin: 'BTC', type: 'TRANSFER_IN', amount: '1' },
          ts: `2026-01-${String(day + 1).padStart(2, '0')} 12:00:00+00`,
        })),
      ),
    )
    // With a counterparty, and so with a key of pseudonyms.
    await books.page('p2p.orders', [
      {
        ...{ order_id: '1', side: 'buy', status: 'Completed', coin: 'USDT', fiat: 'EUR', amount: '1' },
        ...{ count: '1', price: '1', buyer_real_name: 'The Merchant', seller_real_name: 'Jane Roe' },
        ...{ c_time: '2026-01-05 10:00:00+00', u_time: '2026-01-05 10:00:00+00' },
        release_time: '2026-01-05 10:00:00+00',
      },
    ])
    expect(slicedIn(await build())).toEqual([])
    expect(statSync(steps(books.dir)).mode & 0o777).toBe(0o600)
    // The key of pseudonyms is not among them.
    const key = readFileSync(join(books.dir, 'counterparties.key'), 'utf8').trim()
    expect(key).not.toBe('')
    expect(readFileSync(steps(books.dir)).includes(key)).toBe(false)
    expect(await keptTables(steps(books.dir))).not.toContain('counterparty_key')
    cpSync(steps(books.dir), kept)
    // Another ledger, made without them.
    await deleteSince(20)
    await build({ full: true, keepSteps: false })
    expect(existsSync(steps(books.dir))).toBe(false)
    expect(existsSync(join(books.dir, 'steps.json'))).toBe(false)
    cpSync(kept, steps(books.dir))
    await deleteSince(19)
    const second = await build()
    expect(slicedIn(second)).toEqual([])
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), second)).toEqual([])
    // With its own steps, it would rebuild one day.
    await deleteSince(18)
    expect(slicedIn(await build())).toContain('main.tax_records')
    writeFileSync(steps(books.dir), 'no database')
    await deleteSince(17)
    const third = await build()
    expect(slicedIn(third)).toEqual([])
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), third)).toEqual([])
  } finally {
    await books.close()
  }
})

/** Books whose builds match lots and keep their steps, with what the builds remark. */
async function booksWithLots() {
  const books = await TestBooks.open()
  const notes: string[] = []
  const lots = [lotsStep({ method: 'fifo', scope: 'account' })]
  const build = (options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
    books.build(
      {},
      { keepSteps: true, publishAnyway: true, steps: lots, onNote: (text) => notes.push(text), ...options },
    )
  return { books, notes, build }
}

test('sums of days follow a record that comes late, one beyond all bounds, and one that goes away', async () => {
  const { books, build } = await booksWithLots()
  const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`
  const row = (id: number, day: number, more: Partial<TaxRow> = {}): TaxRow => ({
    ...{ id: String(id), coin: 'USDT', type: 'TRANSFER_IN', amount: '1', balance: String(id), ts: at(day) },
    ...more,
  })
  const rest = { balance: null, coin: 'SOL' }
  const gain = (id: number, day: number, amount: string) =>
    row(id, day, { type: 'CLOSE_LONG', amount, balance: null })
  const here = async (question: string): Promise<string> => (await books.query(question)).flat().join(' ')
  const lastBalance = () =>
    here(
      "select venue_balance from balances where account = 'main' and coin = 'USDT' and venue_balance is not null",
    )
  const gains = () => here('select account, day, realised_pnl from futures_pnl order by all')
  const has = (coin: string) => here(`select count(*) from entries where coin = '${coin}'`)
  const summed = [
    ...[
      'main.futures_pnl',
      'staging.move_days',
      'staging.pnl_days',
      'staging.price_days',
      'staging.record_days',
    ],
    ...['staging.transfer_legs', 'staging.transfer_sides'],
  ]
  const sliced = new Set<string>()
  const night = async (): Promise<void> => {
    const built = await build()
    for (const table of slicedIn(built)) sliced.add(table)
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), built)).toEqual([])
  }
  const goes = (id: number) => books.sql(`delete from landing.main.tax_records where id = '${id}'`)
  try {
    for (const account of ['main', 'sub']) await books.account(account, 'unified')
    const days = Array.from({ length: 20 }, (_, index) => index + 1)
    await books.tax(
      'SPOT',
      days.map((day) => row(day, day)),
    )
    await books.tax(
      'SPOT',
      days.map((day) => row(100 + day, day, rest)),
      { account: 'sub' },
    )
    await books.tax('USDT-FUTURES', [gain(201, 3, '5')], { account: 'sub' })
    await build()
    expect(await lastBalance()).toBe('20')
    // Late, of an account that had none, of a type and on a line that nobody had sent.
    await books.tax('USDT-FUTURES', [gain(301, 3, '7'), gain(302, 4, '-2')])
    await night()
    expect(await gains()).toBe('main 2026-01-03 7 main 2026-01-04 -2 sub 2026-01-03 5')
    // Of a coin that is left out of the books while its records are beyond what can be summed up.
    await books.tax('SPOT', [row(303, 5, { ...rest, amount: '99999999999999999999' })], { account: 'sub' })
    await night()
    expect(await has('SOL')).toBe('0')
    await goes(303)
    await night()
    expect(await has('SOL')).toBe('20')
    await goes(20)
    await goes(302)
    await night()
    expect(await lastBalance()).toBe('19')
    expect(await gains()).toBe('main 2026-01-03 7 sub 2026-01-03 5')
    // Equal legs of one millisecond, one of which comes a night later.
    await books.tax('SPOT', [row(401, 6, { type: 'TRANSFER_OUT', amount: '-1', balance: null })])
    await night()
    await books.tax('SPOT', [row(400, 6, { type: 'TRANSFER_OUT', amount: '-1', balance: null })])
    await night()
    expect(summed.filter((table) => !sliced.has(table))).toEqual([])
  } finally {
    await books.close()
  }
})

test('the chain goes on from the last balance of days before, over records without one that follow it', async () => {
  const { books, build } = await booksWithLots()
  const row = (
    id: number,
    day: number,
    amount: string,
    balance: string | null,
    time = '12:00:00',
  ): TaxRow => ({
    ...{ id: String(id), coin: 'USDT', type: 'TRANSFER_IN', amount, balance },
    ts: `2026-01-${String(day).padStart(2, '0')} ${time}+00`,
  })
  const step = async (id: number): Promise<string> =>
    (
      await books.query(
        `select status, expected_balance, gap, previous_source_id from balance_chain where source_id = '${id}'`,
      )
    )
      .flat()
      .join(' ')
  const night = async (): Promise<void> => {
    const built = await build()
    expect(slicedIn(built)).toEqual(expect.arrayContaining(['staging.chain_gaps', 'main.balance_chain']))
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), built)).toEqual([])
  }
  try {
    await books.account('main', 'unified')
    const days = Array.from({ length: 18 }, (_, index) => index + 1)
    await books.tax('SPOT', [
      ...days.map((day) => row(day, day, '1', String(day))),
      row(19, 19, '2', null),
      // A later day has none but this: its place is not that of a balance.
      row(20, 20, '3', null),
    ])
    await build()
    await books.tax('SPOT', [row(21, 21, '1', '24')])
    await night()
    expect(await step(21)).toBe('closed 24 0 18')
    // What one of them would have explained is missing from now on.
    await books.sql("delete from landing.main.tax_records where id = '20'")
    await books.tax('SPOT', [row(22, 22, '1', '25')])
    await night()
    expect(await step(21)).toBe('open 21 3 18')
    expect(await step(22)).toBe('closed 25 0 21')
  } finally {
    await books.close()
  }
})

test('lots are carried on from the day that changes, unless a piece of an earlier one is not as published', async () => {
  const { books, notes, build } = await booksWithLots()
  const daysOf = ({ tables }: BuildResult): number | undefined =>
    tables.find(({ table }) => table === 'lots')?.days
  const pieces = () => books.query('select disposal_id, quantity, lot_id from disposals order by disposed_at')
  const deposit = (day: number): Omit<TaxRow, 'balance'> => ({
    ...{ id: `in ${day}`, coin: 'BTC', type: 'TRANSFER_IN', amount: '1' },
    ts: `2026-01-${String(day).padStart(2, '0')} 12:00:00+00`,
  })
  const fee = (day: number): Omit<TaxRow, 'balance'> => ({
    ...{ id: `fee ${day}`, coin: 'BTC', type: 'OTHER_FEE', amount: '-0.5' },
    ts: `2026-01-${String(day).padStart(2, '0')} 13:00:00+00`,
  })
  try {
    await books.account('main', 'unified')
    await books.tax('SPOT', balanced([...[2, 3, 4, 5, 6, 7, 8, 9, 20].map(deposit), ...[3, 9, 20].map(fee)]))
    expect(daysOf(await build())).toBeUndefined()
    const before = (await pieces()) as string[][]
    expect(before).toHaveLength(3)
    await books.tax('SPOT', balanced([deposit(21), fee(21)], { BTC: '7.5' }))
    const second = await build()
    expect(daysOf(second)).toBe(1)
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), second)).toEqual([])
    const after = (await pieces()) as string[][]
    expect(after.slice(0, 3)).toEqual(before)
    expect(after).toHaveLength(4)
    expect(notes).toEqual([])
    const instance = await DuckDBInstance.create(join(books.dir, 'ledger.duckdb'))
    const connection = await instance.connect()
    await connection.run("update disposals set quantity = quantity + 1 where disposed_at < '2026-01-04'")
    connection.closeSync()
    instance.closeSync()
    await books.tax('SPOT', balanced([deposit(22), fee(22)], { BTC: '8' }))
    const third = await build()
    expect(notes).toEqual(['Rebuilding every table: the published main.disposals is not what was built.'])
    expect(daysOf(third)).toBeUndefined()
    expect((await pieces()).slice(0, 4)).toEqual(after)
  } finally {
    await books.close()
  }
})

test('a coin that was sold short nights ago and is bought again today leaves other lots as they are', async () => {
  const { books, notes, build } = await booksWithLots()
  const row = (
    id: string,
    coin: string,
    type: string,
    amount: string,
    day: string,
  ): Omit<TaxRow, 'balance'> => ({
    ...{ id, coin, type, amount },
    ts: `2026-${day}T12:00:00Z`,
  })
  try {
    await books.account('main', 'unified')
    await books.tax(
      'MARGIN-crossed',
      balanced(
        [
          row('1', 'BTC', 'BORROW', '1', '01-02'),
          row('2', 'USDT', 'ORDER_DEALT_IN', '300', '01-03'),
          row('3', 'BTC', 'ORDER_DEALT_FROZEN_OUT', '-1', '01-03'),
          ...Array.from({ length: 20 }, (_, day) =>
            row(`in ${day}`, 'ETH', 'TRANSFER_IN', '1', `01-${String(day + 5).padStart(2, '0')}`),
          ),
        ],
        { USDT: '1000' },
      ),
    )
    await build()
    const sales = () => books.query('select quantity, closed_at, gain from short_sales')
    expect(await sales()).toEqual([['1', null, null]])
    await books.tax(
      'MARGIN-crossed',
      balanced(
        [
          row('4', 'BTC', 'ORDER_DEALT_IN', '1', '01-25'),
          row('5', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-250', '01-25'),
        ],
        { USDT: '1300' },
      ),
    )
    const second = await build()
    expect(slicedIn(second)).toContain('lots')
    expect(notes).toEqual([])
    expect(await sales()).toEqual([['1', '2026-01-25 12:00:00+00', '50']])
    expect(differing(await build({ full: true, publish: false, keepSteps: false }), second)).toEqual([])
  } finally {
    await books.close()
  }
})

test('two connections that rebuild different days at a time read what each of them has taken', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const lanes = await Promise.all([0, 1].map(() => instance.connect()))
  await lanes[0]?.run(
    'create schema staging; create table staging.moves (occurred_at timestamptz, amount integer)',
  )
  for (const [index, lane] of lanes.entries()) {
    const [room, table] = [roomOf(index), `staging.sums_${index}`]
    await lane.run("set timezone = 'UTC'")
    await lane.run(`attach ':memory:' as ${room}; create schema ${room}.staging`)
    await lane.run(`insert into staging.moves values ('2026-01-0${index + 1} 12:00:00+00', ${index + 7})`)
    await lane.run(`create table ${table} as select * from staging.moves limit 0`)
  }
  const timeOf = new Map([['staging.moves', 'occurred_at']])
  const found: unknown[] = []
  const rebuilt = (taken = takenBy(lanes)) =>
    Promise.all(
      lanes.map(async (lane, index) => {
        const table = `staging.sums_${index}`
        const slices = { by: 'occurred_at', of: ['staging.moves'] }
        const select = 'select moves.occurred_at, moves.amount from staging.moves'
        await makeDays(
          lane,
          { table, select, slices },
          { days: new Set([`2026-01-0${index + 1}`]) },
          { timeOf, taken },
        )
        return (await lane.runAndReadAll(`select amount from ${table}`)).getRows()
      }),
    )
  // Whether they disturb each other depends on the moment.
  for (let round = 0; round < 10; round += 1) found.push(...(await rebuilt()))
  for (const lane of lanes) lane.closeSync()
  instance.closeSync()
  expect(found).toEqual(
    Array(10)
      .fill([[[7]], [[8]]])
      .flat(),
  )
})
