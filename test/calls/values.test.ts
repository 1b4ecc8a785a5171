// What `key=value` on a command line means, and what a call refuses before anything is sent.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { validateParams } from '../../connectors/params.ts'
import { UsageError } from '../../models/error.ts'
import { readValues } from '../../pipeline/calls/values.ts'
import { temporaryFolder } from '../support/cli.ts'

const read = (endpoint: string, ...words: string[]) => readValues(findEndpoint(endpoint)!, words)

/** The message and the details of what is thrown. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof UsageError) return error.describe()
    throw error
  }
  return 'nothing was thrown'
}

describe('the arguments of a call', () => {
  test('a value is everything after the first equals sign, as text', () => {
    expect(read('spot.placeOrder', 'size=0.10', 'clientOid=a=b', 'price=')).toEqual({
      size: '0.10',
      clientOid: 'a=b',
      price: '',
    })
  })

  test('a field that is a list takes values separated by commas, or JSON', () => {
    expect(read('account.repay', 'repayableCoinList=USDT,ETH', 'paymentCoinList=["BTC"]')).toEqual({
      repayableCoinList: ['USDT', 'ETH'],
      paymentCoinList: ['BTC'],
    })
    expect(read('convert.smallBalances', 'coinList=XRP, SOL')).toEqual({ coinList: ['XRP', 'SOL'] })
    expect(read('broker.modifyApiKey', 'permList=')).toEqual({ permList: [] })
  })

  test('a field that is a text or a list is sent as text if the JSON says so', () => {
    expect(read('convert.smallBalances', 'coinList="XRP,SOL"')).toEqual({ coinList: 'XRP,SOL' })
    expect(refusal(() => read('convert.smallBalances', 'coinList="XRP'))).toContain('coinList: a JSON list')
  })

  test('no field exists before it is given, whatever its name', () => {
    const values = read('account.settings', 'constructor=1', '__proto__=2')
    expect(Object.entries(values)).toEqual([
      ['constructor', '1'],
      ['__proto__', '2'],
    ])
    expect(() => validateParams(findEndpoint('account.settings')!, values)).toThrow(
      'account.settings: constructor is not a field of this endpoint; __proto__ is not a field of this endpoint.',
    )
  })

  test('a JSON list keeps every digit of a bare number', () => {
    expect(read('trade.batchModifyOrders', 'orders=[{"orderId":1507942219670093824,"qty":"0.10"}]')).toEqual({
      orders: [{ orderId: '1507942219670093824', qty: '0.10' }],
    })
  })

  test('a value that begins with @ is the content of that file, and @@ is a plain @', () => {
    const path = join(temporaryFolder(), 'orders.json')
    writeFileSync(path, '[{"orderId":"1","price":"2"}]\n')
    expect(read('trade.batchModifyOrders', `orders=@${path}`)).toEqual({
      orders: [{ orderId: '1', price: '2' }],
    })
    expect(read('broker.createApiKey', 'passphrase=@@home')).toEqual({ passphrase: '@home' })
  })

  test('an argument without a key, a field given twice and broken JSON are refused with an example', () => {
    expect(refusal(() => read('futures.positions', 'USDT-FUTURES'))).toBe(
      [
        'The values for futures.positions cannot be parsed.',
        '  expected: words of the form key=value',
        '  found:    USDT-FUTURES',
        '  next:     Write them as in: `tieout call futures.positions productType=…`.',
      ].join('\n'),
    )
    expect(refusal(() => read('loan.ltv', 'riskUnitId=1', 'riskUnitId=2'))).toContain(
      'riskUnitId is given twice',
    )
    expect(refusal(() => read('account.repay', 'repayableCoinList=["USDT"'))).toContain(
      "next:     Write them as in: `tieout call account.repay repayableCoinList='[…]' paymentCoinList='[…]'`.",
    )
  })

  test('a file that does not exist is named', () => {
    const path = join(temporaryFolder(), 'none.json')
    expect(refusal(() => read('trade.batchModifyOrders', `orders=@${path}`))).toBe(
      [
        'The file for orders cannot be read.',
        `  where:    ${path}`,
        '  expected: a text file',
        '  found:    nothing of this name (ENOENT)',
        '  next:     Correct the path, or write orders=@@… for a value that begins with @.',
      ].join('\n'),
    )
  })
})
