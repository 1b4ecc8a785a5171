// One row of another service's export, as its mapping reads it: what was received, what was sent, the fee,
// and what the row means.
import { formatAmount, parseAmount, roundAmount } from '../../models/amount.ts'
import { nearest } from '../config/config.ts'
import type { CsvLine } from './csv.ts'
import { type Instant, type InstantResult, readerOf } from './instant.ts'
import { type Field, lacking, type Mapping, type Meaning, type Reading, type Word } from './mapping.ts'
import { type MappedNumbers, numbersOf, type Standing } from './numbers.ts'
import type { RefusedCells } from './refusals.ts'
import { ImportRow } from './row.ts'

export interface Side {
  readonly asset: string
  /** Above zero; a fee may be below zero for a rebate. */
  readonly amount: bigint
}

export interface Movement {
  readonly row: ImportRow
  /** The cells of the word, with accented letters encoded as one character. */
  readonly text: string
  readonly word: Word
  readonly at: Instant
  readonly account: string
  /** The account that it left, if that is another account. */
  readonly outAccount: string
  /** Accounts that the row itself names. */
  readonly namedAccounts: readonly string[]
  readonly in: Side | null
  readonly out: Side | null
  readonly fee: Side | null
  /** The value stated by the service, for income and gifts. */
  readonly value: Side | null
  /** A fee in a coin of neither side, which the service only mentions. */
  readonly isFeeNoted: boolean
  /** The service's own ids of the row and of its group; null if it has none. */
  readonly id: string | null
  readonly groupId: string | null
  /** Rows of one group form a trade together. */
  readonly group: string
}

/** A row in which nothing happened, and why. */
export interface PassedOver {
  readonly why: string
}

const COMES: readonly Meaning[] = ['buy', 'transfer_in', 'income', 'gift_in']
const LEAVES: readonly Meaning[] = ['sell', 'transfer_out', 'gift_out', 'spend']

/** Reads the rows of one file. */
export class MovementReader {
  readonly #file: string
  readonly #reading: Reading
  readonly #columns: readonly string[]
  readonly #standing: Standing
  readonly #numbers: MappedNumbers
  readonly #readTime: (text: string) => InstantResult
  readonly #words: ReadonlyMap<string, Word>

  constructor(file: string, reading: Reading, columns: readonly string[], standing: Standing) {
    const { mapping, zone } = reading
    if (lacking(mapping, columns).length > 0) throw new Error('The header is not that of the mapping.')
    this.#file = file
    this.#reading = reading
    this.#columns = columns
    this.#standing = standing
    this.#numbers = numbersOf(mapping.numbers, standing)
    this.#readTime = readerOf(mapping.time.forms, zone)
    this.#words = new Map(Object.entries(mapping.words).map(([text, word]) => [text.toLowerCase(), word]))
  }

  /** RefusedCells for all cells of the row that cannot be read. */
  read(line: CsvLine): Movement | PassedOver {
    const { mapping } = this.#reading
    const row = new ImportRow(this.#file, this.#columns, {
      number: line.number,
      cells: this.#cleaned(line.cells),
    })
    const aside = mapping.aside.find(({ column, is }) =>
      is.includes(row.text(column).trim().normalize('NFC')),
    )
    if (aside !== undefined) return { why: aside.why }
    const [at, { text, word, sides }, { account, outAccount, namedAccounts }] = row.together(
      () =>
        row.instant(mapping.time.column, this.#readTime, `a time such as ${mapping.time.forms.join(' or ')}`),
      () => this.#said(row),
      () => this.#accounts(row),
    )
    const group = mapping.group.map((column) => row.text(column))
    return {
      ...{ row, text, word, at, account, outAccount, namedAccounts },
      ...sides,
      id: this.#optional(row, 'id'),
      groupId: this.#optional(row, 'group_id'),
      group: JSON.stringify(group.length === 0 ? line.number : [account, word.family, ...group]),
    }
  }

