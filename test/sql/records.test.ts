// The published records: one row for each content that a record has had, and what is kept of quarantine and coverage.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cells, LEDGER_CHECKS, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'
import { runModel } from '../support/one-model.ts'

/** What these books are made of. */
const MADE = [
  'accounts',
  'entries',
  'liquidations',
  'orders',
  'p2p_orders',
  'quarantine',
  'tax_records',
  ...LEDGER_CHECKS,
  'checks.changed_record',
  'checks.coverage',
  'checks.drift',
  'checks.partition_clash',
  'checks.unread_values',
]

let books: TestBooks

/** For tests that state numbers of pages, or land rows that are of no page of theirs: books of their own. */
function ownBooks(): void {
  beforeEach(async () => {
    books = await TestBooks.open({ only: MADE })
  })

  afterEach(async () => {
    await books.close()
  })
}

const at = '2026-01-05 10:00:00+00'
const funding = {
  id: '7',
  coin: 'USDT',
  type: 'CONTRACT_MAIN_SETTLE_FEE_USER_IN',
  amount: '1',
  balance: '1',
  ts: at,
}

const breaks = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.map(({ severity, checkName }) => `${severity} ${checkName}`)

describe('a record seen twice', () => {
  ownBooks()

  it('is one row, with the times when it was first and last seen', async () => {
    await books.tax('USDT-FUTURES', [funding])
    await books.tax('USDT-FUTURES', [funding])
    expect(breaks(await books.build())).toEqual([])
    expect(
      await books.query(
        'select page_id, page_row, first_seen_at, last_seen_at, is_current, biz_type, margin_type from tax_records',
      ),
    ).toEqual([['1', '0', '2026-02-01 00:00:01+00', '2026-02-01 00:00:02+00', 'true', 'USDT-FUTURES', null]])
  })

  it('is beside those seen once, each in its own account', async () => {
    await books.tax('USDT-FUTURES', [funding, { ...funding, id: '8' }])
    await books.tax('USDT-FUTURES', [{ ...funding, amount: '2' }])
    await books.tax('USDT-FUTURES', [{ ...funding, amount: '3' }], { account: 'other' })
    await books.build()
    const rows = 'select account, id, amount, page_id, page_row, is_current from tax_records'
    expect(await books.query(`${rows} order by account, id, amount`)).toEqual([
      ['main', '7', '1', '1', '1', 'false'],
      ['main', '7', '2', '2', '0', 'true'],
      ['main', '8', '1', '1', '0', 'true'],
      ['other', '7', '3', '3', '0', 'true'],
    ])
  })
})

