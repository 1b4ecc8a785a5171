// The invented past of the six accounts: who holds, trades and moves what. Each habit draws from a stream of its own;
// the agenda then runs everything in order of time. The same seed, days and end give the same past.

import type { Account } from '../core/accounts.ts'
import { HOUR_MS, SECOND_MS } from '../core/clock.ts'
import type { BusinessLine } from '../core/lines.ts'
import { COINS } from '../core/market.ts'
import { cut, money, per } from '../core/money.ts'
import { Random } from '../core/random.ts'
import { convertSmallBalance, type Place, walletBalance } from '../core/transfers.ts'
import type { Venue } from '../core/venue.ts'
import { Agenda, activeSpan, occasions } from './agenda.ts'
import { planBursts } from './bursts.ts'
import { planFunding, planFutures, planGamble } from './futures.ts'
import { planLiquidations } from './liquidations.ts'
import { planMargin } from './margin.ts'
import { planP2p } from './p2p.ts'
import { planSpot } from './spot.ts'
import { planTransfer } from './transfers.ts'

type Deposits = readonly (readonly [line: BusinessLine, coin: string, amount: string])[]

export function inventHistory(venue: Venue): void {
  const agenda = new Agenda({ startMs: venue.startMs, endMs: venue.endMs })
  const account = (name: string): Account => venue.named(name)

  const parent = account('parent')
  planDeposits(agenda, venue, parent, [
    ['SPOT', 'USDT', '60000'],
    ['SPOT', 'USDC', '24000'],
    ['SPOT', 'BTC', '0.65'],
    ['SPOT', 'ETH', '9.5'],
    ['SPOT', 'SOL', '80'],
    ['SPOT', 'BGB', '900.75'],
    ['SPOT', 'XRP', '9000'],
  ])
  planSpot(agenda, venue, parent, { ordersPerWeek: 24, ordersPerBusySpell: 240, orderSize: ['60', '1800'] })
  planMargin(agenda, venue, parent, 1.2)
  const futuresSize = ['300', '2600'] as const
  planFutures(agenda, venue, parent, 'USDT-FUTURES', {
    tradesPerWeek: 8,
    tradesPerBusySpell: 280,
    positionSize: futuresSize,
  })
  for (const line of ['COIN-FUTURES', 'USDC-FUTURES'] as const) {
    planFutures(agenda, venue, parent, line, {
      tradesPerWeek: 2,
      tradesPerBusySpell: 0,
      positionSize: futuresSize,
    })
  }
  for (const place of [0.31, 0.76]) planGamble(agenda, venue, parent, place)
  planP2p(agenda, venue, parent, 5)
  planPerks(agenda, venue, parent)

  const classic = account('classic')
  planDeposits(agenda, venue, classic, [
    ['SPOT', 'USDT', '15000'],
    ['SPOT', 'USDC', '6000'],
    ['SPOT', 'BTC', '0.25'],
  ])
  planWalletMoves(agenda, venue, classic)
  for (const line of ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const) {
    const tradesPerWeek = line === 'USDT-FUTURES' ? 8 : 2
    planFutures(agenda, venue, classic, line, {
      tradesPerWeek,
      tradesPerBusySpell: 0,
      positionSize: ['100', '900'],
    })
  }
  planGamble(agenda, venue, classic, 0.6)
  planP2p(agenda, venue, classic, 2)

  planDeposits(agenda, venue, account('broker'), [
    ['SPOT', 'USDT', '9000'],
    ['SPOT', 'BGB', '120'],
  ])
  planDeposits(agenda, venue, account('broker-sub'), [['SPOT', 'USDT', '7000']])
  planFutures(agenda, venue, account('broker-sub'), 'USDT-FUTURES', {
    tradesPerWeek: 3,
    tradesPerBusySpell: 0,
    positionSize: ['80', '500'],
  })
  for (const name of ['broker', 'broker-sub', 'sub-1', 'sub-2']) {
    planSpot(agenda, venue, account(name), {
      ordersPerWeek: 6,
      ordersPerBusySpell: 0,
      orderSize: ['20', '300'],
    })
  }
  planFutures(agenda, venue, account('sub-1'), 'USDT-FUTURES', {
    tradesPerWeek: 5,
    tradesPerBusySpell: 0,
    positionSize: ['100', '700'],
  })
  planMargin(agenda, venue, account('sub-2'), 0.3)
  planP2p(agenda, venue, account('sub-2'), 1)
  planFamilyTransfers(agenda, venue)
  planFunding(agenda, venue)
  planLiquidations(agenda, venue)
  planBursts(agenda, venue)
  agenda.run()
}

