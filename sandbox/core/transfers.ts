// Transfers between wallets and accounts, and conversions of small balances: every transfer leaves one record on each
// side that has a feed, some milliseconds apart. Interface document, 4.6 and 4.24.

import { type Account, ledgerOf } from './accounts.ts'
import type { BusinessLine, MarginType, Wallet } from './lines.ts'
import { COINS, PLATFORM_COIN } from './market.ts'
import { cut, money, per, times } from './money.ts'
import type { Random } from './random.ts'
import type { Venue } from './venue.ts'

export interface Place {
  account: Account
  wallet: Wallet
}

const LINE_OF_WALLET: Record<Exclude<Wallet, 'p2p'>, { line: BusinessLine; marginType?: MarginType }> = {
  spot: { line: 'SPOT' },
  usdt_futures: { line: 'USDT-FUTURES' },
  coin_futures: { line: 'COIN-FUTURES' },
  usdc_futures: { line: 'USDC-FUTURES' },
  crossed_margin: { line: 'MARGIN', marginType: 'crossed' },
  isolated_margin: { line: 'MARGIN', marginType: 'isolated' },
}

export function walletBalance(venue: Venue, { account, wallet }: Place, coin: string): bigint {
  return venue.books.balance(account.uid, ledgerAt({ account, wallet }), coin)
}

export interface Transfer {
  from: Place
  to: Place
  coin: string
  amount: bigint
}

/** The two legs of a transfer are recorded one after the other, and either may be the first. */
export interface Legs {
  paysFirst: boolean
  apartMs: number
}

export function drawLegs(random: Random): Legs {
  return { paysFirst: random.chance(0.5), apartMs: random.int(24, 57) }
}

/** The leg that is recorded first; the caller has checked that the sender holds enough. */
export function beginTransfer(venue: Venue, transfer: Transfer, { paysFirst }: Legs, atMs: number): void {
  const { from, to, coin, amount } = transfer
  if (paysFirst) {
    leg(venue, from, coin, -amount, atMs)
  } else {
    venue.books.hold(from.account.uid, ledgerAt(from), coin, amount)
    leg(venue, to, coin, amount, atMs)
  }
}

export function endTransfer(venue: Venue, transfer: Transfer, { paysFirst }: Legs, atMs: number): void {
  const { from, to, coin, amount } = transfer
  if (paysFirst) {
    leg(venue, to, coin, amount, atMs)
  } else {
    venue.books.hold(from.account.uid, ledgerAt(from), coin, -amount)
    leg(venue, from, coin, -amount, atMs)
  }
}

function ledgerAt({ account, wallet }: Place): string {
  return wallet === 'p2p' ? 'P2P' : ledgerOf(account, LINE_OF_WALLET[wallet].line)
}

function leg(venue: Venue, { account, wallet }: Place, coin: string, amount: bigint, atMs: number): void {
  const comesIn = amount > 0n
  if (wallet === 'p2p') {
    venue.postP2p(account, atMs, coin, comesIn ? 'transfer_in' : 'transfer_out', comesIn ? amount : -amount)
  } else {
    const type = comesIn ? 'TRANSFER_IN' : 'TRANSFER_OUT'
    venue.post(account, atMs, { ...LINE_OF_WALLET[wallet], coin, type, amount })
  }
}

/** The value below which a balance is small. */
const SMALL_WORTH = money('10')
const CONVERSION_RATE = money('0.98')

/** What the whole balance of a coin converts to, in the platform coin. */
function converted(venue: Venue, account: Account, coin: string, atMs: number): bigint {
  const worth = times(venue.balance(account, 'SPOT', coin), venue.market.dollarPrice(coin, atMs))
  const received = per(times(worth, CONVERSION_RATE), venue.market.dollarPrice(PLATFORM_COIN, atMs))
  return worth < SMALL_WORTH ? cut(received, COINS[PLATFORM_COIN]!.places) : 0n
}

/** Whether the account has the coin, with a small value that is still enough to be converted into anything. */
export function isSmallBalance(venue: Venue, account: Account, coin: string, atMs: number): boolean {
  return coin !== PLATFORM_COIN && converted(venue, account, coin, atMs) > 0n
}

/** Converts the whole balance of a coin into the platform coin; a balance that is not small stays. */
export function convertSmallBalance(venue: Venue, account: Account, coin: string, atMs: number): void {
  if (!isSmallBalance(venue, account, coin, atMs)) return
  const received = converted(venue, account, coin, atMs)
  const balance = venue.balance(account, 'SPOT', coin)
  const [source, target] = ['SMALL_ASSET_SOURCE_TOKEN_USER_OUT', 'SMALL_ASSET_TARGET_TOKEN_USER_IN'] as const
  venue.post(account, atMs, { line: 'SPOT', coin, type: source, amount: -balance })
  venue.post(account, atMs, { line: 'SPOT', coin: PLATFORM_COIN, type: target, amount: received })
}
