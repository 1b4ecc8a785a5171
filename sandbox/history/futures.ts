// Futures as they happen: positions opened and closed in one or two steps, funding every eight hours with one rate per
// contract for all accounts, and now and then a gamble whose market is known to end in a liquidation.

import type { Account } from '../core/accounts.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../core/clock.ts'
import type { FuturesLine, Side } from '../core/lines.ts'
import { CONTRACTS, type Contract, contractsOf } from '../core/market.ts'
import { cut, least, money, ONE, per, text, times } from '../core/money.ts'
import {
  type FuturesFill,
  fillFuturesOrder,
  findPosition,
  orderSide,
  settleFunding,
} from '../core/positions.ts'
import { Random } from '../core/random.ts'
import type { Venue } from '../core/venue.ts'
import { type Agenda, activeSpan, busySpells, occasions, type Span } from './agenda.ts'
import { guards, limitForce } from './rarities.ts'

export interface FuturesHabit {
  tradesPerWeek: number
  tradesPerBusySpell: number
  /** Dollars of one position, lowest and highest. */
  positionSize: readonly [string, string]
}

const FUNDING_EVERY_MS = 8 * HOUR_MS
/** Reserved for gambles, so that a liquidation never takes an ordinary position with it. */
const GAMBLERS_SYMBOL = 'XRPUSDT'

export function planFutures(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  line: FuturesLine,
  habit: FuturesHabit,
): void {
  const random = new Random(venue.seed, `futures/${line}/${account.name}`)
  const contracts = contractsOf(line).filter(({ symbol }) => symbol !== GAMBLERS_SYMBOL)
  const openings = occasions(random, activeSpan(agenda.span), habit.tradesPerWeek)
  for (const [index, atMs] of openings.entries()) {
    // The last trade of each line is still open when the history ends.
    const isLast = index === openings.length - 1
    const heldMs = isLast ? Number.POSITIVE_INFINITY : random.int(HOUR_MS, 2 * DAY_MS)
    const contract = random.pick(contracts)
    planTrade(agenda, venue, account, random, contract, habit, atMs, heldMs)
    if (isLast) planRestingOrders(agenda, venue, account, contract, habit)
  }
  for (const spell of habit.tradesPerBusySpell > 0 ? busySpells(agenda.span) : []) {
    for (let count = 0; count < habit.tradesPerBusySpell; count++) {
      const atMs = random.int(spell.startMs, spell.endMs)
      planTrade(
        agenda,
        venue,
        account,
        random,
        random.pick(contracts),
        habit,
        atMs,
        random.int(60 * SECOND_MS, HOUR_MS),
      )
    }
  }
}

/** Two orders still open at the end of the history: one far below the market, one reduce-only. */
function planRestingOrders(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  contract: Contract,
  habit: FuturesHabit,
): void {
  const { startMs, endMs } = activeSpan(agenda.span)
  const place = (side: Side, share: bigint, reduceOnly: boolean, quantity: bigint, atMs: number): void => {
    const price = cut((venue.market.contractPrice(contract, atMs) * share) / 100n, contract.pricePlaces)
    venue.placeOrder(account, {
      category: contract.line,
      symbol: contract.symbol,
      orderType: 'limit',
      side: orderSide(reduceOnly ? 'close' : 'open', side),
      price,
      quantity: cut(quantity, contract.quantityPlaces),
      positionSide: side,
      reduceOnly,
      createdMs: atMs,
    })
  }
  agenda.at(Math.max(startMs, endMs - HOUR_MS), (atMs) => {
    const price = venue.market.contractPrice(contract, atMs)
    place('long', 70n, false, per(money(habit.positionSize[0]), price), atMs)
  })
  agenda.at(Math.max(startMs, endMs - 60 * SECOND_MS), (atMs) => {
    const position = account.positions.find(({ symbol }) => symbol === contract.symbol)
    if (position === undefined) return
    place(position.side, position.side === 'long' ? 140n : 60n, true, position.quantity, atMs)
  })
}

function planTrade(
  agenda: Agenda,
  venue: Venue,
  account: Account,
  random: Random,
  contract: Contract,
  habit: FuturesHabit,
  atMs: number,
  heldMs: number,
): void {
  const worth = random.amount(money(habit.positionSize[0]), money(habit.positionSize[1]))
  const drawnSide: Side = random.chance(0.6) ? 'long' : 'short'
  const style = { isLimit: random.chance(0.5), fills: random.pick([1, 1, 1, 2]), leverage: 10 }
  const closesInTwo = random.chance(0.25)
  let held = 0n
  let side = drawnSide

  agenda.at(atMs, () => {
    // In the one-way mode a symbol has one side at a time.
    const opposite: Side = drawnSide === 'long' ? 'short' : 'long'
    if (account.holdMode === 'one_way_mode' && findPosition(account, contract, opposite)) side = opposite
    const price = venue.market.contractPrice(contract, atMs)
    const quantity = cut(per(worth, price), contract.quantityPlaces)
    const coinWorth = times(
      venue.balance(account, contract.line, contract.marginCoin),
      venue.market.dollarPrice(contract.marginCoin, atMs),
    )
    if (quantity === 0n || coinWorth < worth * 2n) return
    execute(venue, account, { contract, side, step: 'open', quantity, price }, style, atMs)
    held = quantity
  })
  const close = (share: 'half' | 'rest') => (closeMs: number) => {
    const position = findPosition(account, contract, side)
    if (held === 0n || position === undefined) return
    const wanted = share === 'half' ? cut(held / 2n, contract.quantityPlaces) : held
    const quantity = least(wanted, position.quantity)
    if (quantity === 0n) return
    held -= quantity
    const price = venue.market.contractPrice(contract, closeMs)
    execute(venue, account, { contract, side, step: 'close', quantity, price }, style, closeMs)
  }
  if (closesInTwo) agenda.at(atMs + Math.floor(heldMs / 2), close('half'))
  agenda.at(atMs + heldMs, close('rest'))
}

