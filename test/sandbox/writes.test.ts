import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Credential, type Sandbox, type SandboxAccount, startSandbox } from '../../sandbox/index.ts'
import { type Answer, accountOf, DAY_MS, get, heldClock, NOW, post, type Row, TAX } from './client.ts'

const clock = heldClock()
let sandbox: Sandbox
let parent: SandboxAccount

beforeEach(async () => {
  sandbox = await startSandbox({ now: NOW, days: 10, speed: 1e3, monotonicMs: clock.monotonicMs })
  parent = accountOf(sandbox, 'parent')
})
afterEach(() => sandbox.close())

const PLACE = '/api/v2/spot/trade/place-order'
const CANCEL = '/api/v3/trade/cancel-order'
const MODIFY = '/api/v3/trade/batch-modify-order'
const TRANSFER = '/api/v2/spot/wallet/subaccount-transfer'
const REPAY = '/api/v3/account/repay'
const CREATE_KEY = '/api/v2/broker/manage/create-subaccount-apikey'
const MODIFY_KEY = '/api/v2/broker/manage/modify-subaccount-apikey'

/** A request a second after the one before, so that no budget is in the way. */
async function write(
  credential: Credential,
  path: string,
  body: Record<string, unknown> | unknown[],
): Promise<Answer> {
  clock.advance(1_000)
  return post(sandbox, credential, path, body)
}

async function read(credential: Credential, path: string, params: Record<string, string> = {}): Promise<Row> {
  clock.advance(1_000)
  const answer = await get(sandbox, credential, path, params)
  expect(answer.code).toBe('00000')
  return answer.data
}

function balance(uid: string, ledger: string, coin: string): string {
  const { balances } = sandbox.truth().accounts.find((account) => account.uid === uid)!
  return balances.find((held) => held.ledger === ledger && held.coin === coin)?.quantity ?? '0'
}

/** Tax records that came after the end of the history. */
async function newRecords(account: SandboxAccount, bizType: string): Promise<Row[]> {
  const from = NOW.getTime() + 1
  const rows = await read(account.taxKey, TAX.path, {
    bizType,
    startTime: String(from),
    endTime: String(from + DAY_MS),
  })
  return rows.reverse()
}

const limitOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '20000',
  size: '0.002',
}
const openOrder = async (orderId: string): Promise<Row | undefined> =>
  (await read(parent, '/api/v3/trade/unfilled-orders')).list.find((order: Row) => order.orderId === orderId)
const closedOrder = async (orderId: string): Promise<Row | undefined> =>
  (await read(parent, '/api/v3/trade/history-orders', { category: 'SPOT' })).list.find(
    (order: Row) => order.orderId === orderId,
  )

test('at most 400 spot and margin orders rest, and an order that does not rest is still taken', async () => {
  const inLine = async (category: string) =>
    (await read(parent, '/api/v3/trade/unfilled-orders', { category })).list.length as number
  const atFirst = (await inLine('SPOT')) + (await inLine('MARGIN'))
  const order = { ...limitOrder, price: '1000' }
  for (let count = atFirst; count < 400; count++)
    expect((await write(parent, PLACE, order)).code).toBe('00000')
  expect((await write(parent, PLACE, order)).code).toBe('43005')
  const stop = { ...order, orderType: 'market', tpslType: 'tpsl', triggerPrice: '1000', size: '20' }
  expect((await write(parent, PLACE, stop)).code).toBe('43005')
  for (const gone of [
    { ...order, force: 'ioc' },
    { ...order, price: '90000' },
    { ...order, orderType: 'market', size: '20' },
  ])
    expect((await write(parent, PLACE, gone)).code).toBe('00000')
})

