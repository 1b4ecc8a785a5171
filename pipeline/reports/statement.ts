// A statement for each account, ledger and coin: opening balance, movements by kind, closing balance, each
// with its value. Opening + movements = closing, line by line, because all three are sums of the same
// entries. Values do not add up that way: a balance is valued at the prices of its day, a movement at its
// value when it happened (`entry_values`). Whatever is still owed of a closing balance has a line of its own.

import { groupBy } from '../../models/group-by.ts'
import { counted } from '../../models/text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Values } from '../ledger/reader.ts'
import type { Cell, Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { OWED } from './balances.ts'
import { belowNothing } from './below-nothing.ts'
import { reportNotes } from './notes.ts'
import { EXTEND_BOOKS, type PeriodPrices, pricesBefore, worthOf } from './period-prices.ts'
import {
  addAmounts,
  fileNameOf,
  movesOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
} from './report.ts'

const COLUMNS: readonly Column[] = [
  { name: 'line_id' },
  { name: 'account' },
  { name: 'ledger' },
  { name: 'coin' },
  { name: 'line' },
  { name: 'kind' },
  { name: 'amount', kind: 'amount' },
  { name: 'entries', kind: 'number' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'no_value_because' },
]

/** The value of a line, or why it is not known. */
interface Worth {
  readonly value: string | null
  readonly why: string | null
  /** What would give it a value: a price, or books that reach further; null if nothing would. */
  readonly cure?: 'price' | 'books' | null | undefined
}

interface Line extends Worth {
  readonly account: Cell
  readonly ledger: Cell
  readonly coin: Cell
  /** opening, movement, closing or owed. */
  readonly line: string
  /** Only for movements. */
  readonly kind: string | null
  readonly amount: string
  readonly entries: number
}

/**
 * Lines for each account, ledger and coin: `opening`, one `movement` for each kind of entry, `closing`, and
 * `owed` if some of the closing balance is borrowed: closing less owed is `own` of the balances. An entry of
 * kind opening (history from before the books) is a movement at its time.
 */
export async function statementReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const notes = await reportNotes(ledger, request)
  const values = valuesOf(request)
  const found = await sums(ledger, MOVED(ledger), values)
  const currency = await currencyOf(ledger)
  const prices = currency === null ? null : await pricesOfPeriod(ledger, request)
  const worths = await balanceWorths(ledger, values, prices)
  const books = new Map<string, Row[]>()
  for (const row of found) {
    const key = keyOf(row)
    books.set(key, [...(books.get(key) ?? []), row])
  }
  const owed = await owedLines(ledger, values, currency, prices)
  const lines = [...books].flatMap(([key, sumsByKind]) => [
    ...statementOf(sumsByKind, worths(key), currency),
    ...(owed.get(key) ?? []),
  ])
  const { label } = request.period
  const title = label === '' ? 'Statement' : `Statement ${label}`
  return {
    fileName: fileNameOf('statement', request),
    title,
    columns: COLUMNS,
    rows: asBatches(lines.map((line) => rowOf(line, currency))),
    totals: currency === null ? [] : totalsOf(lines, currency),
    notes: [
      ...notes,
      ...(await belowNothing(ledger, request, { atEnd: false })),
      ...loanNotes(lines),
      ...valueNotes(lines, currency),
    ],
  }
}

const keyOf = (row: Row): string => JSON.stringify(row.slice(0, 3))

/** Books of an earlier version have no values of entries. */
const isValued = (ledger: Ledger): boolean =>
  ledger.tables.has('entry_values') && ledger.tables.has('daily_valuation')

async function currencyOf(ledger: Ledger): Promise<string | null> {
  if (!isValued(ledger)) return null
  const [row] = await ledger.query('select min(currency) from entry_values')
  return typeof row?.[0] === 'string' ? row[0] : null
}

/** Sums by kind; the sum without a kind lies before the period. */
const MOVED = (ledger: Ledger): string => {
  const worth = isValued(ledger)
    ? `left join (select entry_id as valued_id, imported_id as valued_import, value from entry_values) as worths
         on worths.valued_id = moves.entry_id and worths.valued_import is not distinct from moves.imported_id`
    : 'cross join (select null::decimal(38, 18) as value)'
  return `
    select account, ledger, coin,
      case when $from::timestamptz is null or occurred_at >= $from::timestamptz then kind end as movement,
      sum(amount), count(*), sum(value), count(value),
      count(*) filter (value is null and imported_id is not null and kind = 'transfer'), ${reach('amount', 'value')}
    from ${movesOf(ledger)} as moves ${worth}
    where ${OF_ACCOUNT} and ($before::timestamptz is null or occurred_at < $before::timestamptz)
    group by account, ledger, coin, movement order by account, ledger, coin, movement nulls first`
}

