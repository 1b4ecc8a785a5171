// Coverage: what was received as maximal intervals, and what was not, with the latest word on it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { union } from '../../models/ranges.ts'
import { shippedModel } from '../../pipeline/ledger/models.ts'
import { readStatus } from '../../pipeline/reports/status.ts'
import { TestBooks } from '../support/books.ts'
import { type SharedBooks, sharedBooks } from '../support/many-books.ts'
import { runModel } from '../support/one-model.ts'

/** What these books are made of. */
const MADE = [
  'coverage',
  'fetched_ranges',
  'runs',
  'checks.coverage',
  'checks.missing_credential',
  'checks.landed_row_has_page',
]

let books: TestBooks

/** For tests that build several times or otherwise than by default, or land what is of no account: books of their own. */
function ownBooks(): void {
  beforeEach(async () => {
    books = await TestBooks.open({ only: MADE })
  })

  afterEach(async () => {
    await books.close()
  })
}

const day = (date: number): string => `2026-01-${String(date).padStart(2, '0')} 00:00:00+00`

const row = (id: string, date: number) => ({ id, coin: 'USDT', type: 'REWARD', amount: '0', ts: day(date) })

/** What tests write into books, and what they ask them. */
const of = (books: () => TestBooks | SharedBooks) => ({
  page: (from: string, to: string, rows = 1) => {
    const reward = { id: `9${from.slice(8, 10)}`, coin: 'USDT', type: 'REWARD', amount: '0', ts: from }
    return books().tax('SPOT', rows === 0 ? [] : [reward], { covers: [from, to] })
  },
  statement: (status: string, from: string | undefined, to: string | undefined, more = {}) =>
    books().statement({
      feed: 'tax.records',
      partition: 'SPOT',
      status,
      starts_at: from,
      ends_at: to,
      ...more,
    }),
  coverage: () =>
    books().query(
      'select partition, starts_at, ends_at, status from coverage order by feed, partition, starts_at',
    ),
  coverageBreaks: async () =>
    (await books().build()).openBreaks.map(
      ({ severity, checkName, account }) => `${severity} ${checkName} ${account}`,
    ),
})

const { page, statement, coverage, coverageBreaks } = of(() => books)

