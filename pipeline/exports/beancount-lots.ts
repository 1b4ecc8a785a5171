// The books as beancount keeps inventories: coins at cost in the reporting currency, disposals that beancount
// itself books by FIFO or LIFO, and the gain that it computes from them. Each movement is a separate
// transaction, because beancount cannot sell anything that was bought in the same transaction. Unknown
// amounts are never a gain: a lot of unknown cost is held at zero, and the proceeds of its disposal go to
// Equity:Unknown-Basis.
import { formatAmount } from '../../models/amount.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { balanceLine, opening, priceLine, quoted, sourceLines } from './beancount-text.ts'
import { type Balance, dayOf, OF_THE_VENUE, priceNotes, readOutline, readPrices } from './books.ts'
import { DigitCheck, unitsOf } from './digits.ts'
import { idOf, type LotPiece, type Movement, readLotBooks } from './lots-events.ts'
import { type LotBooking, LotsInventory } from './lots-inventory.ts'
import { beancountAccounts, beancountCommodity } from './names.ts'

export type { LotBooking }
export const LOT_BOOKINGS = ['fifo', 'lifo'] as const satisfies readonly LotBooking[]

/** Only accounts of this form. */
const GAINS = 'Income:Gains'
const TRANSFERS = 'Equity:Transfers'
const UNKNOWN_BASIS = 'Equity:Unknown-Basis'
const UNKNOWN_PROCEEDS = 'Equity:Unknown-Proceeds'
const NEGATIVE_BASIS = 'Equity:Negative-Basis'
const MISSING_HISTORY = 'Equity:Missing-History'
const GIFTS = 'Equity:Gifts'
const IMPORTED = 'Equity:Imported'
/** Borrowed coins that were sold, and their proceeds, until the sale is closed. */
const SHORT_SALES = 'Equity:Short-Sales'
const OWN_ACCOUNTS = [
  GAINS,
  TRANSFERS,
  UNKNOWN_BASIS,
  UNKNOWN_PROCEEDS,
  NEGATIVE_BASIS,
  MISSING_HISTORY,
  GIFTS,
  IMPORTED,
  SHORT_SALES,
]

const lotsName = (account: string, coin: string): string => `Assets:Venue:${account}:Lots:${coin}`
const missingName = (account: string): string => `Assets:Venue:${account}:Missing`
/** Borrowed coins are kept separately: they have no cost. */
const borrowedName = (account: string): string => `Assets:Venue:${account}:Borrowed`
const wholeName = (account: string): string => `Assets:Venue:${account}`

const NOTES = (booking: LotBooking, currency: string): string[] => [
  `Inventories at cost in ${currency}, booked by beancount: ${booking.toUpperCase()} per account.`,
  'A reduction names its lots only if beancount, which knows days but not times, would take others.',
  'A lot of unknown cost is held at 0; the proceeds of its disposal go to Equity:Unknown-Basis and are not a gain.',
]

/** UsageError for amounts that beancount would round. */
export async function* beancountLotsText(ledger: Ledger, booking: LotBooking): AsyncIterable<string> {
  const outline = await readOutline(ledger)
  const books = await readLotBooks(ledger, booking)
  const balances = await wholeBalances(ledger)
  const lots = books.holdings.map(({ account, coin }) => lotsName(account, coin))
  const owners = new Set([...books.holdings, ...balances].map(({ account }) => account))
  const wallets = [...owners].flatMap((account) => [
    wholeName(account),
    missingName(account),
    borrowedName(account),
  ])
  const names = [...new Set([...OWN_ACCOUNTS, ...wallets, ...lots, ...books.accountNames])].toSorted()
  const accounts = beancountAccounts(names)
  const coins = new Set([...outline.coins.keys(), ...books.holdings.map(({ coin }) => coin), books.currency])
  const firstDay = [outline.firstDay, books.firstDay].toSorted()[0]
  const inventories: ReadonlySet<string> = new Set(lots)
  yield opening(
    'Lots of tieout',
    [...NOTES(booking, books.currency), ...priceNotes(outline.prices)],
    books.currency,
    [...coins].toSorted(),
    accounts,
    (name, spelled) =>
      `${firstDay} open ${spelled}${inventories.has(name) ? `  "${booking.toUpperCase()}"` : ''}`,
  )
  const writer = new LotsWriter(booking, books.currency, accounts)
  for await (const movement of books.movements()) yield writer.text(movement)
  for await (const price of readPrices(ledger)) yield priceLine(price, String(outline.prices.currency))
  for (const { account, ...balance } of balances)
    yield balanceLine(outline.closingDay, accounts.get(wholeName(account)) as string, balance)
}

