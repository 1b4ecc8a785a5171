// Random taxpayers for the models of a law: what happened to them, as facts, and those facts as the lots engine is given them.
// A model reads the facts alone. Whatever they sell, give, move or pay as a fee is in the account that it leaves.
import fc from 'fast-check'
import { formatAmount } from '../../models/amount.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import type { LotEvent } from '../../pipeline/lots/event.ts'
import { publish } from '../reports/books.ts'
import { runUntil } from '../rules/books.ts'
import { ImportedBooks } from '../support/imports.ts'

export const UNIT = 10n ** 18n
const MINUTE_US = 60_000_000n
const SECOND_US = 1_000_000n
const DAY_US = 1_440n * MINUTE_US

/** An amount of a coin, with what all of it is worth. */
export interface Worth {
  readonly coin: string
  readonly quantity: bigint
  readonly value: bigint
}

/** One coin for another, a purchase (`given` is money) or a sale (`got` is money). */
export interface Trade {
  readonly kind: 'trade'
  readonly id: string
  readonly us: bigint
  readonly account: string
  readonly given: Worth | null
  readonly got: Worth | null
  /** Of money if it has no coin; a purchase bears it in its cost, a sale in its proceeds. */
  readonly fee: { readonly coin: string | null; readonly quantity: bigint; readonly value: bigint }
  readonly isPurchase: boolean
  /** Received for nothing that was paid, such as a reward; `got` is what it was worth. */
  readonly isIncome: boolean
}

export interface Gift {
  readonly kind: 'gift'
  readonly id: string
  readonly us: bigint
  readonly account: string
  readonly given: Worth
}

/** Between two accounts of the taxpayer; what does not arrive is the fee of the network. */
export interface Move {
  readonly kind: 'move'
  readonly id: string
  readonly us: bigint
  readonly account: string
  readonly to: string
  readonly arrivesUs: bigint
  readonly coin: string
  readonly quantity: bigint
  readonly lost: Worth
}

export type Fact = Trade | Gift | Move

/** What the engine is told of these facts: the events that the build makes of such records. */
export function eventsOf(facts: readonly Fact[]): LotEvent[] {
  return facts.flatMap((fact, nth): LotEvent[] => {
    let place = BigInt(nth) * 4n
    const event = (
      kind: LotEvent['kind'],
      part: string,
      { coin, quantity, value }: Worth,
      more: Partial<LotEvent> = {},
    ): LotEvent => ({
      account: fact.account,
      happenedAtUs: fact.us,
      place: place++,
      id: `${fact.id}:${part}`,
      ...{ kind, coin, quantity, value, ...more },
    })
    if (fact.kind === 'gift') return [event('give', 'given', fact.given)]
    if (fact.kind === 'move') {
      const { coin, quantity, lost, id: transferId } = fact
      const into = { account: fact.to, happenedAtUs: fact.arrivesUs, transferId, value: null }
      return [
        event('transfer_out', 'out', { ...lost, quantity }, { transferId }),
        event('transfer_in', 'in', { coin, quantity: quantity - lost.quantity, value: 0n }, into),
      ]
    }
    const { given, got, fee, isPurchase } = fact
    const cost = { ...got!, value: (got?.value ?? 0n) + (isPurchase ? fee.value : 0n) }
    const fees = isPurchase ? 0n : fee.value
    const proceeds = { ...given!, value: (given?.value ?? 0n) - fees }
    return [
      ...(got === null ? [] : [event('acquire', 'got', cost)]),
      ...(given === null ? [] : [event('dispose', 'given', proceeds, { fees })]),
      ...(fee.coin === null ? [] : [event('dispose', 'fee', { ...fee, coin: fee.coin })]),
    ]
  })
}

interface Wish {
  readonly what: 'buy' | 'income' | 'sell' | 'swap' | 'give' | 'move'
  readonly minute: number
  readonly account: (typeof ACCOUNTS)[number]
  readonly coins: readonly string[]
  readonly quantity: bigint
  readonly price: bigint
  readonly isPurchase: boolean
  readonly feeIn: 'nothing' | 'money' | 'given' | 'got' | 'third'
  readonly fee: bigint
  readonly minutesUnderWay: number
}

export interface Setting {
  /** As Date.parse reads it; the beginning of a day. */
  readonly first: string
  /** From the first instant on. */
  readonly minutes: fc.Arbitrary<number>
  readonly length: readonly [number, number]
}

