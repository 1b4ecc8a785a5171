// Rows of another service's export as rows of trades: which rows form one trade, what it is priced in, and what carries its fees.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readExports, refusal } from './service-exports.ts'

const { dir, read, rows } = readExports()

const file = (text: string): string => {
  const path = join(dir, 'mine.yaml')
  writeFileSync(path, text)
  return path
}

/** Without the id, which is derived from the rest. */
const withoutId = (all: readonly string[]): string[] => all.map((row) => row.slice(row.indexOf(',') + 1))

describe('rows that form a trade', () => {
  const HEADER = 'Time,Kind,Change,Coin,Ref,Id'
  const mapping = () =>
    file(`
name: mine
columns: [Time, Kind, Change, Coin, Ref, Id]
time: { column: Time, forms: ['YYYY-MM-DD HH:mm:ss.S', 'YYYY-MM-DD HH:mm:ss'] }
fields: { word: Kind, amount: Change, asset: Coin, id: Id, group_id: Ref }
group: [Ref]
words: { Deal: trade, Fee: fee, Reward: income }
`)
  const options = () => ({ account: 'desk', mapping: mapping() })
  const made = (...lines: string[]) => rows([HEADER, ...lines], options())

  it('have the time of the first of them, to the nanosecond', () => {
    const lines = [
      '2024-02-01 09:00:00.000000002,Deal,2,AAA,g1,1',
      '2024-02-01 09:00:00.000000001,Deal,-3,BBB,g1,2',
      '2024-02-01 09:00:05,Fee,-1,CCC,g1,3',
    ]
    expect(made(...lines)).toEqual(['mine-g1,2024-02-01T09:00:00Z,desk,buy,AAA,2,BBB,3,1,CCC'])
    expect(read([HEADER, ...lines], options()).rows.map(({ values }) => values[2])).toEqual([1])
    expect(made('2024-02-01 09:00:05,Deal,2,AAA,g1,1', '2024-02-01 09:00:00,Deal,-3,BBB,g1,2')).toEqual([
      'mine-g1,2024-02-01T09:00:00Z,desk,buy,AAA,2,BBB,3,0,',
    ])
  })

  it('are a purchase, unless what was received is money or a coin that others are priced in', () => {
    const deal = (came: string, left: string) =>
      withoutId(made(`2024-02-01 09:00:00,Deal,2,${came},g1,1`, `2024-02-01 09:00:00,Deal,-3,${left},g1,2`))
    expect(deal('AAA', 'BBB')).toEqual(['2024-02-01T09:00:00Z,desk,buy,AAA,2,BBB,3,0,'])
    expect(deal('AAA', 'USDT')).toEqual(['2024-02-01T09:00:00Z,desk,buy,AAA,2,USDT,3,0,'])
    expect(deal('USDT', 'BBB')).toEqual(['2024-02-01T09:00:00Z,desk,sell,BBB,3,USDT,2,0,'])
  })

  it('have no fee if what was charged was given back, and share the trade equally if several coins were', () => {
    const deal = ['2024-02-01 09:00:00,Deal,2,AAA,g1,1', '2024-02-01 09:00:00,Deal,-3,BBB,g1,2']
    const fee = (amount: string, coin: string) => `2024-02-01 09:00:00,Fee,${amount},${coin},g1,3`
    expect(made(...deal, fee('-1', 'CCC'), fee('1', 'CCC'))).toEqual([
      'mine-g1,2024-02-01T09:00:00Z,desk,buy,AAA,2,BBB,3,0,',
    ])
    // 3 / 2, and the last part has what is left of 10^-18.
    expect(
      made(
        deal[0] as string,
        '2024-02-01 09:00:00,Deal,-0.000000000000000003,BBB,g1,2',
        fee('-1', 'CCC'),
        fee('-4', 'DDD'),
      ),
    ).toEqual([
      'mine-g1,2024-02-01T09:00:00Z,desk,buy,AAA,1,BBB,0.000000000000000001,1,CCC',
      'mine-g1-fee-2,2024-02-01T09:00:00Z,desk,buy,AAA,1,BBB,0.000000000000000002,4,DDD',
    ])
    // A unit cannot be shared.
    expect(
      refusal(() =>
        made(
          deal[0] as string,
          '2024-02-01 09:00:00,Deal,-0.000000000000000001,BBB,g1,2',
          fee('-1', 'CCC'),
          fee('-4', 'DDD'),
        ),
      ).message,
    ).toBe(NO_TRADE)
  })

  const NO_TRADE = 'These rows do not form a trade of one coin for another.'

  it.each([
    ['of two coins received', ['2,AAA', '4,CCC', '-3,BBB']],
    ['of two coins sent', ['2,AAA', '-4,CCC', '-3,BBB']],
    ['of a coin for itself', ['2,AAA', '-3,AAA']],
    ['of nothing sent', ['2,AAA']],
  ])('%s are refused', (_, legs) => {
    const lines = legs.map((leg, nth) => `2024-02-01 09:00:00,Deal,${leg},g1,${nth}`)
    expect(refusal(() => made(...lines)).message).toBe(NO_TRADE)
  })

  it('have the fees of rows of their own, also if other fees are included in the amounts', () => {
    const included = file(`
name: mine
columns: [Date, Kind, Change, Coin, Fee, Fee coin, Ref]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, amount: Change, asset: Coin, fee: Fee, fee_currency: Fee coin, group_id: Ref }
fees: included
group: [Ref]
words: { Deal: trade, Fee: fee }
`)
    const { rows: made, aside } = read(
      [
        'Date,Kind,Change,Coin,Fee,Fee coin,Ref',
        '2024-02-01,Deal,2,AAA,0.1,AAA,g1',
        '2024-02-01,Deal,-3,BBB,,,g1',
        '2024-02-01,Fee,-1,CCC,,,g1',
        // Only mentioned.
        '2024-02-02,Deal,2,AAA,5,DDD,g2',
        '2024-02-02,Deal,-3,BBB,,,g2',
      ],
      { account: 'desk', mapping: included },
    )
    // 2.1 were bought, with fees in two coins.
    expect(
      made.map(({ values }) => [values[0], values[5], values[6], values[8], values[9], values[10]].join(' ')),
    ).toEqual([
      'mine-g1 AAA 1050000000000000000 1500000000000000000 100000000000000000 AAA',
      'mine-g1-fee-2 AAA 1050000000000000000 1500000000000000000 1000000000000000000 CCC',
      'mine-g2 AAA 2000000000000000000 3000000000000000000 0 ',
    ])
    expect(aside).toEqual([{ what: 'fees in a third coin, which mine only mentions', rows: 1, left: [] }])
  })

  it('are of one account: others with the same reference are not among them', () => {
    const ofAccounts = file(`
name: mine
columns: [Date, Kind, Change, Coin, Ref, Wallet]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, amount: Change, asset: Coin, account: Wallet }
group: [Ref]
words: { Deal: trade }
`)
    const deal = (...wallets: string[]) => [
      'Date,Kind,Change,Coin,Ref,Wallet',
      ...wallets.map((wallet, nth) => `2024-02-01,Deal,${nth % 2 === 0 ? '2,AAA' : '-3,BBB'},g1,${wallet}`),
    ]
    const both = { mapping: ofAccounts }
    expect(withoutId(rows(deal('desk', 'desk', 'safe', 'safe'), both))).toEqual([
      '2024-02-01T00:00:00Z,desk,buy,AAA,2,BBB,3,0,',
      '2024-02-01T00:00:00Z,safe,buy,AAA,2,BBB,3,0,',
    ])
    expect(refusal(() => rows(deal('desk', 'safe'), both)).message).toContain('2 cells of the file')
  })

  it('have the id of the group, and other rows their own, without a colon, which would tie the legs of a transfer', () => {
    expect(
      made('2024-02-01 09:00:00,Reward,2,AAA,g1,a:1', '2024-02-01 09:00:00,Reward,2,AAA,g1,a:2').map(
        (row) => row.split(',')[0],
      ),
    ).toEqual(['mine-a.1', 'mine-a.2'])
  })

  it('name the codes that were received, paid and charged', () => {
    const { codes } = read(
      [
        HEADER,
        '2024-02-01 09:00:00,Deal,2,AAA,g1,1',
        '2024-02-01 09:00:00,Deal,-3,BBB,g1,2',
        '2024-02-01 09:00:00,Fee,-1,CCC,g1,3',
      ],
      options(),
    )
    expect([...codes].toSorted()).toEqual(['AAA', 'BBB', 'CCC'])
  })
})

