// Every field that part 2 of the interface document gives to a record, restated here with a value and what the books
// must hold of it: an answer with all of them, and the same with every optional one null, empty or absent, goes through
// the real journal and landing and reads back exactly. A field that the document does not know is kept and reported.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '../../connectors/catalogue.ts'
import { systemClock } from '../../models/clock.ts'
import { type Books, openBooks } from '../../pipeline/books/books.ts'
import { record } from '../../pipeline/books/writes.ts'

/** What the venue sends, and how the column reads as text. */
interface Value {
  readonly sent: unknown
  readonly kept: string
}

/** A text, an amount, a time, a truth value, a nested list or object. */
const t = (text: string): Value => ({ sent: text, kept: text })
const n = (decimal: string): Value => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return { sent: decimal, kept: `${whole}.${fraction.padEnd(18, '0')}` }
}
const ms = (millis: number): Value => ({
  sent: String(millis),
  kept: new Date(millis).toISOString().replace('T', ' ').replace('Z', '+00'),
})
const b = (flag: boolean): Value => ({ sent: flag, kept: String(flag) })
const j = (value: unknown): Value => ({ sent: value, kept: JSON.stringify(value) })

interface Restated {
  readonly table: string
  /** The row as the `data` of an answer. */
  readonly data: (row: object) => unknown
  /** Fields without which a record is none; all others are optional. */
  readonly required: readonly string[]
  readonly fields: Readonly<Record<string, Value>>
}

const alone = (row: object): unknown => row
const inList = (row: object): unknown => [row]
const inPage = (row: object): unknown => ({ list: [row], cursor: '1' })

/** 2.3, the fields of open and of past orders. */
const order: Readonly<Record<string, Value>> = {
  orderId: t('1507942219670093824'),
  clientOid: t('a-1'),
  category: t('SPOT'),
  symbol: t('BTCUSDT'),
  orderType: t('limit'),
  side: t('buy'),
  price: n('63070.22'),
  qty: n('0.000951'),
  amount: n('59.97977922'),
  cumExecQty: n('0.000317'),
  cumExecValue: n('19.99325974'),
  avgPrice: n('63070.219999999999999999'),
  timeInForce: t('post_only'),
  orderStatus: t('partially_filled'),
  posSide: t('long'),
  holdMode: t('hedge_mode'),
  delegateType: t('bbo_companion5_loss'),
  reduceOnly: t('YES'),
  stpMode: t('cancel_maker'),
  feeDetail: j([
    { feeCoin: 'BGB', fee: '0.0001' },
    { feeCoin: null, fee: null },
  ]),
  createdTime: ms(1795025055743),
  updatedTime: ms(1795028655743),
}

/** What the venue sends of an order beyond the document. */
const beyondOrder: Readonly<Record<string, Value>> = {
  takeProfit: n('70000'),
  stopLoss: n('50000.5'),
  tpTriggerBy: t('mark'),
  slTriggerBy: t('market'),
  tpOrderType: t('limit'),
  slOrderType: t('market'),
  tpLimitPrice: n('70001'),
  slLimitPrice: n('49999'),
  marginMode: t('crossed'),
  tradeSide: t('open'),
}