describe('a spot order', () => {
  test('that does not cross rests, is cancelled, and is then in the history', async () => {
    const placed = await write(parent, PLACE, { ...limitOrder, clientOid: 'mine' })
    expect(placed.data).toEqual({ orderId: expect.stringMatching(/^\d{19}$/), clientOid: 'mine' })
    const { orderId } = placed.data
    expect(await openOrder(orderId)).toMatchObject({
      orderStatus: 'live',
      price: '20000',
      qty: '0.002',
      feeDetail: [{ feeCoin: null, fee: null }],
    })
    expect((await write(parent, CANCEL, { clientOid: 'mine' })).data).toEqual({ orderId, clientOid: 'mine' })
    expect(await openOrder(orderId)).toBeUndefined()
    expect(await closedOrder(orderId)).toMatchObject({
      orderStatus: 'cancelled',
      cancelReason: 'normal_cancel',
    })
    expect((await write(parent, CANCEL, { orderId })).code).toBe('43004')
  })

  test('at the market fills at once: three tax records, and the truth changes with them', async () => {
    const before = balance(parent.uid, 'UNIFIED', 'ETH')
    const order = { symbol: 'ETHUSDT', side: 'sell', orderType: 'market', force: 'gtc', size: '0.5' }
    const { orderId } = (await write(parent, PLACE, order)).data
    const rows = await newRecords(parent, 'SPOT')
    expect(rows.map(({ type, coin }) => [type, coin])).toEqual([
      ['ORDER_DEALT_IN', 'USDT'],
      ['ORDER_PLF_FEE_OUT', 'BGB'],
      ['ORDER_DEALT_FROZEN_OUT', 'ETH'],
    ])
    expect(rows[2]).toMatchObject({ amount: '-0.5', balance: balance(parent.uid, 'UNIFIED', 'ETH') })
    expect(Number(before) - Number(rows[2].balance)).toBeCloseTo(0.5, 10)
    const closed = await closedOrder(orderId)
    expect(closed).toMatchObject({ orderStatus: 'filled', cumExecQty: '0.5', cumExecValue: rows[0].amount })
    expect(`-${closed.feeDetail[0].fee}`).toBe(rows[1].amount)
  })

  test('includes its take-profit and stop-loss, which are null if it has none', async () => {
    const presets = {
      presetTakeProfitPrice: '90000',
      executeTakeProfitPrice: '89900',
      presetStopLossPrice: '15000',
    }
    const { orderId } = (await write(parent, PLACE, { ...limitOrder, ...presets })).data
    expect(await openOrder(orderId)).toMatchObject({
      takeProfit: '90000',
      tpTriggerBy: 'market',
      tpOrderType: 'limit',
      tpLimitPrice: '89900',
      stopLoss: '15000',
      slTriggerBy: 'market',
      slOrderType: 'market',
      slLimitPrice: null,
    })
    const plain = (await write(parent, PLACE, limitOrder)).data
    expect(await openOrder(plain.orderId)).toMatchObject({
      takeProfit: null,
      stopLoss: null,
      tpTriggerBy: null,
      slTriggerBy: null,
      tpOrderType: null,
      slOrderType: null,
      tpLimitPrice: null,
      slLimitPrice: null,
    })
  })

  test('that is a market buy states what it spends', async () => {
    await write(parent, PLACE, {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'market',
      force: 'gtc',
      size: '100',
    })
    const [received, , paid] = await newRecords(parent, 'SPOT')
    expect(received.coin).toBe('BTC')
    const spent = -Number(paid.amount)
    expect(spent).toBeGreaterThan(99)
    expect(spent).toBeLessThanOrEqual(100)
  })

  test.each([
    ['post_only', '200000', 'post_only_fill_cancel'],
    ['ioc', '20000', 'ioc_not_full_cancel'],
    ['fok', '20000', 'fok_not_full_cancel'],
  ])('of force %s at %s is cancelled at once', async (force, price, reason) => {
    const { orderId } = (await write(parent, PLACE, { ...limitOrder, size: '0.001', force, price })).data
    expect(await closedOrder(orderId)).toMatchObject({ orderStatus: 'cancelled', cancelReason: reason })
  })

  test('with the clientOid of an unfilled one of the last six hours is that one', async () => {
    const order = { ...limitOrder, clientOid: 'twice' }
    const first = (await write(parent, PLACE, order)).data
    expect((await write(parent, PLACE, order)).data).toEqual(first)
    clock.advance(6 * 3_600_000)
    expect((await write(parent, PLACE, order)).data.orderId).not.toBe(first.orderId)
  })

  test('that waits for a trigger rests, and its clientOid is not taken', async () => {
    const order = { ...limitOrder, tpslType: 'tpsl', clientOid: 'plan' }
    expect((await write(parent, PLACE, order)).code).toBe('40019')
    const { orderId, clientOid } = (await write(parent, PLACE, { ...order, triggerPrice: '21000' })).data
    expect(clientOid).not.toBe('plan')
    expect(await openOrder(orderId)).toMatchObject({ delegateType: 'plan_limit' })
  })

  test.each([
    ['an unknown symbol', { symbol: 'NOPEUSDT' }, '40034'],
    ['an unknown side', { side: 'hold' }, '40020'],
    ['a number in place of a string', { size: 1 }, '40020'],
    ['no price', { price: '' }, '40019'],
    ['no force', { force: '' }, '40019'],
    ['a negative size', { size: '-1' }, '40020'],
    ['more decimals than the pair has', { size: '0.0000001' }, '40020'],
    ['more than is there', { size: '50' }, '40754'],
    ['a receiveWindow and no requestTime', { receiveWindow: '5000' }, '40019'],
    ['a requestTime outside the receiveWindow', { receiveWindow: '5000', requestTime: '1' }, '40008'],
  ])('is refused with %s', async (_, part, code) => {
    expect((await write(parent, PLACE, { ...limitOrder, ...part })).code).toBe(code)
  })

  test('beyond four hundred resting ones is refused', async () => {
    const rich = sandbox.accounts.find(({ roles }) => roles.includes('broker'))!
    const small = { ...limitOrder, symbol: 'XRPUSDT', price: '0.0001', size: '0.0001' }
    const codes = new Set<string>()
    let placed = 0
    for (let count = 0; count < 400; count++) {
      const { code } = await write(rich, PLACE, small)
      codes.add(code)
      if (code === '00000') placed++
    }
    const { list } = await read(rich, '/api/v3/trade/unfilled-orders')
    expect(list).toHaveLength(100)
    expect(placed).toBeGreaterThan(390)
    expect([...codes]).toEqual(['00000', '43005'])
  })
})