export interface Taxpayer {
  readonly facts: readonly Fact[]
  /** What an exchange or a fee paid in a coin was valued at, by days since 1970. */
  readonly prices: readonly { readonly coin: string; readonly day: number; readonly price: bigint }[]
}

const ACCOUNTS = ['cold', 'desk', 'main'] as const
const COINS = ['AAA', 'BBB', 'CCC'] as const

/** Few coins, accounts, quantities and prices, so that much of it meets. */
export function taxpayers({ first, minutes, length }: Setting): fc.Arbitrary<Taxpayer> {
  const [minLength, maxLength] = length
  const wish = fc.record({
    what: fc.constantFrom(
      'buy',
      'buy',
      'buy',
      'income',
      'sell',
      'sell',
      'sell',
      'swap',
      'swap',
      'give',
      'move',
      'move',
    ),
    minute: minutes,
    account: fc.constantFrom(...ACCOUNTS),
    coins: fc.shuffledSubarray([...COINS], { minLength: 3, maxLength: 3 }),
    quantity: fc.oneof(fc.bigInt({ min: 1n, max: 12n }), fc.bigInt({ min: 1n, max: 70n })),
    price: fc.constantFrom(0n, 7n, 11n, 20n, 20n, 33n, 90n),
    isPurchase: fc.boolean(),
    feeIn: fc.constantFrom('nothing', 'money', 'given', 'got', 'third'),
    fee: fc.bigInt({ min: 1n, max: 3n }),
    minutesUnderWay: fc.constantFrom(0, 0, 25, 3_000),
  } satisfies { [key in keyof Wish]: fc.Arbitrary<Wish[key]> })
  const start = BigInt(Date.parse(first)) * 1_000n
  const prices = fc.array(fc.bigInt({ min: 3n, max: 60n }), { minLength: 61, maxLength: 61 })
  const wishes = fc.array(wish, { minLength, maxLength, size: 'max' })
  return fc.tuple(wishes, prices, fc.constantFrom(1n, 10n, 50n)).map(([wished, table, scale]) =>
    taxpayerOf(
      start,
      wished.toSorted((a, b) => a.minute - b.minute).map((one) => ({ ...one, price: one.price * scale })),
      table.map((price) => price * scale),
    ),
  )
}

function taxpayerOf(start: bigint, wishes: readonly Wish[], table: readonly bigint[]): Taxpayer {
  const facts: Fact[] = []
  const prices = new Map<string, Taxpayer['prices'][number]>()
  const held = new Map<string, bigint>()
  const arriving: Move[] = []
  const has = (account: string, coin: string): bigint => held.get(`${account} ${coin}`) ?? 0n
  const add = (account: string, coin: string, quantity: bigint) =>
    held.set(`${account} ${coin}`, has(account, coin) + quantity)
  for (const [nth, wish] of wishes.entries()) {
    const us = start + BigInt(wish.minute) * MINUTE_US
    const day = Number(us / DAY_US)
    for (const move of arriving.splice(0)) {
      if (move.arrivesUs < us) add(move.to, move.coin, move.quantity - move.lost.quantity)
      else arriving.push(move)
    }
    const { what } = wish
    const [coin = '', other = '', third = ''] = wish.coins
    const priceOf = (of: string): bigint => {
      const price = table[(COINS.indexOf(of as 'AAA') * 17 + day) % table.length]!
      prices.set(`${of} ${day}`, { coin: of, day, price })
      return price
    }
    // Tenths of a coin, thousandths for fees.
    const quantity = (wish.quantity * UNIT) / 10n
    const feeQuantity = wish.feeIn === 'nothing' ? 0n : (wish.fee * UNIT) / 1_000n
    const worth = (of: string): Worth => ({ coin: of, quantity, value: quantity * wish.price })
    // Of an account that has as much, if there is one.
    const isAcquired = what === 'buy' || what === 'income'
    const able = ACCOUNTS.filter((each) => isAcquired || has(each, coin) >= quantity)
    const account = able.includes(wish.account) ? wish.account : (able[0] ?? wish.account)
    const base = { id: `f${nth}`, us, account }
    if (able.length === 0) continue
    if (what === 'give') {
      add(account, coin, -quantity)
      facts.push({ ...base, kind: 'gift', given: worth(coin) })
    } else if (what === 'move') {
      const to = ACCOUNTS[(ACCOUNTS.indexOf(account) + 1 + (nth % 2)) % 3]!
      const value = feeQuantity === 0n ? 0n : feeQuantity * priceOf(coin)
      add(account, coin, -quantity)
      const lost = { coin, quantity: feeQuantity, value }
      const arrivesUs = us + BigInt(wish.minutesUnderWay) * MINUTE_US
      const move: Move = { ...base, kind: 'move', to, coin, quantity, lost, arrivesUs }
      arriving.push(move)
      facts.push(move)
    } else {
      // Both sides of an exchange have one value, that of the coins received.
      const received = what === 'swap' ? quantity * priceOf(other) : quantity * wish.price
      const given = isAcquired
        ? null
        : { coin, quantity: what === 'swap' ? quantity / 2n : quantity, value: received }
      const got = what === 'sell' ? null : { coin: other, quantity, value: received }
      const feeIn = what === 'income' ? 'nothing' : wish.feeIn
      const fee = feeOf(feeIn, feeQuantity, given, got, () => [third, priceOf(third)])
      const needed = (given?.quantity ?? 0n) + (fee.coin === coin ? feeQuantity : 0n)
      if (has(account, coin) < needed || (fee.coin === third && has(account, third) < feeQuantity)) continue
      if (given !== null) add(account, coin, -given.quantity)
      if (got !== null) add(account, got.coin, got.quantity)
      if (fee.coin !== null) add(account, fee.coin, -feeQuantity)
      const isPurchase = isAcquired || (what === 'swap' && wish.isPurchase)
      facts.push({ ...base, kind: 'trade', given, got, fee, isPurchase, isIncome: what === 'income' })
    }
  }
  return { facts, prices: [...prices.values()] }
}