/** Funds that arrive within the first hour, so that every chain begins at its first record. */
function planDeposits(agenda: Agenda, venue: Venue, account: Account, deposits: Deposits): void {
  const random = new Random(venue.seed, `deposits/${account.name}`)
  let atMs = agenda.span.startMs
  for (const [line, coin, amount] of deposits) {
    atMs += random.int(30 * SECOND_MS, 300 * SECOND_MS)
    const arriveMs = atMs
    agenda.at(arriveMs, () => {
      venue.post(account, arriveMs, { line, coin, type: 'TRANSFER_IN', amount: money(amount) })
    })
  }
}

/** Parent and sub-accounts share their funds: a large sum at first, then back and forth. */
function planFamilyTransfers(agenda: Agenda, venue: Venue): void {
  const spotOf = (name: string): Place => ({ account: venue.named(name), wallet: 'spot' })
  const parent = spotOf('parent')
  const random = new Random(venue.seed, 'family')
  const legs = new Random(venue.seed, 'legs/family')
  for (const [index, sub] of [spotOf('sub-1'), spotOf('sub-2')].entries()) {
    const firstMs = agenda.span.startMs + HOUR_MS + index * 60 * SECOND_MS
    const gift = (coin: string, amount: string) => () => ({
      from: parent,
      to: sub,
      coin,
      amount: money(amount),
    })
    planTransfer(agenda, venue, legs, firstMs, gift('USDT', '6000'))
    planTransfer(agenda, venue, legs, firstMs + SECOND_MS, gift('BGB', '60.5'))
    for (const atMs of occasions(random, activeSpan(agenda.span), 0.5)) {
      const amount = cut(random.amount(money('50'), money('800')), 2)
      planTransfer(agenda, venue, legs, atMs, () => {
        const subIsRich = walletBalance(venue, sub, 'USDT') > money('4000')
        const [from, to] = subIsRich ? [sub, parent] : [parent, sub]
        if (walletBalance(venue, from, 'USDT') < amount * 3n) return undefined
        return { from, to, coin: 'USDT', amount }
      })
    }
  }
}

/** A classic account funds its futures wallets from a spot wallet that no feed covers. */
function planWalletMoves(agenda: Agenda, venue: Venue, account: Account): void {
  const random = new Random(venue.seed, `wallets/${account.name}`)
  const legs = new Random(venue.seed, `legs/${account.name}`)
  const firstMs = agenda.span.startMs + HOUR_MS
  const at = (wallet: Place['wallet']): Place => ({ account, wallet })
  const fund = [
    ['usdt_futures', 'USDT', '9000'],
    ['usdc_futures', 'USDC', '5000'],
    ['coin_futures', 'BTC', '0.2'],
  ] as const
  for (const [index, [wallet, coin, amount]] of fund.entries()) {
    planTransfer(agenda, venue, legs, firstMs + index * 7 * SECOND_MS, () => ({
      from: at('spot'),
      to: at(wallet),
      coin,
      amount: money(amount),
    }))
  }
  for (const atMs of occasions(random, activeSpan(agenda.span), 0.5)) {
    const amount = cut(random.amount(money('20'), money('300')), 2)
    planTransfer(agenda, venue, legs, atMs, () => {
      const isRich = walletBalance(venue, at('usdt_futures'), 'USDT') > money('8000')
      const [from, to] = isRich ? [at('usdt_futures'), at('spot')] : [at('spot'), at('usdt_futures')]
      if (walletBalance(venue, from, 'USDT') < amount * 3n) return undefined
      return { from, to, coin: 'USDT', amount }
    })
  }
}

/** Coins received only as gifts, so that their balances stay small. */
const DUST_COINS = ['ADA', 'PEPE'] as const

/** Gifts from the venue under OTHER, and a monthly conversion of the remaining small balances. */
function planPerks(agenda: Agenda, venue: Venue, account: Account): void {
  const random = new Random(venue.seed, `perks/${account.name}`)
  const span = activeSpan(agenda.span)
  for (const atMs of occasions(random, span, 0.7)) {
    const coin = random.pick(DUST_COINS)
    const worth = random.amount(money('0.4'), money('2'))
    agenda.at(atMs, () => {
      const amount = cut(per(worth, venue.market.dollarPrice(coin, atMs)), COINS[coin]!.places)
      venue.post(account, atMs, { line: 'OTHER', coin, type: 'SYSTEM_TRANSFER_IN', amount })
    })
  }
  for (const atMs of occasions(random, span, 0.25)) {
    agenda.at(atMs, () => {
      for (const coin of DUST_COINS) convertSmallBalance(venue, account, coin, atMs)
    })
  }
}
