// Writes are journaled before they leave and after, and none is sent a second time while its outcome is not known.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeOrder } from '../../connectors/endpoints/spot.ts'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { buildBooks } from '../../pipeline/books/night.ts'
import { readWrites, type Write } from '../../pipeline/books/writes.ts'
import { call } from '../../pipeline/calls/call.ts'
import { withSession } from '../../pipeline/calls/session.ts'
import { listWrites, settleByHand } from '../../pipeline/calls/settle-by-hand.ts'
import { sendWrite } from '../../pipeline/calls/write.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { post } from '../sandbox/client.ts'
import { type Desk, desk, journalText, sandbox, textOf } from '../support/calls.ts'
import { startTieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { lossyWay } from '../support/lossy-way.ts'
import { refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const PLACE = '/api/v2/spot/trade/place-order'
const ORDER = ['symbol=BTCUSDT', 'side=buy', 'orderType=limit', 'force=gtc', 'price=1000', 'size=0.01']
const BODY = '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"1000","size":"0.01"'
const send = { account: 'parent', write: true } as const

/** The writes as a new process finds them. */
async function writesOf({ dir }: Desk): Promise<Write[]> {
  const books = await openBooks(dir, { clock: systemClock, command: 'test' })
  try {
    return await readWrites(books.landing.connection)
  } finally {
    await books.close()
  }
}

const configure = ({ context }: Desk, source: string): void => writeFileSync(context.configFile, source)

interface Orders {
  readonly list: readonly { readonly clientOid: string; readonly orderId: string; readonly price: string }[]
}

const openOrders = async (at: Desk): Promise<Orders['list']> =>
  ((await at.call('trade.openOrders', ['symbol=BTCUSDT'], { account: 'parent' })) as Orders).list

describe('a write', () => {
  test('is journaled as intended before it is sent, and as done afterwards', async () => {
    const at = await desk(await sandbox())
    const placed = (await at.call('spot.placeOrder', ORDER, send)) as { orderId: string; clientOid: string }
    expect(placed.clientOid).toBe('own-1')
    expect((await openOrders(at))[0]).toMatchObject({ ...placed, price: '1000' })
    expect(await writesOf(at)).toMatchObject([
      {
        seq: 1,
        account: 'parent',
        endpoint: 'spot.placeOrder',
        path: PLACE,
        body: `${BODY},"clientOid":"own-1"}`,
        outcome: 'done',
        code: '00000',
        message: 'success',
      },
    ])
  })

  test('keeps a given clientOid, and gives none to an order for which it has no effect', async () => {
    const at = await desk(await sandbox())
    expect(await at.call('spot.placeOrder', [...ORDER, 'clientOid=mine'], send)).toMatchObject({
      clientOid: 'mine',
    })
    await at.call('spot.placeOrder', [...ORDER, 'tpslType=tpsl', 'triggerPrice=900'], send)
    expect((await writesOf(at))[1]?.body).toBe(`${BODY},"triggerPrice":"900","tpslType":"tpsl"}`)
  })

  test('that the venue refuses is journaled as refused, with the venue’s words', async () => {
    const at = await desk(await sandbox())
    const values = ['orderId=1', 'category=SPOT']
    await expect(at.call('trade.cancelOrder', values, send)).rejects.toMatchObject({ name: 'UnknownRefusal' })
    const [write] = await writesOf(at)
    expect(write).toMatchObject({ endpoint: 'trade.cancelOrder', outcome: 'refused' })
    expect(write?.message).toMatch(/\w/)
  })

  test('that is stopped before it is sent was not carried out', async () => {
    const at = await desk(await sandbox())
    const stopped = { ...at.context, signal: AbortSignal.abort() }
    const asked = { endpoint: 'spot.placeOrder', values: ORDER, json: true, newId: () => 'own-1', ...send }
    await expect(call(stopped, asked)).rejects.toMatchObject({ name: 'Stopped' })
    expect(await writesOf(at)).toMatchObject([
      { outcome: 'refused', code: 'stopped', message: 'stopped before it was sent' },
    ])
    expect((await openOrders(at)).filter((order) => order.clientOid === 'own-1')).toEqual([])
  })

  test('whose answer cannot be kept was still carried out; it is kept before that is journaled', async () => {
    const at = await desk(await sandbox())
    const order = {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      force: 'gtc',
      price: '1000',
      size: '0.01',
    }
    const outcomes: unknown[] = []
    await withSession(at.context, 'call', 'parent', async (session) => {
      const sent = sendWrite(session, placeOrder, { ...order, clientOid: 'mine' }, async () => {
        const [write] = await readWrites(session.books.landing.connection)
        outcomes.push(write?.outcome)
        throw new Error('no room')
      })
      await expect(sent).rejects.toThrow('no room')
    })
    outcomes.push((await writesOf(at))[0]?.outcome)
    expect(outcomes).toEqual([null, 'done'])
  })

  test('that fails for a reason of our own stays open: it may have been sent', async () => {
    const at = await desk(await sandbox())
    await withSession(at.context, 'call', 'parent', async (session) => {
      const request = () => Promise.reject(new TypeError('unforeseen'))
      const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '50' }
      const sent = sendWrite({ ...session, client: { request } }, placeOrder, order)
      await expect(sent).rejects.toThrow('unforeseen')
    })
    expect(await writesOf(at)).toMatchObject([{ outcome: null, code: null }])
  })

  test('of an account without a key is refused before anything is journaled', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    configure(at, `venue: { base_url: ${venue.baseUrl} }\naccounts: { nobody: { credentials: file } }\n`)
    await expect(at.call('spot.placeOrder', ORDER, { write: true })).rejects.toMatchObject({
      exitCode: 2,
      message: 'Account nobody has no API key.',
    })
    expect(await writesOf(at)).toEqual([])
  })
})