/** A fee in a coin of the trade is worth what that coin is in the trade. */
function feeOf(
  feeIn: Wish['feeIn'],
  quantity: bigint,
  given: Worth | null,
  got: Worth | null,
  third: () => readonly [string, bigint],
): Trade['fee'] {
  const side = feeIn === 'given' ? given : feeIn === 'got' ? got : null
  if (side !== null) return { coin: side.coin, quantity, value: (quantity * side.value) / side.quantity }
  if (feeIn === 'nothing') return { coin: null, quantity: 0n, value: 0n }
  if (feeIn !== 'third') return { coin: null, quantity, value: quantity }
  const [coin, price] = third()
  return { coin, quantity, value: quantity * price }
}

/** Several taxpayers as one, each with coins and accounts of their own, so that nothing of them meets but in the totals. */
export function together(all: readonly Taxpayer[]): Taxpayer {
  const facts = all.flatMap(({ facts }, of) =>
    facts.map((fact, nth) => renamed(fact, of, BigInt(nth) * SECOND_US)),
  )
  const prices = all.flatMap(({ prices }, of) =>
    prices.map((price) => ({ ...price, coin: `${price.coin}${of}` })),
  )
  return { facts: facts.toSorted((a, b) => Number(a.us - b.us)), prices }
}

/** `later`: no two facts of one taxpayer are at one moment, so that nothing depends on an order that files do not state. */
function renamed(fact: Fact, of: number, later: bigint): Fact {
  const base = { id: `p${of}${fact.id}`, us: fact.us + later, account: `${fact.account}${of}` }
  const ofCoin = <Has extends { readonly coin: string }>(worth: Has): Has => ({
    ...worth,
    coin: `${worth.coin}${of}`,
  })
  if (fact.kind === 'gift') return { ...fact, ...base, given: ofCoin(fact.given) }
  if (fact.kind === 'move')
    return {
      ...ofCoin({ ...fact, ...base }),
      to: `${fact.to}${of}`,
      arrivesUs: fact.arrivesUs + later,
      lost: ofCoin(fact.lost),
    }
  const { given, got, fee } = fact
  return {
    ...{ ...fact, ...base },
    given: given && ofCoin(given),
    got: got && ofCoin(got),
    fee: fee.coin === null ? fee : ofCoin({ ...fee, coin: fee.coin }),
  }
}