/** By section of the interface document. */
const records: Readonly<Record<string, Restated>> = {
  '4.3': {
    table: 'subaccount_emails',
    data: alone,
    required: ['subUid'],
    fields: {
      subUid: t('4723899278'),
      subaccountName: t('desk@example.org'),
      subaccountEmail: t('d***@example.org'),
      ctime: ms(1700000000001),
      utime: ms(1700000000002),
    },
  },
  '4.4': {
    table: 'customers',
    data: inList,
    required: ['uid'],
    fields: { uid: t('5512345678'), registerTime: ms(1795025055743) },
  },
  '4.5': {
    table: 'customer_kyc',
    data: (row) => ({ userList: [row], endId: '5512345678' }),
    required: ['uid'],
    fields: { uid: t('5512345678'), kycResult: t('not_passed') },
  },
  '4.10': {
    table: 'open_orders',
    data: inPage,
    required: ['orderId', 'createdTime'],
    fields: { ...order, ...beyondOrder },
  },
  '4.11': {
    table: 'orders',
    data: inPage,
    required: ['orderId', 'createdTime'],
    fields: { ...order, cancelReason: t('normal_cancel'), execType: t('offset'), ...beyondOrder },
  },
  '4.12': {
    table: 'positions',
    data: inList,
    required: ['marginCoin', 'symbol', 'holdSide'],
    fields: {
      marginCoin: t('USDT'),
      symbol: t('BTCUSDT'),
      holdSide: t('short'),
      openDelegateSize: n('0'),
      marginSize: n('21.2857'),
      available: n('0.001'),
      locked: n('0.002'),
      total: n('0.003'),
      leverage: n('20'),
      achievedProfits: n('-1.5'),
      openPriceAvg: n('42571.4'),
      marginMode: t('isolated'),
      posMode: t('hedge_mode'),
      unrealizedPL: n('-0.033'),
      liquidationPrice: n('-7.1'),
      keepMarginRate: n('0.004'),
      markPrice: n('42604.4'),
      marginRatio: n('0.1'),
      breakEvenPrice: n('42622.5'),
      totalFee: n('-0.01'),
      deductedFee: n('0.02'),
      grant: n('3'),
      assetMode: t('union'),
      autoMargin: t('off'),
      takeProfit: n('40000'),
      stopLoss: n('45000'),
      takeProfitId: t('1507942219670093825'),
      stopLossId: t('1507942219670093826'),
      cTime: ms(1700000000003),
      uTime: ms(1700000000004),
      // Beyond the document.
      cashDividend: n('0.5'),
    },
  },
  '4.13': {
    table: 'subaccount_assets',
    data: inList,
    required: ['userId'],
    fields: {
      userId: t('4723899278'),
      assetList: j([
        {
          marginCoin: 'USDT',
          locked: '0',
          available: '10.5',
          crossedMaxAvailable: '10.4',
          isolatedMaxAvailable: '10.3',
          maxTransferOut: '10.2',
          accountEquity: '10.1',
          usdtEquity: '10.1',
          btcEquity: '0.0001',
          unrealizedPL: null,
          coupon: '1',
          crossedUnrealizedPL: null,
          isolatedUnrealizedPL: null,
          assetMode: 'single',
          grant: '',
          isolatedMargin: '2',
          crossedMargin: '3',
        },
      ]),
    },
  },
  '4.14': {
    table: 'account_settings',
    data: alone,
    required: ['uid'],
    fields: {
      uid: t('1380523851'),
      accountMode: t('hybrid'),
      assetMode: t('multi_assets'),
      holdMode: t('one_way_mode'),
      stpMode: t('cancel_both'),
      symbolConfigList: j([
        { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'crossed', leverage: '10' },
      ]),
      coinConfigList: j([{ coin: 'USDT', leverage: '6' }]),
      // Beyond the document.
      accountLevel: t('delta'),
    },
  },
  '4.16': {
    table: 'ltv',
    data: alone,
    required: [],
    fields: {
      ltv: n('0.314159265358979323'),
      subAccountUids: j(['4723899278', '4723899279']),
      usdtBalance: n('12345678901234567890.123456789012345678'),
      unpaidUsdtAmount: n('7'),
      unpaidInfo: j([{ coin: 'USDT', unpaidQty: '6.5', unpaidInterest: '0.5' }]),
      balanceInfo: j([{ coin: 'BTC', price: '60000', amount: '0.5', convertedUsdtAmount: '30000' }]),
    },
  },
  '4.17': {
    table: 'contracts',
    data: inList,
    required: ['symbol'],
    fields: {
      symbol: t('BTCUSDT'),
      baseCoin: t('BTC'),
      quoteCoin: t('USDT'),
      buyLimitPriceRatio: n('0.05'),
      sellLimitPriceRatio: n('0.06'),
      feeRateUpRatio: n('0.005'),
      makerFeeRate: n('-0.0002'),
      takerFeeRate: n('0.0006'),
      openCostUpRatio: n('0.01'),
      supportMarginCoins: j(['USDT', 'USDC']),
      minTradeNum: n('0.0001'),
      priceEndStep: n('1'),
      volumePlace: n('4'),
      pricePlace: n('2'),
      sizeMultiplier: n('0.0001'),
      symbolType: t('delivery'),
      minTradeUSDT: n('5'),
      maxSymbolOrderNum: n('200'),
      maxProductOrderNum: n('400'),
      maxPositionNum: n('150'),
      symbolStatus: t('limit_open'),
      offTime: t('-1'),
      limitOpenTime: t('1795025055743'),
      deliveryTime: ms(1795025055743),
      deliveryStartTime: ms(1795025055744),
      deliveryPeriod: t('next_quarter'),
      launchTime: ms(1622505600001),
      fundInterval: n('8'),
      minLever: n('1'),
      maxLever: n('125'),
      posLimit: n('0.1'),
      maintainTime: t('1795025055745'),
      maxMarketOrderQty: n('220'),
      maxOrderQty: n('1200'),
      isRwa: t('YES'),
      openTime: t('-1'),
    },
  },
  '4.18': {
    table: 'liquidations',
    data: inPage,
    required: ['symbol', 'ts'],
    fields: {
      symbol: t('BTCUSDT'),
      side: t('sell'),
      price: n('98000.1'),
      amount: n('0.5'),
      ts: ms(1795025055743),
    },
  },
  '4.19': {
    table: 'tax_records',
    data: inList,
    required: ['id', 'coin', 'type', 'amount', 'ts'],
    fields: {
      id: t('1375573238088888367'),
      coin: t('USDT'),
      type: t('ORDER_DEALT_FROZEN_OUT'),
      amount: n('-59.979779220000000001'),
      fee: n('-0.05'),
      balance: n('1000.5'),
      ts: ms(1763662183573),
    },
  },
  '4.20': {
    table: 'futures_records',
    data: inList,
    required: ['id', 'marginCoin', 'futureTaxType', 'amount', 'ts'],
    fields: {
      id: t('1375573238088888368'),
      symbol: t('BTCUSDT'),
      marginCoin: t('USDT'),
      futureTaxType: t('CONTRACT_MAIN_SETTLE_FEE_USER_OUT'),
      amount: n('-0.000000000000000001'),
      fee: n('0'),
      ts: ms(1763662183573),
    },
  },
  '4.21': {
    table: 'p2p_records',
    data: inList,
    required: ['id', 'coin', 'p2pTaxType', 'balance', 'ts'],
    fields: {
      id: t('1375573238088888369'),
      coin: t('USDT'),
      p2pTaxType: t('transfer_out'),
      balance: n('250'),
      ts: ms(1763662183573),
    },
  },
  '4.22': {
    table: 'merchants',
    data: alone,
    required: ['merchantId'],
    fields: {
      registerTime: ms(1600000000001),
      nickName: t('A “merchant”, ünïcode 🪙'),
      merchantId: t('99'),
      kycStatus: b(true),
      emailBindStatus: b(false),
      mobileBindStatus: b(true),
      email: t('m***@example.org'),
      mobile: t('+49***12'),
      avgPaymentTime: n('6'),
      avgReleaseTime: n('1.5'),
      totalTrades: n('300'),
      totalBuy: n('100'),
      totalSell: n('200'),
      totalCompletionRate: n('0.99'),
      trades30d: n('30'),
      sell30d: n('20'),
      buy30d: n('10'),
      completionRate30d: n('0.95'),
    },
  },
  '4.23': {
    table: 'p2p_orders',
    data: (row) => ({ orderList: [row], minOrderId: '7' }),
    required: ['orderId', 'coin', 'cTime'],
    fields: {
      orderId: t('7'),
      orderNo: t('1375573238088888370'),
      advNo: t('1375573238088888371'),
      side: t('sell'),
      count: n('100'),
      coin: t('USDT'),
      price: n('0.92'),
      fiat: t('EUR'),
      withdrawTime: ms(1763662183571),
      representTime: ms(1763662183572),
      releaseTime: ms(1763662183573),
      paymentTime: ms(1763662183574),
      amount: n('92'),
      status: t('Appeal'),
      buyerRealName: t('Jane Roe'),
      sellerRealName: t('John Doe'),
      cTime: ms(1763662183575),
      uTime: ms(1763662183576),
      paymentInfo: j({
        paymethodName: 'Bank',
        paymethodId: '2',
        paymethodInfo: [{ name: 'IBAN', required: 'yes', type: 'number', value: 'DE00' }],
      }),
    },
  },
}