describe.concurrent('within one account', () => {
  const { it, books } = sharedBooks({ only: MADE })
  const { page, statement, coverage, coverageBreaks } = of(() => books)

  describe('covered ranges', () => {
    it('that touch or overlap are one interval, complete if it contains any row', async () => {
      await page(day(1), '2026-01-02 23:59:59.999+00', 0)
      await page(day(3), day(5))
      await page(day(4), day(6), 0)
      await page(day(8), day(9), 0)
      await books.build()
      expect(await coverage()).toEqual([
        ['SPOT', day(1), day(6), 'complete'],
        ['SPOT', '2026-01-06 00:00:00.001+00', '2026-01-07 23:59:59.999+00', 'missing'],
        ['SPOT', day(8), day(9), 'empty'],
      ])
    })

    it('are kept separate by the runs that received them, however they combine', async () => {
      const [first, second] = [{ run: 'run-1' }, { run: 'run-2' }]
      await books.tax('SPOT', [row('1', 1), row('2', 2)], { covers: [day(1), day(3)], ...first })
      await books.tax('SPOT', [], { covers: [day(4), day(5)], ...first })
      await books.tax('SPOT', [row('3', 5)], { covers: [day(5), day(6)], ...second })
      await books.tax('USDT-FUTURES', [row('4', 5)], { covers: [day(5), day(6)], ...second })
      await books.build()
      expect(
        await books.query(
          'select partition, run_id, starts_at, ends_at, pages, rows from fetched_ranges order by all',
        ),
      ).toEqual([
        ['SPOT', 'run-1', day(1), day(5), '2', '2'],
        ['SPOT', 'run-2', day(5), day(6), '1', '1'],
        ['USDT-FUTURES', 'run-2', day(5), day(6), '1', '1'],
      ])
    })

    it('of an earlier, longer page absorb the later, shorter ones', async () => {
      await page(day(1), day(9))
      await page(day(2), day(3))
      await page(day(4), day(5))
      await books.build()
      expect(await coverage()).toEqual([['SPOT', day(1), day(9), 'complete']])
    })
  })

  describe('a statement', () => {
    it('counts where no page covers it, before and after', async () => {
      await statement('pending', day(1), day(9))
      await page(day(3), day(5))
      expect(await coverageBreaks()).toEqual(['warning coverage main'])
      expect(await coverage()).toEqual([
        ['SPOT', day(1), '2026-01-02 23:59:59.999+00', 'pending'],
        ['SPOT', day(3), day(5), 'complete'],
        ['SPOT', '2026-01-05 00:00:00.001+00', day(9), 'pending'],
      ])
    })

    it('is superseded by a later one on the same time', async () => {
      await statement('pending', day(1), day(9))
      await statement('lost', day(1), day(4), { code: 'retention' })
      await books.build()
      expect(await coverage()).toEqual([
        ['SPOT', day(1), day(4), 'lost'],
        ['SPOT', '2026-01-04 00:00:00.001+00', day(9), 'pending'],
      ])
    })

    it('about an instant that cannot be read completely is a warning, and a gap in coverage', async () => {
      await page(day(1), '2026-01-02 23:59:59.999+00')
      await page('2026-01-03 00:00:00.001+00', day(5))
      await statement('unproven', day(3), day(3), { code: 'crowded instant', reason: 'too many rows' })
      expect(await coverageBreaks()).toEqual(['warning coverage main'])
      expect(await coverage()).toEqual([
        ['SPOT', day(1), '2026-01-02 23:59:59.999+00', 'complete'],
        ['SPOT', day(3), day(3), 'unproven'],
        ['SPOT', '2026-01-03 00:00:00.001+00', day(5), 'complete'],
      ])
    })

    it('in the venue’s own words, without a status, is not coverage', async () => {
      await books.statement({ feed: 'tax.records', partition: 'SPOT', code: '40014' })
      await books.build()
      expect(await coverage()).toEqual([])
    })
  })
})

describe('touching', () => {
  ownBooks()

  it('means the same in the planner and in SQL: one millisecond apart is no gap, two are a gap of one', async () => {
    const at = (ms: number): string => new Date(Date.parse('2026-01-01') + ms).toISOString()
    const ranges = [0, 3, 4, 7, 9, 10, 12, 13, 20].flatMap((start) => [
      { start, end: start },
      { start: start + 30, end: start + 31 },
    ])
    for (const [page, { start, end }] of ranges.entries())
      await books.insert('covered', {
        account: 'main',
        feed: 'tax.records',
        partition: 'SPOT',
        page_id: String(page),
        row_count: '0',
        starts_at: at(start),
        ends_at: at(end),
      })
    const connection = await books.landing.instance.connect()
    const found = await connection.runAndReadAll(
      `select epoch_ms(starts_at - timestamptz '2026-01-01 00:00:00+00'), epoch_ms(ends_at - timestamptz '2026-01-01 00:00:00+00')
       from (${shippedModel('staging.covered_ranges').select}) order by 1`,
    )
    connection.closeSync()
    const united = found.getRows().map(([start, end]) => ({ start: Number(start), end: Number(end) }))
    expect(united).toEqual(union(ranges))
    expect(united.slice(0, 3)).toEqual([
      { start: 0, end: 0 },
      { start: 3, end: 4 },
      { start: 7, end: 7 },
    ])
  })
})