interface Prices {
  /** At the beginning and end of the period. */
  readonly first: PeriodPrices
  readonly last: PeriodPrices
}

async function pricesOfPeriod(ledger: Ledger, { period }: ReportRequest): Promise<Prices> {
  const last = await pricesBefore(ledger, period.before)
  return { first: period.from === null ? last : await pricesBefore(ledger, period.from), last }
}

interface BalanceWorths {
  readonly opening: string | null
  readonly closing: string | null
  /** The last day that has values, for a balance that lies beyond it. */
  readonly ends: { readonly opening: string | null; readonly closing: string | null }
}

const NO_PERIOD: BalanceWorths = { opening: null, closing: null, ends: { opening: null, closing: null } }

/**
 * The value of each opening and closing balance at the end of its day; both sums are proven not to overflow.
 */
async function balanceWorths(
  ledger: Ledger,
  values: Values,
  prices: Prices | null,
): Promise<(key: string) => BalanceWorths> {
  if (prices === null) return () => NO_PERIOD
  const worth = (quantity: string, then: string): string =>
    worthOf(quantity, `exact_multiply(${quantity}, ${then}.price)`)
  const rows = await ledger.query(
    `with
     held as (
       select account, ledger, coin,
         coalesce(sum(amount) filter (occurred_at < $from::timestamptz), 0) as opening, sum(amount) as closing
       from ${movesOf(ledger)} as moves
       where ${OF_ACCOUNT} and ($before::timestamptz is null or occurred_at < $before::timestamptz)
       group by account, ledger, coin
     )
     select account, ledger, coin, ${worth('opening', 'first')}, ${worth('closing', 'last')}
     from held
     left join (${prices.first.sql}) as first using (coin) left join (${prices.last.sql}) as last using (coin)`,
    values,
  )
  const ends = { opening: prices.first.booksEnd, closing: prices.last.booksEnd }
  const byBook = new Map(
    rows.map((row) => [keyOf(row), { opening: textOf(row[3]), closing: textOf(row[4]), ends }]),
  )
  return (key) => byBook.get(key) ?? { ...NO_PERIOD, ends }
}

const textOf = (cell: unknown): string | null =>
  cell === null || cell === undefined ? null : (addAmounts([cell]) ?? null)

/**
 * The lines of one account, ledger and coin, from its sums by kind; the sum without a kind lies before the
 * period.
 */
function statementOf(sumsByKind: readonly Row[], worth: BalanceWorths, currency: string | null): Line[] {
  const [account = null, ledger = null, coin = null] = sumsByKind[0] ?? []
  const line = (
    name: string,
    kind: string | null,
    of: readonly Row[],
    { value, why, cure }: Worth,
  ): Line => ({
    ...{ account, ledger, coin, line: name, kind, value, why, cure },
    amount: addAmounts(of.map((row) => row[4])) ?? '0',
    entries: of.reduce((sum, row) => sum + Number(row[5]), 0),
  })
  const balance = (value: string | null, end: string | null): Worth =>
    balanceWorth(value, coin, currency, end)
  const before = sumsByKind.filter((row) => row[3] === null)
  const during = sumsByKind.filter((row) => row[3] !== null)
  return [
    line('opening', null, before, balance(worth.opening, worth.ends.opening)),
    ...during.map((row) => line('movement', String(row[3]), [row], movementWorth(row, currency))),
    line('closing', null, sumsByKind, balance(worth.closing, worth.ends.closing)),
  ]
}

function balanceWorth(value: string | null, coin: Cell, currency: string | null, end: string | null): Worth {
  if (value !== null || currency === null) return { value, why: null }
  return end === null
    ? { value, why: `no price of ${coin} in ${currency} on that day`, cure: 'price' }
    : { value, why: `the books end on ${end}`, cure: 'books' }
}

/** What is still owed on the loans of each wallet and coin. Books of an earlier version do not record it. */
async function owedLines(
  ledger: Ledger,
  values: Values,
  currency: string | null,
  prices: Prices | null,
): Promise<Map<string, readonly Line[]>> {
  if (!ledger.tables.has('liabilities') || !ledger.tables.has('postings')) return new Map()
  const [price, joined] =
    prices === null
      ? ['null::decimal(38, 18)', '']
      : ['price', `left join (${prices.last.sql}) as prices using (coin)`]
  const end = prices?.last.booksEnd ?? null
  const rows = await ledger.query(
    `select account, ledger, coin, borrowed, loan_entries, exact_multiply(borrowed, ${price})
     from (${OWED}) ${joined}
     where ${OF_ACCOUNT} and borrowed <> 0`,
    { account: values.account ?? null, before: values.before ?? null },
  )
  return new Map(
    rows.map((row) => {
      const [account = null, ledgerName = null, coin = null, borrowed, entries] = row
      const amount = addAmounts([borrowed ?? null]) ?? '0'
      const worth = balanceWorth(textOf(row[5]), coin, currency, end)
      const where = { account, ledger: ledgerName, coin }
      return [
        keyOf(row),
        [{ ...where, line: 'owed', kind: null, amount, entries: Number(entries), ...worth }],
      ]
    }),
  )
}

