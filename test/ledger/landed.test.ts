// What has landed is read only from the page on at which the last build ended, and what is known of the pages before it is
// added: that comes to what reading everything gives, unless something else than landing has changed the rows, and then
// everything is read. SEEDS=40 tries as many other histories.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import type { Frame, FrameMeta } from '../../pipeline/journal/frame.ts'
import { landJournal } from '../../pipeline/landing/land-journal.ts'
import type { Landing } from '../../pipeline/landing/landing.ts'
import { type BuildOptions, type BuildResult, buildLedger } from '../../pipeline/ledger/build.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { type KnownLanded, type Landed, landedRows } from '../../pipeline/ledger/landed.ts'
import { shippedModels } from '../../pipeline/ledger/models.ts'
import { isSame } from '../../pipeline/ledger/rows.ts'
import { timesOf } from '../../pipeline/ledger/slices.ts'
import { emptyFolder, landingIn } from '../landing/folder.ts'
import { at, frame, page, rawPage, taxRow } from '../landing/frames.ts'
import { LOT_HEADER, TRADE_HEADER } from '../support/imports.ts'
import { problemsOf } from '../support/whole-books.ts'

const FROM = Number(process.env.FROM ?? 1)
const SEEDS = Number(process.env.SEEDS ?? 5)

const TIMES = timesOf([...shippedModels(), ...generatedModels({ publishPersonalData: false })])
const DIVIDED = ['landing.futures_records', 'landing.orders', 'landing.p2p_records', 'landing.tax_records']

const timeOf = (day: number): string => String(Date.UTC(2026, 0, day, 12))

/** How each of the tables that are divided into days is read meanwhile. */
async function readsOf<T>(work: () => Promise<T>): Promise<{ result: T; reads: Record<string, string> }> {
  const reads: Record<string, string> = {}
  const asked = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll')
  try {
    const result = await work()
    for (const [question] of asked.mock.calls) {
      const [, table = '', which] =
        /as rows_hash\s+from (landing\.\w+) as whole_row (where page_id > \d+)?/.exec(question) ?? []
      if (table !== '') reads[table] = [reads[table], which ?? 'whole'].filter(Boolean).join(', ')
    }
    return { result, reads }
  } finally {
    asked.mockRestore()
  }
}

/** A frame that is still without a number. */
type Made = (seq: number) => Frame

const read = ({ connection }: Landing, known?: KnownLanded | null): Promise<Landed> =>
  landedRows(connection, TIMES, known)

/** A record of one of these ids on one of these days, so that some come in several versions and some are late. */
interface Drawn {
  readonly id: number
  readonly day: number
  readonly amount: number
}

const rowsOfFeed: Readonly<Record<string, (one: Drawn) => Record<string, unknown>>> = {
  'tax.records': ({ id, day, amount }) => taxRow(`t${id}`, { ts: timeOf(day), amount: String(amount) }),
  'tax.futuresRecords': ({ id, day, amount }) => ({
    ...{ id: `f${id}`, symbol: 'BTCUSDT', marginCoin: 'USDT', futureTaxType: 'open_long' },
    ...{ amount: String(amount), fee: '0', ts: timeOf(day) },
  }),
  'tax.p2pRecords': ({ id, day, amount }) => ({
    ...{ id: `p${id}`, coin: 'USDT', p2pTaxType: 'transfer_in', total: String(amount), ts: timeOf(day) },
  }),
  'trade.orderHistory': ({ id, day, amount }) => ({
    ...{ orderId: `o${id}`, category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', qty: String(amount) },
    ...{ createdTime: timeOf(day), updatedTime: timeOf(day + amount) },
  }),
}

const drawn = fc.record({ id: fc.nat(9), day: fc.integer({ min: 1, max: 6 }), amount: fc.nat(4) })

const meta = (more: Record<string, unknown>): FrameMeta => ({ at, run: 'r1', ...more }) as FrameMeta

const csv = (kind: 'trades' | 'lots', rows: readonly Drawn[]): string =>
  [
    kind === 'trades' ? TRADE_HEADER : LOT_HEADER,
    ...rows.map(({ id, day, amount }) => {
      const common = `${kind}${id},2026-01-0${day}T10:00:00Z,main`
      return kind === 'trades'
        ? `${common},income,BTC,${amount + 1},,,,`
        : `${common},BTC,${amount + 1},1,USD`
    }),
    '',
  ].join('\n')

/** An answer of a price source with these hours. */
const priced = (hours: readonly number[]): Made => {
  const data = hours.map((hour) => [String(hour), '1', '1', '1', '2', '5', '5', '5'])
  const more = { source: 'candles', asset: 'BTC', currency: 'USDT', unit: '1h', status: 200, problem: null }
  const covers = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 9) }
  const of = meta({ kind: 'prices', request: { method: 'GET', path: '/' }, covers, ...more })
  const body = JSON.stringify({ code: '00000', msg: '', requestTime: 0, data })
  return (seq) => frame(seq, of, Buffer.from(body))
}

