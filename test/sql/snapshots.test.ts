// Answers that tell the present, held against the entries: assets of sub-accounts (4.13) and the risk rate (4.16).
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Break } from '../../pipeline/ledger/build.ts'
import { balanced, type Cells, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'
import { runModel } from '../support/one-model.ts'

const MADE = { only: ['checks.balance_snapshots', 'checks.ltv_totals'] }

/** Accounts of the books that most tests share. */
const shared = sharedBooks(MADE)

/** Books of one test, for what concerns all accounts or the pages themselves. */
async function ownBooks(): Promise<TestBooks> {
  const books = await TestBooks.open(MADE)
  onTestFinished(() => books.close())
  return books
}

type Books = Pick<TestBooks, 'account' | 'tax'> | typeof shared.books

const PARTS = [
  'SPOT',
  'MARGIN-crossed',
  'MARGIN-isolated',
  'USDT-FUTURES',
  'COIN-FUTURES',
  'USDC-FUTURES',
  'OTHER',
]
/** The run that reads the present ends its windows at 03:00; the next night covers what came after. */
const night = ['2026-01-01 00:00:00+00', '2026-01-10 03:00:00+00'] as const
const next = ['2026-01-10 00:00:00+00', '2026-01-11 03:00:00+00'] as const
const firstRun = { run: 'run-1', receivedAt: '2026-01-10 03:00:10+00' }
const secondRun = { run: 'run-2', receivedAt: '2026-01-11 03:00:10+00' }

const move = (id: string, amount: string, ts: string, coin = 'USDT'): Move => {
  return { id, coin, type: 'TRANSFER_IN', amount, ts: `2026-01-${ts}+00` }
}

/** A unified sub-account that holds 130 USDT at 03:00 of the tenth and 150 a day later, whose parent is read then. */
async function nights(
  {
    moves = [move('1', '100', '03 12:00:00'), move('2', '30', '09 12:00:00')],
    until = next,
  }: { moves?: readonly Move[]; until?: readonly [string, string] } = {},
  books: Books = shared.books,
) {
  await books.account('parent', 'unified', '1000')
  await books.account('desk', 'unified', '2000')
  const all = balanced([...moves, move('9', '20', '10 12:00:00')])
  for (const account of ['parent', 'desk']) {
    for (const partition of PARTS) {
      const rows = account === 'desk' && partition === 'SPOT' ? all : []
      await books.tax(
        partition,
        rows.filter(({ id }) => id !== '9'),
        { account, covers: night, ...firstRun },
      )
      await books.tax(
        partition,
        rows.filter(({ id }) => id === '9'),
        { account, covers: until, ...secondRun },
      )
    }
  }
}

const asset = (cells: Cells) =>
  JSON.stringify([
    { marginCoin: 'USDT', accountEquity: '126', unrealizedPL: '-4', coupon: '0', grant: null, ...cells },
  ])

const assets = ['futures.subaccountAssets', { account: 'parent', partition: 'USDT-FUTURES' }] as const
const assetsOfDesk = (cells: Cells = {}) =>
  shared.books.page(assets[0], (own) => [{ user_id: own('2000'), asset_list: asset(cells) }], {
    ...assets[1],
    ...firstRun,
  })
const assetsIn = (books: TestBooks, cells: Cells = {}, options: Cells = firstRun) =>
  books.page(assets[0], [{ user_id: '2000', asset_list: asset(cells) }], { ...assets[1], ...options })

const breaks = async (built: Promise<{ openBreaks: readonly Break[] }> = shared.books.build()) =>
  (await built).openBreaks
    .filter(({ checkName }) => ['balance_snapshots', 'ltv_totals'].includes(checkName))
    .map(({ severity, checkName, account, ledger, coin, expected, found }) =>
      [severity, checkName, account, ledger, coin, plain(expected), plain(found)].join(' '),
    )

const plain = (amount: string | null): string => String(amount).replace(/\.?0+$/, '')

describe.concurrent('the assets of a sub-account', () => {
  const { it: itShared, books } = shared

  itShared(
    'are its equity without unrealised amounts: the sum of its entries up to the reading',
    async () => {
      await nights()
      await assetsOfDesk()
      expect(await breaks()).toEqual([])
    },
  )

  itShared('that differ are a warning of the sub-account', async () => {
    await nights()
    await assetsOfDesk({ accountEquity: '126.5' })
    expect(await breaks()).toEqual(['warning balance_snapshots desk UNIFIED USDT 130.5 130'])
  })

  itShared('are not compared before the records are known until a minute after the reading', async () => {
    await nights({ until: ['2026-01-10 00:00:00+00', '2026-01-10 03:00:30+00'] })
    await assetsOfDesk({ accountEquity: '126.5' })
    expect(await breaks()).toEqual([])
  })

  itShared.each([
    ['with a record in the same minute', [move('1', '130', '10 02:59:50')], {}],
    ['with a voucher in them', undefined, { coupon: '1' }],
    ['of a unified account that are told as zero', undefined, { accountEquity: '0', unrealizedPL: '0' }],
  ])('%s are not compared', async (_what, moves, cells) => {
    await nights(moves === undefined ? {} : { moves })
    await assetsOfDesk({ accountEquity: '126.5', ...cells })
    expect(await breaks()).toEqual([])
  })

  itShared('of a classic account are those of its futures wallet', async () => {
    await books.account('parent', 'unified', '1000')
    await books.account('desk', 'classic', '2000')
    const record = { symbol: null, margin_coin: 'USDT', future_tax_type: 'transfer_in', fee: '0' }
    const rows = [{ id: '1', ...record, amount: '130', ts: '2026-01-03 12:00:00+00' }]
    await books.futures('USDT-FUTURES', rows, { account: 'desk', covers: night, ...firstRun })
    await books.futures('USDT-FUTURES', [], { account: 'desk', covers: next, ...secondRun })
    await assetsOfDesk({ accountEquity: '127' })
    expect(await breaks()).toEqual(['warning balance_snapshots desk USDT-FUTURES USDT 131 130'])
  })
})

describe('the assets of a sub-account, in books of their own', () => {
  it('read with a clock that is a day behind count for the venue’s own time: 130, and not the 100 of the day before', async () => {
    const books = await ownBooks()
    await nights({}, books)
    const behind = { run: 'run-behind', receivedAt: '2026-01-09 03:00:10+00' }
    await books.tax('SPOT', [], {
      account: 'desk',
      covers: ['2026-01-08 00:00:00+00', '2026-01-09 03:00:00+00'],
      ...behind,
    })
    const page = await assetsIn(books, {}, behind)
    await books.sql(
      `update landing.main.pages set answered_at = '2026-01-10 03:00:00+00' where page_id = ${page}`,
    )
    expect(await breaks(books.build())).toEqual([])
  })

  it.each([
    ['40', []],
    ['40.5', ['warning balance_snapshots desk USDT-FUTURES USDT 44.5 44']],
  ])(
    'of an account with a balance per business line are those of that line: %s',
    async (accountEquity, expected) => {
      const books = await ownBooks()
      await nights({}, books)
      const futures = balanced([move('11', '44', '05 12:00:00')])
      await books.tax('USDT-FUTURES', futures, { account: 'desk', covers: night, ...firstRun })
      await assetsIn(books, { accountEquity })
      expect(await breaks(books.build({ chainGrouping: { desk: 'per-line' } }))).toEqual(expected)
    },
  )
})

const risk = (cells: Cells = {}): Cells => ({
  ltv: '0.1',
  sub_account_uids: '["1000","2000"]',
  usdt_balance: '1130.00000001',
  unpaid_usdt_amount: '113',
  unpaid_info:
    '[{"coin":"ETH","unpaidQty":"0.02","unpaidInterest":"0.006"},{"coin":"USDC","unpaidQty":"61","unpaidInterest":"0"}]',
  balance_info: JSON.stringify([
    { coin: 'USDT', price: '1', amount: '130', convertedUsdtAmount: '130' },
    { coin: 'ETH', price: '2000.00000000', amount: '0.469500000005', convertedUsdtAmount: '939.00000001' },
    { coin: 'USDC', price: '1', amount: '61', convertedUsdtAmount: '61' },
  ]),
  ...cells,
})

describe.concurrent('the totals of the risk rate', () => {
  const { it: itShared, books } = shared

  const read = (cells: Cells = {}) =>
    books.page('loan.ltv', (own) => [unitOf(risk(cells), own)], { account: 'parent', ...firstRun })
  /** The same, of uids that are those of this test. */
  const unitOf = (cells: Cells, own: (uid: string) => string): Cells => ({
    ...cells,
    sub_account_uids: cells.sub_account_uids?.replace(/\d+/g, own),
  })

  itShared('equal the sums of their parts', async () => {
    await nights()
    await read()
    expect(await breaks()).toEqual([])
  })

  itShared.each([
    ['all assets', { usdt_balance: '1130.001' }, 'warning ltv_totals parent  USDT 1130.001 1130.00000001'],
    ['all debt', { unpaid_usdt_amount: '113.01' }, 'warning ltv_totals parent  USDT 113.01 113'],
    ['the rate', { ltv: '0.12' }, 'notice ltv_totals parent  USDT 0.12 0.099999999999115044'],
    [
      'what a coin is worth',
      { balance_info: risk().balance_info?.replace('"939.00000001"', '"939.1"'), usdt_balance: '1130.1' },
      'warning ltv_totals parent  ETH 939.1 939.00000001',
    ],
    [
      'all debt, beside a coin without a price that is repaid',
      {
        // 0.026 ETH are 52, with 61 USDC 113.
        unpaid_info: risk().unpaid_info?.replace(
          ']',
          ',{"coin":"XRP","unpaidQty":"0","unpaidInterest":"0"}]',
        ),
        unpaid_usdt_amount: '113.01',
      },
      'warning ltv_totals parent  USDT 113.01 113',
    ],
    ['all assets, of no coin', { balance_info: '[]' }, 'warning ltv_totals parent  USDT 1130.00000001 0'],
  ])('that do not, in %s, are one break', async (_what, cells, expected) => {
    await nights()
    await read(cells)
    expect(await breaks()).toEqual([expected])
  })

  itShared('count a debt once if its coin is listed for two accounts of the unit', async () => {
    await nights()
    // The 0.469500000005 ETH in two parts, 539.00000001 and 400.
    const two =
      '{"coin":"ETH","price":"2000.00000000","amount":"0.269500000005","convertedUsdtAmount":"539.00000001"},' +
      '{"coin":"ETH","price":"2000.00000000","amount":"0.2","convertedUsdtAmount":"400"}'
    await read({ balance_info: risk().balance_info?.replace(/\{"coin":"ETH"[^}]*\}/, two) })
    expect((await breaks()).filter((text) => text.includes('ltv_totals'))).toEqual([])
  })

  itShared('are not compared if a debt has no price', async () => {
    await nights()
    await read({ unpaid_info: risk().unpaid_info?.replace('"USDC"', '"XRP"') })
    expect((await breaks()).filter((text) => text.includes('ltv_totals'))).toEqual([])
  })

  itShared('with a different balance of a coin than the entries of the unit are a notice', async () => {
    await nights({ moves: [move('1', '129', '03 12:00:00')] })
    await read()
    expect(await breaks()).toEqual(['notice balance_snapshots parent UNIFIED USDT 130 129'])
  })

  itShared('say nothing about the balances of a unit with an account that is not in the books', async () => {
    await nights({ moves: [move('1', '129', '03 12:00:00')] })
    await read({ sub_account_uids: '["1000","2000","3000"]' })
    expect(await breaks()).toEqual([])
  })
})