describe.concurrent('a record received again', () => {
  const { it, books } = sharedBooks({ only: MADE })

  it('with different content has two versions, the one journaled last applies, and a warning says so', async () => {
    await books.tax('USDT-FUTURES', [funding])
    await books.tax('USDT-FUTURES', [{ ...funding, amount: '2', balance: '2' }])
    const result = await books.build()
    expect(breaks(result)).toEqual(['warning changed_record'])
    expect(result.openBreaks[0]).toMatchObject({ account: 'main', evidence: '["7"]' })
    expect(await books.query('select amount, is_current from tax_records order by amount')).toEqual([
      ['1', 'false'],
      ['2', 'true'],
    ])
    expect(await books.query('select amount from entries')).toEqual([['2']])
  })

  it('twice in one answer with different content is one warning, which does not say that it was changed later', async () => {
    await books.tax('USDT-FUTURES', [funding, { ...funding, amount: '2', balance: '2' }])
    await books.tax('USDT-FUTURES', [{ ...funding, amount: '3', balance: '3' }])
    const { openBreaks } = await books.build()
    expect(openBreaks.map(({ severity, explanation }) => `${severity} ${explanation}`)).toEqual([
      expect.stringMatching(
        /^warning 1 record of tax.records appears twice in one answer, with different content\./,
      ),
    ])
    expect(await books.query('select amount from tax_records where is_current')).toEqual([['3']])
  })

  it('with its earlier content again returns to it', async () => {
    await books.tax('USDT-FUTURES', [funding])
    await books.tax('USDT-FUTURES', [{ ...funding, amount: '2', balance: '2' }])
    await books.tax('USDT-FUTURES', [funding])
    await books.build()
    expect(await books.query('select amount from tax_records where is_current')).toEqual([['1']])
  })

  it('with different unknown fields only is a notice', async () => {
    await books.page('tax.records', [{ ...funding, fee: '0' }], { partition: 'USDT-FUTURES' })
    await books.page('tax.records', [{ ...funding, fee: '0', extra: '{"new":"1"}' }], {
      partition: 'USDT-FUTURES',
    })
    expect(breaks(await books.build())).toEqual(['notice changed_record'])
  })

  it('in two parts of its feed counts once, in the first by name, and a notice says so', async () => {
    await books.tax('MARGIN-isolated', [{ ...funding, type: 'INTEREST_SETTLEMENT_OUT' }])
    await books.tax('MARGIN-crossed', [{ ...funding, type: 'INTEREST_SETTLEMENT_OUT' }])
    expect(breaks(await books.build())).toEqual(['notice partition_clash'])
    expect(
      await books.query('select partition, other_partition, biz_type, margin_type from tax_records'),
    ).toEqual([['MARGIN-crossed', 'MARGIN-isolated', 'MARGIN', 'crossed']])
  })
})

describe.concurrent('an order', () => {
  const { it, books } = sharedBooks({ only: MADE })
  const order = { order_id: '5', category: 'SPOT', symbol: 'ETHUSDT', created_time: at }

  it('may change: the version with the latest updatedTime applies, whenever it was journaled', async () => {
    const filled = { ...order, order_status: 'filled', updated_time: '2026-01-05 10:05:00+00' }
    const live = { ...order, order_status: 'live', updated_time: '2026-01-05 10:00:00+00' }
    await books.page('trade.orderHistory', [filled], { partition: 'SPOT' })
    await books.page('trade.orderHistory', [live], { partition: 'SPOT' })
    expect(breaks(await books.build())).toEqual([])
    expect(await books.query('select order_status, is_current from orders order by 1')).toEqual([
      ['filled', 'true'],
      ['live', 'false'],
    ])
  })

  it('twice in one answer with different content is a warning, and the version updated last applies', async () => {
    const filled = { ...order, order_status: 'filled', updated_time: '2026-01-05 10:05:00+00' }
    const live = { ...order, order_status: 'live', updated_time: '2026-01-05 10:00:00+00' }
    await books.page('trade.orderHistory', [filled, live], { partition: 'SPOT' })
    await books.page('trade.orderHistory', [filled], { partition: 'SPOT' })
    const { openBreaks } = await books.build()
    expect(openBreaks).toMatchObject([
      {
        severity: 'warning',
        checkName: 'changed_record',
        evidence: '["5"]',
        explanation:
          '1 record of trade.orderHistory appears twice in one answer, with different content. The books follow the version updated last, or else the last in the answer; all versions are kept (is_current).',
      },
    ])
    expect(await books.query('select order_status from orders where is_current')).toEqual([['filled']])
  })
})

describe('personal data', () => {
  ownBooks()

  const order = {
    order_id: '5',
    side: 'buy',
    coin: 'USDT',
    buyer_real_name: 'Ada Lovelace',
    payment_info: '{"paymethodName":"Bank"}',
    extra: '{"nick":"ada"}',
    c_time: at,
  }

  it('is null in the ledger', async () => {
    await books.page('p2p.orders', [order])
    await books.build()
    expect(await books.query('select coin, buyer_real_name, payment_info, extra from p2p_orders')).toEqual([
      ['USDT', null, null, null],
    ])
  })

  it('is published if the configuration says so', async () => {
    await books.page('p2p.orders', [order])
    await books.build({ publishPersonalData: true })
    expect(await books.query('select buyer_real_name, extra from p2p_orders')).toEqual([
      ['Ada Lovelace', '{"nick":"ada"}'],
    ])
  })
})

