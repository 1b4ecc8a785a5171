// Mistakes planted into an invented history before it is served, each with the one break that must tell of it. Damage falls
// on what the feeds answer, never on the truth; the sandbox's own books stay as they were.
import type { Account } from '../../../sandbox/core/accounts.ts'
import { DAY_MS } from '../../../sandbox/core/clock.ts'
import type { Feed } from '../../../sandbox/core/feed.ts'
import { money, text } from '../../../sandbox/core/money.ts'
import type { Order } from '../../../sandbox/core/orders.ts'
import { Random } from '../../../sandbox/core/random.ts'
import type { FuturesRecord, P2pOrder, P2pRecord, TaxRecord } from '../../../sandbox/core/records.ts'
import type { Venue } from '../../../sandbox/core/venue.ts'

/** The one break of severity warning that a mistake makes; its evidence names all of these ids. */
export interface Expected {
  readonly check: string
  readonly uid: string
  readonly names: readonly string[]
}

/** A day of the history, for each mistake another one, so that none hides another. */
export interface Day {
  readonly from: number
  readonly to: number
}

export interface Mistake {
  readonly name: string
  readonly account: string
  /** It chooses its day itself, and no other one stands in its way. */
  readonly isOfAnyDay?: boolean
  /** What it falls on stands over several days: it is planted alone. */
  readonly isAlone?: boolean
  /** Plants it on that day; null where that day has no fitting record. No break at all is expected where `check` is empty. */
  readonly plant: (venue: Venue, account: Account, day: Day, random: Random) => Expected | null
}

type Chosen<Row> = { readonly feed: Feed<Row>; readonly row: Row }

const RAISE = money('0.01')
const raised = (amount: string): string => text(money(amount) + RAISE)
const within = (ts: number, { from, to }: Day): boolean => ts >= from && ts < to
const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  BigInt(a.id) < BigInt(b.id) ? -1 : 1

/** Replaces one row by others, which stand at its time; an id of their own places them beside it. */
function replace<Row>(
  { feed, row }: Chosen<Row>,
  rows: readonly Row[],
  place: (row: Row) => { id: string; ts: number },
): void {
  feed.rewrite((each) => (each === row ? rows.map((one) => ({ ...place(one), row: one })) : undefined))
}

const ofRecord = ({ id, ts }: { id: string; ts: string }): { id: string; ts: number } => ({
  id,
  ts: Number(ts),
})
const ofOrder = ({ orderId, createdMs }: Order): { id: string; ts: number } => ({
  id: orderId,
  ts: createdMs,
})
const ofP2pOrder = ({ orderId, ctime }: P2pOrder): { id: string; ts: number } => ({
  id: orderId,
  ts: Number(ctime),
})

/** The next id that no record or order bears. */
function nextId({ accounts }: Venue, id: string): string {
  const taken = new Set(
    accounts.flatMap(({ taxRecords, futuresRecords, p2pRecords, orders, p2pOrders }) => [
      ...[...taxRecords.values(), ...futuresRecords.values(), p2pRecords].flatMap((feed) =>
        [...(feed as Iterable<{ readonly id: string }>)].map((row) => row.id),
      ),
      ...[...orders].map(({ orderId }) => orderId),
      ...[...p2pOrders].map(({ orderId }) => orderId),
    ]),
  )
  let next = BigInt(id) + 1n
  while (taken.has(next.toString())) next += 1n
  return next.toString()
}

/** All records of a coin, in their order: the chain of its balance. */
const chainOf = (account: Account, coin: string): TaxRecord[] =>
  [...account.taxRecords.values()]
    .flatMap((feed) => [...feed])
    .filter((row) => row.coin === coin)
    .sort(byId)

interface Link extends Chosen<TaxRecord> {
  readonly before: TaxRecord
  readonly after: TaxRecord
}