describe('a batch of modifications', () => {
  const place = async (): Promise<string> => (await write(parent, PLACE, limitOrder)).data.orderId

  test('changes price and quantity, and an order that then crosses is filled', async () => {
    const [first, second] = [await place(), await place()]
    const { data } = await write(parent, MODIFY, [
      { orderId: first, price: '21000', qty: '0.003' },
      { orderId: second, price: '500000', qty: '0.001' },
    ])
    expect(data.map(({ orderId }: Row) => orderId)).toEqual([first, second])
    expect(await openOrder(first)).toMatchObject({ price: '21000', qty: '0.003' })
    expect(await closedOrder(second)).toMatchObject({ orderStatus: 'filled', cumExecQty: '0.001' })
  })

  test('is refused as a whole if it is too long, repeats an order, mixes lines or contains a reduce-only order', async () => {
    const orderId = await place()
    const open = (await read(parent, '/api/v3/trade/unfilled-orders')).list as Row[]
    const futures = open.find((order) => order.category !== 'SPOT' && order.reduceOnly === 'NO')
    const reducing = open.find((order) => order.reduceOnly === 'YES')
    const price = '21000'
    for (const batch of [
      [],
      Array.from({ length: 21 }, () => ({ orderId, price })),
      [
        { orderId, price },
        { orderId, price },
      ],
      [
        { orderId, price },
        { clientOid: (await openOrder(orderId))?.clientOid, price },
      ],
      [
        { orderId, price },
        { orderId: futures.orderId, price },
      ],
      [{ orderId: reducing.orderId, price }],
    ]) {
      expect((await write(parent, MODIFY, batch)).code).toBe('40017')
    }
    expect((await write(parent, MODIFY, [{ price }])).code).toBe('40019')
    expect(await openOrder(orderId)).toMatchObject({ price: '20000' })
  })

  test('refuses a single item, and cancels its order if autoCancel says so', async () => {
    const [kept, dropped] = [await place(), await place()]
    const { code, data } = await write(parent, MODIFY, [
      { orderId: kept, qty: '900' },
      { orderId: dropped, qty: '900', autoCancel: 'yes' },
      { orderId: '1', price: '1' },
    ])
    expect(code).toBe('00000')
    expect(data).toEqual([
      { orderId: '', clientOid: '', code: '40754', msg: 'balance not enough: USDT' },
      { orderId: '', clientOid: '', code: '40754', msg: 'balance not enough: USDT' },
      { orderId: '', clientOid: '', code: '43001', msg: 'The order does not exist' },
    ])
    expect(await openOrder(kept)).toMatchObject({ qty: '0.002' })
    expect(await closedOrder(dropped)).toMatchObject({ cancelReason: 'modify_limit_order' })
  })

  test('reports failed items beside the others: no id but the given clientOid', async () => {
    const kept = (await write(parent, PLACE, { ...limitOrder, clientOid: 'kept' })).data
    const good = (await write(parent, PLACE, { ...limitOrder, clientOid: 'good' })).data
    const { code, msg, data } = await write(parent, MODIFY, [
      { ...kept, qty: '900' },
      { orderId: good.orderId, price: '20500' },
      { clientOid: 'nobody', price: '20500' },
      // Not the order before it, although the one's clientOid is the other's orderId.
      { clientOid: good.orderId, price: '20500' },
    ])
    expect([code, msg]).toEqual(['00000', 'success'])
    expect(data).toEqual([
      { orderId: '', clientOid: 'kept', code: '40754', msg: 'balance not enough: USDT' },
      good,
      { orderId: '', clientOid: 'nobody', code: '43001', msg: 'The order does not exist' },
      { orderId: '', clientOid: good.orderId, code: '43001', msg: 'The order does not exist' },
    ])
    expect(await openOrder(kept.orderId)).toMatchObject({ qty: '0.002' })
    expect(await openOrder(good.orderId)).toMatchObject({ price: '20500' })
  })

  test('is allowed five times in a row, and never below what is filled', async () => {
    const orderId = await place()
    for (let count = 1; count <= 5; count++) {
      const { data } = await write(parent, MODIFY, [{ orderId, price: String(20_000 + count) }])
      expect(data[0].code).toBeUndefined()
    }
    expect((await write(parent, MODIFY, [{ orderId, price: '20009' }])).data[0].code).toBe('40034')

    const open = (await read(parent, '/api/v3/trade/unfilled-orders')).list as Row[]
    const partly = open.find((order) => order.orderStatus === 'partially_filled')
    const { data } = await write(parent, MODIFY, [{ orderId: partly.orderId, qty: '0.000001' }])
    expect(data[0].code).toBe('40020')
    expect(
      (await write(parent, MODIFY, [{ orderId: partly.orderId, qty: partly.cumExecQty }])).data[0].code,
    ).toBe(undefined)
    expect(await closedOrder(partly.orderId)).toMatchObject({ orderStatus: 'filled' })
  })
})