describe('a record to which the venue gives no id', () => {
  ownBooks()

  const liquidation = { symbol: 'BTCUSDT', side: 'buy', price: '90000', amount: '1', ts: at }

  it('counts twice if one answer has it twice, and not again when it is read again', async () => {
    await books.page('market.liquidations', [liquidation, liquidation], { partition: 'USDT-FUTURES' })
    await books.page('market.liquidations', [liquidation], { partition: 'USDT-FUTURES' })
    await books.build()
    expect(await books.query('select count(*), bool_and(is_current) from liquidations')).toEqual([
      ['2', 'true'],
    ])
  })
})

describe('equal liquidations on two pages of one answer', () => {
  ownBooks()

  const at = '2026-01-05 12:00:00+00'
  const one = { symbol: 'BTCUSDT', side: 'buy', price: '90000', amount: '1', ts: at }
  const other = { ...one, price: '91000' }
  const read = async (rows: readonly Cells[], cursor: string | null, ends: boolean) => {
    const id = await books.page('market.liquidations', rows, { partition: 'USDT-FUTURES' })
    const asked = cursor === null ? 'null' : `'${cursor}'`
    await books.sql(
      `update landing.main.pages set cursor = ${asked}, ends_list = ${ends} where page_id = ${id}`,
    )
    return id
  }
  const found = async () => {
    await books.build()
    return [
      ...(await books.query('select count(*) from liquidations')),
      ...(await books.query(
        "select severity, explanation, evidence from breaks where check_name = 'duplicate_records'",
      )),
    ]
  }

  it('may be one or two, as a notice states; on one page, and in two answers, there is no doubt', async () => {
    await read([one, one, other], null, true)
    await read([one, one], null, false)
    await read([other], 'a', true)
    expect(await found()).toEqual([['3']])

    await read([one, one, other], null, false)
    const last = await read([other], 'b', true)
    expect(await found()).toEqual([
      ['3'],
      [
        'notice',
        '1 liquidation of USDT-FUTURES (4.18) appears on two pages of one answer with identical cells: either one row that moved between ' +
          'pages, or two. The venue gives no ids, so they are counted as often as on one page; nothing in the books depends on them.',
        `["market.liquidations page ${last}"]`,
      ],
    ])
  })
})

describe('quarantine', () => {
  ownBooks()

  it('counts a row once, however often it arrived, and is a warning', async () => {
    const row = {
      account: 'main',
      feed: 'tax.records',
      partition: 'SPOT',
      page_row: '3',
      field: 'amount',
      reason: 'expected a decimal number',
      raw: '{"id":"1"}',
      first_seen_at: at,
    }
    await books.insert('quarantine', { ...row, page_id: '1' })
    await books.insert('quarantine', { ...row, page_id: '2' })
    const result = await books.build()
    expect(breaks(result)).toEqual(['warning quarantined_rows'])
    expect(result.openBreaks[0]?.evidence).toBe('["1:3"]')
    expect(await books.query('select page_id, raw from quarantine')).toEqual([['1', '{"id":"1"}']])
  })

  it('of what is not a row at all names no field', async () => {
    const row = { account: 'main', feed: 'tax.records', page_row: '3', raw: '7', first_seen_at: at }
    await books.insert('quarantine', { ...row, page_id: '1', field: '', reason: 'expected an object' })
    const { openBreaks } = await books.build()
    expect(openBreaks.map(({ explanation }) => explanation)).toEqual([
      '1 row of tax.records was quarantined: expected an object. It is in the table quarantine and in no balance.',
    ])
  })

  it('does not apply to a value on which no figure depends: that is reported once, however often it arrived', async () => {
    const drift = { account: 'main', feed: 'p2p.merchant', field: 'totalCompletionRate', row_count: '2' }
    const unfit = { ...drift, problem: 'value that does not fit' }
    await books.insert('drift', { ...unfit, page_id: '1', example: '99.1%' })
    await books.insert('drift', { ...unfit, page_id: '2', example: '99.2%' })
    const { openBreaks } = await books.build()
    expect(
      openBreaks.map(({ severity, explanation, evidence }) => [severity, explanation, evidence]),
    ).toEqual([
      [
        'warning',
        'p2p.merchant: 4 values of totalCompletionRate did not fit the column, for example 99.1%. Such values are null there, missing from sums, and kept in the column extra.',
        '["p2p.merchant page 2"]',
      ],
    ])
  })

  it('is mentioned by a notice about the form of the same feed, which does not say that everything is kept', async () => {
    const row = { account: 'main', feed: 'tax.records', page_id: '1' }
    const drift = { ...row, field: 'amount', problem: 'duplicate key', row_count: '1' }
    await books.insert('drift', drift)
    await books.insert('drift', { ...drift, feed: 'trade.orderHistory' })
    await books.insert('quarantine', { ...row, field: 'amount', page_row: '3', first_seen_at: at })
    const { openBreaks } = await books.build()
    const said = openBreaks.filter(({ checkName }) => checkName === 'drift')
    expect(said.map(({ explanation }) => explanation).toSorted()).toEqual([
      'tax.records: duplicate key in amount. Rows of this feed that could not be read are in the table quarantine; everything else is kept.',
      'trade.orderHistory: duplicate key in amount. Everything is kept.',
    ])
  })
})