it('the totals of the risk rate may differ by what was cut off, and what is unknown is not compared', async () => {
  interface Answer {
    /** Rate, assets, debt. */
    readonly told?: readonly [string, string, string]
    /** `coin price amount value` */
    readonly held?: readonly string[]
    /** `coin quantity interest` */
    readonly owed?: readonly string[]
  }
  const two = 'BTC 50 2 100'
  const answers: readonly (readonly [account: string, answer: Answer])[] = [
    ['sound', {}],
    // A cent each may be missing from the value and from the sum; the price of 2 BTC may leave out 0.02 more.
    ['assets within', { told: ['0.1', '100.019', '10'] }],
    ['assets beyond', { told: ['0.1', '100.02', '10'] }],
    ['asset within', { told: ['0.1', '100.02', '10'], held: ['BTC 50 2 100.02'] }],
    ['asset beyond', { told: ['0.1', '100.03', '10'], held: ['BTC 50 2 100.03'] }],
    ['debt within', { told: ['0.1', '100', '10.011'], owed: ['BTC 0.2 0'] }],
    ['debt beyond', { told: ['0.1', '100', '10.012'], owed: ['BTC 0.2 0'] }],
    // A debt in USDT is what it is, whatever USDT are worth as margin.
    ['dollars', { held: [two, 'USDT 0.9 0 0'] }],
    ['dollars beyond', { told: ['0.1', '100', '10.05'], held: [two, 'USDT 0.9 0 0'] }],
    ['without interest', { told: ['0.11', '100', '11'], owed: ['USDT 10 ?'] }],
    ['debt unknown', { told: ['0.99', '100', '99'], owed: ['USDT ? 0'] }],
    ['asset unknown', { told: ['0.02', '500', '10'], held: [two, 'ETH 5 1 ?'] }],
    ['listed again', { held: [two, 'BTC 0 0 0'], owed: ['BTC 0.2 0'] }],
    ['rate', { told: ['0.12', '100', '10'] }],
    ['debt and rate', { told: ['0.1', '100', '20'] }],
    // The answer of the later page is the newer one.
    ['twice', { told: ['0.1', '300', '10'] }],
    ['twice', {}],
  ]
  const at = answers.map(([account, answer], page) => ({ account, ...answer, place: [String(page), '0'] }))
  const cell = (text = '') => (text === '?' ? null : text)
  const rows = await runModel('checks.ltv_totals', {
    'main.ltv': {
      columns: `account varchar, ltv decimal(38, 18), usdt_balance decimal(38, 18), unpaid_usdt_amount decimal(38, 18),
        page_id bigint, page_row integer, last_seen_at timestamptz`,
      rows: at.map(({ account, told = ['0.1', '100', '10'], place }) => [
        ...[account, ...told, ...place, '2026-01-10 03:00:00+00'],
      ]),
    },
    'main.ltv_balances': {
      columns: `account varchar, coin varchar, price decimal(38, 18), price_decimals integer, amount decimal(38, 18),
        converted_usdt_amount decimal(38, 18), converted_usdt_amount_decimals integer, page_id bigint, page_row integer`,
      rows: at.flatMap(({ account, held = [two], place }) =>
        held.map((text) => {
          const [coin, price, amount, value] = text.split(' ').map(cell)
          return [account, coin ?? null, price ?? null, '0', amount ?? null, value ?? null, '2', ...place]
        }),
      ),
    },
    'main.ltv_debts': {
      columns: `account varchar, coin varchar, unpaid_qty decimal(38, 18), unpaid_interest decimal(38, 18), page_id bigint,
        page_row integer`,
      rows: at.flatMap(({ account, owed = ['USDT 9 1'], place }) =>
        owed.map((text) => [account, ...text.split(' ').map(cell), ...place]),
      ),
    },
  })
  expect(
    rows
      .map(({ account, severity, coin, expected, found }) =>
        [account, severity, coin, expected, found].join(' '),
      )
      .toSorted(),
  ).toEqual([
    'asset beyond warning BTC 100.03 100',
    'assets beyond warning USDT 100.02 100',
    'debt and rate warning USDT 20 10',
    'debt beyond warning USDT 10.012 10',
    'dollars beyond warning USDT 10.05 10',
    'rate notice USDT 0.12 0.1',
    'without interest warning USDT 11 10',
  ])
})