/** A movement has no value if any part of it has none. */
function movementWorth(row: Row, currency: string | null): Worth {
  const [coin, entries, valued, unstated] = [row[2], Number(row[5]), Number(row[7]), Number(row[8])]
  if (currency === null) return { value: null, why: null }
  const lacking = entries - valued
  if (lacking === 0) return { value: addAmounts([row[6]]), why: null }
  const of = (count: number): string => (entries === 1 ? '' : `${count} of ${entries}: `)
  const unpriced = lacking - unstated
  const parts = [
    ...(unpriced === 0 ? [] : [`${of(unpriced)}no price of ${coin} in ${currency} at that time`]),
    ...(unstated === 0 ? [] : [`${of(unstated)}an imported transfer between own accounts states no value`]),
  ]
  // A price values only a part of a movement that also has imported transfers.
  return { value: null, why: parts.join('; '), cure: unstated === 0 ? 'price' : null }
}

function rowOf(
  { account, ledger, coin, line, kind, amount, entries, value, why }: Line,
  currency: Cell,
): Row {
  const id = [account, ledger, coin, line, ...(kind === null ? [] : [kind])].join('/')
  return [id, account, ledger, coin, line, kind, amount, entries, value, currency, why]
}

/**
 * The holding of each coin that is in several places, then openings, each kind of movement, closings and
 * debts over all coins.
 */
function totalsOf(lines: readonly Line[], currency: string): Row[] {
  const closings = groupBy(
    lines.filter(({ line }) => line === 'closing'),
    ({ coin }) => String(coin),
  )
  const kinds = groupBy(lines, ({ line, kind }) => JSON.stringify([PLACES[line], kind]))
  return [
    ...[...closings].flatMap(([coin, of]) => (of.length === 1 ? [] : [totalOf(of, coin, currency)])),
    ...[...kinds]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, of]) => totalOf(of, null, currency)),
  ]
}

const PLACES: Readonly<Record<string, number>> = { opening: 0, movement: 1, closing: 2, owed: 3 }

/** Sums of lines of one coin or one kind: amounts add up within a coin, values only if every line has one. */
function totalOf(of: readonly Line[], coin: string | null, currency: string): Row {
  const valued = of.filter(({ value }) => value !== null)
  const isWhole = valued.length === of.length
  const amount = coin === null ? null : addAmounts(of.map((each) => each.amount))
  const entries = of.reduce((sum, each) => sum + each.entries, 0)
  const value = isWhole ? addAmounts(valued.map((each) => each.value)) : null
  const why = isWhole ? null : whyNotWhole(of, valued.length)
  const { line, kind } = of[0] as Line
  return ['total', null, null, coin, line, kind, amount, entries, value, currency, why]
}

/** For a single line, its own reason is more useful than a count. */
function whyNotWhole(of: readonly Line[], valued: number): Cell {
  if (of.length === 1) return of[0]?.why ?? null
  return `${valued} of ${of.length} lines ${valued === 1 ? 'has' : 'have'} a value`
}

const loanNotes = (lines: readonly Line[]): string[] =>
  lines.some(({ line }) => line === 'owed')
    ? [
        'Closing balances include what was borrowed: less the lines `owed`, they are what is owned (`report balances`).',
      ]
    : []

function valueNotes(lines: readonly Line[], currency: string | null): string[] {
  if (currency === null)
    return lines.length === 0
      ? []
      : ['The published ledger has no values of entries. Run `tieout build` to publish it again.']
  const told =
    `Values are in ${currency}: a balance is valued at the prices at the end of its day, a movement at its value when it happened. So ` +
    'opening and movements add up to closing in amounts; in value they differ by price changes (`report net-worth`).'
  const lacking = lines.filter(({ value }) => value === null)
  if (lacking.length === 0) return [told]
  const unpriced = lacking.filter(({ cure }) => cure === 'price').length
  const which = unpriced === lacking.length ? 'I' : `For ${unpriced} of them, i`
  return [
    told,
    [
      `No value for ${lacking.length} of ${counted(lines.length, 'line')}; no_value_because gives the reason for each.`,
      ...(unpriced === 0
        ? []
        : [`${which}mport prices (\`tieout import prices\`) or fetch them (\`tieout prices fetch\`).`]),
      ...(lacking.some(({ cure }) => cure === 'books')
        ? [`The books end before the period does. ${EXTEND_BOOKS}`]
        : []),
    ].join(' '),
  ]
}