test('a futures order that is modified to cross is filled in its own line: a position, and a record in both feeds', async () => {
  const open = (await read(parent, '/api/v3/trade/unfilled-orders', { category: 'USDT-FUTURES' }))
    .list as Row[]
  const { orderId, symbol, qty } = open.find((order) => order.reduceOnly === 'NO')
  const held = async () =>
    ((await read(parent, '/api/v2/mix/position/all-position', { productType: 'USDT-FUTURES' })) as Row[])
      .filter((position) => position.symbol === symbol && position.holdSide === 'long')
      .reduce((sum, { total }) => sum + Number(total), 0)
  const before = await held()
  const { data } = await write(parent, MODIFY, [{ orderId, price: '500000' }])
  expect(data).toEqual([{ orderId, clientOid: expect.stringMatching(/^\d{18}$/) }])
  expect((await held()) - before).toBeCloseTo(Number(qty), 8)
  const from = { startTime: String(NOW.getTime() + 1), endTime: String(NOW.getTime() + DAY_MS) }
  const [unified] = await newRecords(parent, 'USDT-FUTURES')
  const [witness] = await read(parent, '/api/v2/tax/future-record', from)
  expect(unified).toMatchObject({ type: 'OPEN_LONG', coin: 'USDT', amount: '0' })
  expect(witness).toMatchObject({ futureTaxType: 'open_long', symbol, fee: unified.fee, ts: unified.ts })
})

test('after writes of every kind the last record of a coin still has the balance of the truth', async () => {
  const sub = sandbox.accounts[4]!
  const move = { fromUserId: parent.uid, fromType: 'spot', toUserId: sub.uid, toType: 'spot' }
  const writes: [string, Record<string, unknown>][] = [
    [PLACE, { symbol: 'ETHUSDT', side: 'sell', orderType: 'market', force: 'gtc', size: '0.5' }],
    [TRANSFER, { ...move, coin: 'USDC', amount: '10.00000001' }],
    [REPAY, { repayableCoinList: ['USDT', 'BTC', 'ETH', 'SOL'], paymentCoinList: ['USDC', 'USDT'] }],
  ]
  for (const [path, body] of writes) expect((await write(parent, path, body)).code).toBe('00000')
  const rows = [...(await newRecords(parent, 'SPOT')), ...(await newRecords(parent, 'MARGIN'))]
  const last = new Map(
    rows.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)).map((row) => [row.coin, row.balance]),
  )
  expect(last.size).toBeGreaterThanOrEqual(4)
  for (const [coin, quantity] of last) expect(balance(parent.uid, 'UNIFIED', coin)).toBe(quantity)
})