/** A tax record of that day that moves something and stands between two others of its coin. */
function taxRecord(
  account: Account,
  day: Day,
  random: Random,
  fits: (row: TaxRecord) => boolean = () => true,
): Link | null {
  const all = [...account.taxRecords.values()].flatMap((feed) =>
    [...feed]
      .filter((row) => within(Number(row.ts), day) && row.amount !== '0' && fits(row))
      .flatMap((row) => {
        const chain = chainOf(account, row.coin)
        const at = chain.indexOf(row)
        const [before, after] = [chain[at - 1], chain[at + 1]]
        // Neighbours of the same day are no other mistake's.
        const isNear = (one: TaxRecord | undefined): one is TaxRecord =>
          one !== undefined && within(Number(one.ts), day)
        return isNear(before) && isNear(after) ? [{ feed, row, before, after }] : []
      }),
  )
  return all.length === 0 ? null : random.pick(all)
}

function pickFrom<Row>(
  feeds: Iterable<Feed<Row>>,
  random: Random,
  fits: (row: Row) => boolean,
): Chosen<Row> | null {
  const all = [...feeds].flatMap((feed) => [...feed].filter(fits).map((row) => ({ feed, row })))
  return all.length === 0 ? null : random.pick(all)
}

const expect = (check: string, { uid }: Account, ...names: string[]): Expected => ({ check, uid, names })

const taxMistakes: readonly Mistake[] = [
  {
    name: 'a tax record is dropped',
    account: 'sub-1',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [], ofRecord)
      return expect('balance_chain', account, found.before.id, found.after.id)
    },
  },
  {
    name: 'a tax record comes again under another id',
    account: 'sub-1',
    plant: (venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('balance_chain', account, found.row.id, again.id)
    },
  },
  {
    name: 'an amount is another one',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [{ ...found.row, amount: raised(found.row.amount) }], ofRecord)
      return expect('balance_chain', account, found.before.id, found.row.id)
    },
  },
  {
    name: 'a fee has the wrong sign',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random, ({ fee }) => fee !== '0')
      if (found === null) return null
      replace(found, [{ ...found.row, fee: text(-money(found.row.fee)) }], ofRecord)
      return expect('balance_chain', account, found.before.id, found.row.id)
    },
  },
  {
    name: 'a type has another name',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [{ ...found.row, type: 'SOMETHING_UNHEARD_OF' }], ofRecord)
      return expect('unknown_type', account, found.row.id)
    },
  },
  {
    name: 'a tax record comes twice as it is, which is no mistake',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [found.row, found.row], ofRecord)
      return expect('', account)
    },
  },
  {
    name: 'a transfer to a sub-account is told by the sub-account alone',
    account: 'parent',
    isOfAnyDay: true,
    plant: (venue, account, _day, random) => {
      const sub = venue.named('sub-2')
      const { from, to } = inner(venue)
      const found = taxRecord(account, { from, to }, random, (row) => twinIn(sub, row) !== undefined)
      const twin = found === null ? undefined : twinIn(sub, found.row)
      if (found === null || twin === undefined) return null
      forget(account, found)
      return expect('transfer_legs', sub, `tax.records/${twin.id}/amount`)
    },
  },
  {
    name: 'a transfer to the P2P wallet is told by that wallet alone',
    account: 'parent',
    isOfAnyDay: true,
    plant: (venue, account, _day, random) => {
      const found = taxRecord(account, inner(venue), random, (row) => p2pTwin(account, row) !== undefined)
      const twin = found === null ? undefined : p2pTwin(account, found.row)
      if (found === null || twin === undefined) return null
      forget(account, found)
      return expect('transfer_legs', account, `tax.p2pRecords/${twin.id}/amount`)
    },
  },
]

/** The history without its first and last two days, at which nothing is compared. */
const inner = (venue: Venue): Day => ({ from: venue.startMs + 2 * DAY_MS, to: venue.endMs - 2 * DAY_MS })

/** The two legs of a transfer lie up to 57 ms apart. */
const areTogether = (one: { readonly ts: string }, other: { readonly ts: string }): boolean =>
  Math.abs(Number(one.ts) - Number(other.ts)) <= 57