describe('a statement', () => {
  ownBooks()

  it('about a whole feed counts until a page of it arrives', async () => {
    await statement('failed', undefined, undefined, {
      partition: '',
      code: 'no credential',
      reason: 'no tax key',
    })
    expect(await coverageBreaks()).toEqual(['warning missing_credential main'])
    await page(day(1), day(2))
    expect(await coverageBreaks()).toEqual([])
    expect(await coverage()).toEqual([['SPOT', day(1), day(2), 'complete']])
  })

  it('that a feed does not apply is no break, unless the configuration names the feed', async () => {
    await statement('not_applicable', undefined, undefined, { partition: '', code: '40084' })
    expect(await coverageBreaks()).toEqual([])
    expect((await books.build({ namedFeeds: ['tax.records'] })).openBreaks).toMatchObject([
      { severity: 'warning', checkName: 'coverage' },
    ])
  })

  it('that a feed does not apply cancels what was missing of it, unless it ever returned something', async () => {
    await statement('pending', day(1), day(9))
    await statement('pending', day(1), day(9), { partition: 'MARGIN-crossed' })
    await statement('not_applicable', undefined, undefined, { partition: 'MARGIN-crossed', code: '40099' })
    expect(await coverageBreaks()).toEqual(['warning coverage main'])
    expect(await coverage()).toEqual([
      ['MARGIN-crossed', null, null, 'not_applicable'],
      ['SPOT', day(1), day(9), 'pending'],
    ])
    await statement('not_applicable', undefined, undefined, { partition: '', code: '40084' })
    expect(await coverageBreaks()).toEqual([])
    // It begins to apply: what is missing from now on counts.
    await page(day(8), day(9))
    await statement('pending', day(9), day(12))
    expect(await coverageBreaks()).toEqual(['warning coverage main'])
    await statement('not_applicable', undefined, undefined, { partition: '', code: '40084' })
    expect(await coverageBreaks()).toEqual(['warning coverage main'])
  })

  it('that a part of a named feed does not apply is no break if another part does', async () => {
    const config = { namedFeeds: ['tax.records'] }
    await page(day(1), day(2))
    await statement('not_applicable', undefined, undefined, { partition: 'USDC-FUTURES', code: '40099' })
    expect((await books.build(config)).openBreaks).toEqual([])
    await statement('not_applicable', undefined, undefined, { partition: 'SPOT', code: '40099' })
    expect((await books.build(config)).openBreaks).toMatchObject([
      { severity: 'warning', checkName: 'coverage' },
    ])
  })
})

describe('what was wanted and is neither covered nor stated', () => {
  ownBooks()

  const progress = (from: string, to: string) =>
    books.insert('progress', { ...tax, window_start: from, window_end: to, cursor: '9', page_id: '1' })
  const tax = { account: 'main', feed: 'tax.records', partition: 'SPOT' }

  it('is missing, a warning that one more run cures, and a cause of other breaks then', async () => {
    await page(day(1), day(2))
    await statement('pending', '2026-01-02 00:00:00.001+00', day(3))
    await page(day(5), day(6))
    await progress(day(8), day(9))
    const { openBreaks } = await books.build()
    expect(
      openBreaks.map(({ severity, checkName, explanation }) => [severity, checkName, explanation]),
    ).toEqual([
      [
        'warning',
        'coverage',
        'tax.records: 1 range not fetched yet, 2026-01-02 to 2026-01-03 (code: a reason). Run again.',
      ],
      [
        'warning',
        'coverage',
        'tax.records: 2 ranges missing, 2026-01-03 to 2026-01-09 (not stated: a run was interrupted before reaching it). Run again.',
      ],
    ])
    expect((await coverage()).slice(2)).toEqual([
      ['SPOT', '2026-01-03 00:00:00.001+00', '2026-01-04 23:59:59.999+00', 'missing'],
      ['SPOT', day(5), day(6), 'complete'],
      ['SPOT', '2026-01-06 00:00:00.001+00', day(9), 'missing'],
    ])
    // The status tells what the table tells.
    const now = Date.parse('2026-01-09T00:00:00Z')
    const [feed] = (await readStatus(books.dir, { now })).feeds
    expect(feed?.gaps.map(({ status }) => status)).toEqual(['pending', 'missing', 'missing'])
    // A covered day more, and a window that only proves how far back was asked: its end may be beyond the venue's clock.
    await page('2026-01-02 00:00:00.001+00', day(9))
    await books.insert('pages', { ...tax, page_id: '90', window_start: day(1), window_end: day(20) })
    expect(await coverageBreaks()).toEqual([])
  })

  it('is all of a requested window if nothing else is known', async () => {
    await books.insert('pages', { ...tax, page_id: '90', window_start: day(1), window_end: day(2) })
    await books.build()
    expect(await coverage()).toEqual([['SPOT', day(1), day(2), 'missing']])
  })
})