describe('a transfer', () => {
  const subs = () => sandbox.accounts.filter(({ roles }) => roles.includes('sub')).slice(1)

  test('leaves a record on both sides, and the truth changes with it', async () => {
    const [sub] = subs()
    const from = { fromUserId: parent.uid, fromType: 'spot', toUserId: sub!.uid, toType: 'usdt_futures' }
    const { data } = await write(parent, TRANSFER, {
      ...from,
      coin: 'USDT',
      amount: '125.5',
      clientOid: 'move',
    })
    expect(data).toEqual({ transferId: expect.stringMatching(/^\d{19}$/), clientOid: 'move' })
    expect(await newRecords(parent, 'SPOT')).toMatchObject([{ type: 'TRANSFER_OUT', amount: '-125.5' }])
    expect(await newRecords(sub!, 'USDT-FUTURES')).toMatchObject([{ type: 'TRANSFER_IN', amount: '125.5' }])
  })

  test('is recorded on its two sides 24 to 57 ms apart, and either side may be the first', async () => {
    const [sub] = subs()
    const move = {
      fromUserId: parent.uid,
      fromType: 'spot',
      toUserId: sub!.uid,
      toType: 'spot',
      coin: 'USDT',
    }
    for (let count = 1; count <= 12; count++) {
      expect((await write(parent, TRANSFER, { ...move, amount: String(count) })).code).toBe('00000')
    }
    const [out, into] = [await newRecords(parent, 'SPOT'), await newRecords(sub!, 'SPOT')]
    expect([out.length, into.length]).toEqual([12, 12])
    const apart = out.map(({ ts }, index) => Number(into[index].ts) - Number(ts))
    for (const ms of apart) expect(Math.abs(ms)).toBeGreaterThanOrEqual(24)
    for (const ms of apart) expect(Math.abs(ms)).toBeLessThanOrEqual(57)
    expect(new Set(apart.map(Math.sign))).toEqual(new Set([-1, 1]))
  })

  test('goes to P2P, between sub-accounts and inside one', async () => {
    const [one, two] = subs()
    const move = (part: Record<string, string>) =>
      write(parent, TRANSFER, { coin: 'USDT', amount: '5', ...part })
    const at = (from: string, fromType: string, to: string, toType: string) => ({
      fromUserId: from,
      fromType,
      toUserId: to,
      toType,
    })
    const before = Number(balance(two!.uid, 'P2P', 'USDT'))
    expect((await move(at(one!.uid, 'spot', two!.uid, 'p2p'))).code).toBe('00000')
    expect(Number(balance(two!.uid, 'P2P', 'USDT')) - before).toBeCloseTo(5, 8)
    expect((await move(at(one!.uid, 'spot', one!.uid, 'crossed_margin'))).code).toBe('00000')
    expect((await move(at(parent.uid, 'spot', parent.uid, 'p2p'))).code).toBe('40020')
    expect((await move(at(one!.uid, 'spot', one!.uid, 'isolated_margin'))).code).toBe('40019')
    expect((await move(at(one!.uid, 'spot', accountOf(sandbox, 'broker').uid, 'spot'))).code).toBe('40020')
    expect((await move({ ...at(one!.uid, 'spot', two!.uid, 'spot'), amount: '9999999' })).code).toBe('40754')
    const own = { ...at(one!.uid, 'spot', parent.uid, 'spot'), coin: 'USDT', amount: '1' }
    expect((await write(one!, TRANSFER, own)).code).toBe('40014')
  })
})

test('a repayment reduces debts to nothing, after which there is nothing to repay', async () => {
  const debt = async () => (await read(parent, '/api/v3/ins-loan/ltv-convert')).unpaidInfo as Row[]
  const owed = (await debt()).map(({ coin }) => coin)
  expect(owed.length).toBeGreaterThan(0)
  const body = { repayableCoinList: owed, paymentCoinList: ['USDC'] }
  expect((await write(parent, REPAY, body)).data).toMatchObject({ result: 'YES' })
  const types = (await newRecords(parent, 'MARGIN')).map(({ type }) => type)
  expect(types).toEqual(['REPAY_SOURCE_USER_OUT', 'REPAY_TARGET_USER_IN', 'REPAYMENT'])
  expect((await write(parent, REPAY, body)).data).toEqual({ result: 'NO', repayAmount: '0' })
})