describe('a write whose answer is lost', () => {
  test('is never sent again; an order is found by its clientOid and the call succeeds', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('answer', PLACE)
    const placed = await at.call('spot.placeOrder', ORDER, send)
    expect(way.arrived.filter((path) => path === PLACE)).toHaveLength(1)
    const [order] = await openOrders(at)
    expect(placed).toEqual({ orderId: order?.orderId, clientOid: 'own-1' })
    const [write] = await writesOf(at)
    expect(write).toMatchObject({
      outcome: 'done',
      code: 'found',
      message: `order ${order?.orderId} was found in trade.openOrders as live`,
    })
  })

  test('an order that was filled at once is found in the history', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('answer', PLACE)
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'size=50']
    expect(await at.call('spot.placeOrder', market, send)).toMatchObject({ clientOid: 'own-1' })
    expect((await writesOf(at))[0]?.message).toMatch(/^order \d+ was found in trade.orderHistory as filled$/)
  })

  test('a filled order of the same clientOid, placed a moment before, is not mistaken for one that never arrived', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'clientOid=mine']
    await at.call('spot.placeOrder', [...market, 'size=50'], send)
    way.lose('request', PLACE)
    const other = [...market, 'size=60']
    await expect(at.call('spot.placeOrder', other, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    const [first, second] = await writesOf(at)
    expect([first?.outcome, second?.outcome]).toEqual(['done', 'unknown'])
    expect(at.told).toContain(
      `Order mine of write ${second?.seq} cannot be distinguished from that of write ${first?.seq}, which has the same clientOid. Check both yourself.`,
    )
  })

  test('an order of the same clientOid that was refused a moment before is not what the history has', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'clientOid=mine']
    const tooMuch = at.call('spot.placeOrder', [...market, 'size=999999999'], send)
    await expect(tooMuch).rejects.toMatchObject({ name: 'UnknownRefusal' })
    way.lose('answer', PLACE)
    expect(await at.call('spot.placeOrder', [...market, 'size=50'], send)).toMatchObject({
      clientOid: 'mine',
    })
    expect((await writesOf(at)).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['refused', expect.any(String)],
      ['done', 'found'],
    ])
  })

  test('only an order of the same account, symbol and clientOid, sent within two minutes before, may be mistaken for it', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    const books = await openBooks(at.dir, { clock: systemClock, command: 'test' })
    for (const more of [
      { account: 'desk' },
      { endpoint: 'wallet.subaccountTransfer' },
      { symbol: 'ETHUSDT' },
      { clientOid: 'other' },
      { ago: 125_000 },
      { clientOid: 'late', ago: 90_000 },
    ]) {
      const one = {
        account: 'parent',
        endpoint: 'spot.placeOrder',
        symbol: 'BTCUSDT',
        clientOid: 'mine',
        ago: 0,
      }
      const { account, endpoint, ago, ...fields } = { ...one, ...more }
      const common = { at: new Date(Date.now() - ago).toISOString(), run: 'before' }
      const who = { account, endpoint, request: { method: 'POST', path: PLACE } } as const
      const body = Buffer.from(JSON.stringify(fields))
      const { seq } = await books.journal.append({ kind: 'write-intent', ...common, ...who }, body)
      const outcome = { outcome: 'done', code: '00000', reason: null } as const
      await books.journal.append({ kind: 'write-outcome', ...common, intent: seq, ...outcome })
    }
    await books.close()
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'size=50']
    way.lose('answer', PLACE)
    const found = { clientOid: 'mine' }
    expect(await at.call('spot.placeOrder', [...market, 'clientOid=mine'], send)).toMatchObject(found)
    way.lose('answer', PLACE)
    const late = at.call('spot.placeOrder', [...market, 'clientOid=late'], send)
    await expect(late).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    // Among the open orders is only one of a clientOid, however many are in the history.
    way.lose('answer', PLACE)
    expect(await at.call('spot.placeOrder', [...ORDER, 'clientOid=mine'], send)).toMatchObject(found)
  })

  test('an order that never arrived stays open: it is reported, and an equal one is not sent', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      exitCode: 5,
    })
    expect(at.told).toContain('Order own-1 of write 1 is neither among the open orders nor in the history.')
    expect(await writesOf(at)).toMatchObject([{ seq: 1, outcome: 'unknown' }])

    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({
      exitCode: 2,
      message: 'The same request may already have been carried out; it was not sent a second time.',
      details: {
        where: 'write 1, spot.placeOrder of account parent',
        action: expect.stringContaining(
          'tieout writes --settle 1 --as done, or --as refused. With clientOid=own-1',
        ),
      },
    })
    expect(at.told[0]).toMatch(
      /^Write 1 \(spot.placeOrder of account parent, .*\) may have been carried out: no conclusive answer arrived/,
    )
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test.each([
    ['spot.placeOrder', PLACE, ORDER, [...ORDER.slice(0, -2), 'price=1000.0', 'size=00.010']],
    [
      'convert.smallBalances',
      '/api/v2/convert/bgb-convert',
      ['coinList=["SOL", "ETH"]'],
      ['coinList="ETH, SOL"'],
    ],
    ['convert.smallBalances', '/api/v2/convert/bgb-convert', ['coinList=ETH'], ['coinList=["ETH"]']],
    [
      'account.repay',
      '/api/v3/account/repay',
      ['repayableCoinList=["BTC", "ETH"]', 'paymentCoinList=["USDT"]'],
      ['repayableCoinList=["ETH", "BTC"]', 'paymentCoinList=["USDT"]'],
    ],
  ])('%s: nor is the same request in other words', async (endpoint, path, values, again) => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', path)
    await expect(at.call(endpoint, values, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    await expect(at.call(endpoint, again, send)).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
    })
    expect(way.arrived.filter((one) => one === path)).toEqual([])
  })

  test('nor is any of its endpoint while what was sent has been erased', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    const erased = await command(['erase', '--dir', at.dir, '--yes', '1'])
    expect(erased.code, erased.stderr).toBe(0)
    const other = ORDER.map((word) => word.replace('size=0.01', 'size=0.02'))
    await expect(at.call('spot.placeOrder', other, send)).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
      details: { found: 'its outcome is unknown, and what was sent has been erased' },
    })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
    const repayment = ['repayableCoinList=USDT', 'paymentCoinList=BTC']
    expect(await at.call('account.repay', repayment, send)).toHaveProperty('result')
    await settleByHand(at.context, 1, 'refused')
    await at.call('spot.placeOrder', other, send)
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([PLACE])
  })

  test('the same limit order may be sent again under the same clientOid, which the venue accepts once', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    await at.call('spot.placeOrder', [...ORDER, 'clientOid=own-1'], send)
    expect((await openOrders(at)).filter((order) => order.clientOid === 'own-1')).toHaveLength(1)
    // The next look finds the order for the first intent too.
    expect((await writesOf(at)).map((write) => write.outcome)).toEqual(['done', 'done'])
  })

  test('the same limit order is not sent again once six hours have passed, for which alone the venue accepts it once', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    const sentAt = Date.now()
    const placeAt = (time: number) =>
      call(
        { ...at.context, clock: { ...systemClock, wall: () => time } },
        {
          ...{ endpoint: 'spot.placeOrder', values: [...ORDER, 'clientOid=own-1'] },
          ...{ json: true, newId: () => '', ...send },
        },
      )
    await expect(placeAt(sentAt)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    await expect(placeAt(sentAt + 6 * 3_600_000)).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
    })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test('nor is a market order, which is never open', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'size=50', 'clientOid=mine']
    await expect(at.call('spot.placeOrder', market, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    await expect(at.call('spot.placeOrder', market, send)).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
    })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test.each(['ioc', 'fok'])(
    'an order that is never open is not sent again under its clientOid, which protects only while it is unfilled (%s)',
    async (force) => {
      const way = await lossyWay(await sandbox())
      const at = await desk(way)
      way.lose('request', PLACE)
      const atOnce = [...ORDER.map((word) => word.replace('gtc', force)), 'clientOid=mine']
      await expect(at.call('spot.placeOrder', atOnce, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
      await expect(at.call('spot.placeOrder', atOnce, send)).rejects.toMatchObject({
        message: 'The same request may already have been carried out; it was not sent a second time.',
        details: { action: expect.stringMatching(/--as done, or --as refused\.$/) },
      })
      expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
    },
  )

  test('an order that cannot be looked for is not sent again under its clientOid: it may be filled', async () => {
    // A classic account: 4.7 is open to it, and the lists of orders are not.
    const venue = await traderVenue({
      ...TRADER,
      '/api/v3/trade/unfilled-orders': () => refused('40084', 400),
      [PLACE]: () => refused('40015', 500),
    })
    const dir = traderBooks(venue.baseUrl, '{}')
    const place = ['call', 'spot.placeOrder', ...ORDER, 'clientOid=mine', '--write', '--dir', dir]
    expect((await command(place)).code).toBe(5)
    const again = await command(place)
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('Order mine of write 1 could not be looked for')
    expect(again.stderr).toContain('it was not sent a second time')
    expect(again.stderr).not.toContain('it can be sent again')
    expect(venue.arrived.filter((path) => path === PLACE)).toHaveLength(1)
  })

  test('whose account has lost its key does not stop what its tax key may still request', async () => {
    const venue = await traderVenue({ ...TRADER, [PLACE]: () => refused('40015', 500) })
    const dir = traderBooks(venue.baseUrl, '{}')
    const place = ['call', 'spot.placeOrder', ...ORDER, 'clientOid=mine', '--write', '--dir', dir]
    expect((await command(place)).code).toBe(5)
    const tax = 'tax_key: "tax-key-01", tax_secret: "tax-secret-01", tax_passphrase: "tax-phrase-01"'
    writeFileSync(join(dir, 'credentials.yaml'), `trader: { ${tax} }\n`, { mode: 0o600 })
    const day = [
      'bizType=SPOT',
      `startTime=${Date.now() - 172_800_000}`,
      `endTime=${Date.now() - 86_400_000}`,
    ]
    const asked = await command(['call', 'tax.records', ...day, '--dir', dir])
    expect(asked.stderr).toContain(
      'Order mine of write 1 could not be looked for: Account trader has no API key.',
    )
    expect(asked).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  test('the same order with another request time is the same order', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    const valid = (from: string, ms: string) => [...ORDER, `requestTime=${from}`, `receiveWindow=${ms}`]
    const first = at.call('spot.placeOrder', valid('1767225600000', '5000'), send)
    await expect(first).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    const again = at.call('spot.placeOrder', valid('1767225660000', '9000'), send)
    await expect(again).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
    })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test('the same order with its numbers written otherwise is the same order', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    const otherwise = ORDER.map((word) => word.replace('price=1000', 'price=1000.0').replace('0.01', '0.010'))
    await expect(at.call('spot.placeOrder', otherwise, send)).rejects.toMatchObject({
      message: 'The same request may already have been carried out; it was not sent a second time.',
    })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test('the same order that also states a default, or something without effect, is the same order', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    const market = ['symbol=BTCUSDT', 'side=buy', 'orderType=market', 'size=50']
    for (const order of [ORDER, market]) {
      way.lose('request', PLACE)
      await expect(at.call('spot.placeOrder', order, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    }
    // Both are defaults of the interface document, and a market order takes no account of force and price.
    for (const same of [
      [...ORDER, 'tpslType=normal', 'stpMode=none'],
      [...market, 'force=ioc', 'price=1000'],
    ])
      await expect(at.call('spot.placeOrder', same, send)).rejects.toMatchObject({
        message: 'The same request may already have been carried out; it was not sent a second time.',
      })
    expect(way.arrived.filter((path) => path === PLACE)).toEqual([])
  })

  test('the same transfer with another id or a symbol that only isolated margin needs is the same transfer', async () => {
    const path = '/api/v2/spot/wallet/subaccount-transfer'
    const venue = await sandbox()
    const way = await lossyWay(venue)
    const at = await desk(way)
    const [parent, , , , sub] = venue.accounts
    const transfer = [
      ...['fromType=spot', 'toType=p2p', 'coin=USDT', 'amount=1'],
      ...[`fromUserId=${parent?.uid}`, `toUserId=${sub?.uid}`],
    ]
    way.lose('answer', path)
    await expect(at.call('wallet.subaccountTransfer', transfer, send)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
    })
    const again = transfer.map((word) => word.replace('amount=1', 'amount=1.0'))
    for (const more of [['clientOid=t2'], ['symbol=BTCUSDT']])
      await expect(at.call('wallet.subaccountTransfer', [...again, ...more], send)).rejects.toMatchObject({
        message: 'The same request may already have been carried out; it was not sent a second time.',
      })
    expect(way.arrived.filter((one) => one === path)).toHaveLength(1)
    const isolated = transfer.map((word) => word.replace('toType=p2p', 'toType=isolated_margin'))
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
      way.lose('answer', path)
      await expect(
        at.call('wallet.subaccountTransfer', [...isolated, `symbol=${symbol}`, 'clientOid=t3'], send),
      ).rejects.toMatchObject({ name: 'OutcomeUnknown' })
      // It has an id and a symbol, and is no order.
      expect(at.told.filter((line) => line.startsWith('Order '))).toEqual([])
    }
  })

  test('another request to the same endpoint is not held up', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    const other = ORDER.map((word) => word.replace('price=1000', 'price=999'))
    expect(await at.call('spot.placeOrder', other, send)).toMatchObject({ clientOid: 'own-2' })

    // An order that is to be cancelled may go by its clientOid alone.
    const cancel = '/api/v3/trade/cancel-order'
    await at.call('spot.placeOrder', [...other, 'clientOid=one'], send)
    await at.call('spot.placeOrder', [...other, 'clientOid=two'], send)
    way.lose('request', cancel)
    const first = at.call('trade.cancelOrder', ['clientOid=one'], send)
    await expect(first).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    expect(await at.call('trade.cancelOrder', ['clientOid=two'], send)).toMatchObject({ clientOid: 'two' })
  })

  test('if the interface has no id of ours, the error says how to find out, and settling it by hand ends it', async () => {
    const venue = await sandbox()
    const way = await lossyWay(venue)
    const at = await desk(way)
    way.lose('answer', '/api/v3/account/repay')
    const values = ['repayableCoinList=USDT', 'paymentCoinList=BTC']
    await expect(at.call('account.repay', values, send)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      details: { action: expect.stringMatching(/^Sync tax.records and look for a repayment/) },
    })
    await expect(at.call('account.repay', values, send)).rejects.toMatchObject({ name: 'UsageError' })
    await settleByHand(at.context, 1, 'done')
    await expect(settleByHand(at.context, 1, 'done')).rejects.toMatchObject({
      message: 'Write 1 is not open.',
    })
    expect(await writesOf(at)).toMatchObject([
      { outcome: 'done', code: 'by hand', message: 'settled by hand' },
    ])
    expect(await at.call('account.repay', values, send)).toHaveProperty('result')
  })

  test('a time-out counts as lost: nothing is sent a second time', async () => {
    const venue = await sandbox({ faults: 'hang' })
    const at = await desk(venue)
    configure(at, textOf(at.dir, 'tieout.yaml').replace('venue:\n', 'venue:\n  timeout_ms: 100\n'))
    const values = ['repayableCoinList=USDT', 'paymentCoinList=BTC']
    await expect(at.call('account.repay', values, send)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      code: 'time-out',
    })
    expect(await writesOf(at)).toMatchObject([
      { outcome: 'unknown', code: 'time-out', message: 'no whole answer within 100 ms' },
    ])
  })
})

