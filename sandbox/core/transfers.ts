// Moves between wallets and accounts, and conversions of small balances: every move leaves one record on each side
// that has a feed. Interface document, 4.6 and 4.24.

import type { Account } from './accounts.ts'
import type { BusinessLine, MarginType, Wallet } from './lines.ts'
import { COINS, PLATFORM_COIN } from './market.ts'
import { cut, money, ONE, per, times } from './money.ts'
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
  return wallet === 'p2p'
    ? venue.books.balance(account.uid, 'P2P', coin)
    : venue.balance(account, LINE_OF_WALLET[wallet].line, coin)
}

/** Moves a coin; the caller has seen to it that the sender holds enough. */
export function moveBetween(
  venue: Venue,
  from: Place,
  to: Place,
  coin: string,
  amount: bigint,
  atMs: number,
): void {
  leg(venue, from, coin, -amount, atMs)
  leg(venue, to, coin, amount, atMs)
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

/** Worth below which a balance counts as small. */
const SMALL_WORTH = money('10')
const CONVERSION_RATE = money('0.98')

/** Converts the whole balance of a coin into the platform coin when it is small; tells whether it did. */
export function convertSmallBalance(venue: Venue, account: Account, coin: string, atMs: number): boolean {
  const balance = venue.balance(account, 'SPOT', coin)
  const worth = times(balance, venue.market.dollarPrice(coin, atMs))
  const received = cut(
    per(times(worth, CONVERSION_RATE), venue.market.dollarPrice(PLATFORM_COIN, atMs)),
    COINS[PLATFORM_COIN]!.places,
  )
  if (coin === PLATFORM_COIN || worth >= SMALL_WORTH || received < ONE / 10_000n) return false
  venue.post(account, atMs, {
    line: 'SPOT',
    coin,
    type: 'SMALL_ASSET_SOURCE_TOKEN_USER_OUT',
    amount: -balance,
  })
  venue.post(account, atMs, {
    line: 'SPOT',
    coin: PLATFORM_COIN,
    type: 'SMALL_ASSET_TARGET_TOKEN_USER_IN',
    amount: received,
  })
  return true
}
