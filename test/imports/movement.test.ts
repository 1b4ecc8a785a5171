// What one row of another service's export moves, as mappings of the user's describe it: which amounts belong to a word, in which
// accounts, and under which names of coins.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readExports, refusal } from './service-exports.ts'

const { dir, rows } = readExports()

const file = (text: string): string => {
  const path = join(dir, 'mine.yaml')
  writeFileSync(path, text)
  return path
}

/** Without the id, which is derived from the rest. */
const withoutId = (all: readonly string[]): string[] => all.map((row) => row.slice(row.indexOf(',') + 1))

describe('a row with one amount', () => {
  const HEADER = 'Date,Kind,Amount,Coin,Worth,Money,Fee,Fee coin'
  const text = (words: string, more = '') => `
name: mine
columns: [Date, Kind, Amount, Coin, Worth, Money, Fee, Fee coin]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, amount: Amount, asset: Coin, total: Worth, currency: Money, fee: Fee, fee_currency: Fee coin }
words: { ${words} }
${more}
`
  const made = (words: string, lines: readonly string[], more = '') =>
    withoutId(rows([HEADER, ...lines], { account: 'desk', mapping: file(text(words, more)) }))

  it('states what income and gifts were worth, and nothing for a transfer', () => {
    expect(
      made('Reward: income, Present: gift_in, Given: gift_out, Moved: transfer_in', [
        '2024-02-01,Reward,2,BTC,100,EUR,,',
        '2024-02-02,Present,3,BTC,150,EUR,,',
        '2024-02-03,Given,-1,BTC,60,EUR,,',
        '2024-02-04,Moved,4,BTC,200,EUR,,',
      ]),
    ).toEqual([
      '2024-02-01T00:00:00Z,desk,income,BTC,2,EUR,100,0,',
      '2024-02-02T00:00:00Z,desk,gift_in,BTC,3,EUR,150,0,',
      '2024-02-03T00:00:00Z,desk,gift_out,BTC,1,EUR,60,0,',
      '2024-02-04T00:00:00Z,desk,transfer_in,BTC,4,,,0,',
    ])
  })

  it('has no fee besides if its amount is the whole change of the balance', () => {
    const lines = ['2024-02-01,Sent,-2,BTC,,,0.5,BTC']
    expect(made('Sent: transfer_out', lines)).toEqual([
      '2024-02-01T00:00:00Z,desk,transfer_out,BTC,2,,,0.5,BTC',
    ])
    expect(made('Sent: { as: transfer_out, fee_within: true }', lines)).toEqual([
      '2024-02-01T00:00:00Z,desk,transfer_out,BTC,2,,,0,',
    ])
  })

  it('keeps the name of a coin that is nothing but a suffix, or that is known with its suffix', () => {
    const lines = ['DOT.S', 'ETH2.S', '.S', 'XBT.S'].map(
      (coin, nth) => `2024-02-0${nth + 1},Reward,1,${coin},,,,`,
    )
    expect(
      made('Reward: income', lines, "assets: { ETH2.S: STETH, XBT: BTC }\nasset_suffixes: ['.S']").map(
        (row) => row.split(',')[3],
      ),
    ).toEqual(['DOT', 'STETH', '.S', 'BTC'])
  })

  it('has a word that the mapping defines: a star stands for the last of several cells', () => {
    const lines = ['2024-02-01,Reward,1,BTC,,,,']
    expect(refusal(() => made("'*': income", lines)).message).toBe(
      'The mapping does not define what this row is.',
    )
  })

  it('is paid for as its text states only if all of the text has the form', () => {
    const paid = (note: string) =>
      made("Buy: { as: buy, paid: { column: Fee coin, forms: ['Bought {} {} for {total} {currency}'] } }", [
        `2024-02-01,Buy,2,BTC,100,EUR,,${note}`,
      ]).map((row) => row.split(',').slice(4, 7).join(' '))
    expect(paid('Bought 2 BTC for 110 USD')).toEqual(['2 USD 110'])
    // Each pair of braces is one word.
    expect(paid('Bought 2 BTC and more for 110 USD')).toEqual(['2 EUR 100'])
    expect(paid('Not yet Bought 2 BTC for 110 USD')).toEqual(['2 EUR 100'])
    expect(paid('Bought 2 BTC for 110 USD at most')).toEqual(['2 EUR 100'])
  })
})

describe('a row with an amount received and an amount sent', () => {
  const HEADER = 'Date,Kind,In,In coin,Out,Out coin,Account,To,From'
  const MAPPING = `
name: mine
columns: [Date, Kind, In, In coin, Out, Out coin, Account, To, From]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, in: In, in_asset: In coin, out: Out, out_asset: Out coin, account: Account, in_account: To, out_account: From }
words: { Moved: transfer, Within: internal, Swap: trade, Reward: income, Spent: spend }
`
  const made = (lines: readonly string[], account?: string) =>
    withoutId(
      rows([HEADER, ...lines], { ...(account === undefined ? {} : { account }), mapping: file(MAPPING) }),
    )

  it('leaves and enters the accounts that it names, before its own and before that of the file', () => {
    expect(
      made(
        [
          '2024-02-01,Moved,2,BTC,2,BTC,desk,vault,safe',
          '2024-02-02,Moved,2,BTC,2,BTC,desk,vault,',
          '2024-02-03,Moved,2,BTC,2,BTC,desk,,safe',
          '2024-02-04,Moved,2,BTC,2,BTC,,vault,',
        ],
        'all',
      ),
    ).toEqual([
      '2024-02-01T00:00:00Z,safe,transfer_out,BTC,2,,,0,',
      '2024-02-01T00:00:00Z,vault,transfer_in,BTC,2,,,0,',
      '2024-02-02T00:00:00Z,desk,transfer_out,BTC,2,,,0,',
      '2024-02-02T00:00:00Z,vault,transfer_in,BTC,2,,,0,',
      '2024-02-03T00:00:00Z,safe,transfer_out,BTC,2,,,0,',
      '2024-02-03T00:00:00Z,desk,transfer_in,BTC,2,,,0,',
      '2024-02-04T00:00:00Z,all,transfer_out,BTC,2,,,0,',
      '2024-02-04T00:00:00Z,vault,transfer_in,BTC,2,,,0,',
    ])
    // Nothing else names an account.
    expect(made(['2024-02-01,Reward,2,BTC,,,,,safe', '2024-02-02,Spent,,,2,BTC,,vault,'])).toEqual([
      '2024-02-01T00:00:00Z,safe,income,BTC,2,,,0,',
      '2024-02-02T00:00:00Z,vault,sell,BTC,2,,,0,',
    ])
  })

  it('moves something', () => {
    for (const word of ['Moved', 'Within'])
      expect(refusal(() => made([`2024-02-01,${word},,,,,desk,,`])).message).toBe(
        'The amounts of the row do not match its word.',
      )
  })

  it('has no amount below zero', () => {
    expect(refusal(() => made(['2024-02-01,Reward,-2,BTC,,,desk,,'])).details).toMatchObject({
      where: 'export.csv:2, column In',
      expected: 'a number not below zero',
    })
  })
})