describe('an intent without an outcome, which a killed process leaves', () => {
  /** What is left when the process dies with its request on the way. */
  async function killedWith(at: Desk, clientOid: string): Promise<void> {
    const books = await openBooks(at.dir, { clock: systemClock, command: 'test' })
    const request = { method: 'POST', path: PLACE } as const
    const who = { run: 'killed', account: 'parent', endpoint: 'spot.placeOrder', request }
    const body = Buffer.from(`${BODY},"clientOid":"${clientOid}"}`)
    await books.journal.append({ kind: 'write-intent', at: new Date().toISOString(), ...who }, body)
    await books.close()
  }

  test('is reported by the next call, and its order is looked for', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await killedWith(at, 'before')
    await post(venue, venue.accounts[0]!, PLACE, JSON.parse(`${BODY},"clientOid":"before"}`))
    const [order] = await openOrders(at)
    expect(order?.clientOid).toBe('before')
    expect(at.told.slice(0, 3)).toEqual([
      'Landing 1 journaled frame that had not landed when the last run ended.',
      expect.stringMatching(
        /^Write 1 .* may have been carried out: the process ended before the answer arrived\.\n/,
      ),
      `Write 1 was carried out: order ${order?.orderId} was found in trade.openOrders as live (clientOid before).`,
    ])
    expect(await writesOf(at)).toMatchObject([{ outcome: 'done', code: 'found' }])
  })

  test('also holds up the same order in the call that finds it; the next one is another order', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await killedWith(at, 'before')
    await post(venue, venue.accounts[0]!, PLACE, JSON.parse(`${BODY},"clientOid":"before"}`))
    const ours = async () =>
      (await openOrders(at)).filter(({ clientOid }) => /^before$|^own-/.test(clientOid))
    const again = () => at.call('spot.placeOrder', ORDER, send)
    await expect(again()).rejects.toMatchObject({
      exitCode: 2,
      message: 'The same order has already been carried out; it was not sent a second time.',
      details: {
        where: 'write 1, spot.placeOrder of account parent',
        found: expect.stringMatching(/^order \d+, clientOid before$/),
      },
    })
    expect(await ours()).toMatchObject([{ clientOid: 'before' }])
    expect(await again()).toMatchObject({ clientOid: expect.stringMatching(/^own-/) })
    expect(await ours()).toHaveLength(2)
  })

  test('holds up the same order whatever became of the writes before it, but not that of another account', async () => {
    // The venue repeats a secret of ours.
    const order = (clientOid: string, hours: number, orderStatus: string) => ({
      ...{ orderId: '7-api-phrase-01', clientOid, orderStatus },
      createdTime: String(Date.now() - hours * 3_600_000),
    })
    const venue = await traderVenue({
      ...TRADER,
      '/api/v3/trade/unfilled-orders': () => ({ list: [order('old', 7, 'live')], cursor: '' }),
      '/api/v3/trade/history-orders': () => ({ list: [order('twice', 0, 'filled')], cursor: '' }),
      [PLACE]: () => ({ orderId: '8', clientOid: 'mine' }),
    })
    const dir = traderBooks(venue.baseUrl, '{}', '', ['trader', 'other'])
    const books = await openBooks(dir, { clock: systemClock, command: 'test' })
    const open = [
      { endpoint: 'wallet.subaccountTransfer', clientOid: 'transfer', size: '1' },
      { clientOid: 'old', size: '2' },
      { clientOid: 'twice', size: '3' },
      { clientOid: 'twice', size: '4' },
      { clientOid: 'twice', size: '5' },
      { clientOid: 'absent', size: '6' },
      { clientOid: 'later', size: '6' },
      { clientOid: '007', size: '8' },
      { account: 'other', clientOid: 'others', size: '9' },
    ]
    for (const { account = 'trader', endpoint = 'spot.placeOrder', size, clientOid } of open) {
      const request = { method: 'POST', path: PLACE } as const
      const at = new Date().toISOString()
      const fields = endpoint === 'spot.placeOrder' ? { ...JSON.parse(`${BODY}}`), size } : { amount: size }
      const body = Buffer.from(JSON.stringify({ ...fields, clientOid }))
      await books.journal.append(
        { kind: 'write-intent', at, run: 'killed', account, endpoint, request },
        body,
      )
    }
    await books.close()
    const place = (size: string, clientOid: string) => {
      const words = [...ORDER.slice(0, -1), `size=${size}`, `clientOid=${clientOid}`, '--account', 'trader']
      return command(['call', 'spot.placeOrder', ...words, '--write', '--dir', dir])
    }
    const first = await place('3', 'mine')
    // What the venue has of each, in the order in which they were sent.
    expect(first.stderr.match(/^(Order|Write) .* (cannot be|is neither|was carried).*/gm)).toEqual([
      'Order old of write 2 cannot be distinguished from order 7-*************, which is older and has the same clientOid. Check both yourself.',
      'Write 3 was carried out: order 7-************* was found in trade.orderHistory as filled (clientOid twice).',
      'Order twice of write 4 cannot be distinguished from that of write 3, which has the same clientOid. Check both yourself.',
      'Order twice of write 5 cannot be distinguished from that of write 4, which has the same clientOid. Check both yourself.',
      'Order absent of write 6 is neither among the open orders nor in the history.',
      'Order later of write 7 is neither among the open orders nor in the history.',
      'Order 007 of write 8 is neither among the open orders nor in the history.',
    ])
    expect(first.code).toBe(2)
    expect(first.stderr).toContain('where:    write 3, spot.placeOrder of account trader')
    expect(first.stderr).toContain('found:    order 7-*************, clientOid twice')
    for (const [size, clientOid, write] of [
      ['2', 'old', 2],
      ['4', 'twice', 4],
      ['6', 'absent', 7],
      ['8', '7', 8],
    ] as const) {
      const again = await place(size, clientOid)
      expect(again.code).toBe(2)
      expect(again.stderr).toContain(`where:    write ${write}, spot.placeOrder of account trader`)
    }
    expect(venue.arrived).not.toContain(PLACE)
    expect((await place('9', 'mine')).code).toBe(0)
    expect(venue.arrived.filter((path) => path === PLACE)).toEqual([PLACE])
  })

  test('is left by a command line that is killed while it waits, and the order is found afterwards', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    const answered = way.hold(PLACE)
    const { child, ended } = await startTieout([
      'call',
      'spot.placeOrder',
      ...ORDER,
      '--account',
      'parent',
      '--write',
      '--dir',
      at.dir,
    ])
    await answered
    child.kill('SIGKILL')
    await ended
    const [order] = await openOrders(at)
    expect(at.told[0]).toMatch(/may have been carried out: the process ended before the answer arrived/)
    expect(await writesOf(at)).toMatchObject([
      { body: expect.stringContaining(order?.clientOid ?? '-'), code: 'found' },
    ])
    expect(way.arrived.filter((path) => path === PLACE)).toHaveLength(1)
  })

  test('that is stopped while it waits says that the order may have been placed', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    configure(at, textOf(at.dir, 'tieout.yaml').replace('venue:\n', 'venue:\n  timeout_ms: 100\n'))
    const stop = new AbortController()
    const stopped = { ...at.context, signal: stop.signal }
    const asked = { endpoint: 'spot.placeOrder', values: ORDER, ...send, json: true, newId: () => 'own-1' }
    const answered = way.hold(PLACE).then(() => stop.abort())
    await expect(call(stopped, asked)).rejects.toMatchObject({ name: 'OutcomeUnknown', code: 'time-out' })
    await answered
    expect(at.told).toEqual([
      'The outcome of write 1 was not looked up: The request was stopped: trade.openOrders.',
    ])
    expect(await writesOf(at)).toMatchObject([{ outcome: 'unknown', code: 'time-out' }])
  })

  test('is an open break of the books until it is settled', async () => {
    const at = await desk(await sandbox())
    await killedWith(at, 'before')
    const breaks = async (): Promise<readonly unknown[]> => {
      const books = await openBooks(at.dir, { clock: systemClock, command: 'build' })
      const built = await buildBooks(at.context, emptyConfig, books, { publishAnyway: false })
      await books.close()
      return built.openBreaks
    }
    expect(await breaks()).toMatchObject([
      {
        checkName: 'unsettled_write',
        severity: 'warning',
        account: 'parent',
        explanation: expect.stringMatching(
          /^Write 1 \(spot.placeOrder\) may have been carried out: the process ended/,
        ),
      },
    ])
    await settleByHand(at.context, 1, 'refused')
    expect(await breaks()).toEqual([])
  })

  test('stays open if the venue has no such order', async () => {
    const at = await desk(await sandbox())
    await killedWith(at, 'before')
    await openOrders(at)
    expect(at.told).toContain('Order before of write 1 is neither among the open orders nor in the history.')
    expect(await writesOf(at)).toMatchObject([{ seq: 1, outcome: null, code: null }])
  })
})