/** `cTime` → `c_time`, `unrealizedPL` → `unrealized_pl`. */
const snake = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()

const rowOf = (fields: Readonly<Record<string, Value>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, { sent }]) => [name, sent]))

/** Journals and lands an answer that holds the row; the body is journaled as it is. */
async function receive(section: string, row: object): Promise<void> {
  const endpoint = endpoints.find((one) => one.section === section)!
  const body = JSON.stringify({
    code: '00000',
    msg: 'success',
    requestTime: 1,
    data: records[section]!.data(row),
  })
  await record(
    books,
    {
      kind: 'page',
      at: '2026-03-01T12:00:00.000Z',
      run: 'r1',
      account: 'main',
      feed: endpoint.name,
      partition: '',
      request: { method: endpoint.method, path: endpoint.path },
      status: 200,
    },
    Buffer.from(body),
  )
}

/** What landed in this test: by column, as text, with the pages counted from 1. */
async function landed(table: string): Promise<Record<string, unknown>[]> {
  const result = await books.landing.connection.runAndReadAll(
    `select columns(* exclude page_id)::varchar, (page_id - ${before})::varchar as page_id
     from landing.main.${table} where page_id > ${before} order by landing.main.${table}.page_id`,
  )
  return result.getRowObjectsJson()
}