const twinIn = (account: Account, row: TaxRecord): TaxRecord | undefined =>
  row.type === 'TRANSFER_OUT'
    ? account.taxRecords
        .get('SPOT')
        ?.find(
          (each) =>
            each.type === 'TRANSFER_IN' &&
            areTogether(each, row) &&
            each.coin === row.coin &&
            money(each.amount) === -money(row.amount),
        )
    : undefined

const p2pTwin = ({ p2pRecords }: Account, row: TaxRecord): P2pRecord | undefined =>
  row.type === 'TRANSFER_OUT' || row.type === 'TRANSFER_IN'
    ? p2pRecords.find(
        (each) =>
          each.p2pTaxType === (row.type === 'TRANSFER_OUT' ? 'transfer_in' : 'transfer_out') &&
          areTogether(each, row) &&
          each.coin === row.coin &&
          each.balance === row.amount.replace('-', ''),
      )
    : undefined

/** Drops a record as if it had never been: the balances after it do not know it either. */
function forget(account: Account, found: Chosen<TaxRecord>): void {
  const { row } = found
  replace(found, [], ofRecord)
  const change = money(row.amount) + money(row.fee)
  for (const feed of account.taxRecords.values()) {
    feed.rewrite((each) =>
      each.coin === row.coin && BigInt(each.id) > BigInt(row.id)
        ? [{ ...ofRecord(each), row: { ...each, balance: text(money(each.balance) - change) } }]
        : undefined,
    )
  }
}

const futuresMistakes: readonly Mistake[] = [
  {
    name: 'the futures feed lacks a record',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom(
        account.futuresRecords.values(),
        random,
        (row: FuturesRecord) => within(Number(row.ts), day) && row.fee !== '0',
      )
      if (found === null) return null
      replace(found, [], ofRecord)
      const booked = [...account.taxRecords.values()]
        .flatMap((feed) => [...feed])
        .filter(
          (row) => row.ts === found.row.ts && row.amount === found.row.amount && row.fee === found.row.fee,
        )
      // Equal records are paired in their order, so that the last of them stays alone.
      const alone = booked.sort(byId).at(-1)
      return expect('futures_v3_v2', account, `tax.records/${alone?.id}`)
    },
  },
  {
    name: 'a fee of a classic account, which tells no balances, is another one',
    account: 'classic',
    isOfAnyDay: true,
    plant: (_venue, account, _day, random) => {
      const found = pickFrom(account.futuresRecords.values(), random, (row: FuturesRecord) =>
        account.positions.some(
          ({ symbol, openedMs }) => symbol === row.symbol && openedMs === Number(row.ts),
        ),
      )
      if (found === null) return null
      replace(found, [{ ...found.row, fee: text(money(found.row.fee) * 2n) }], ofRecord)
      return expect('positions', account, `tax.futuresRecords/${found.row.id}/fee`)
    },
  },
  {
    name: 'a funding record of a classic account comes again under another id',
    account: 'classic',
    plant: (venue, account, day, random) => {
      const found = pickFrom(
        account.futuresRecords.values(),
        random,
        (row: FuturesRecord) =>
          within(Number(row.ts), day) &&
          row.futureTaxType.startsWith('CONTRACT_MAIN_SETTLE_FEE') &&
          money(row.amount) !== 0n,
      )
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('duplicate_records', account, found.row.id, again.id)
    },
  },
]

const isFilled = (day: Day, isWanted: (order: Order) => boolean) => (order: Order) =>
  within(order.createdMs, day) &&
  within(order.updatedMs, day) &&
  order.executedQuantity > 0n &&
  isWanted(order)

const isSpot = ({ category }: Order): boolean => category === 'SPOT'
const isFutures = ({ category, execType }: Order): boolean =>
  category.endsWith('FUTURES') && execType !== 'liquidation'

