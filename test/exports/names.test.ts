// Names of accounts and coins in other tools' files: legal there, and never two for one.
import { describe, expect, test } from 'vitest'
import {
  beancountAccounts,
  beancountCommodity,
  hledgerAccounts,
  hledgerCommodity,
} from '../../pipeline/exports/names.ts'

describe('beancount accounts', () => {
  test('each component begins with a capital and holds letters, digits and hyphens', () => {
    const names = [
      'Assets:Venue:main:UNIFIED',
      'Assets:Venue:desk_2:USDT-FUTURES',
      'Expenses:Fees',
      'Revenue:öre',
    ]
    expect([...beancountAccounts(names).values()]).toEqual([
      'Assets:Venue:Main:UNIFIED',
      'Assets:Venue:Desk-2:USDT-FUTURES',
      'Expenses:Fees',
      'Equity:Revenue:X-re',
    ])
  })

  test('names that would become the same stay different, and a valid one stays as it is', () => {
    const names = beancountAccounts([
      'Assets:Venue:Main:SPOT',
      'Assets:Venue:main:SPOT',
      'Assets:Venue:a_b',
      'Assets:Venue:a.b',
    ])
    expect(names.get('Assets:Venue:Main:SPOT')).toBe('Assets:Venue:Main:SPOT')
    expect(names.get('Assets:Venue:main:SPOT')).toMatch(/^Assets:Venue:Main-[0-9A-F]{8}:SPOT$/)
    expect(new Set(names.values()).size).toBe(4)
  })
})

describe('beancount commodities', () => {
  test('a valid coin name stays as it is; any other is escaped, so that it can be read back', () => {
    const coins = ['BTC', '1INCH', 'S', 'aUSD', 'NULL', 'X.S', 'LUNA2.0', 'BTC-']
    expect(coins.map(beancountCommodity)).toEqual([
      'BTC',
      'X.1INCH',
      'X.S',
      'X._0061USD',
      'X.NULL',
      'X.X_002ES',
      'LUNA2.0',
      'X.BTC_002D',
    ])
  })

  test('a coin whose escaped name is too long becomes a hash', () => {
    const [one, other] = [beancountCommodity('币安人生人生'), beancountCommodity('币安人生人死')]
    expect(one).toMatch(/^X'[0-9A-F]{22}$/)
    expect(other).not.toBe(one)
  })
})

describe('hledger names', () => {
  test('accounts and coins stay as they are, unless they would end a name', () => {
    expect([
      ...hledgerAccounts([
        'Assets:Venue:main:UNIFIED',
        'Assets:my bank',
        'Income:a;b',
        'Income:two  blanks',
      ]).values(),
    ]).toEqual(['Assets:Venue:main:UNIFIED', 'Assets:my bank', 'Income:A-b', 'Income:Two--blanks'])
    expect(['1INCH', '币安人生', 'a"b', 'a;b'].map(hledgerCommodity)).toEqual([
      '"1INCH"',
      '"币安人生"',
      '"X._0061_0022_0062"',
      '"X._0061_003B_0062"',
    ])
  })
})
