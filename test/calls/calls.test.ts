// `tieout call` for endpoints that read, and for those that write without --write.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { desk, journalText, sandbox } from '../support/calls.ts'
import { command } from '../support/in-process.ts'

describe('a call that reads', () => {
  test('a public endpoint needs no account and leaves the folder of the books unchanged', async () => {
    const venue = await sandbox()
    const { dir, call } = await desk()
    writeFileSync(join(dir, 'tieout.yaml'), `venue:\n  base_url: ${venue.baseUrl}\n`)
    const contracts = (await call('futures.contracts', [
      'productType=USDT-FUTURES',
      'symbol=BTCUSDT',
    ])) as object[]
    expect(contracts).toHaveLength(1)
    expect(contracts[0]).toMatchObject({ symbol: 'BTCUSDT', baseCoin: 'BTC', quoteCoin: 'USDT' })
    expect(readdirSync(dir)).toEqual(['tieout.yaml'])
  })

  test('an endpoint can be named by its section', async () => {
    const { call } = await desk(await sandbox())
    expect(await call('4.17', ['productType=USDC-FUTURES', 'symbol=BTCPERP'])).toMatchObject([
      { symbol: 'BTCPERP' },
    ])
  })

  test('the data is printed as sent, and nothing is journaled', async () => {
    const venue = await sandbox()
    const { dir, call } = await desk(venue)
    expect(await call('account.settings', [], { account: 'parent' })).toMatchObject({
      uid: venue.accounts[0]?.uid,
      accountMode: 'unified',
    })
    expect(await journalText(dir)).toBe('')
  })

  test('a page that is followed by another shows what requests the next', async () => {
    const { call, told } = await desk(await sandbox())
    const values = ['category=SPOT', 'limit=1']
    const first = (await call('trade.orderHistory', values, { account: 'parent' })) as Page
    expect(told).toEqual([`Next page: cursor=${first.cursor}`])
    const second = (await call('trade.orderHistory', [...values, `cursor=${first.cursor}`], {
      account: 'parent',
    })) as Page
    expect(second.list[0]?.orderId).not.toBe(first.list[0]?.orderId)
  })

  test('if pages are numbered, the next one is given by its number, until there are no rows', async () => {
    const { call, told } = await desk(await sandbox())
    const times = [Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)]
    const values = [`startTime=${times[0]}`, `endTime=${times[1]}`, 'showSub=yes', 'pageSize=1']
    const page = async (...more: string[]): Promise<readonly [number, string[]]> => {
      const rows = (await call('broker.customers', [...values, ...more], { account: 'broker' })) as unknown[]
      return [rows.length, [...told]]
    }
    expect(await page()).toEqual([1, ['Next page: pageNo=2']])
    expect(await page('pageNo=2')).toEqual([1, ['Next page: pageNo=3']])
    expect(await page('pageNo=900')).toEqual([0, []])
  })

  test('without --json the data is indented, and characters that would control a terminal are escaped', async () => {
    const { call, printed } = await desk(await sandbox())
    await call('futures.contracts', ['productType=USDC-FUTURES', 'symbol=BTCPERP'], { json: false })
    expect(printed.join('\n')).toMatch(/^\[\n {2}\{\n {4}"symbol": "BTCPERP",\n/)
  })

  test('an account must be named if there are several', async () => {
    const { call } = await desk(await sandbox())
    await expect(call('account.settings')).rejects.toMatchObject({
      exitCode: 2,
      message: 'Several accounts are configured.',
      details: { where: '--account', expected: 'one of parent, classic, broker, broker-sub, sub-1, sub-2' },
    })
  })

  test('without a configuration, an endpoint that is not public is refused', async () => {
    const { dir, call } = await desk()
    await expect(call('account.settings')).rejects.toMatchObject({
      exitCode: 2,
      message: 'There is no configuration.',
    })
    expect(existsSync(join(dir, 'landing.duckdb'))).toBe(false)
  })
})

interface Page {
  readonly list: readonly { readonly orderId: string }[]
  readonly cursor: string
}

describe('a call that breaks a rule', () => {
  test('names the field, the rule and the section, and needs neither account nor venue for it', async () => {
    const { call } = await desk()
    await expect(
      call('tax.records', ['bizType=SPOT', 'startTime=0', 'endTime=604800001']),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'tax.records: endTime must be at most 7 days after startTime.',
      details: { where: 'interface document, 4.19', action: 'Correct these fields. Nothing was sent.' },
    })
  })

  test('names the nearest endpoint for one that does not exist', async () => {
    const { call } = await desk()
    await expect(call('tax.record')).rejects.toMatchObject({
      message: 'There is no endpoint tax.record.',
      details: { expected: 'a name that `tieout endpoints` lists, perhaps tax.records' },
    })
  })
})

describe('a call that writes, without --write', () => {
  const order = ['symbol=BTCUSDT', 'side=buy', 'orderType=limit', 'force=gtc', 'price=1000.50', 'size=0.010']

  test('is printed with method, path and body, and is not sent', async () => {
    const venue = await sandbox()
    const { dir, call, told } = await desk(venue)
    const before = venue.stats()
    expect(await call('spot.placeOrder', order)).toEqual({
      method: 'POST',
      path: '/api/v2/spot/trade/place-order',
      body: {
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        force: 'gtc',
        price: '1000.50',
        size: '0.010',
      },
    })
    expect(told).toEqual([
      'A clientOid will be added, so that the order can be found later.',
      'Nothing was sent: this changes something at the venue. Add --write to send it.',
    ])
    expect(venue.stats()).toEqual(before)
    expect(existsSync(join(dir, 'journal'))).toBe(false)
  })

  test('shows a passphrase as asterisks', async () => {
    const { call } = await desk()
    const values = ['subUid=1', 'passphrase=hush-hush', 'label=x', 'permType=readonly', 'permList=spot_trade']
    expect(await call('broker.createApiKey', values)).toMatchObject({
      body: { subUid: '1', passphrase: '***' },
    })
  })

  test('shows the path with the platform’s own coin, and a list as the whole body if the interface requires it', async () => {
    const { call } = await desk()
    expect(await call('convert.smallBalances', ['coinList=XRP'])).toEqual({
      method: 'POST',
      path: '/api/v2/convert/bgb-convert',
      body: { coinList: ['XRP'] },
    })
    expect(await call('trade.batchModifyOrders', ['orders=[{"orderId":"1","price":"2"}]'])).toMatchObject({
      body: [{ orderId: '1', price: '2' }],
    })
  })
})

describe('the command line', () => {
  test('ends with 0 for what was answered or only shown, 2 for a broken rule, 4 for a refusal', async () => {
    const { dir } = await desk(await sandbox())
    const run = (...args: string[]) =>
      command(['call', ...args, '--account', 'parent', '--json', '--dir', dir])
    const cancel = ['trade.cancelOrder', 'orderId=1', 'category=SPOT']
    const [answered, shown, broken, refused] = [
      await run('loan.ltv'),
      await run(...cancel),
      await run('trade.cancelOrder'),
      await run(...cancel, '--write'),
    ]
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(answered.stdout)).toHaveProperty('ltv')
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('Add --write to send it.') })
    expect(broken).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('interface document, 4.8'),
    })
    expect(refused).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('found:    HTTP 400, code'),
    })
  })
})
