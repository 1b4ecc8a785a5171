// The P2P wallet: coins bought and sold for fiat money, and moved between this wallet and the trading account. Each
// deal of a merchant has an order (4.23), which alone shows the fiat side; an order may also be cancelled, appealed
// against, or still unpaid when the history ends.

import type { Account } from '../core/accounts.ts'
import { HOUR_MS, SECOND_MS } from '../core/clock.ts'
import { DOLLARS_PER_FIAT } from '../core/market.ts'
import { cut, money, per, text, times } from '../core/money.ts'
import { Random } from '../core/random.ts'
import type { P2pOrder } from '../core/records.ts'
import { type Place, walletBalance } from '../core/transfers.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, activeSpan, occasions } from './agenda.ts'
import { planTransfer } from './transfers.ts'

const NAMES = [
  'Ines Haller',
  'Marek Dvorsky',
  'Lena Okafor',
  'Tomas Lind',
  'Yara Benitez',
  'Pavel Kessler',
] as const

export function planP2p(agenda: Agenda, venue: Venue, account: Account, dealsPerWeek: number): void {
  const random = new Random(venue.seed, `p2p/${account.name}`)
  const span = activeSpan(agenda.span)
  for (const atMs of occasions(random, span, dealsPerWeek)) {
    planDeal(agenda, venue, account, random, atMs, random.int(1, 100) <= 85 ? 'Completed' : 'cancelled')
  }
  // Three deals that are unfinished at the end of the history.
  for (const [index, status] of (['Appeal', 'Paid', 'pending_pay'] as const).entries()) {
    planDeal(
      agenda,
      venue,
      account,
      random,
      Math.max(span.startMs, span.endMs - (3 - index) * HOUR_MS),
      status,
    )
  }
  const legs = new Random(venue.seed, `legs/p2p/${account.name}`)
  const p2p: Place = { account, wallet: 'p2p' }
  const trading: Place = { account, wallet: 'spot' }
  for (const atMs of occasions(random, span, dealsPerWeek / 3)) {
    const share = BigInt(random.int(20, 70))
    planTransfer(agenda, venue, legs, atMs, () => {
      const held = walletBalance(venue, p2p, 'USDT')
      if (held > money('4000')) {
        return { from: p2p, to: trading, coin: 'USDT', amount: cut((held * share) / 100n, 2) }
      }
      const amount = money('1500')
      if (held >= money('1200') || walletBalance(venue, trading, 'USDT') < amount) return undefined
      return { from: trading, to: p2p, coin: 'USDT', amount }
    })
  }
}

function planDeal(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  random: Random,
  atMs: number,
  outcome: P2pOrder['status'],
): void {
  const coin = random.pick(['USDT', 'USDT', 'USDT', 'USDC', 'BTC'])
  const side = random.chance(0.6) ? 'buy' : 'sell'
  const worth = random.amount(money('80'), money('1600'))
  const fiat = random.pick(['USD', 'EUR', 'GBP'])
  const premium = BigInt(random.int(-60, 90))
  const counterparty = random.pick(NAMES)
  const paidMs = atMs + random.int(60 * SECOND_MS, 12 * 60 * SECOND_MS)
  const endMs = paidMs + random.int(30 * SECOND_MS, 20 * 60 * SECOND_MS)
  const numbers = { orderNo: random.digits(18), advNo: random.digits(18), account: random.digits(10) }
  const isMerchant = account.roles.includes('merchant')
  let order: P2pOrder | undefined
  let quantity = 0n

  agenda.at(atMs, () => {
    const dollars = venue.market.dollarPrice(coin, atMs)
    quantity = cut(per(worth, dollars), coin === 'BTC' ? 8 : 2)
    if (quantity === 0n) return
    if (side === 'sell' && venue.books.balance(account.uid, 'P2P', coin) < quantity) {
      quantity = 0n
      return
    }
    if (!isMerchant) return
    const price = cut((per(dollars, money(DOLLARS_PER_FIAT[fiat]!)) * (10_000n + premium)) / 10_000n, 4)
    const deal = { ...numbers, side, coin, fiat, quantity, price, counterparty } as const
    order = listedDeal(venue, account, deal, atMs)
  })
  if (outcome === 'pending_pay') return
  agenda.at(paidMs, () => {
    if (outcome !== 'cancelled') advance(order, 'Paid', paidMs, { paymentTime: String(paidMs) })
  })
  agenda.at(endMs, () => {
    if (outcome === 'Appeal') advance(order, 'Appeal', endMs, { representTime: String(endMs) })
    if (outcome === 'cancelled') advance(order, 'cancelled', endMs, { withdrawTime: String(endMs) })
    if (outcome !== 'Completed' || quantity === 0n) return
    // A sale whose coins have left the wallet in the meantime is cancelled.
    if (side === 'sell' && venue.books.balance(account.uid, 'P2P', coin) < quantity) {
      advance(order, 'cancelled', endMs, { withdrawTime: String(endMs) })
      return
    }
    venue.postP2p(account, endMs, coin, side, quantity)
    advance(order, 'Completed', endMs, { releaseTime: String(endMs) })
  })
}

/** What the two sides of a deal agree on. */
export interface Deal {
  orderNo: string
  advNo: string
  /** Of the counterparty's bank. */
  account: string
  side: 'buy' | 'sell'
  coin: string
  fiat: string
  quantity: bigint
  price: bigint
  counterparty: string
}

/** A merchant's order for a deal that waits for its payment. */
export function listedDeal(venue: Venue, account: Account, deal: Deal, atMs: number): P2pOrder {
  const { side, quantity, price, counterparty } = deal
  return venue.listP2pOrder(account, atMs, {
    orderNo: deal.orderNo,
    advNo: deal.advNo,
    side,
    count: text(quantity),
    coin: deal.coin,
    price: text(price),
    fiat: deal.fiat,
    withdrawTime: '',
    representTime: '',
    releaseTime: '',
    paymentTime: '',
    amount: text(cut(times(quantity, price), 2)),
    status: 'pending_pay',
    buyerRealName: side === 'buy' ? 'Sample Merchant' : counterparty,
    sellerRealName: side === 'buy' ? counterparty : 'Sample Merchant',
    ctime: String(atMs),
    utime: String(atMs),
    paymentInfo: {
      paymethodName: 'Bank Transfer',
      paymethodId: '7',
      paymethodInfo: [
        {
          name: 'Name',
          required: 'yes',
          type: 'number',
          value: side === 'buy' ? counterparty : 'Sample Merchant',
        },
        { name: 'Bank account number', required: 'yes', type: 'number', value: deal.account },
      ],
    },
  })
}

export function advance(
  order: P2pOrder | undefined,
  status: P2pOrder['status'],
  atMs: number,
  times: Partial<P2pOrder>,
): void {
  if (order !== undefined) Object.assign(order, times, { status, utime: String(atMs) })
}