describe('a row with both sides', () => {
  const HEADER = 'Date,Kind,In,In coin,Out,Out coin,Fee,Fee coin,Worth,Money,To,From'
  const mapping = () =>
    file(`
name: mine
columns: [Date, Kind, In, In coin, Out, Out coin, Fee, Fee coin, Worth, Money, To, From]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, in: In, in_asset: In coin, out: Out, out_asset: Out coin, fee: Fee, fee_currency: Fee coin, value: Worth, value_currency: Money, in_account: To, out_account: From }
words: { Moved: transfer, Given: gift_out, Spent: spend, Swap: trade, Reward: income }
`)
  const made = (...lines: string[]) => rows([HEADER, ...lines], { mapping: mapping() })

  it('charges the fee of a transfer once, to the leg out if there is one', () => {
    expect(
      withoutId(
        made(
          '2024-02-01,Moved,2,BTC,3,BTC,1,BTC,,,vault,safe',
          '2024-02-02,Moved,2,BTC,,,1,BTC,,,vault,',
          '2024-02-03,Moved,,,3,BTC,1,BTC,,,,safe',
        ),
      ),
    ).toEqual([
      '2024-02-01T00:00:00Z,safe,transfer_out,BTC,3,,,1,BTC',
      '2024-02-01T00:00:00Z,vault,transfer_in,BTC,2,,,0,',
      '2024-02-02T00:00:00Z,vault,transfer_in,BTC,2,,,1,BTC',
      '2024-02-03T00:00:00Z,safe,transfer_out,BTC,3,,,1,BTC',
    ])
  })

  it('takes gifts and what was spent from the account that they left, gifts with what they were worth', () => {
    expect(
      withoutId(
        made(
          '2024-02-01,Given,,,3,BTC,,,90,EUR,vault,safe',
          '2024-02-02,Spent,,,3,BTC,,,90,EUR,vault,safe',
          '2024-02-03,Reward,3,BTC,,,,,90,EUR,vault,safe',
        ),
      ),
    ).toEqual([
      '2024-02-01T00:00:00Z,safe,gift_out,BTC,3,EUR,90,0,',
      '2024-02-02T00:00:00Z,safe,sell,BTC,3,,,0,',
      '2024-02-03T00:00:00Z,vault,income,BTC,3,EUR,90,0,',
    ])
  })

  it('is no trade between two accounts', () => {
    const swap = (from: string) => () => made(`2024-02-01,Swap,2,AAA,3,BBB,,,,,desk,${from}`)
    expect(withoutId(swap('desk')())).toEqual(['2024-02-01T00:00:00Z,desk,buy,AAA,2,BBB,3,0,'])
    expect(refusal(swap('safe')).message).toBe('These rows do not form a trade of one coin for another.')
  })

  it('counts a rounded cell once, however many rows it makes', () => {
    const line = '2024-02-01,Moved,2.0000000000000000001,BTC,3.0000000000000000001,BTC,,,,,vault,safe'
    const { rows: both } = read([HEADER, line], { mapping: mapping() })
    expect(both.map(({ rounded }) => rounded)).toEqual([2, 0])
  })
})