/** A frame of any kind that lands, still without its number. */
const landing = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        feed: fc.constantFrom(...Object.keys(rowsOfFeed)),
        account: fc.constantFrom('main', 'sub'),
        partition: fc.constantFrom('SPOT', 'MARGIN-crossed'),
        rows: fc.array(drawn, { maxLength: 4 }),
      })
      .map(({ feed, rows, ...parts }) => (seq: number) => {
        const data = rows.map((one) => rowsOfFeed[feed]!(one))
        return page(seq, feed === 'trade.orderHistory' ? { list: data } : data, { feed, ...parts })
      }),
  },
  // Rows that do not fit are kept aside: of no time, and of one that is none.
  fc
    .constantFrom({ ts: undefined }, { ts: 'yesterday' }, { amount: 'x' })
    .map((wrong) => (seq: number) => page(seq, [taxRow('1', wrong), taxRow('2', { ts: timeOf(2) })])),
  fc.constant((seq: number) => rawPage(seq, null)),
  fc
    .tuple(
      fc.constantFrom('trades' as const, 'lots' as const),
      fc.uniqueArray(drawn, { minLength: 1, selector: ({ id }) => id }),
    )
    .map(([imports, rows]) => (seq: number) => {
      const more = { kind: 'import', imports, file: `${imports}.csv`, rows: rows.length, sha256: String(seq) }
      return frame(seq, meta(more), Buffer.from(csv(imports, rows)))
    }),
  fc.nat(20).map((withdraws) => (seq: number) => frame(seq, meta({ kind: 'import-withdrawal', withdraws }))),
  fc
    .array(drawn, { maxLength: 3 })
    .map((rows) => priced([...new Set(rows.map(({ day }) => Date.UTC(2026, 0, day, 3)))])),
  fc
    .constantFrom(
      { kind: 'run-start', command: 'nightly', now: at },
      { kind: 'run-end', requests: 1, rows: 1, retries: 0, outcome: 'ok' },
      { kind: 'note', breakId: 'a', figures: 'b', isWithdrawn: false },
      { kind: 'account', account: 'main', venue: 'v', uid: '1', accountKind: 'unified', accountMode: null },
      { kind: 'set-aside', was: null },
      {
        ...{ kind: 'repair', setAside: [], file: null, rechainedFrom: 1, oldChain: '' },
        reopens: [{ account: 'main', feed: 'tax.records', partition: 'SPOT', range: null }],
      },
    )
    .map((more) => (seq: number) => frame(seq, meta(more))),
)

/** Some frames that land together, and which of the earlier readings is the one that is known. */
const history = fc.array(
  fc.record({ frames: fc.array(landing, { minLength: 1, maxLength: 4 }), knownFrom: fc.nat(3) }),
  { minLength: 2, maxLength: 7 },
)

async function land(landing: Landing, made: readonly Made[]): Promise<void> {
  await landing.land(made.map((one, index) => one(landing.landedSeq + 1 + index)))
}

/** One page of every divided table. */
const ONE_OF_EACH = Object.entries(rowsOfFeed).map(([feed, rowOf]) => (seq: number) => {
  const data = [1, 2, 3].map((day) => rowOf({ id: 100 + day, day, amount: 1 }))
  return page(seq, feed === 'trade.orderHistory' ? { list: data } : data, { feed })
})