test('a small balance is converted into the platform coin, once', async () => {
  const path = '/api/v2/convert/bgb-convert'
  const small = ['ADA', 'PEPE'].filter((coin) => balance(parent.uid, 'UNIFIED', coin) !== '0')
  expect(small.length).toBeGreaterThan(0)
  const { data } = await write(parent, path, { coinList: small })
  expect(data.orderList.map(({ coin }: Row) => coin)).toEqual(small)
  for (const coin of small) expect(balance(parent.uid, 'UNIFIED', coin)).toBe('0')
  expect((await write(parent, path, { coinList: small })).code).toBe('40020')
  expect((await write(parent, path, { coinList: 'BTC' })).code).toBe('40020')
})

describe('a key made by the broker', () => {
  const sub = () => sandbox.accounts[3]!
  const request = () => ({
    subUid: sub().uid,
    passphrase: 'made-for-tests',
    label: 'bot',
    ipList: ['127.0.0.1'],
    permType: 'read_and_write',
    permList: ['spot_trade'],
  })
  const create = (part: Record<string, unknown> = {}) =>
    write(accountOf(sandbox, 'broker'), CREATE_KEY, { ...request(), ...part })

  test('works at once for what it was granted, and for nothing else', async () => {
    const { data } = await create()
    expect(data).toEqual({
      subUid: sub().uid,
      apiKey: expect.any(String),
      secretKey: expect.any(String),
      label: 'bot',
      ipList: ['127.0.0.1'],
      permType: 'read_and_write',
      permList: ['spot_trade'],
    })
    const key = { apiKey: data.apiKey, secret: data.secretKey, passphrase: 'made-for-tests' }
    expect((await write(key, PLACE, { ...limitOrder, price: '9000' })).code).toBe('00000')
    expect((await get(sandbox, key, '/api/v3/account/settings')).code).toBe('40014')
  })

  test('is changed by the broker: what is empty stays, the rest applies at once', async () => {
    const { apiKey, secretKey } = (await create()).data
    const key = { apiKey, secret: secretKey, passphrase: 'made-for-tests' }
    const modify = (part: Record<string, unknown>) =>
      write(accountOf(sandbox, 'broker'), MODIFY_KEY, {
        subUid: sub().uid,
        apiKey,
        passphrase: 'made-for-tests',
        permType: '',
        permList: [],
        ...part,
      })
    const { data } = await modify({ label: 'renamed' })
    expect(data).toMatchObject({ label: 'renamed', permType: 'read_and_write', permList: ['spot_trade'] })
    expect(data.apiKey).toMatch(/^bg_\w{3}\*{4}\w{4}$/)
    expect(data.secretKey).toBeUndefined()
    await modify({ permType: 'readonly' })
    expect((await write(key, PLACE, limitOrder)).code).toBe('40014')
    await modify({ ipList: ['10.0.0.1'] })
    expect((await write(key, PLACE, limitOrder)).code).toBe('40018')
    expect((await modify({ passphrase: 'other-passphrase' })).code).toBe('40036')
  })

  test.each([
    ['a short passphrase', { passphrase: 'short' }, '40020'],
    ['a long label', { label: 'x'.repeat(20) }, '40020'],
    ['too many addresses', { ipList: Array.from({ length: 31 }, () => '10.0.0.1') }, '40020'],
    ['no address for writing', { ipList: [] }, '40019'],
    ['no permission', { permList: [] }, '40019'],
    ['an unknown permission', { permList: ['everything'] }, '40020'],
    ['transfers for reading', { permType: 'readonly', permList: ['wallet_transfer'] }, '40020'],
    ['a stranger’s account', { subUid: '12345' }, '40020'],
  ])('is refused with %s', async (_, part, code) => {
    expect((await create(part)).code).toBe(code)
  })

  test('needs no address for reading, and can only be created by a broker', async () => {
    expect((await create({ permType: 'readonly', ipList: [] })).code).toBe('00000')
    expect((await write(parent, CREATE_KEY, request())).code).toBe('40029')
  })
})