/** All wallets of an account together, because its lots are in one inventory. */
async function wholeBalances(
  ledger: Ledger,
): Promise<(Omit<Balance, 'accountName'> & { account: string })[]> {
  const rows = await ledger.query(
    `select account, coin, quantity from balances where ${OF_THE_VENUE} order by account, coin`,
  )
  const sums = new Map<string, { account: string; coin: string; units: bigint }>()
  for (const [account, coin, quantity] of rows) {
    const key = JSON.stringify([account, coin])
    const sum = sums.get(key) ?? { account: String(account), coin: String(coin), units: 0n }
    sums.set(key, { ...sum, units: sum.units + unitsOf(String(quantity)) })
  }
  return [...sums.values()].map(({ account, coin, units }) => ({
    account,
    coin,
    quantity: formatAmount(units),
  }))
}

/** The cost at which beancount can hold a lot: never unknown, never below zero. */
const bookedCost = (cost: bigint | null): bigint => (cost === null || cost < 0n ? 0n : cost)

interface NewLot {
  readonly lotKey: string
  readonly label: string
  readonly day: string
  readonly quantity: bigint
  /** Null if unknown. */
  readonly cost: bigint | null
}

class LotsWriter {
  readonly #booking: LotBooking
  readonly #currency: string
  readonly #accounts: ReadonlyMap<string, string>
  readonly #inventories = new Map<string, LotsInventory>()
  readonly #digits = new DigitCheck()

  constructor(booking: LotBooking, currency: string, accounts: ReadonlyMap<string, string>) {
    this.#booking = booking
    this.#currency = currency
    this.#accounts = accounts
  }

  /** One transaction, or two if an outgoing transfer also pays a fee in its coin; none if no lot changes. */
  text(movement: Movement): string {
    this.#digits.nextTransaction()
    const { at, coin, entryKind, transactionId, source } = movement
    const head = [
      `${dayOf(at)} * ${quoted(`${entryKind} ${coin}`)}`,
      `  transaction_id: ${quoted(transactionId)}`,
      `  time: ${quoted(at)}`,
      ...sourceLines(source).map((line) => line.slice(2)),
    ]
    const transactions = this.#transactions(movement).filter((lines) => lines.length > 0)
    return transactions.map((lines) => `${[...head, ...lines].join('\n')}\n\n`).join('')
  }

