// Liquidations of strangers in the last days of the history: the market's, not any account's. They move no balance
// here, and only the public feed lists them (interface document, 4.18).

import { DAY_MS } from '../core/clock.ts'
import { CONTRACTS } from '../core/market.ts'
import { cut, money, per, text } from '../core/money.ts'
import { Random } from '../core/random.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, occasions } from './agenda.ts'

const PAST_DAYS = 4
const PER_WEEK = 160

export function planLiquidations(agenda: Agenda, venue: Venue): void {
  const { startMs, endMs } = agenda.span
  const span = { startMs: Math.max(startMs, endMs - PAST_DAYS * DAY_MS), endMs }
  for (const contract of CONTRACTS) {
    const random = new Random(venue.seed, `liquidations/${contract.symbol}`)
    for (const atMs of occasions(random, span, PER_WEEK)) {
      const worth = random.amount(money('50'), money('90000'))
      const side = random.chance(0.55) ? 'buy' : 'sell'
      // Now and then two identical ones at once: nothing in a record distinguishes them.
      const times = random.chance(0.03) ? 2 : 1
      agenda.at(atMs, () => {
        const price = venue.market.contractPrice(contract, atMs)
        const amount = cut(per(worth, price), contract.quantityPlaces)
        if (amount === 0n) return
        const { line, symbol } = contract
        for (let time = 0; time < times; time++) {
          venue.publishLiquidation(line, atMs, { symbol, side, price: text(price), amount: text(amount) })
        }
      })
    }
  }
}