describe('accounts', () => {
  ownBooks()

  it('may have the name of a built-in property of JavaScript objects', async () => {
    await books.build({
      accounts: [{ name: 'constructor' }, { name: 'toString' }],
      chainGrouping: { other: 'per-line' },
      p2pTransfers: {},
    })
    expect(await books.query('select account from accounts order by 1')).toEqual([
      ['constructor'],
      ['toString'],
    ])
  })

  it('are as the venue reported last, with the uid of the configuration if it reported none', async () => {
    await books.account('main', 'unknown')
    await books.account('main', 'unified', '1001')
    await books.build({
      accounts: [
        { name: 'main', uid: '9' },
        { name: 'other', uid: '2002' },
      ],
    })
    expect(await books.query('select account, uid, kind, account_mode from accounts order by 1')).toEqual([
      ['main', '1001', 'unified', 'unified'],
      ['other', '2002', 'unknown', null],
    ])
  })
})

it('a break of changed records begins with the first change, and one of contradictions with the first of these', async () => {
  const day = (date: number): string => `2026-01-0${date} 00:00:00+00`
  const version = (id: string, page: string, date: number, core: string, extra: string | null = null) => [
    ...['main', 'tax.records', 'event', id, page, day(date), core, extra],
  ]
  const rows = await runModel('checks.changed_record', {
    'staging.record_versions': {
      columns: `account varchar, feed varchar, nature varchar, record_id varchar, page_id bigint, first_seen_at timestamptz,
        core varchar, extra varchar`,
      rows: [
        version('1', '1', 1, 'a'),
        version('1', '3', 3, 'b'),
        version('2', '2', 2, 'a'),
        version('2', '4', 4, 'b'),
        // Twice in two answers: not among those that were changed.
        version('3', '5', 5, 'a'),
        version('3', '5', 6, 'b'),
        version('3', '7', 7, 'c'),
        version('3', '7', 8, 'd'),
        version('4', '1', 1, 'a'),
        version('4', '9', 9, 'a', '{}'),
      ],
    },
  })
  expect(
    rows
      .map(({ culprit, severity, occurred_at, evidence }) =>
        [culprit, severity, occurred_at, evidence].join(' '),
      )
      .toSorted(),
  ).toEqual([
    `tax.records/known warning ${day(3)} ["1","2"]`,
    `tax.records/one answer warning ${day(5)} ["3"]`,
    `tax.records/unknown notice ${day(9)} ["4"]`,
  ])
})
