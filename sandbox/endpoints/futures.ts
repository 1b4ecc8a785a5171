// Futures of an account: its positions, and the assets of its sub-accounts in a product line. Interface document, 4.12,
// 4.13, 2.4 and 2.5.

import type { Account, Position } from '../core/accounts.ts'
import { FUTURES_LINES, type FuturesLine } from '../core/lines.ts'
import { CONTRACTS, contractsOf } from '../core/market.ts'
import { openOrders } from '../core/matching.ts'
import { cut, money, ONE, per, text, times } from '../core/money.ts'
import { liquidationPrice, notional, profit } from '../core/positions.ts'
import type { Venue } from '../core/venue.ts'
import { capitals, oneOf, optional, required } from '../http/params.ts'
import { endpoint } from './endpoint.ts'

const KEEP_MARGIN_RATE = money('0.004')

export const positions = endpoint({
  section: '4.12',
  name: 'futures.positions',
  method: 'GET',
  path: '/api/v2/mix/position/all-position',
  rate: { count: 5, perMs: 1_000, scope: 'uid' },
  permissions: ['contract_position', 'contract_order'],
  params: { productType: required(oneOf(FUTURES_LINES)), marginCoin: optional(capitals) },
  handle: ({ venue, account, params, nowMs }) =>
    account.positions
      .filter(({ line }) => line === params.productType)
      .toSorted((a, b) => b.openedMs - a.openedMs)
      .map((position) => positionRow(venue, account, position, nowMs))
      .filter(({ marginCoin }) => params.marginCoin === undefined || params.marginCoin === marginCoin),
})

function positionRow(venue: Venue, account: Account, position: Position, nowMs: number) {
  const contract = CONTRACTS.find(({ symbol }) => symbol === position.symbol)!
  const mark = venue.market.contractPrice(contract, nowMs)
  const margin = cut(
    notional(contract, position.quantity, position.averagePrice) / BigInt(position.leverage),
    8,
  )
  const closing = openOrders(account).filter((order) => order.reduceOnly && order.symbol === position.symbol)
  const locked = closing.reduce((sum, order) => sum + order.quantity - order.executedQuantity, 0n)
  const opening = openOrders(account)
    .filter(
      (order) =>
        !order.reduceOnly && order.symbol === position.symbol && order.positionSide === position.side,
    )
    .reduce((sum, order) => sum + order.quantity - order.executedQuantity, 0n)
  const perUnit = cut(per(position.fees - position.funding, position.quantity), contract.pricePlaces)
  return {
    marginCoin: contract.marginCoin,
    symbol: position.symbol,
    holdSide: position.side,
    openDelegateSize: text(opening),
    marginSize: text(margin),
    available: text(position.quantity - locked),
    locked: text(locked),
    total: text(position.quantity),
    leverage: String(position.leverage),
    achievedProfits: text(position.realised),
    openPriceAvg: text(position.averagePrice),
    marginMode: 'crossed',
    posMode: account.holdMode,
    unrealizedPL: text(profit(contract, position, position.quantity, mark)),
    liquidationPrice: text(liquidationPrice(contract, position)),
    keepMarginRate: text(KEEP_MARGIN_RATE),
    markPrice: text(mark),
    marginRatio: text(cut(times(KEEP_MARGIN_RATE, BigInt(position.leverage) * ONE), 4)),
    breakEvenPrice: text(
      position.side === 'long' ? position.averagePrice + perUnit : position.averagePrice - perUnit,
    ),
    totalFee: position.funding === 0n ? '' : text(position.funding),
    deductedFee: text(position.fees),
    grant: '',
    assetMode: 'union',
    cashDividend: '',
    autoMargin: 'off',
    takeProfit: '',
    stopLoss: '',
    takeProfitId: '',
    stopLossId: '',
    cTime: String(position.openedMs),
    uTime: String(position.updatedMs),
  }
}

export const subaccountAssets = endpoint({
  section: '4.13',
  name: 'futures.subaccountAssets',
  method: 'GET',
  path: '/api/v2/mix/account/sub-account-assets',
  rate: { count: 1, perMs: 10_000, scope: 'uid' },
  permissions: ['master'],
  // ND brokers may not call it, and otherwise only a parent has sub-accounts.
  onlyFor: {
    roles: ['parent'],
    code: ({ roles }) => (roles.includes('broker') ? '40099' : '40054'),
  },
  params: { productType: required(oneOf(FUTURES_LINES)) },
  handle: ({ venue, account, params, nowMs }) =>
    venue.accounts
      .filter(({ parentUid }) => parentUid === account.uid)
      .map((sub) => ({ userId: sub.uid, assetList: assets(venue, sub, params.productType, nowMs) })),
})

function assets(venue: Venue, sub: Account, line: FuturesLine, nowMs: number): Record<string, unknown>[] {
  const marginCoins = [...new Set(contractsOf(line).map(({ marginCoin }) => marginCoin))]
  return marginCoins.map((marginCoin) => {
    const held = sub.positions
      .map((position) => ({
        position,
        contract: CONTRACTS.find(({ symbol }) => symbol === position.symbol)!,
      }))
      .filter(({ contract }) => contract.line === line && contract.marginCoin === marginCoin)
    const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
    const margin = cut(
      sum(
        held.map(
          ({ position, contract }) =>
            notional(contract, position.quantity, position.averagePrice) / BigInt(position.leverage),
        ),
      ),
      8,
    )
    const unrealised = sum(
      held.map(({ position, contract }) =>
        profit(contract, position, position.quantity, venue.market.contractPrice(contract, nowMs)),
      ),
    )
    const balance = venue.balance(sub, line, marginCoin)
    const free = balance > margin ? balance - margin : 0n
    const equity = balance + unrealised
    const inDollars = times(equity, venue.market.dollarPrice(marginCoin, nowMs))
    return {
      marginCoin,
      locked: '0',
      available: text(balance),
      crossedMaxAvailable: text(free),
      isolatedMaxAvailable: text(free),
      maxTransferOut: text(free),
      accountEquity: text(equity),
      usdtEquity: text(cut(inDollars, 8)),
      btcEquity: text(cut(per(inDollars, venue.market.dollarPrice('BTC', nowMs)), 8)),
      unrealizedPL: text(unrealised),
      coupon: '0',
      crossedUnrealizedPL: text(unrealised),
      isolatedUnrealizedPL: null,
      assetMode: 'union',
      grant: null,
      isolatedMargin: null,
      crossedMargin: text(margin),
    }
  })
}