  #transactions(movement: Movement): string[][] {
    const { kind, quantity, walletName, counterName, pieces } = movement
    switch (kind) {
      case 'money':
        return [
          [
            this.#money(walletName as string, unitsOf(quantity)),
            this.#money(counterName, -unitsOf(quantity)),
          ],
        ]
      case 'acquire':
        return [this.#acquired(movement)]
      case 'transfer_in':
        return [this.#arrived(movement)]
      case 'transfer_out': {
        const left = pieces.filter(({ role }) => role === 'left')
        return [
          this.#left(movement, left),
          this.#disposed(
            movement,
            pieces.filter(({ role }) => role === 'disposed'),
          ),
        ]
      }
      case 'dispose': {
        const shorts = pieces.filter(({ role }) => role === 'sold short')
        const disposed = pieces.filter(({ role }) => role === 'disposed')
        const proceeds = shorts.reduce((sum, piece) => sum + (piece.proceeds ?? 0n), 0n)
        const rest = movement.value === null ? null : formatAmount(unitsOf(movement.value) - proceeds)
        return [this.#soldShort(movement, shorts), this.#disposed({ ...movement, value: rest }, disposed)]
      }
      case 'give':
        return [this.#given(movement, pieces)]
      case 'borrow':
        return [this.#borrowed(movement, unitsOf(quantity))]
      case 'repay': {
        const disposed = pieces.filter(({ role }) => role === 'disposed')
        const [known, unknown] = [true, false].map((isKnown) =>
          disposed.filter(({ proceeds }) => (proceeds !== null) === isKnown),
        ) as [LotPiece[], LotPiece[]]
        return [
          this.#borrowed(movement, total(disposed) - unitsOf(quantity)),
          this.#givenBack(movement, known),
          this.#disposed({ ...movement, value: null }, unknown),
        ]
      }
    }
  }

  #acquired(movement: Movement): string[] {
    const { key: lotKey, source, pieces } = movement
    const closed = pieces.filter(({ role }) => role === 'closed')
    const quantity = unitsOf(movement.quantity) - total(closed)
    const closingCost = closed.reduce((sum, { costBasis }) => sum + (costBasis ?? 0n), 0n)
    const cost = movement.value === null ? null : unitsOf(movement.value) - closingCost
    const lines = this.#closed(movement, closed)
    if (quantity > 0n)
      lines.push(
        this.#augment(movement, { lotKey, label: source.entryId, day: dayOf(movement.at), quantity, cost }),
      )
    if (cost !== null && cost < 0n) lines.push(this.#money(NEGATIVE_BASIS, cost))
    return cost === null ? lines : [...lines, this.#absorb(movement.counterName)]
  }

  /** Coins bought back go to what is owed; the gain is the sale's proceeds less their cost. */
  #closed(movement: Movement, closed: readonly LotPiece[]): string[] {
    if (closed.length === 0) return []
    const { account, coin } = movement
    return [
      this.#posting(borrowedName(account), coin, total(closed)),
      this.#posting(SHORT_SALES, coin, -total(closed)),
      ...closed.flatMap(({ proceeds, costBasis }) =>
        proceeds === null
          ? costBasis === null
            ? []
            : [this.#money(UNKNOWN_PROCEEDS, costBasis)]
          : [
              this.#money(SHORT_SALES, proceeds),
              this.#money(costBasis === null ? UNKNOWN_BASIS : GAINS, (costBasis ?? 0n) - proceeds),
            ],
      ),
    ]
  }

  #soldShort({ account, coin, counterName }: Movement, shorts: readonly LotPiece[]): string[] {
    if (shorts.length === 0) return []
    const known = shorts.flatMap(({ proceeds }) => (proceeds === null ? [] : [proceeds]))
    const proceeds = known.reduce((sum, one) => sum + one, 0n)
    return [
      this.#posting(borrowedName(account), coin, -total(shorts)),
      this.#posting(SHORT_SALES, coin, total(shorts)),
      ...(known.length === 0
        ? []
        : [this.#money(counterName, proceeds), this.#money(SHORT_SALES, -proceeds)]),
    ]
  }

  /** Received, or repaid with a minus sign; nothing for zero. */
  #borrowed({ account, coin, counterName }: Movement, units: bigint): string[] {
    if (units === 0n) return []
    return [this.#posting(borrowedName(account), coin, units), this.#posting(counterName, coin, -units)]
  }

  /** Own lots that are repaid close short sales at their proceeds. */
  #givenBack(movement: Movement, disposed: readonly LotPiece[]): string[] {
    const closed = total(movement.pieces.filter(({ role }) => role === 'closed'))
    if (closed === 0n) return []
    const { coin, counterName } = movement
    const value = disposed.reduce((sum, { proceeds }) => sum + (proceeds ?? 0n), 0n)
    return [
      this.#posting(counterName, coin, closed),
      this.#posting(SHORT_SALES, coin, -closed),
      ...this.#disposed({ ...movement, value: formatAmount(value), counterName: SHORT_SALES }, disposed),
    ]
  }

  #arrived(movement: Movement): string[] {
    const { account, at, source, pieces, twin } = movement
    const known = pieces.filter(({ lotKey }) => lotKey !== null)
    const lines = known.map(({ lotKey, quantity, costBasis, acquiredAt }) => {
      const label = `${idOf(lotKey as string)} by ${source.entryId}`
      const day = dayOf(acquiredAt ?? at)
      return this.#augment(movement, { lotKey: lotKey as string, label, day, quantity, cost: costBasis })
    })
    // Within one account nothing moves except what arrives without having left.
    const moved = twin?.account === account ? unitsOf(twin.quantity) : total(known)
    const undated = unitsOf(movement.quantity) - moved
    if (undated > 0n)
      lines.push(
        this.#augment(movement, {
          lotKey: movement.key,
          label: source.entryId,
          day: dayOf(at),
          quantity: undated,
          cost: null,
        }),
      )
    return known.length === 0 ? lines : [...lines, this.#absorb(TRANSFERS)]
  }

  #left(movement: Movement, pieces: readonly LotPiece[]): string[] {
    const lines = this.#reduce(movement, pieces)
    return lines.length === 0 ? [] : [...lines, this.#absorb(TRANSFERS)]
  }

  #disposed(movement: Movement, pieces: readonly LotPiece[]): string[] {
    if (pieces.length === 0) return []
    const lines = [...this.#reduce(movement, pieces), ...this.#negative(pieces)]
    const unknown = pieces.filter(({ costBasis }) => costBasis === null)
    const hasBasis = unknown.length < pieces.length
    if (movement.value === null) return hasBasis ? [...lines, this.#absorb(UNKNOWN_PROCEEDS)] : lines
    lines.push(this.#money(movement.counterName, unitsOf(movement.value)))
    const withoutBasis = unknown.reduce((sum, { proceeds }) => sum + (proceeds ?? 0n), 0n)
    if (unknown.length > 0) lines.push(this.#money(UNKNOWN_BASIS, -withoutBasis))
    return hasBasis ? [...lines, this.#absorb(GAINS)] : lines
  }

  /** A gift leaves at its cost. */
  #given(movement: Movement, pieces: readonly LotPiece[]): string[] {
    const lines = [...this.#reduce(movement, pieces), ...this.#negative(pieces)]
    return lines.length === 0 ? [] : [...lines, this.#absorb(GIFTS)]
  }

  /** What costs lie below the zero at which their lots were held. */
  #negative(pieces: readonly LotPiece[]): string[] {
    const below = pieces.reduce((sum, { costBasis }) => sum + (costBasis ?? 0n) - bookedCost(costBasis), 0n)
    return below === 0n ? [] : [this.#money(NEGATIVE_BASIS, -below)]
  }

  #inventory({ account, coin }: Movement): LotsInventory {
    const key = lotsName(account, coin)
    const inventory = this.#inventories.get(key) ?? new LotsInventory(this.#booking)
    this.#inventories.set(key, inventory)
    return inventory
  }

  #augment(movement: Movement, { lotKey, label, day, quantity, cost }: NewLot): string {
    this.#inventory(movement).add(day, lotKey, label, quantity)
    const at = `{{${formatAmount(bookedCost(cost))} ${beancountCommodity(this.#currency)}, ${day}, ${quoted(label)}}}`
    return `${this.#posting(lotsName(movement.account, movement.coin), movement.coin, quantity)} ${at}`
  }

  /** Takes the pieces out of the inventory; quantities without a known lot are listed separately. */
  #reduce(movement: Movement, pieces: readonly LotPiece[]): string[] {
    const { account, coin } = movement
    const name = lotsName(account, coin)
    const shares = pieces.flatMap(({ lotKey, quantity }) => (lotKey === null ? [] : [{ lotKey, quantity }]))
    const inventory = this.#inventory(movement)
    const isPlain = inventory.choosesItself(shares)
    const taken = inventory.take(shares)
    const named = taken.map(
      ({ day, label, quantity }) => `${this.#posting(name, coin, -quantity)} {${day}, ${quoted(label)}}`,
    )
    const plain = shares.length === 0 ? [] : [`${this.#posting(name, coin, -total(shares))} {}`]
    const missing = total(pieces) - total(shares)
    if (missing === 0n) return isPlain ? plain : named
    return [
      ...(isPlain ? plain : named),
      this.#posting(missingName(account), coin, -missing),
      this.#posting(MISSING_HISTORY, coin, missing),
    ]
  }

  #posting(name: string, coin: string, units: bigint): string {
    const amount = formatAmount(units)
    this.#digits.add(name, coin, amount)
    return `  ${this.#accounts.get(name)}  ${amount} ${beancountCommodity(coin)}`
  }

  #money(name: string, units: bigint): string {
    return this.#posting(name, this.#currency, units)
  }

  /**
   * An amount left for beancount to fill in, last: the gain, or the remainder of a cost per unit of 28
   * digits.
   */
  #absorb(name: string): string {
    return `  ${this.#accounts.get(name)}  ${beancountCommodity(this.#currency)}`
  }
}

const total = (parts: readonly { readonly quantity: bigint }[]): bigint =>
  parts.reduce((sum, { quantity }) => sum + quantity, 0n)