const orderMistakes: readonly Mistake[] = [
  {
    name: 'an order is dropped',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      replace(found, [], ofOrder)
      return { ...expect('orders_vs_tax', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'an order tells another value',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      replace(found, [{ ...found.row, executedValue: found.row.executedValue + money('1') }], ofOrder)
      return { ...expect('orders_vs_tax', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'a fee of an order has the wrong sign',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isSpot))
      if (found === null) return null
      const fees = new Map([...found.row.fees].map(([coin, fee]) => [coin, -fee]))
      replace(found, [{ ...found.row, fees }], ofOrder)
      return { ...expect('order_fees', account), names: [found.row.symbol] }
    },
  },
  {
    name: 'a futures order comes again under another id',
    account: 'parent',
    plant: (venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isFutures))
      if (found === null) return null
      replace(found, [found.row, { ...found.row, orderId: nextId(venue, found.row.orderId) }], ofOrder)
      return { ...expect('order_fees', account), names: [found.row.symbol] }
    },
  },
]

/** Of a position that ends before the history does and that the venue does not liquidate: XRP is left to gambles. */
const isOfClosed = (order: Order): boolean => order.category === 'USDT-FUTURES' && order.symbol !== 'XRPUSDT'

const futuresOrderMistakes: readonly Mistake[] = [
  {
    name: 'a futures order tells another value',
    account: 'parent',
    isAlone: true,
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.orders], random, isFilled(day, isOfClosed))
      if (found === null) return null
      replace(found, [{ ...found.row, executedValue: found.row.executedValue + money('5') }], ofOrder)
      return { ...expect('orders_vs_futures', account), names: [found.row.symbol] }
    },
  },
]

const isDeal = (day: Day) => (row: P2pRecord) =>
  within(Number(row.ts), day) && (row.p2pTaxType === 'buy' || row.p2pTaxType === 'sell')

const p2pMistakes: readonly Mistake[] = [
  {
    name: 'a P2P purchase or sale is dropped',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      replace(found, [], ofRecord)
      return expect('p2p_match', account, `p2p.orders/${order.orderId}`)
    },
  },
  {
    name: 'a P2P purchase or sale tells another quantity',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      replace(found, [{ ...found.row, balance: raised(found.row.balance) }], ofRecord)
      return expect(
        'p2p_match',
        account,
        `tax.p2pRecords/${found.row.id}/amount`,
        `p2p.orders/${order.orderId}`,
      )
    },
  },
  {
    name: 'a P2P record comes again under another id',
    account: 'parent',
    plant: (venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, ({ ts }) => within(Number(ts), day))
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('duplicate_records', account, found.row.id, again.id)
    },
  },
  {
    name: 'the status of a merchant order has another name',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      const renamed = { ...order, status: 'something_unheard_of' as P2pOrder['status'] }
      replace({ feed: account.p2pOrders, row: order }, [renamed], ofP2pOrder)
      return expect('p2p_match', account, `tax.p2pRecords/${found.row.id}/amount`)
    },
  },
]

/** The completed order of a purchase or sale, where no other one is like it. */
function dealOf({ p2pOrders }: Account, record: P2pRecord): P2pOrder | undefined {
  const like = [...p2pOrders].filter(
    ({ coin, side, count }) => coin === record.coin && side === record.p2pTaxType && count === record.balance,
  )
  const [found, other] = like
  return other === undefined && found?.status === 'Completed' ? found : undefined
}

/** Those that find fitting records on few days come first. */
export const mistakes: readonly Mistake[] = [
  ...p2pMistakes,
  ...taxMistakes,
  ...futuresMistakes,
  ...orderMistakes,
  ...futuresOrderMistakes,
]

/** Plants a mistake on the day, or on the next one that has a fitting record; null where none of these days has. */
export function plant(
  venue: Venue,
  mistake: Mistake,
  days: readonly Day[],
): { readonly expected: Expected; readonly day: Day } | null {
  const account = venue.named(mistake.account)
  const random = new Random(venue.seed, `planted/${mistake.name}`)
  for (const day of days) {
    const expected = mistake.plant(venue, account, day, random)
    if (expected !== null) return { expected, day }
  }
  return null
}