describe('a run that was killed', () => {
  ownBooks()

  const run = (seq: number, outcome: string | null, feeds?: string) =>
    books.insert('runs', {
      run_id: `run-${seq}`,
      seq: String(seq),
      started_at: day(3),
      outcome,
      ...(feeds === undefined ? {} : { feeds }),
    })
  const explained = async () => (await books.build()).openBreaks.map(({ explanation }) => explanation)

  const met = (account: string, page: number) =>
    books.insert('accounts', { account, kind: 'unified', page_id: String(page) })

  const interrupted = [
    'The run of 2026-01-03 was interrupted; what is missing from feeds that it had not reached is not recorded. Run again.',
  ]

  it('is a warning until another has read its accounts: for some feeds it may not have recorded anything', async () => {
    await run(10, null)
    expect(await explained()).toEqual(interrupted)
    await met('main', 11)
    await met('desk', 12)
    await run(20, 'part done')
    await met('main', 21)
    expect(await explained()).toEqual(interrupted)
    // What has been taken out of the configuration is read no more.
    expect((await books.build({ accounts: [{ name: 'main' }] })).openBreaks).toEqual([])
    await run(30, 'incomplete')
    await met('desk', 31)
    expect(await explained()).toEqual([])
    await run(40, null)
    await page(day(1), day(2))
    await page(day(5), day(6))
    // What is known to be missing says as much.
    expect(await explained()).toEqual([
      'tax.records: 1 range missing, 2026-01-02 to 2026-01-04 (not stated: a run was interrupted before reaching it). Run again.',
    ])
  })

  it('stays one after a run that was told to read other feeds, whether or not it had reached an account', async () => {
    await run(10, null)
    await run(20, 'part done', 'tax.records')
    await met('main', 21)
    expect(await explained()).toEqual(interrupted)
    await run(30, 'done')
    await met('main', 31)
    expect(await explained()).toEqual([])
    await run(40, null)
    await met('main', 41)
    await run(50, 'incomplete', 'tax.records')
    await met('main', 51)
    expect(await explained()).toEqual(interrupted)
    await run(60, 'done')
    await met('main', 61)
    expect(await explained()).toEqual([])
    // Of one that was to read some feeds itself, those are all that may be missing.
    await run(70, null, 'tax.futuresRecords, tax.records')
    await met('main', 71)
    await run(80, 'part done', 'p2p.orders')
    await met('main', 81)
    expect(await explained()).toEqual([
      'The run of 2026-01-03 was interrupted; what is missing from feeds that it had not reached is not recorded. Run again without --feeds, or with the same ones: --feeds tax.futuresRecords,tax.records.',
    ])
    await run(90, 'part done', 'tax.futuresRecords, tax.records')
    await met('main', 91)
    expect(await explained()).toEqual([])
  })
})