  get #fields(): Mapping['fields'] {
    return this.#reading.mapping.fields
  }

  /** The column of a field that this file has. */
  column(field: Field): string | null {
    return this.#fields[field]?.find((name) => this.#columns.includes(name)) ?? null
  }

  get wordColumn(): string {
    return this.#fields.word[0] as string
  }

  #optional(row: ImportRow, field: Field): string | null {
    const column = this.column(field)
    return column === null || row.isEmpty(column) ? null : row.id(column)
  }

  /** Coins and accounts by their names in the books. */
  #cleaned(cells: readonly string[]): string[] {
    const { accounts, cut_at: cutAt } = this.#reading.mapping
    const cut = (text: string): string =>
      (cutAt === undefined ? text : (text.split(cutAt)[0] as string)).trim()
    const clean = [...cells]
    const change = (fields: readonly Field[], into: (name: string) => string): void => {
      for (const field of fields) {
        const at = this.#columns.indexOf(this.column(field) ?? '')
        if (at >= 0) clean[at] = into(cut(cells[at] ?? ''))
      }
    }
    change(ASSET_FIELDS, (name) => this.#asset(name))
    change(ACCOUNT_FIELDS, (name) => accounts[name.normalize('NFC')] ?? name)
    return clean
  }

  #asset(name: string): string {
    const { assets, asset_suffixes: suffixes } = this.#reading.mapping
    const known = assets[name.normalize('NFC')]
    if (known !== undefined) return known
    const suffix = suffixes.find((each) => name.length > each.length && name.endsWith(each))
    const bare = suffix === undefined ? name : name.slice(0, -suffix.length)
    return assets[bare.normalize('NFC')] ?? bare
  }

  /** What the row is, and the amounts that go with it. */
  #said(row: ImportRow): { text: string; word: Word; sides: NetSides } {
    const [text, word] = this.#word(row)
    const sides = this.#fields.amount === undefined ? this.#sides(row, word) : this.#change(row, word)
    // A row that is itself a fee has no amount that the fee could be part of.
    if (word.as === 'fee') return { text, word, sides: { ...sides, isFeeNoted: false } }
    return { text, word, sides: this.#included(row, sides) }
  }

  #word(row: ImportRow): readonly [string, Word] {
    const cells = this.#fields.word.map((column) => row.text(column).trim().normalize('NFC'))
    const text = cells.join('/')
    const word =
      this.#words.get(text.toLowerCase()) ??
      (cells.length < 2 ? undefined : this.#words.get([...cells.slice(0, -1), '*'].join('/').toLowerCase()))
    if (word !== undefined) return [text, word]
    const known = Object.keys(this.#reading.mapping.words)
    throw row.refuse(
      this.wordColumn,
      'The mapping does not define what this row is.',
      `a word of the mapping ${this.#reading.mapping.name}, such as ${nearest(text, known)}`,
      text === '' ? 'an empty cell' : text,
      'State what it means in a mapping of your own (--mapping FILE; docs/imports.md shows how to extend one), and import the file again; nothing of it has been imported.',
    )
  }

  #accounts(row: ImportRow): Pick<Movement, 'account' | 'outAccount' | 'namedAccounts'> {
    const of = (field: Field): string | null => {
      const column = this.column(field)
      return column === null || row.isEmpty(column) ? null : row.account(column)
    }
    const named = row.together(
      () => of('account'),
      () => of('in_account'),
      () => of('out_account'),
    )
    const [account, into, from] = named
    const other = account ?? this.#reading.account
    const arrives = into ?? other ?? from
    const leaves = from ?? other ?? into
    if (arrives !== null && leaves !== null)
      return { account: arrives, outAccount: leaves, namedAccounts: named.map((name) => name ?? '') }
    const column = this.column('account') ?? this.column('in_account') ?? this.wordColumn
    throw row.refuse(column, 'The row names no account.', 'an account, or --account for rows without one')
  }

  /** An amount; null for none. */
  #amount(row: ImportRow, field: Field): bigint | null {
    const column = this.column(field)
    if (column === null || this.#numbers.isNothing(row.text(column))) return null
    const amount = row.amount(column, 'any', this.#numbers)
    const { signed, fee_sign: feeSign } = this.#reading.mapping
    if (field === 'fee' && feeSign !== undefined) return feeSign === 'minus' ? -amount : amount
    return signed || amount >= 0n ? amount : -amount
  }

  /** An amount with its coin; null if there is none, or if it is zero. */
  #side(row: ImportRow, amountField: Field, assetField: Field): Side | null {
    const amount = this.#amount(row, amountField)
    const column = this.column(assetField)
    if (amount === null || amount === 0n || column === null) return null
    return { amount, asset: row.code(column) }
  }

  #fee(row: ImportRow, { fee_within: isWithin }: Word): Side | null {
    return isWithin ? null : this.#side(row, 'fee', 'fee_currency')
  }

  /** A row with one amount, whose sign or word shows whether it was received or sent. */
  #change(row: ImportRow, word: Word): Sides {
    const column = this.column('amount') as string
    const { as } = word
    const isDeal = as === 'buy' || as === 'sell'
    const isValued = as === 'income' || as === 'gift_in' || as === 'gift_out'
    const [amount, asset, fee, total] = row.together(
      () => row.amount(column, 'any', this.#numbers),
      () => row.code(this.column('asset') as string),
      () => this.#fee(row, word),
      () => (isDeal || isValued ? this.#total(row, word) : NO_TOTAL),
    )
    const side = amount === 0n ? null : { asset, amount: amount < 0n ? -amount : amount }
    if (as === 'fee') return { ...NO_SIDES, fee: side && { asset, amount: -amount } }
    if (side === null && as !== 'trade') throw row.refuse(column, 'An amount is zero.', 'the amount moved')
    const hasDirection = COMES.includes(as) || LEAVES.includes(as)
    const comes = hasDirection ? COMES.includes(as) : amount > 0n
    if (this.#reading.mapping.signed && hasDirection && amount > 0n !== comes)
      throw row.refuse(
        column,
        'The sign of an amount contradicts its word.',
        `a number ${comes ? 'above' : 'below'} zero`,
      )
    const [here, there] = comes ? (['in', 'out'] as const) : (['out', 'in'] as const)
    const own = { ...NO_SIDES, fee: total.hasFees ? null : fee, [here]: side }
    return isDeal ? { ...own, [there]: total.side } : { ...own, value: total.side }
  }

  /**
   * What was paid or received, or what it was worth. If a text states an amount in another currency, that is
   * used, fees included.
   */
  #total(row: ImportRow, { as, paid }: Word): { side: Side | null; hasFees: boolean } {
    const told = this.#side(row, 'total', 'currency')
    // The word determines the direction.
    const side = told === null || told.amount > 0n ? told : { ...told, amount: -told.amount }
    if (paid === undefined) return { side, hasFees: false }
    const text = row.text(paid.column).trim().normalize('NFC')
    const found = paid.forms
      .map((form) => patternOf(form).exec(text)?.groups)
      .find((each) => each !== undefined)
    if (found === undefined && !paid.required) return { side, hasFees: false }
    const total = parseAmount(roundAmount(this.#numbers.plain(found?.total ?? '') ?? ''))
    if (found === undefined || !total.ok)
      throw row.refuse(
        paid.column,
        `The text does not state what was ${as === 'buy' ? 'paid' : 'received'}.`,
        paid.forms.join(' or '),
      )
    const asset = this.#asset(found.currency ?? '')
    return asset === side?.asset
      ? { side, hasFees: false }
      : { side: { asset, amount: total.units }, hasFees: true }
  }

  /** A row with an amount received and an amount sent, either of which may be empty. */
  #sides(row: ImportRow, word: Word): Sides {
    const { as } = word
    const sideOf = (field: 'in' | 'out' | 'value', assetField: Field): Side | null => {
      const side = this.#side(row, field, assetField)
      if (side === null || side.amount > 0n) return side
      throw row.refuse(this.column(field) as string, 'An amount is negative.', 'a number not below zero')
    }
    const [came, left, fee, value] = row.together(
      () => sideOf('in', 'in_asset'),
      () => sideOf('out', 'out_asset'),
      () => this.#fee(row, word),
      () => sideOf('value', 'value_currency'),
    )
    const needsIn = COMES.includes(as) || as === 'trade'
    const needsOut = LEAVES.includes(as) || as === 'trade'
    const isFree = as === 'transfer' || as === 'internal'
    if (isFree ? came === null && left === null : needsIn !== (came !== null) || needsOut !== (left !== null))
      throw row.refuse(
        this.wordColumn,
        'The amounts of the row do not match its word.',
        `${needsIn ? 'an amount' : 'no amount'} received and ${needsOut ? 'an amount' : 'none'} sent`,
        `${came === null ? 'no amount' : 'an amount'} received and ${left === null ? 'none' : 'an amount'} sent`,
      )
    return { in: came, out: left, fee, value }
  }

  /**
   * Amounts before their fees. A fee in a coin other than theirs is only mentioned by the service, and booked
   * elsewhere.
   */
  #included(row: ImportRow, sides: Sides): NetSides {
    const { in: came, out: left, fee } = sides
    if (this.#reading.mapping.fees !== 'included' || fee === null) return { ...sides, isFeeNoted: false }
    if (left?.asset === fee.asset && left.amount > fee.amount)
      return { ...sides, out: { ...left, amount: left.amount - fee.amount }, isFeeNoted: false }
    if (came?.asset === fee.asset) {
      const amount = came.amount + fee.amount
      if (amount <= 0n && this.#standing === 'new') throw this.#wholeFee(row, came)
      return { ...sides, in: { ...came, amount }, isFeeNoted: false }
    }
    if (left?.asset === fee.asset && this.#standing === 'new') throw this.#wholeFee(row, left)
    return { ...sides, fee: null, isFeeNoted: true }
  }

  #paidFee(): string {
    return this.#reading.mapping.fee_sign === 'minus'
      ? 'with a minus if it was paid, as the mapping’s fee_sign states'
      : 'without a sign if it was paid (use fee_sign: minus in the mapping of a service that writes one)'
  }

  #wholeFee(row: ImportRow, { asset, amount }: Side): RefusedCells {
    return row.refuse(
      this.column('fee') as string,
      'A fee consumes the whole amount that it is part of.',
      `a fee of less than ${formatAmount(amount)} ${asset}, ${this.#paidFee()}`,
    )
  }
}

type Sides = Pick<Movement, 'in' | 'out' | 'fee' | 'value'>
type NetSides = Sides & Pick<Movement, 'isFeeNoted'>

const NO_TOTAL = { side: null, hasFees: false }
const NO_SIDES: Sides = { in: null, out: null, fee: null, value: null }

const ASSET_FIELDS: readonly Field[] = [
  'asset',
  'currency',
  'fee_currency',
  'in_asset',
  'out_asset',
  'value_currency',
]
const ACCOUNT_FIELDS: readonly Field[] = ['account', 'in_account', 'out_account']

const patterns = new Map<string, RegExp>()

/**
 * `Converted {} {} to {total} {currency}`: each pair of braces is one word, and a star at the end is any
 * rest.
 */
function patternOf(form: string): RegExp {
  let pattern = patterns.get(form)
  if (pattern === undefined) {
    const parts = form.split(/(\{[a-z]*\}|\*$)/).map((part) => {
      if (part === '*') return '.*'
      if (part === '{}') return String.raw`\S+`
      if (/^\{[a-z]+\}$/.test(part)) return String.raw`(?<${part.slice(1, -1)}>\S+)`
      return part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    })
    pattern = new RegExp(`^${parts.join('')}$`)
    patterns.set(form, pattern)
  }
  return pattern
}
