// Transfers of funds between a parent and its sub-accounts, and conversions of small balances into the platform's coin.
// Interface document, 4.6 and 4.24.

import type { Account } from '../core/accounts.ts'
import { WALLETS } from '../core/lines.ts'
import { COINS, PLATFORM_COIN } from '../core/market.ts'
import { available } from '../core/matching.ts'
import { cut } from '../core/money.ts'
import { Random } from '../core/random.ts'
import {
  beginTransfer,
  convertSmallBalance,
  drawLegs,
  endTransfer,
  isSmallBalance,
} from '../core/transfers.ts'
import type { Venue } from '../core/venue.ts'
import { listOf, oneOf, optional, positive, type Reader, required, string } from '../http/params.ts'
import { Refusal, refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'

const wallet = oneOf(WALLETS)

export const subaccountTransfer = endpoint({
  section: '4.6',
  name: 'wallet.subaccountTransfer',
  method: 'POST',
  path: '/api/v2/spot/wallet/subaccount-transfer',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: ['wallet_transfer'],
  writes: true,
  // According to part 5 this depends on the key: only a parent account's key will do.
  onlyFor: { roles: ['parent'], code: '40014' },
  params: {
    fromType: required(wallet),
    toType: required(wallet),
    amount: required(positive),
    coin: required(string),
    symbol: optional(string),
    clientOid: optional(string),
    fromUserId: required(string),
    toUserId: required(string),
  },
  handle: ({ venue, account, key, params }) => {
    if (key.ipList.length === 0) throw new Refusal('22010', 'The key must be bound to an IP')
    const from = {
      account: memberOf(venue, account, params.fromUserId, 'fromUserId'),
      wallet: params.fromType,
    }
    const to = { account: memberOf(venue, account, params.toUserId, 'toUserId'), wallet: params.toType }
    checkRoute(account, from, to)
    const usesIsolated = params.fromType === 'isolated_margin' || params.toType === 'isolated_margin'
    if (usesIsolated && params.symbol === undefined) throw refusals.missing('symbol')
    const { coin, amount } = params
    if (COINS[coin] === undefined) throw refusals.order(`Parameter ${coin} does not exist`)
    if (cut(amount, 8) !== amount) throw refusals.wrong('amount', 'has more than 8 decimals')
    if (available(venue, from, coin) < amount) throw refusals.balance(coin)
    const atMs = venue.writeTimeMs()
    const transferId = venue.ids.next(atMs)
    const transfer = { from, to, coin, amount }
    const legs = drawLegs(new Random(venue.seed, `legs/${transferId}`))
    beginTransfer(venue, transfer, legs, atMs)
    endTransfer(venue, transfer, legs, atMs + legs.apartMs)
    return { transferId, clientOid: params.clientOid ?? transferId }
  },
})

function memberOf(venue: Venue, parent: Account, uid: string, name: string): Account {
  const member = venue.account(uid)
  if (member === undefined || (member !== parent && member.parentUid !== parent.uid)) {
    throw refusals.wrong(name, 'is neither this account nor a sub-account of it')
  }
  return member
}

/** Between different accounts of the family, or within one sub-account between two of its wallets. */
function checkRoute(
  parent: Account,
  from: { account: Account; wallet: string },
  to: { account: Account; wallet: string },
): void {
  if (from.account !== to.account) return
  if (from.account === parent) throw refusals.wrong('toUserId', 'inner transfers are for sub-accounts only')
  if (from.wallet === to.wallet) throw refusals.wrong('toType', 'is the same as fromType')
}

const coinNames = listOf(string, 100)

/** Documented as a string, sent as an array in the published sample: both are accepted. */
const coinList: Reader<string[]> = (raw, name) =>
  Array.isArray(raw) ? coinNames(raw, name) : string(raw, name).split(',')

export const smallBalances = endpoint({
  section: '4.24',
  name: 'convert.smallBalances',
  method: 'POST',
  path: `/api/v2/convert/${PLATFORM_COIN.toLowerCase()}-convert`,
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['spot_trade'],
  writes: true,
  params: { coinList: required(coinList) },
  handle: ({ venue, account, params }) => {
    const atMs = venue.writeTimeMs()
    const coins = [...new Set(params.coinList)]
    if (coins.length === 0) throw refusals.missing('coinList')
    for (const coin of coins) {
      if (COINS[coin] === undefined) throw refusals.order(`Parameter ${coin} does not exist`)
      if (!isSmallBalance(venue, account, coin, atMs)) {
        throw refusals.wrong('coinList', `${coin} has no small balance`)
      }
    }
    const orderList = coins.map((coin) => {
      const orderId = venue.ids.next(atMs)
      convertSmallBalance(venue, account, coin, atMs)
      return { coin, orderId }
    })
    return { orderList }
  },
})