describe('history that is lost', () => {
  ownBooks()

  it('is a notice if the venue no longer had it before the first run, and a warning later', async () => {
    await statement('lost', day(1), day(3), { run_id: 'run-1' })
    await page(day(3), day(5))
    expect(await coverageBreaks()).toEqual(['notice coverage main'])
    await statement('lost', day(5), day(8), { run_id: 'run-2' })
    await page(day(8), day(9))
    expect(await coverageBreaks()).toEqual(['warning coverage main', 'notice coverage main'])
  })

  it('is a notice too if the first run was killed on its way there and the next one found it lost', async () => {
    await books.tax('SPOT', [], { covers: [day(5), day(9)], run: 'run-1' })
    await statement('lost', day(1), day(2), { run_id: 'run-2' })
    await books.tax('SPOT', [], { covers: [day(2), day(5)], run: 'run-2' })
    expect(await coverageBreaks()).toEqual(['notice coverage main'])
  })

  it('is a notice too if the killed first run had requested it and had no answer that proves it', async () => {
    // By a clock that is behind the venue's: the page shows nothing before the second, and proves its end alone.
    const of = { account: 'main', feed: 'tax.records', partition: 'SPOT', page_id: '0', row_count: '0' }
    await books.insert('pages', {
      ...of,
      run_id: 'run-0',
      path: '/',
      window_start: day(1),
      window_end: day(9),
    })
    await books.insert('covered', { ...of, starts_at: day(7), ends_at: day(9) })
    await statement('lost', day(1), '2026-01-02 23:59:59.999+00')
    await page(day(3), day(9), 0)
    expect(await coverageBreaks()).toEqual(['notice coverage main'])
    // What the books had reached is another matter.
    await statement('lost', '2026-01-09 00:00:00.001+00', day(12), { run_id: 'run-2' })
    expect(await coverageBreaks()).toEqual(['warning coverage main', 'notice coverage main'])
  })

  it('is a warning if an earlier run had to leave it', async () => {
    await statement('pending', day(1), day(5), { run_id: 'run-1' })
    await books.tax('SPOT', [], { covers: [day(5), day(9)], run: 'run-1' })
    await statement('lost', day(1), day(2), { run_id: 'run-2' })
    await books.tax('SPOT', [], { covers: [day(2), day(5)], run: 'run-2' })
    expect(await coverageBreaks()).toEqual(['warning coverage main'])
  })
})

describe('a single cause', () => {
  ownBooks()

  it('is one break, however many feeds and parts it prevents from being read', async () => {
    for (const feed of ['tax.records', 'trade.orderHistory', 'p2p.orders']) {
      await statement('pending', day(1), day(2), { feed, code: 'unreachable' })
    }
    await statement('failed', day(3), day(4), { feed: 'tax.futuresRecords', code: '40704' })
    await statement('failed', day(3), day(4), {
      feed: 'tax.futuresRecords',
      partition: 'COIN-FUTURES',
      code: 'not asked',
    })
    expect(await coverageBreaks()).toEqual(['warning coverage main', 'warning coverage main'])
  })
})

