// What the terms of a paper mean, and every column in it: those of published tables in the ledger's own
// words.
import type { Reader } from '../ledger/reader.ts'
import type { Column } from '../output/column.ts'
import { type Content, headingOf, tableWith } from '../output/html.ts'

const WORDS: readonly (readonly [string, string])[] = [
  ['Lot', 'Coins acquired together, with their day and their cost.'],
  [
    'Disposal',
    'A sale, an exchange, a payment in coins, or a fee paid in coins. Moving coins between wallets of one’s own is not a disposal.',
  ],
  [
    'Cost',
    'What was paid for a lot, including purchase fees; once part of it is disposed of, the share that is left.',
  ],
  ['Proceeds', 'What a disposal brought in, after fees.'],
  ['Gain', 'Proceeds less cost, plus any part of a loss that the rules disallow. A loss is negative.'],
  ['Term', 'Short or long, by how long the lot was held, if the law distinguishes them.'],
  ['Ledger', 'A wallet of an account.'],
  ['Entry', 'A signed change of one coin in one wallet. A balance is the sum of its entries.'],
  ['Break', 'A disagreement between the books and the venue, or of the books with themselves.'],
  ['Coverage', 'What has been received from each feed of the venue, what has not, and why.'],
  [
    'Ledger hash',
    'SHA-256 over the contents of the published books. Two papers with the same hash come from the same books.',
  ],
  ['Empty', 'An empty cell means that the value is not known or does not apply. It never means zero.'],
]

/** Columns that no published table has. */
const COLUMNS: Readonly<Record<string, string>> = {
  figure: 'What the line is.',
  value: 'Amount of the line, or the value of a quantity, in the currency beside it.',
  counts: 'Which records the figure is made from.',
  month: 'First day of the month, in the zone of the paper.',
  funding: 'Funding of futures; negative when paid.',
  interest: 'Interest; negative when paid.',
  unknown_pieces: 'Pieces of disposals whose gain is not known; they are not included in any sum.',
  realised_pnl: 'Gains of lots and results of closed positions.',
  net_pnl: 'Realised, fees, funding and interest together.',
  events: 'How many there were.',
  without_value: 'How many of them have no value, because no price is known.',
  fees: 'Fees; negative when paid in profit and loss, positive in a roll-forward.',
  fee_count: 'How many fees there were.',
  opening: 'Balance at the beginning of the period.',
  in: 'Sum of everything that came in.',
  out: 'Sum of everything that went out.',
  closing: 'Balance at the end of the period.',
  bought: 'Came in by trades, conversions and P2P deals.',
  received: 'Came in otherwise: income, results of futures, loans taken, balances from before the books.',
  sold: 'Went out by trades, conversions and P2P deals.',
  given: 'Went out otherwise: interest, losses on futures, loans repaid.',
  moved: 'Transferred in from other wallets, less what was transferred out.',
  line: 'Line of the form or of the statement; in a difference, the id of the line.',
  no_value_because: 'Why the line has no value.',
  entries: 'How many entries the line sums.',
  line_id: 'Id of the line, for `tieout explain`.',
  price: 'Price of one coin at that time.',
  lots: 'How many lots were open.',
  quantity_without_cost: 'The part of the quantity that has no known cost.',
  day: 'Day of the amount, in the zone of the paper.',
  source: 'Where a price comes from, or the provision that a line follows.',
  amounts: 'How many amounts there were.',
  lowest_price: 'Lowest price that was applied.',
  highest_price: 'Highest price that was applied.',
  oldest_price_at: 'Time of the oldest price that was applied.',
  first_at: 'First time.',
  last_at: 'Last time.',
  form: 'Form of the return.',
  box: 'Box of Form 8949 that the line is filed under.',
  description: 'Quantity and name of what was sold.',
  acquired_on: 'Day of acquisition.',
  sold_on: 'Day of sale.',
  code: 'Code of an adjustment, or why something was not received.',
  adjustment: 'Adjustment of the gain.',
  change: 'added, removed or changed.',
  field: 'Column that differs.',
  before: 'As it was filed.',
  after: 'As in the books today.',
  where: 'Table in which the column stands.',
  column: 'Heading.',
  meaning: 'What it contains.',
}

/** Tables that explain a column, by the captions of the paper. */
const SOURCES: readonly (readonly [caption: RegExp, table: string])[] = [
  [/^Gains by lot/, 'disposals'],
  [/^Income/, 'income'],
  [/^Derivatives/, 'futures_pnl'],
  [/quantity and value$/, 'balances'],
  [/open lots$/, 'lots'],
  [/^Transfers/, 'transfers'],
  [/^Fees/, 'fees'],
  [/^Prices used|^Amounts without/, 'valuations'],
  [/^Breaks/, 'breaks'],
  [/^Coverage/, 'coverage'],
  [/^Form 8949|^Trial|^Statement|^Roll/, 'entries'],
]

const OTHERS = ['daily_valuation', 'disposals', 'entries', 'valuations']

const LEGEND: readonly Column[] = [{ name: 'where' }, { name: 'column' }, { name: 'meaning' }]

/** The columns of a table that has been written. */
export interface Written {
  readonly caption: string
  readonly columns: readonly Column[]
}

export async function legend(ledger: Reader, written: readonly Written[], zone: string): Promise<Content> {
  const comments = new Map(
    (
      await ledger.query(
        `select table_name || '.' || column_name, comment from duckdb_columns()
         where database_name = current_database() and schema_name = 'main' and comment is not null`,
      )
    ).map(([name, comment]) => [String(name), String(comment)]),
  )
  const meaningOf = (caption: string, { name, kind }: Column): string | null => {
    const table = SOURCES.find(([pattern]) => pattern.test(caption))?.[1]
    const others = OTHERS.map((other) => comments.get(`${other}.${name}`))
    const meaning = comments.get(`${table}.${name}`) ?? COLUMNS[name] ?? others.find(Boolean)
    // Times are in the zone of the paper, which the heading names.
    const here = kind === 'time' ? meaning?.replace(/, UTC\b/, '') : meaning
    return here?.replace(/\bnull\b/g, 'empty') ?? null
  }
  const rows = written.flatMap(({ caption, columns }) =>
    columns.map((column) => [
      caption.replace(/ \(before .*\)/, ''),
      headingOf(column, zone),
      meaningOf(caption, column),
    ]),
  )
  const distinct = [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
  return { terms: WORDS, tables: [tableWith('Columns', LEGEND, distinct)] }
}