describe('the list of writes', () => {
  test('shows each with its outcome, and is empty for books that changed nothing', async () => {
    const at = await desk(await sandbox())
    await listWrites(at.context, false)
    expect(at.printed).toEqual(['Nothing was changed at the venue from these books.'])
    await at.call('spot.placeOrder', ORDER, send)
    at.printed.length = 0
    await listWrites(at.context, false)
    expect(at.printed[0]).toMatch(
      /^write {2}at .*\n─+.*\n1 .* parent {3}spot\.placeOrder {2}done .*00000 {2}success\n\nwrite {2}sent *\n─+.*\n1 {6}symbol=BTCUSDT side=buy orderType=limit force=gtc price=1000 size=0\.01 clientOid=own-1$/,
    )
  })
})

describe('the journal', () => {
  test('is enough to rebuild the writes, including the last outcome of each', async () => {
    const way = await lossyWay(await sandbox())
    const at = await desk(way)
    way.lose('request', PLACE)
    await expect(at.call('spot.placeOrder', ORDER, send)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
    await settleByHand(at.context, 1, 'refused')
    const before = await writesOf(at)
    const books = await openBooks(at.dir, { clock: systemClock, command: 'rebuild', rebuild: true })
    expect(await readWrites(books.landing.connection)).toEqual(before)
    await books.close()
    expect(before).toMatchObject([{ outcome: 'refused', code: 'by hand' }])
  })

  test('contains no credential of ours', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await at.call('spot.placeOrder', [...ORDER, `clientOid=${venue.accounts[0]?.passphrase}`], send)
    const text = await journalText(at.dir)
    for (const { apiKey, secret, passphrase } of venue.accounts)
      for (const one of [apiKey, secret, passphrase]) expect(text).not.toContain(one)
  })
})