/** The same as files that a user imports, and books built of them. */
export async function imported(
  { facts, prices }: Taxpayer,
  { currency, ...how }: { rules: 'ca' | 'de'; currency: string; time_zone?: string },
): Promise<ImportedBooks> {
  const books = new ImportedBooks({ reports: { ...emptyConfig.reports, ...how, currency } })
  const priced = prices.map(
    ({ coin, day, price }) => `${new Date(day * 86_400_000).toISOString()},${coin},${currency},${price}`,
  )
  await books.import('prices', ['time,asset,currency,price', ...priced, ''].join('\n'))
  await books.trades(...facts.flatMap((fact) => linesOf(fact, currency)))
  await books.build()
  return books
}

/** The folder of a ledger in which these are the events, and the income; it has been read until June 2026. */
export async function published(facts: readonly Fact[], currency: string): Promise<string> {
  const events = eventsOf(facts).map(({ account, coin, happenedAtUs, place, id, kind, ...more }) => {
    const value = more.value === null ? 'null, null' : `'${formatAmount(more.value)}', '${currency}'`
    const transfer = more.transferId === undefined ? 'null' : `'${more.transferId}'`
    return `('${account}', '${coin}', make_timestamptz(${happenedAtUs}), ${place}, '${id}', '${kind}',
      '${formatAmount(more.quantity)}', ${value}, ${transfer})`
  })
  const income = facts.flatMap((fact) =>
    fact.kind !== 'trade' || !fact.isIncome
      ? []
      : `('${fact.id}', '${fact.account}', 'SPOT', '${fact.got!.coin}', '${formatAmount(fact.got!.quantity)}',
          'reward', make_timestamptz(${fact.us}), '${formatAmount(fact.got!.value)}', '${currency}')`,
  )
  const charged = eventsOf(facts).flatMap(({ id, fees = 0n }) =>
    fees === 0n
      ? []
      : `update lot_events set value_before_fees = value + '${formatAmount(fees)}'::decimal(38, 18) where event_id = '${id}'`,
  )
  return await publish([
    ...ACCOUNTS.map((name) => `insert into accounts values ('${name}', 'v', '1', 'unified', 'unified')`),
    `insert into lot_events values ${events.join(', ')}`,
    'alter table lot_events drop column value_before_fees',
    'alter table lot_events add column value_before_fees decimal(38, 18)',
    'update lot_events set value_before_fees = value',
    ...charged,
    ...(income.length === 0 ? [] : [`insert into income values ${income.join(', ')}`]),
    runUntil('2026-06-01 00:00:00+00'),
  ])
}

/** The same facts if a fee that is withheld from the coins received is of coins that never came (`fees_in_kind: net`). */
export function netted(facts: readonly Fact[]): Fact[] {
  return facts.map((fact) => {
    if (fact.kind !== 'trade' || fact.fee.coin === null || fact.fee.coin !== fact.got?.coin) return fact
    const { got, fee, isPurchase } = fact
    if (fee.quantity >= got.quantity) return fact
    // A purchase costs what was paid; in a sale, less came for what was sold.
    const value = isPurchase ? got.value : got.value - fee.value
    const money = { coin: null, quantity: 0n, value: isPurchase ? 0n : fee.value }
    return { ...fact, got: { ...got, quantity: got.quantity - fee.quantity, value }, fee: money }
  })
}

function linesOf(fact: Fact, money: string): string[] {
  const time = (us: bigint) => new Date(Number(us / 1_000n)).toISOString()
  const { id, us, account } = fact
  const of = (worth: Worth) => `${worth.coin},${formatAmount(worth.quantity)}`
  const value = (worth: Worth) => `${money},${formatAmount(worth.value)}`
  if (fact.kind === 'gift')
    return [`${id},${time(us)},${account},gift_out,${of(fact.given)},${value(fact.given)},,`]
  if (fact.kind === 'move') {
    const { coin, quantity, lost, to, arrivesUs } = fact
    return [
      `${id}:out,${time(us)},${account},transfer_out,${coin},${formatAmount(quantity)},,,,`,
      `${id}:in,${time(arrivesUs)},${to},transfer_in,${coin},${formatAmount(quantity - lost.quantity)},,,,`,
    ]
  }
  const { given, got, fee, isPurchase, isIncome } = fact
  const [side, asset, other] = isPurchase ? [isIncome ? 'income' : 'buy', got!, given] : ['sell', given!, got]
  const paid = other === null ? value(asset) : of(other)
  const charged = fee.quantity === 0n ? ',' : `${formatAmount(fee.quantity)},${fee.coin ?? money}`
  return [`${id},${time(us)},${account},${side},${of(asset)},${paid},${charged}`]
}