for (let seed = FROM; seed < FROM + SEEDS; seed += 1)
  test(`what is new of history ${seed} and what was known give what there is`, async () => {
    const [batches = []] = fc.sample(history, { seed, numRuns: 1 })
    const landing = await landingIn(await emptyFolder(), { threads: 1 })
    const known: Landed[] = []
    for (const { frames, knownFrom } of [{ frames: ONE_OF_EACH, knownFrom: 0 }, ...batches]) {
      await land(landing, frames)
      const found = await readsOf(() => read(landing, known.at(-1 - knownFrom) ?? known[0]))
      expect(found.result).toEqual(await read(landing))
      if (known.length > 0)
        for (const how of Object.values(found.reads)) expect(how).toMatch(/^where page_id > \d+$/)
      known.push(found.result)
    }
  })

/** A landing with a page of every divided table, and what is known of it. */
async function landedOnce(): Promise<{ landing: Landing; known: Landed }> {
  const landing = await landingIn(await emptyFolder(), { threads: 1 })
  await land(landing, ONE_OF_EACH)
  const known = await read(landing)
  expect([...known.days.keys()].sort()).toEqual(DIVIDED)
  expect(known.until?.seq).toBe(4n)
  return { landing, known }
}

const all = (how: string): Record<string, string> => Object.fromEntries(DIVIDED.map((table) => [table, how]))

const tax = (id: string, day: number) => (seq: number) => page(seq, [taxRow(id, { ts: timeOf(day) })])

test('a row that was known is not read again: what is written over one by hand is not seen', async () => {
  const { landing, known } = await landedOnce()
  await land(landing, [tax('late', 1), tax('new', 9)])
  const before = await read(landing)
  await landing.connection.run(
    "update landing.main.tax_records set fee = 7 where id = 't101'; update landing.main.orders set qty = 7",
  )
  const { result, reads } = await readsOf(() => read(landing, known))
  expect(reads).toEqual(all('where page_id > 4'))
  expect(result).toEqual(before)
  const whole = await read(landing)
  expect(whole).not.toEqual(before)
  expect(whole.days.get('landing.tax_records')?.get('2026-01-01')).not.toEqual(
    before.days.get('landing.tax_records')?.get('2026-01-01'),
  )
  // What is new is read as it is.
  await landing.connection.run("update landing.main.tax_records set fee = 8 where id = 'late'")
  expect((await read(landing, known)).days).not.toEqual(before.days)
})

test('a table that has other rows than those known and those of later pages is read whole, and the others are not', async () => {
  const insert = (pageId: string, time: string): string =>
    `insert into landing.main.tax_records by name (select 'main' as account, 'SPOT' as partition, ${pageId} as page_id,
       9 as page_row, 'x' as id, 'BTC' as coin, 'x' as type, 1 as amount, ${time} as ts)`
  const noon = "timestamptz '2026-01-02 12:00:00+00'"
  for (const statement of [
    "delete from landing.main.tax_records where id = 't101'",
    'delete from landing.main.tax_records',
    insert('1', noon),
    insert('null', noon),
    insert('0', 'null'),
  ]) {
    const { landing, known } = await landedOnce()
    await landing.connection.run(statement)
    await land(landing, [tax('new', 9)])
    const { result, reads } = await readsOf(() => read(landing, known))
    expect(result, statement).toEqual(await read(landing))
    expect(reads['landing.tax_records'], statement).toBe('where page_id > 4, whole')
    expect(reads['landing.orders'], statement).toBe('where page_id > 4')
  }
  // Without a time, but on a new page: it is of no day, and new.
  const { landing, known } = await landedOnce()
  await landing.connection.run(insert('5', 'null'))
  const { result, reads } = await readsOf(() => read(landing, known))
  expect(reads).toEqual(all('where page_id > 4'))
  expect(result).toEqual(await read(landing))
  expect(result.days.get('landing.tax_records')?.get('')?.count).toBe(1)
})