describe('the check', () => {
  /** `account feed partition status code`, and flags; a range of the days given, or none. */
  const ranges = (written: Readonly<Record<string, readonly [number, number] | null>>) =>
    Object.entries(written).map(([text, days]) => {
      const [account = '', feed = '', partition = '', status = '', code = '', flag] = text.split(' ')
      const [from, to] = days === null ? [null, null] : [day(days[0]), day(days[1])]
      return [
        ...[account, feed, partition === '*' ? '' : partition, from, to, status, code, 'a reason'],
        ...[String(flag === 'named'), String(flag === 'before')],
      ]
    })

  it('has one break of each cause: what is public, from before the books, not wanted or named by nobody counts for less', async () => {
    const rows = await runModel('checks.coverage', {
      'main.coverage': {
        columns: `account varchar, feed varchar, partition varchar, starts_at timestamptz, ends_at timestamptz, status varchar,
          code varchar, reason varchar, is_named boolean, is_before_books boolean`,
        rows: ranges({
          // A partition that was not asked has the cause of another of its feed.
          'codes own A failed 40700': [6, 7],
          'codes own B failed 40704': [6, 7],
          'codes own C failed not_asked': [6, 7],
          'codes own D failed 40014': [6, 7],
          'grave own A lost retention': [6, 7],
          'grave own A unproven crowded': [6, 7],
          'light own A lost retention before': [6, 7],
          'light public A lost retention': [6, 7],
          'light public A unproven crowded': [6, 7],
          'light public A failed 40704': [6, 7],
          // Wanted since the fifth.
          'wanted own A pending x': [3, 5],
          'unwanted own A pending x': [3, 4],
          'ever own A failed 40704': null,
          'by-answer own A not_applicable 40084 named': null,
          'by-configuration listed A not_applicable 40084': null,
          'by-nobody own A not_applicable 40084': null,
          'part own A not_applicable 40084 named': null,
          'part own B complete x': [6, 7],
          'empty-part own A not_applicable 40084 named': null,
          'empty-part own B empty x': [6, 7],
          'same-part own A not_applicable 40084 named': null,
          'same-part own A complete x': [6, 7],
          'whole own * not_applicable 40084 named': null,
          'whole own B complete x': [6, 7],
        }).map((row) => row.map((cell) => (cell === 'not_asked' ? 'not asked' : cell))),
      },
      'staging.named_feeds': { columns: 'feed varchar', rows: [['listed']] },
      'staging.feeds': {
        columns: 'feed varchar, is_public boolean',
        rows: [
          ['own', 'false'],
          ['listed', 'false'],
          ['public', 'true'],
        ],
      },
      'staging.settings': { columns: 'wanted_since timestamptz', rows: [[day(5)]] },
      'staging.permission_codes': { columns: 'code varchar', rows: [['40014']] },
      'landing.runs': {
        columns: 'run_id varchar, seq bigint, started_at timestamptz, outcome varchar, feeds varchar',
        rows: [],
      },
      'landing.accounts': { columns: 'account varchar, page_id bigint', rows: [] },
      'staging.account_choices': { columns: 'account varchar', rows: [] },
    })
    expect(
      rows.map(({ account, culprit, evidence }) => `${account} ${culprit} ${evidence}`).toSorted(),
    ).toEqual([
      'by-answer not_applicable/warning/own ["own A"]',
      'by-configuration not_applicable/warning/listed ["listed A"]',
      'codes failed/warning/40700 ["own A"]',
      'codes failed/warning/40704 ["own B","own C"]',
      'ever failed/warning/40704 ["own A"]',
      'grave lost/warning/own ["own A"]',
      'grave unproven/warning/own ["own A"]',
      'light failed/warning/40704 ["public A"]',
      'light lost/notice/own ["own A"]',
      'light lost/notice/public ["public A"]',
      'light unproven/notice/public ["public A"]',
      'same-part not_applicable/warning/own ["own A"]',
      'wanted pending/warning/ ["own A"]',
      'whole not_applicable/warning/own ["own"]',
    ])
  })
})

describe('a feed without a range of time', () => {
  ownBooks()

  it('is covered by when it was read', async () => {
    await books.page('account.settings', [{ uid: '1' }], { receivedAt: day(3) })
    await books.page('account.settings', [{ uid: '1' }], { receivedAt: day(5) })
    await books.build()
    expect(await coverage()).toEqual([['', day(3), day(5), 'complete']])
  })

  it('is covered by the venue’s clock, if that of the machine was far off', async () => {
    await books.page('account.settings', [{ uid: '1' }], { receivedAt: day(3) })
    const ahead = await books.page('account.settings', [{ uid: '1' }], {
      receivedAt: '2027-01-04 00:00:00+00',
    })
    await books.sql(`update landing.main.pages set answered_at = '${day(4)}' where page_id = ${ahead}`)
    await books.page('account.settings', [{ uid: '1' }], { receivedAt: day(5) })
    await books.build()
    expect(await coverage()).toEqual([['', day(3), day(5), 'complete']])
  })
})

