// What a row of trades has to state by its type, and the lengths of names, at their limits.
import { describe, expect, it } from 'vitest'
import { tradesFormat } from '../../pipeline/imports/trades.ts'
import { refusal } from './service-exports.ts'

const HEADER = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'

/** The values of one row; the time is at the beginning of 2026. */
const values = (id: string, rest: string): readonly unknown[] =>
  tradesFormat.read({
    name: 'trades.csv',
    bytes: Buffer.from(`${HEADER}\n${id},2026-01-01T00:00:00Z,${rest}\n`),
  })[0]?.values ?? []

/** Currency and total, as text. */
const paid = (rest: string): string[] => values('1', rest).slice(7, 9).map(String)

const refused = (id: string, rest: string) => {
  const { message, details } = refusal(() => values(id, rest))
  return [message, details.where]
}

describe('what was paid', () => {
  it('is stated by a purchase and a sale', () => {
    expect(paid('desk,buy,BTC,1,EUR,0,,')).toEqual(['EUR', '0'])
    for (const type of ['buy', 'sell']) {
      const currency = [`A row of type ${type} has no currency.`, 'trades.csv:2, column currency']
      expect(refused('1', `desk,${type},BTC,1,,,,`)).toEqual(currency)
      expect(refused('1', `desk,${type},BTC,1,,5,,`)).toEqual(currency)
      expect(refused('1', `desk,${type},BTC,1,EUR,,,`)).toEqual([
        `A row of type ${type} has no total.`,
        'trades.csv:2, column total',
      ])
    }
  })

  it('may be unknown for income and gifts, or nothing; an amount has its currency, and a currency its amount', () => {
    for (const type of ['income', 'gift_in', 'gift_out']) {
      expect(paid(`desk,${type},BTC,1,,,,`)).toEqual(['null', 'null'])
      expect(paid(`desk,${type},BTC,1,,0,,`)).toEqual(['null', '0'])
      expect(refused('1', `desk,${type},BTC,1,,5,,`)[1]).toBe('trades.csv:2, column currency')
      expect(refused('1', `desk,${type},BTC,1,EUR,,,`)[1]).toBe('trades.csv:2, column total')
    }
  })

  it('is not needed for a transfer, and zero states no value', () => {
    for (const type of ['transfer_in', 'transfer_out']) {
      expect(paid(`desk,${type},BTC,1,,,,`)).toEqual(['null', 'null'])
      expect(paid(`desk,${type},BTC,1,EUR,,,`)).toEqual(['EUR', 'null'])
      expect(paid(`desk,${type},BTC,1,EUR,0,,`)).toEqual(['EUR', 'null'])
      expect(paid(`desk,${type},BTC,1,EUR,0.000000000000000007,,`)).toEqual(['EUR', '7'])
    }
  })
})

describe('a name', () => {
  const BUY = 'desk,buy,BTC,1,EUR,5,,'

  it('has at most 64 characters, and an id 256', () => {
    const [long, longest] = ['a'.repeat(64), 'i'.repeat(256)]
    expect(values(longest, `${long},buy,${long},1,EUR,5,,`).slice(3, 6)).toEqual([long, 'buy', long])
    expect(refused(`${longest}i`, BUY)).toEqual(['Invalid id.', 'trades.csv:2, column id'])
    expect(refused('1', `${long}a,buy,BTC,1,EUR,5,,`)[0]).toBe('Invalid account name.')
    expect(refused('1', `desk,buy,${long}a,1,EUR,5,,`)[0]).toBe('Invalid coin or currency code.')
  })

  it('of a coin has no space within it', () => {
    expect(refused('1', 'desk,buy,B TC,1,EUR,5,,')).toEqual([
      'Invalid coin or currency code.',
      'trades.csv:2, column asset',
    ])
  })

  it('before a colon ties the legs of a transfer; other ids may begin with one', () => {
    expect(values(':1', BUY)[0]).toBe(':1')
    expect(refused(':1', 'desk,transfer_in,BTC,1,,,,')).toEqual([
      'The id of a transfer does not tie its legs.',
      'trades.csv:2, column id',
    ])
  })
})