test('if the pages up to there are other ones, or are not known, everything is read', async () => {
  const other: readonly (readonly [what: string, statement: string])[] = [
    ['a page fewer', 'delete from landing.main.pages where page_id = 2'],
    ['a page more', 'insert into landing.main.pages by name (select 3 as page_id)'],
    [
      'a page that arrived at another time',
      'update landing.main.pages set received_at = now() where page_id = 1',
    ],
    ['a page of another run', "update landing.main.pages set run_id = 'r2' where page_id = 4"],
    ['a page that was erased', 'update landing.main.pages set is_erased = true where page_id = 4'],
    ['an import more', 'insert into landing.main.imports by name (select 4 as page_id)'],
    ['a page of prices more', 'insert into landing.main.price_pages by name (select 4 as page_id)'],
    ['a landing that ends before', 'update landing.main.state set landed_seq = 3'],
  ]
  for (const [what, statement] of other) {
    const { landing, known } = await landedOnce()
    await landing.connection.run(statement)
    const { result, reads } = await readsOf(() => read(landing, known))
    expect([what, reads]).toEqual([what, all('whole')])
    expect(result).toEqual(await read(landing))
  }
  const { landing, known } = await landedOnce()
  for (const none of [undefined, null, { ...known, until: null }, { ...known, days: new Map() }])
    expect((await readsOf(() => read(landing, none))).reads).toEqual(all('whole'))
  // A page that came after it, whatever it is.
  await landing.connection.run('insert into landing.main.pages by name (select 5 as page_id)')
  expect((await readsOf(() => read(landing, known))).reads).toEqual(all('where page_id > 4'))
})

test('another landing of as many frames or more is not taken for the one that is known', async () => {
  const { known } = await landedOnce()
  for (const more of [[], [tax('5', 5), tax('6', 6)]]) {
    const other = await landingIn(await emptyFolder(), { threads: 1 })
    await land(other, [
      ...ONE_OF_EACH.slice(0, 3),
      (seq) => page(seq, [taxRow('other')], { run: 'r2' }),
      ...more,
    ])
    const { result, reads } = await readsOf(() => read(other, known))
    expect(Object.values(reads)).not.toContain('where page_id > 4')
    expect(result).toEqual(await read(other))
  }
  // The same ones landed again are.
  const again = await landingIn(await emptyFolder(), { threads: 1 })
  await land(again, [...ONE_OF_EACH, tax('5', 5)])
  const { result, reads } = await readsOf(() => read(again, known))
  expect(reads).toEqual(all('where page_id > 4'))
  expect(result).toEqual(await read(again))
})

test('a table that has its first row now is read whole, even if that it had none was known', async () => {
  const landing = await landingIn(await emptyFolder(), { threads: 1 })
  await land(landing, [tax('1', 1)])
  const known = await read(landing)
  await land(landing, ONE_OF_EACH)
  const { result, reads } = await readsOf(() => read(landing, known))
  expect(reads).toEqual({ ...all('whole'), 'landing.tax_records': 'where page_id > 1' })
  expect(result).toEqual(await read(landing))
  // Steps record a table without rows by a day that has none.
  const none = {
    ...known,
    days: new Map([...known.days, ['landing.orders', new Map([['', { count: 0, hash: '0' }]])]]),
  }
  expect((await read(landing, none)).landed).toEqual(result.landed)
})

test('without days nothing is known of where it ended', async () => {
  const { landing, known } = await landedOnce()
  const { landed, days, until } = await landedRows(landing.connection)
  expect({ landed, days, until }).toEqual({ landed: known.landed, days: new Map(), until: null })
})

// The same in builds, of books with a journal.

const opened = (dir: string, rebuild = false): Promise<Books> =>
  openBooks(dir, { clock: systemClock, command: 'build', rebuild })

async function append({ journal, landing }: Books, made: readonly Made[]): Promise<void> {
  for (const one of made) {
    const { meta, body } = one(journal.lastSeq + 1)
    await journal.append(meta, body ?? undefined)
  }
  await landJournal(journal, landing)
}