describe('a list requested as a whole, of which the venue drops what is older than three days', () => {
  ownBooks()

  const read = (date: number, options = {}) =>
    books.page('market.liquidations', [], {
      partition: 'USDT-FUTURES',
      receivedAt: day(date),
      ...options,
    })

  it('has lost what lay between two readings and was dropped before the second', async () => {
    await read(1)
    await read(2)
    await read(6)
    // Exactly as long as the venue remembers: nothing is lost.
    await read(9)
    await books.build()
    expect(await coverage()).toEqual([
      ['USDT-FUTURES', day(1), day(2), 'empty'],
      ['USDT-FUTURES', '2026-01-02 00:00:00.001+00', '2026-01-02 23:59:59.999+00', 'lost'],
      ['USDT-FUTURES', day(6), day(9), 'empty'],
    ])
    // The market's, not the account's.
    expect(await coverageBreaks()).toEqual(['notice coverage main'])
    const [[explanation]] = (await books.query('select explanation from breaks')) as [[string]]
    expect(explanation).toMatch(/ It is market data; nothing in the books depends on it\.$/)
  })

  it('has not been read if the frame of its first page was set aside', async () => {
    await read(1)
    const id = await read(2, { partition: 'COIN-FUTURES' })
    await books.sql(`update landing.main.pages set cursor = 1, ends_list = true where page_id = ${id}`)
    await books.build()
    expect(await coverage()).toEqual([['USDT-FUTURES', day(1), day(1), 'empty']])
  })

  it('has not been read if a run was stopped before the last page: what was on it may be lost', async () => {
    /** One page of a list of several, the first without a cursor. */
    const part = async (receivedAt: string, cursor: number | null, ends: boolean) => {
      const id = await read(1, { receivedAt })
      await books.sql(
        `update landing.main.pages set cursor = ${cursor ?? null}, ends_list = ${ends} where page_id = ${id}`,
      )
    }
    await read(1)
    await part(day(3), null, false)
    // Its first page shows what there was then, whenever its last one came.
    await part(day(5), null, false)
    await part('2026-01-05 00:00:30+00', 1, true)
    await part(day(7), null, false)
    await books.build()
    expect(await coverage()).toEqual([
      ['USDT-FUTURES', day(1), day(1), 'empty'],
      ['USDT-FUTURES', '2026-01-01 00:00:00.001+00', '2026-01-01 23:59:59.999+00', 'lost'],
      ['USDT-FUTURES', day(5), day(5), 'empty'],
    ])

    // What is pending is answered by the end of the list alone.
    const pending = ['USDT-FUTURES', null, null, 'pending']
    await books.statement({
      feed: 'market.liquidations',
      partition: 'USDT-FUTURES',
      status: 'pending',
      starts_at: undefined,
      ends_at: undefined,
    })
    await part(day(7), null, false)
    await books.build()
    expect((await coverage()).filter(([, starts]) => starts === null)).toEqual([pending])
    await part('2026-01-07 00:00:30+00', 1, true)
    await books.build()
    expect((await coverage()).filter(([, starts]) => starts === null)).toEqual([])
  })

  it('has lost nothing that another account has read meanwhile, since the answer is the same', async () => {
    await read(1)
    await read(4, { account: 'other' })
    await read(6)
    await books.build()
    expect(await coverage()).toEqual([
      ['USDT-FUTURES', day(1), day(1), 'empty'],
      ['USDT-FUTURES', day(4), day(4), 'empty'],
      ['USDT-FUTURES', day(6), day(6), 'empty'],
    ])
    expect(await coverageBreaks()).toEqual([])
  })

  it('is one interval if the venue drops nothing, because it describes the present', async () => {
    await books.page('futures.positions', [], { partition: 'USDT-FUTURES', receivedAt: day(1) })
    await books.page('futures.positions', [], { partition: 'USDT-FUTURES', receivedAt: day(20) })
    await books.build()
    expect(await coverage()).toEqual([['USDT-FUTURES', day(1), day(20), 'empty']])
  })
})