describe('an id that the service does not give', () => {
  const HEADER = 'Time,Kind,In,In coin,Out,Out coin,Fee,Fee coin,Worth,Money,To'
  const ids = (...lines: string[]) => {
    const mapping = file(`
name: mine
columns: [Time, Kind, In, In coin, Out, Out coin, Fee, Fee coin, Worth, Money, To]
time: { column: Time, forms: ['YYYY-MM-DD HH:mm:ss.S'] }
fields: { word: Kind, in: In, in_asset: In coin, out: Out, out_asset: Out coin, fee: Fee, fee_currency: Fee coin, value: Worth, value_currency: Money, account: To }
words: { Reward: income, Bonus: income }
`)
    return rows([HEADER, ...lines], { mapping }).map((row) => row.split(',')[0] as string)
  }

  it('differs for rows that differ in any of their parts', () => {
    const all = ids(
      '2024-02-01 09:00:00.000000001,Reward,2,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000002,Reward,2,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:01.000000001,Reward,2,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000001,Bonus,2,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000001,Reward,3,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000001,Reward,2,BBB,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000001,Reward,2,AAA,,,3,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.000000001,Reward,2,AAA,,,1,AAA,91,EUR,desk',
      '2024-02-01 09:00:00.000000001,Reward,2,AAA,,,1,AAA,90,EUR,vault',
    )
    for (const id of all) expect(id).toMatch(/^mine-[0-9a-f]{24}$/)
    expect(new Set(all).size).toBe(9)
  })

  it('is the same however the row is written, and numbered if the row is repeated', () => {
    const [first, second, third] = ids(
      '2024-02-01 09:00:00.1,Reward,2,AAA,,,1,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.100,REWARD,2.0,AAA,,,1.00,AAA,90,EUR,desk',
      '2024-02-01 09:00:00.10,reward,2,AAA,,,1,AAA,90.0,EUR,desk',
    )
    expect([second, third]).toEqual([`${first}-2`, `${first}-3`])
  })
})
