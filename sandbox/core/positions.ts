// Futures positions and what their events do to the books: opens carry only a fee, closes the realised result,
// settlements the funding, liquidations the loss. The truth of each symbol is recorded here, as the event happens.

import type { Account, Position } from './accounts.ts'
import type { Side } from './lines.ts'
import type { Contract } from './market.ts'
import { cut, money, ONE, per, times } from './money.ts'
import { noteFill, type Order } from './orders.ts'
import type { Venue } from './venue.ts'

const FEE_RATE = money('0.0006')
const LIQUIDATION_FEE_RATE = money('0.001')
const PLACES = 8

type Step = 'open' | 'close' | 'liquidate'

const HEDGE_TYPES: Record<Step, Record<Side, string>> = {
  open: { long: 'OPEN_LONG', short: 'OPEN_SHORT' },
  close: { long: 'CLOSE_LONG', short: 'CLOSE_SHORT' },
  liquidate: { long: 'BURST_CLOSE_LONG', short: 'BURST_CLOSE_SHORT' },
}
const ONE_WAY_TYPES: Record<Step, Record<Side, string>> = {
  open: { long: 'BUY_DEAL', short: 'SELL_DEAL' },
  close: { long: 'SELL_DEAL', short: 'BUY_DEAL' },
  liquidate: { long: 'BURST_SELL_SSM', short: 'BURST_BUY_SSM' },
}

export function findPosition(account: Account, contract: Contract, side: Side): Position | undefined {
  return account.positions.find((held) => held.symbol === contract.symbol && held.side === side)
}

/** Value of a quantity in the margin coin at a price; an inverse contract's quantity is in that coin already. */
export function notional(contract: Contract, quantity: bigint, price: bigint): bigint {
  return contract.inverse ? quantity : times(quantity, price)
}

/** What closing a quantity at a price would realise, in the margin coin. */
export function profit(contract: Contract, position: Position, quantity: bigint, price: bigint): bigint {
  const move = price - position.averagePrice
  const gain = contract.inverse ? per(times(quantity, move), price) : times(quantity, move)
  return cut(position.side === 'long' ? gain : -gain, PLACES)
}

/** The side of an order that takes this step with a position on this side. */
export function orderSide(step: Step, side: Side): 'buy' | 'sell' {
  return (side === 'long') === (step === 'open') ? 'buy' : 'sell'
}

export interface FuturesFill {
  contract: Contract
  side: Side
  step: Step
  quantity: bigint
  price: bigint
  leverage: number
}

/** Executes a part of a futures order against the position on its side. */
export function fillFuturesOrder(
  venue: Venue,
  account: Account,
  order: Order,
  fill: FuturesFill,
  atMs: number,
): void {
  const { contract, side, step, quantity, price } = fill
  const value = notional(contract, quantity, price)
  const fee = cut(times(value, step === 'liquidate' ? LIQUIDATION_FEE_RATE : FEE_RATE), PLACES)
  const position = findPosition(account, contract, side) ?? openPosition(account, fill, atMs)
  const realised = step === 'open' ? 0n : profit(contract, position, quantity, price)
  if (step === 'open') {
    const total = position.quantity + quantity
    const cost = times(position.quantity, position.averagePrice) + times(quantity, price)
    position.averagePrice = cut(per(cost, total), PLACES)
    position.quantity = total
  } else {
    position.quantity -= quantity
    position.realised += realised
  }
  position.fees += fee
  position.updatedMs = atMs
  account.positions = account.positions.filter((held) => held.quantity > 0n)

  const types = account.holdMode === 'hedge_mode' ? HEDGE_TYPES : ONE_WAY_TYPES
  const { line, symbol, marginCoin } = contract
  venue.post(account, atMs, {
    line,
    symbol,
    coin: marginCoin,
    type: types[step][side],
    amount: realised,
    fee: -fee,
  })
  venue.books.futuresResult(account.uid, line, symbol, marginCoin, { realisedPnl: realised, fees: -fee })
  noteFill(order, { quantity, value: times(quantity, price), feeCoin: marginCoin, fee, atMs })
}

function openPosition(account: Account, { contract, side, leverage }: FuturesFill, atMs: number): Position {
  const position: Position = {
    line: contract.line,
    symbol: contract.symbol,
    side,
    quantity: 0n,
    averagePrice: 0n,
    leverage,
    realised: 0n,
    funding: 0n,
    fees: 0n,
    openedMs: atMs,
    updatedMs: atMs,
  }
  account.positions.push(position)
  return position
}

/** Settles funding on one position; a positive rate is paid by longs to shorts. */
export function settleFunding(
  venue: Venue,
  account: Account,
  contract: Contract,
  position: Position,
  rate: bigint,
  atMs: number,
): void {
  const value = notional(contract, position.quantity, venue.market.contractPrice(contract, atMs))
  const due = cut(times(value, rate), PLACES)
  const amount = position.side === 'long' ? -due : due
  if (amount === 0n) return
  position.funding += amount
  const { line, symbol, marginCoin } = contract
  const type = amount > 0n ? 'CONTRACT_MAIN_SETTLE_FEE_USER_IN' : 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT'
  venue.post(account, atMs, { line, symbol, coin: marginCoin, type, amount })
  venue.books.futuresResult(account.uid, line, symbol, marginCoin, { funding: amount })
}

/** The price at which a position's margin is nearly used up. */
export function liquidationPrice(contract: Contract, position: Position): bigint {
  const distance = (position.averagePrice * 95n) / (100n * BigInt(position.leverage))
  const price = position.side === 'long' ? position.averagePrice - distance : position.averagePrice + distance
  return cut(price > 0n ? price : ONE / 1000n, contract.pricePlaces)
}
