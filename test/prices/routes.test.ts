// Which series lead from a coin to the reporting currency. By hand.
import { describe, expect, it } from 'vitest'
import { STEPS_MAX } from '../../pipeline/ledger/price-ways.ts'
import { findRoutes } from '../../pipeline/prices/routes.ts'

/** Pairs such as `BTC/USDT`. */
function routes(coins: readonly string[], pairs: readonly string[], hasEcb = false, reporting = 'EUR') {
  const found = findRoutes(coins, {
    reporting,
    hubs: ['USDT', 'BTC'],
    pairs: pairs.map((pair) => {
      const [base = '', quote = ''] = pair.split('/')
      return { symbol: pair.replace('/', ''), base, quote }
    }),
    hasEcb,
  })
  return coins.map((coin) => {
    const legs = found.get(coin)
    if (legs === null || legs === undefined) return null
    return legs.map((leg) => (leg.source === 'ecb' ? `ecb ${leg.currency}` : leg.pair.symbol)).join(' ')
  })
}

describe('the route of a coin', () => {
  it('is the shortest, and of equal ones that over the first quote coin', () => {
    const quotes = ['AAA/BTC', 'AAA/USDT', 'BTC/EUR', 'USDT/EUR']
    expect(routes(['AAA'], quotes)).toEqual(['AAAUSDT USDTEUR'])
    expect(routes(['AAA'], quotes.toReversed())).toEqual(['AAAUSDT USDTEUR'])
    expect(routes(['AAA'], [...quotes, 'AAA/EUR'])).toEqual(['AAAEUR'])
    expect(routes(['AAA'], ['AAA/ZZZ', 'AAA/BTC', 'ZZZ/EUR', 'BTC/EUR'])).toEqual(['AAABTC BTCEUR'])
    expect(routes(['AAA'], ['AAA/ZZZ', 'AAA/YYY', 'ZZZ/EUR', 'YYY/EUR'])).toEqual(['AAAYYY YYYEUR'])
  })

  it('inverts only prices of quote coins and of the reporting currency', () => {
    expect(routes(['AAA'], ['BTC/AAA', 'BTC/EUR'])).toEqual(['BTCAAA BTCEUR'])
    expect(routes(['AAA'], ['EUR/AAA'])).toEqual(['EURAAA'])
    expect(routes(['AAA'], ['CCC/AAA', 'CCC/EUR'])).toEqual([null])
  })

  it('uses reference rates in both directions, if they are configured', () => {
    expect(routes(['AAA', 'USD'], ['AAA/USD'], true)).toEqual(['AAAUSD ecb USD', 'ecb USD'])
    expect(routes(['AAA', 'USD'], ['AAA/USD'], false)).toEqual([null, null])
    expect(routes(['AAA', 'EUR', 'USD'], ['AAA/EUR'], true, 'CAD')).toEqual([
      'AAAEUR ecb CAD',
      'ecb CAD',
      'ecb USD ecb CAD',
    ])
  })

  it('has as many steps as the models take, and no more', () => {
    const codes = [...Array.from({ length: STEPS_MAX + 1 }, (_, nth) => `C${nth}`), 'EUR']
    const chain = codes.slice(1).map((to, nth) => `${codes[nth]}/${to}`)
    expect(chain).toHaveLength(STEPS_MAX + 1)
    const [tooFar, farthest] = routes(['C0', 'C1'], chain)
    expect(tooFar).toBeNull()
    expect(farthest?.split(' ')).toHaveLength(STEPS_MAX)
  })
})