interface Style {
  isLimit: boolean
  /** Fills of one order share their millisecond; two equal halves make rows that only their ids distinguish. */
  fills: number
  leverage: number
}

function execute(
  venue: Venue,
  account: Account,
  { contract, side, step, quantity, price }: Omit<FuturesFill, 'leverage'>,
  { isLimit, fills, leverage }: Style,
  atMs: number,
): void {
  const order = venue.placeOrder(account, {
    category: contract.line,
    symbol: contract.symbol,
    orderType: isLimit ? 'limit' : 'market',
    side: orderSide(step, side),
    price: isLimit ? price : 0n,
    quantity,
    timeInForce: isLimit ? limitForce(venue, account, atMs) : 'ioc',
    positionSide: side,
    reduceOnly: step !== 'open',
    createdMs: atMs,
    ...(step === 'open'
      ? guards(venue, account, { price, side: orderSide(step, side), places: contract.pricePlaces }, atMs)
      : {}),
    ...(step === 'liquidate' ? { delegateType: 'liquidation', execType: 'liquidation' as const } : {}),
  })
  const part = cut(quantity / BigInt(fills), contract.quantityPlaces)
  const parts = fills === 1 || part === 0n ? [quantity] : [part, quantity - part]
  for (const filled of parts) {
    fillFuturesOrder(venue, account, order, { contract, side, step, quantity: filled, price, leverage }, atMs)
  }
  venue.closeOrder(account, order, atMs)
}

/** How many milliseconds after the hour positions of classic accounts are settled. */
const CLASSIC_DELAY_MS = [10 * SECOND_MS, 15 * SECOND_MS] as const

/** Funding of every position of every account, three times a day; for a classic account some seconds after the hour. */
export function planFunding(agenda: Agenda, venue: Venue): void {
  const { startMs, endMs } = agenda.span
  const first = (Math.floor(startMs / FUNDING_EVERY_MS) + 1) * FUNDING_EVERY_MS
  for (let tickMs = first; tickMs < endMs; tickMs += FUNDING_EVERY_MS) {
    for (const account of venue.accounts) {
      const random = new Random(venue.seed, `funding/${account.name}/${tickMs}`)
      const delayMs = account.kind === 'classic' ? random.int(...CLASSIC_DELAY_MS) : 0
      agenda.at(tickMs + delayMs, (atMs) => settleAccount(venue, account, tickMs, atMs))
    }
  }
}

/** A contract has one rate for all accounts. */
function settleAccount(venue: Venue, account: Account, tickMs: number, atMs: number): void {
  for (const contract of CONTRACTS) {
    const positions = account.positions.filter(({ symbol }) => symbol === contract.symbol)
    if (positions.length === 0) continue
    const random = new Random(venue.seed, `funding/${contract.symbol}/${tickMs}`)
    const rate = cut(random.amount(money('-0.0001'), money('0.0003')), 6)
    for (const position of positions) settleFunding(venue, account, contract, position, rate, atMs)
  }
}

/**
 * A liquidation: the walk of the next days is looked up first, the losing side is taken, and the leverage is set so
 * that the market's worst hour lies beyond the liquidation price.
 */
export function planGamble(agenda: Agenda, venue: Venue, account: Account, place: number): void {
  const contract = CONTRACTS.find(({ symbol }) => symbol === GAMBLERS_SYMBOL)!
  const span = activeSpan(agenda.span)
  const openMs = Math.floor(span.startMs + (span.endMs - span.startMs) * place)
  const entry = venue.market.contractPrice(contract, openMs)
  const worst = worstHour(
    venue,
    contract,
    { startMs: openMs, endMs: Math.min(openMs + 5 * DAY_MS, span.endMs) },
    entry,
  )
  if (worst === undefined) return
  const { atMs: burstMs, price, side } = worst
  const move = price > entry ? price - entry : entry - price
  const leverage = Math.min(125, Number(entry / move))
  const style = { isLimit: false, fills: 1, leverage }
  agenda.at(openMs, () => {
    const quantity = cut(per(money('900'), entry), contract.quantityPlaces)
    execute(venue, account, { contract, side, step: 'open', quantity, price: entry }, style, openMs)
  })
  agenda.at(burstMs, () => {
    const position = findPosition(account, contract, side)
    if (position === undefined) return
    const { quantity } = position
    execute(venue, account, { contract, side, step: 'liquidate', quantity, price }, style, burstMs)
    venue.publishLiquidation(contract.line, burstMs, {
      symbol: contract.symbol,
      side: side === 'long' ? 'buy' : 'sell',
      price: text(price),
      amount: text(quantity),
    })
  })
}

function worstHour(
  venue: Venue,
  contract: Contract,
  { startMs, endMs }: Span,
  entry: bigint,
): { atMs: number; price: bigint; side: Side } | undefined {
  let worst: { atMs: number; price: bigint; side: Side } | undefined
  let widest = ONE / 1_000_000n
  for (let atMs = startMs + HOUR_MS; atMs <= endMs; atMs += HOUR_MS) {
    const price = venue.market.contractPrice(contract, atMs)
    const move = price > entry ? price - entry : entry - price
    if (move <= widest) continue
    widest = move
    worst = { atMs, price, side: price > entry ? 'short' : 'long' }
  }
  return worst
}