const build = ({ dir, landing }: Books, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  buildLedger({
    ...{ dir, landing, clock: systemClock, now: new Date('2026-02-01T00:00:00Z') },
    ...{ config: { accounts: [], publishPersonalData: false }, publishAnyway: true, keepSteps: true },
    ...options,
  })

async function differences(books: Books, { found }: BuildResult): Promise<string[]> {
  const full = await build(books, { full: true, publish: false, keepSteps: false })
  return [...full.found.keys()].filter((table) => !isSame(full.found.get(table), found.get(table)))
}

/** How a build read what is divided into days, after comparing it with a full one. */
async function night(books: Books, options: Partial<BuildOptions> = {}): Promise<string[]> {
  const { result, reads } = await readsOf(() => build(books, options))
  expect(await differences(books, result)).toEqual([])
  return [...new Set(Object.values(reads))]
}

const orders = (...days: readonly number[]): Made => {
  const rowOf = rowsOfFeed['trade.orderHistory']!
  const list = days.map((day) => rowOf({ id: 200 + day, day, amount: 1 }))
  return (seq) => page(seq, { list }, { feed: 'trade.orderHistory' })
}

const account: Made = (seq) =>
  frame(
    seq,
    meta({
      kind: 'account',
      account: 'main',
      venue: 'v',
      uid: '1',
      accountKind: 'unified',
      accountMode: null,
    }),
  )

/** Days enough that a night is a small part of them. */
const FIRST: readonly Made[] = [
  account,
  ...Array.from({ length: 20 }, (_, day) => tax(`first ${day}`, day + 1)),
  orders(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
]

const BUILT_UNTIL = FIRST.length

test('nights that land late records, versions, imports, notes and repairs come to what a full build makes', async () => {
  const dir = await emptyFolder()
  let books = await opened(dir)
  try {
    await append(books, FIRST)
    expect(await night(books)).toEqual(['whole'])
    // A later version, a late record, another account, a page without rows, and another of the first account.
    const sub: Made = (seq) => page(seq, [taxRow('sub', { ts: timeOf(3) })], { account: 'sub' })
    const none: Made = (seq) => page(seq, [])
    await append(books, [tax('first 4', 21), tax('late', 2), sub, none, orders(5, 11)])
    expect(await night(books)).toEqual([`where page_id > ${BUILT_UNTIL}`])
    let until = books.landing.landedSeq
    const imported = csv('trades', [{ id: 1, day: 2, amount: 1 }])
    const importing: Made = (seq) =>
      frame(
        seq,
        meta({ kind: 'import', imports: 'trades', file: 'trades.csv', rows: 1, sha256: '00' }),
        Buffer.from(imported),
      )
    const repair: Made = (seq) =>
      frame(
        seq,
        meta({
          ...{ kind: 'repair', setAside: [], file: null, rechainedFrom: seq, oldChain: '' },
          reopens: [{ account: 'main', feed: 'tax.records', partition: 'SPOT', range: null }],
        }),
      )
    await append(books, [importing, repair, tax('new', 21)])
    expect(await night(books)).toEqual([`where page_id > ${until}`])
    const withdrawn = until + 1
    until = books.landing.landedSeq
    await append(books, [(seq) => frame(seq, meta({ kind: 'import-withdrawal', withdraws: withdrawn }))])
    expect(await night(books)).toEqual([`where page_id > ${until}`])
    // Landed again from the same journal, or an older file of it gone on with, it is what it was.
    until = books.landing.landedSeq
    await books.close()
    cpSync(join(dir, 'landing.duckdb'), join(dir, 'older'))
    books = await opened(dir, true)
    await append(books, [tax('newer', 22)])
    expect(await night(books)).toEqual([`where page_id > ${until}`])
    until = books.landing.landedSeq
    await books.close()
    cpSync(join(dir, 'older'), join(dir, 'landing.duckdb'))
    books = await opened(dir)
    expect(books.landing.landedSeq).toBe(until)
    expect(await night(books)).toEqual([`where page_id > ${until}`])
  } finally {
    await books.close()
  }
})

test('a journal that was restored and went on differently is read whole, however long it has become', async () => {
  const dir = await emptyFolder()
  const backup = await emptyFolder()
  let books = await opened(dir)
  try {
    await append(books, FIRST)
    await books.close()
    cpSync(join(dir, 'journal'), join(backup, 'journal'), { recursive: true })
    books = await opened(dir)
    await append(books, [tax('gone', 19), tax('gone too', 20)])
    await night(books)
    const built = books.landing.landedSeq
    for (const more of [[], [tax('more', 21)]]) {
      await books.close()
      const elsewhere = await opened(backup)
      const other =
        (id: string, day: number): Made =>
        (seq) =>
          page(seq, [taxRow(id, { ts: timeOf(day) })], { run: `r${seq} elsewhere` })
      // The second time it goes on from where it was built.
      if (more.length === 0) await append(elsewhere, [other('other', 19), other('other too', 20)])
      else await append(elsewhere, more)
      await elsewhere.close()
      for (const name of ['journal', 'landing.duckdb']) rmSync(join(dir, name), { recursive: true })
      cpSync(join(backup, 'journal'), join(dir, 'journal'), { recursive: true })
      books = await opened(dir)
      expect(books.landing.landedSeq).toBe(built + more.length)
      expect(await night(books)).toEqual(more.length === 0 ? ['whole'] : [`where page_id > ${built}`])
    }
  } finally {
    await books.close()
  }
})

test('with another origin nothing that was known is used', async () => {
  const books = await opened(await emptyFolder())
  try {
    await append(books, FIRST)
    await build(books)
    await append(books, [tax('new', 21)])
    const config = { accounts: [], publishPersonalData: true }
    const { reads } = await readsOf(() => build(books, { config }))
    expect([...new Set(Object.values(reads))]).toEqual(['whole'])
    // And is known again from then on.
    expect((await readsOf(() => build(books, { config }))).reads['landing.tax_records']).toBe(
      `where page_id > ${BUILT_UNTIL + 1}`,
    )
  } finally {
    await books.close()
  }
})

test('what a step brings to landing in a build is known to the next one', async () => {
  const books = await opened(await emptyFolder())
  const brings = (made: readonly Made[]): Partial<BuildOptions> => ({
    steps: [
      {
        ...{ name: 'brings', reads: ['staging.reporting'], writes: ['staging.fetched'] },
        precedes: ['main.prices', 'main.quarantine', 'checks.price_sources'],
        run: async (connection) => {
          await append(books, made)
          await connection.run('create or replace table staging.fetched as select 1 as price_count')
        },
      },
    ],
  })
  const price = (hour: number): Made => priced([Date.UTC(2026, 0, 5, hour)])
  try {
    await append(books, FIRST)
    await build(books, brings([price(3), price(4)]))
    expect(books.landing.landedSeq).toBe(BUILT_UNTIL + 2)
    const { reads } = await readsOf(() => build(books, brings([price(5)])))
    // Once at the beginning, and once after the step.
    const since = `where page_id > ${BUILT_UNTIL + 2}`
    expect(reads['landing.tax_records']).toBe(`${since}, ${since}`)
    expect(await night(books)).toEqual([`where page_id > ${BUILT_UNTIL + 3}`])
  } finally {
    await books.close()
  }
})

test('a row that was written over by hand is found by verify, and gone with the next landing', async () => {
  const dir = await emptyFolder()
  let books = await opened(dir)
  try {
    await append(books, FIRST)
    await build(books)
    await books.landing.connection.run("update landing.main.tax_records set fee = 7 where id = 'first 3'")
    await append(books, [tax('new', 21)])
    const { result } = await readsOf(() => build(books))
    expect(await differences(books, result)).toContain('landing.tax_records')
    await books.close()
    const problems = (await problemsOf(dir)).join('\n')
    expect(problems).toMatch(/tax_records/)
    expect(problems).toMatch(/rows other than those that have landed here/)
    books = await opened(dir, true)
    expect(await night(books)).toEqual([`where page_id > ${BUILT_UNTIL + 1}`])
    expect(await differences(books, await build(books))).toEqual([])
  } finally {
    await books.close()
  }
  expect(await problemsOf(dir)).toEqual([])
})
