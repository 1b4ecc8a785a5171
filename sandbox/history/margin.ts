// Margin trading: an account borrows a coin, trades it, pays interest every eight hours, trades back and repays.
// Crossed and isolated campaigns alternate; the last one of a history is still open, so that 4.15 finds a debt.

import type { Account, Debt } from '../core/accounts.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../core/clock.ts'
import type { MarginType } from '../core/lines.ts'
import { COINS, type SpotPair, spotPair } from '../core/market.ts'
import { cut, least, money, per, times } from '../core/money.ts'
import { Random } from '../core/random.ts'
import { fillSpotOrder } from '../core/trading.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, activeSpan, occasions } from './agenda.ts'
import { cancelReason } from './rarities.ts'

const INTEREST_EVERY_MS = 8 * HOUR_MS
/** Of the principal, for eight hours. */
const INTEREST_RATE = money('0.000085')
const INTEREST_PLACES = 8

interface Campaign {
  marginType: MarginType
  pair: SpotPair
  /** A long campaign borrows the quote coin and buys, a short one borrows the base coin and sells. */
  isLong: boolean
  debt?: Debt
  traded: bigint
}

export function planMargin(agenda: Agenda, venue: Venue, account: Account, campaignsPerWeek: number): void {
  const random = new Random(venue.seed, `margin/${account.name}`)
  const starts = occasions(random, activeSpan(agenda.span), campaignsPerWeek)
  for (const [index, startMs] of starts.entries()) {
    const isLast = index === starts.length - 1
    const endMs = isLast ? Number.POSITIVE_INFINITY : startMs + random.int(DAY_MS, 6 * DAY_MS)
    const campaign: Campaign = {
      marginType: index % 3 === 2 && !isLast ? 'isolated' : 'crossed',
      pair: spotPair(random.pick(['BTCUSDT', 'ETHUSDT', 'SOLUSDT']))!,
      isLong: isLast || random.chance(0.7),
      traded: 0n,
    }
    const worth = random.amount(money('400'), money('3000'))
    agenda.at(startMs, () => borrow(venue, account, campaign, worth, startMs))
    agenda.at(startMs + 20 * SECOND_MS, (atMs) => {
      const { pair, debt } = campaign
      if (debt === undefined) return
      const price = venue.market.spotPrice(pair, atMs)
      const quantity = campaign.isLong ? per(debt.principal, price) : debt.principal
      campaign.traded = trade(venue, account, campaign, campaign.isLong ? 'buy' : 'sell', quantity, atMs)
    })
    const lastInterestMs = Math.min(endMs, agenda.span.endMs)
    const firstInterestMs = (Math.floor(startMs / INTEREST_EVERY_MS) + 1) * INTEREST_EVERY_MS
    for (let atMs = firstInterestMs; atMs < lastInterestMs; atMs += INTEREST_EVERY_MS) {
      // Settlement goes through the accounts one by one, a little after the hour.
      const settleMs = atMs + random.int(400, 90 * SECOND_MS)
      if (settleMs < lastInterestMs)
        agenda.at(settleMs, () => settleInterest(venue, account, campaign, settleMs))
    }
    agenda.at(endMs, () => {
      const { isLong, traded } = campaign
      const quantity = isLong ? traded : (traded * 1003n) / 1000n
      trade(venue, account, campaign, isLong ? 'sell' : 'buy', quantity, endMs)
    })
    agenda.at(endMs + 5 * SECOND_MS, (atMs) => repay(venue, account, campaign, atMs))
  }
}

function post(
  venue: Venue,
  account: Account,
  campaign: Campaign,
  type: string,
  coin: string,
  amount: bigint,
  atMs: number,
): void {
  const { marginType } = campaign
  venue.post(account, atMs, {
    line: 'MARGIN',
    marginType,
    coin,
    type: marginType === 'isolated' ? `FIXED_${type}` : type,
    amount,
  })
}

function borrow(venue: Venue, account: Account, campaign: Campaign, worth: bigint, atMs: number): void {
  const coin = campaign.isLong ? campaign.pair.quote : campaign.pair.base
  const principal = cut(per(worth, venue.market.dollarPrice(coin, atMs)), Math.min(4, COINS[coin]!.places))
  if (principal === 0n) return
  campaign.debt = { coin, marginType: campaign.marginType, principal }
  account.debts.push(campaign.debt)
  post(venue, account, campaign, 'BORROW', coin, principal, atMs)
}

/** Trades at the market in two fills and returns how much of the base coin was traded. */
function trade(
  venue: Venue,
  account: Account,
  campaign: Campaign,
  side: 'buy' | 'sell',
  wanted: bigint,
  atMs: number,
): bigint {
  const { pair, marginType } = campaign
  const price = venue.market.spotPrice(pair, atMs)
  const affordable =
    side === 'sell'
      ? venue.balance(account, 'MARGIN', pair.base)
      : per(venue.balance(account, 'MARGIN', pair.quote), price)
  const quantity = cut(least(wanted, affordable), pair.quantityPlaces)
  if (quantity < pair.minQuantity) return 0n
  const order = venue.placeOrder(account, {
    category: 'MARGIN',
    symbol: pair.symbol,
    orderType: 'market',
    side,
    price: 0n,
    quantity,
    amount: times(quantity, price),
    timeInForce: 'ioc',
    marginMode: marginType,
    createdMs: atMs,
  })
  const first = cut(quantity / 2n, pair.quantityPlaces)
  for (const part of [first, quantity - first]) {
    fillSpotOrder(
      venue,
      account,
      order,
      { pair, quantity: part, price, payFeeInPlatformCoin: false, marginType },
      atMs,
    )
  }
  venue.closeOrder(account, order, atMs, cancelReason(venue, account, atMs))
  return order.executedQuantity
}

function settleInterest(venue: Venue, account: Account, { debt, ...campaign }: Campaign, atMs: number): void {
  if (debt === undefined || debt.principal === 0n) return
  const interest = cut(times(debt.principal, INTEREST_RATE), INTEREST_PLACES)
  if (venue.balance(account, 'MARGIN', debt.coin) < interest) return
  post(venue, account, campaign, 'INTEREST_SETTLEMENT_OUT', debt.coin, -interest, atMs)
}

function repay(venue: Venue, account: Account, { debt, ...campaign }: Campaign, atMs: number): void {
  if (debt === undefined) return
  const amount = least(debt.principal, venue.balance(account, 'MARGIN', debt.coin))
  if (amount === 0n) return
  debt.principal -= amount
  account.debts = account.debts.filter(({ principal }) => principal > 0n)
  post(venue, account, campaign, 'REPAYMENT', debt.coin, -amount, atMs)
}