/** One folder of books for all tests; each reads what came after the frames before it. */
let books: Books
let dir: string
let before = 0

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tieout-fields-'))
  books = await openBooks(dir, { clock: systemClock, command: 'test' })
})
beforeEach(() => {
  before = books.journal.lastSeq
})
afterAll(async () => {
  await books.close()
  await rm(dir, { recursive: true, force: true })
})

/** What must have landed of these fields; null for those that say nothing. */
function kept({ fields }: Restated, present: (name: string) => boolean): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snake(name), present(name) ? value.kept : null]),
  )
}

const place = (seq: number) => ({
  account: 'main',
  partition: '',
  page_id: String(seq),
  page_row: '0',
  extra: null,
})

test('every endpoint whose answer lands is restated here', () => {
  const landing = endpoints.filter(({ item }) => item !== null).map(({ section }) => section)
  expect(Object.keys(records)).toEqual(landing)
})

describe.each(Object.entries(records))('an answer of section %s', (section, restated) => {
  const { table, fields, required } = restated

  test(`with every documented field reads back exactly from ${table}`, async () => {
    await receive(section, rowOf(fields))
    expect(await landed(table)).toEqual([{ ...place(1), ...kept(restated, () => true) }])
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })

  test('with every optional field null, empty or absent reads back as nothing', async () => {
    const needed = Object.fromEntries(Object.entries(fields).filter(([name]) => required.includes(name)))
    const optional = Object.keys(fields).filter((name) => !required.includes(name))
    for (const nothing of [null, '', undefined]) {
      const blank = Object.fromEntries(optional.map((name) => [name, nothing]))
      await receive(section, { ...rowOf(needed), ...blank })
    }
    const expected = kept(restated, (name) => required.includes(name))
    expect(await landed(table)).toEqual([1, 2, 3].map((seq) => ({ ...place(seq), ...expected })))
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })

  test('without a field that makes it a record is kept aside, and the journal has it', async () => {
    for (const name of required) await receive(section, { ...rowOf(fields), [name]: null })
    expect(await landed(table)).toEqual([])
    expect((await landed('quarantine')).map((row) => row.field)).toEqual(required)
  })

  test('with a field that the document does not know keeps it, and reports it as drift', async () => {
    await receive(section, {
      ...rowOf(fields),
      zNew: { b: [1, '1'], a: null },
      aNew: '12345678901234567890',
    })
    expect(await landed(table)).toEqual([
      {
        ...place(1),
        ...kept(restated, () => true),
        extra: '{"aNew":"12345678901234567890","zNew":{"a":null,"b":[1,"1"]}}',
      },
    ])
    const drift = (await landed('drift')).map(({ field, problem, row_count }) => [field, problem, row_count])
    expect(drift.toSorted()).toEqual([
      ['aNew', 'unknown field', '1'],
      ['zNew', 'unknown field', '1'],
    ])
    for await (const { body } of books.journal.read(before + 1))
      expect(Buffer.from(body!).toString()).toContain(
        '"zNew":{"b":[1,"1"],"a":null},"aNew":"12345678901234567890"',
      )
  })
})

describe('a field that the document spells in two ways', () => {
  test.each([
    ['4.3', { ctime: 'cTime', utime: 'uTime' }],
    ['4.12', { cTime: 'ctime', uTime: 'utime' }],
    ['4.21', { balance: 'total' }],
    ['4.23', { cTime: 'ctime', uTime: 'utime' }],
  ])(
    'of section %s lands in one column: %j',
    async (section, spellings: Readonly<Record<string, string>>) => {
      const restated = records[section]!
      const row = Object.entries(rowOf(restated.fields)).map(([name, value]) => [
        spellings[name] ?? name,
        value,
      ])
      await receive(section, Object.fromEntries(row))
      expect(await landed(restated.table)).toEqual([{ ...place(1), ...kept(restated, () => true) }])
      expect(await landed('drift')).toEqual([])
    },
  )
})

describe('a field beyond the document', () => {
  test('that holds what it should not is kept as it came and reported, and the row lands', async () => {
    const fields = records['4.11']!.fields
    await receive('4.11', { ...rowOf(fields), takeProfit: 'none yet', tradeSide: { a: 1 } })
    expect(await landed('orders')).toMatchObject([
      {
        order_id: '1507942219670093824',
        take_profit: null,
        trade_side: null,
        extra: '{"takeProfit":"none yet","tradeSide":{"a":1}}',
      },
    ])
    expect(await landed('quarantine')).toEqual([])
    const drift = (await landed('drift')).map(({ field, problem }) => [field, problem])
    expect(drift.toSorted()).toEqual([
      ['takeProfit', 'unknown value'],
      ['tradeSide', 'unknown value'],
    ])
  })

  test('and an older answer that lacks fields of the document are no drift', async () => {
    const older = ['maxMarketOrderQty', 'maxOrderQty', 'isRwa', 'deliveryPeriod']
    const contract = Object.entries(rowOf(records['4.17']!.fields)).filter(([name]) => !older.includes(name))
    await receive('4.17', Object.fromEntries(contract))
    const reasons = ['cancel_receiveWindow', 'burst_cancel', 'normal_cancel', 'modify_limit_order']
    for (const cancelReason of reasons)
      await receive('4.11', { ...rowOf(records['4.11']!.fields), timeInForce: 'rpi', cancelReason })
    expect(await landed('contracts')).toHaveLength(1)
    expect((await landed('orders')).map((row) => row.cancel_reason)).toEqual(reasons)
    expect(await landed('quarantine')).toEqual([])
    expect(await landed('drift')).toEqual([])
  })
})
