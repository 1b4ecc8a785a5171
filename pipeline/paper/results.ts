// The results of the period: the figures in short, gains by lot, income, derivatives by contract, and fees.
import { formatAmount } from '../../models/amount.ts'
import { counted } from '../../models/text.ts'
import type { Cell, Row } from '../output/cell.ts'
import { allRows, type Column } from '../output/column.ts'
import { type Content, tableWith } from '../output/html.ts'
import { CHOSEN_DISPOSALS } from '../reports/completeness.ts'
import { entryParts } from '../reports/pnl.ts'
import { addAmounts, OF_ACCOUNT, reach, sums, valuesOf, within } from '../reports/report.ts'
import { PAID_TOO } from '../reports/tables.ts'
import { dayZoneOf, yearSums } from '../reports/year-totals.ts'
import { nothing, plus } from '../rules/figures.ts'
import { feesOf } from './imported.ts'
import { columnsOf, type PaperQuestion, reportFor } from './question.ts'

const SUMMARY: readonly Column[] = [
  { name: 'figure' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'counts', title: 'what it counts' },
]

export async function summary(question: PaperQuestion): Promise<Content> {
  const { law, matched, request, values, currency } = question
  const hasTerms = law.termOf !== null
  const day_zone = dayZoneOf(law, request.lots)
  const found = await yearSums(matched, { ...values, has_terms: hasTerms, rounds: false, day_zone })
  const known = plus(plus(nothing, found.gains), found.losses)
  const line = (figure: string, units: bigint, counts: string): Row => [
    figure,
    formatAmount(units),
    currency,
    counts,
  ]
  const terms = hasTerms
    ? [
        line('Short-term gain or loss', found.short.gain, 'pieces held for the short term'),
        line('Long-term gain or loss', found.long.gain, 'pieces held for the long term'),
      ]
    : []
  const unknown: Row[] =
    found.unknown.count === 0
      ? []
      : [
          [
            'Disposals without a known gain',
            String(found.unknown.count),
            null,
            found.unknown.partly === 0
              ? 'included in none of the figures above'
              : `the known part of ${found.unknown.partly} of them is included in the figures above, the rest is not`,
          ],
        ]
  const months = await monthly(question)
  return {
    bars: [{ title: `Profit and loss by month, ${currency ?? 'no currency'}`, bars: months.bars }],
    tables: [
      tableWith('Summary', SUMMARY, [
        line('Proceeds', known.proceeds, 'everything with a known gain, after fees'),
        line('Cost', known.costBasis, 'cost of the same, fees included'),
        ...(known.deniedLoss === 0n ? [] : [line('Losses not allowed', known.deniedLoss, 'by the rules')]),
        line('Gains', found.gains.gain, 'disposals at or above their cost'),
        line('Losses', found.losses.gain, 'disposals below their cost'),
        line('Net gain or loss', known.gain, 'gains and losses together'),
        ...terms,
        ...unknown,
        ...(await incomeLines(question)),
        ...(await feeLines(question)),
      ]),
      months.table,
    ],
  }
}

const MONTH: readonly Column[] = [
  { name: 'month' },
  { name: 'coin' },
  ...['realised_pnl', 'fees', 'funding', 'interest', 'net_pnl'].map(
    (name): Column => ({ name, kind: 'amount' }),
  ),
  { name: 'unknown_pieces', kind: 'number' },
]

/** The lines of the report `pnl` summed by month and coin. */
async function monthly(question: PaperQuestion) {
  const { columns, rows } = await reportFor(question, 'pnl')
  const at = (row: Row, name: string): Cell =>
    row[columns.findIndex((column) => column.name === name)] ?? null
  const groups = new Map<string, Row[]>()
  for (const row of await allRows(rows)) {
    const key = JSON.stringify([at(row, 'month'), at(row, 'coin')])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const lines = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const table = lines.map(
    ([key, of]): Row => [
      ...(JSON.parse(key) as Cell[]),
      ...MONTH.slice(2, -1).map(({ name }) => addAmounts(of.map((row) => at(row, name)))),
      of.reduce((sum, row) => sum + Number(at(row, 'unknown_pieces')), 0),
    ],
  )
  const inCurrency = table.filter((row) => row[1] === question.currency)
  return {
    table: tableWith('Profit and loss by month and coin', MONTH, table),
    bars: inCurrency.map((row): [string, string] => [String(row[0]).slice(0, 7), String(row[6] ?? '0')]),
  }
}

async function incomeLines({ ledger, request }: PaperQuestion): Promise<Row[]> {
  if (ledger.tables.get('income')?.includes('value') !== true) return []
  const rows = await sums(
    ledger,
    `select kind, sum(value), any_value(currency), count(*), count(*) filter (value is null), amount < 0 as is_paid,
       ${reach('value')}
     from income where ${OF_ACCOUNT} and ${within('occurred_at')} group by kind, is_paid order by is_paid, kind`,
    valuesOf(request),
  )
  return rows.map(
    ([kind, value, currency, count, unvalued, isPaid]): Row => [
      `${isPaid === true ? 'Paid' : 'Income'}: ${plain(kind)}`,
      amount(value),
      currency ?? null,
      `${counted(Number(count), 'event')}, ${withValue(Number(count), Number(unvalued))}`,
    ],
  )
}

function withValue(count: number, unvalued: number): string {
  if (count === 1) return unvalued === 0 ? 'with a value' : 'without a value'
  return unvalued === 0 ? 'all with a value' : `${unvalued} of them without a value`
}

async function feeLines({ ledger, request }: PaperQuestion): Promise<Row[]> {
  if (!ledger.tables.has('fees')) return []
  const rows = await sums(
    ledger,
    `select sum(value), any_value(currency), count(*), count(*) filter (value is null), ${reach('value')}
     from ${feesOf(ledger)} where ${OF_ACCOUNT} and ${within('occurred_at')}`,
    valuesOf(request),
  )
  return rows.flatMap(([value, currency, count, unvalued]): Row[] =>
    Number(count) === 0
      ? []
      : [
          [
            'Fees paid',
            amount(value),
            currency ?? null,
            `${counted(Number(count), 'fee')}, ${unvalued} without a value; fees of trades are already in cost and proceeds`,
          ],
        ],
  )
}

const amount = (cell: Cell | undefined): string | null => addAmounts([cell ?? null])

const plain = (cell: Cell | undefined): string => String(cell ?? 'not known').replaceAll('_', ' ')

const PIECE = [
  'disposed_at',
  'acquired_at',
  'account',
  'coin',
  'quantity',
  'proceeds',
  'fees',
  'cost_basis',
  'denied_loss',
  'gain',
  'currency',
  'term',
  'disposal_id',
  'lot_id',
]

export async function gainsByLot(question: PaperQuestion): Promise<Content> {
  const { law, matched, values, currency } = question
  const report = await reportFor(question, 'gains')
  const { account = null, from = null, before = null } = values
  const [found] = await matched.query(
    `select count(distinct currency), count(denied_loss) from disposals where ${CHOSEN_DISPOSALS}`,
    { account, from, before, currency: values.currency ?? null },
  )
  const isOne = Number(found?.[0]) <= 1
  const leftOut = [
    ...(isOne ? ['currency'] : []),
    ...(Number(found?.[1]) === 0 ? ['denied_loss'] : []),
    ...(law.termOf === null ? ['term'] : []),
    // Where the form has them apart, its proceeds are these and the fees.
    ...(law.feesApart ? [] : ['fees']),
  ]
  return {
    words: [
      'Each piece of each disposal with the lot that it was matched with. Empty means not known, never zero.',
      ...(isOne && currency !== null ? [`Money is in ${currency}.`] : []),
    ],
    tables: [
      columnsOf(
        'Gains by lot',
        report,
        PIECE.filter((name) => !leftOut.includes(name)),
      ),
    ],
  }
}

const INCOME: readonly Column[] = [
  { name: 'kind' },
  { name: 'coin' },
  { name: 'amount', kind: 'amount' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'events', kind: 'number' },
  { name: 'without_value', kind: 'number' },
]

const EVENT = [
  'occurred_at',
  'kind',
  'account',
  'ledger',
  'coin',
  'amount',
  'value',
  'currency',
  'price_source',
  'entry_id',
]

export async function income(question: PaperQuestion): Promise<Content> {
  const { ledger, request } = question
  const byKind = await sums(
    ledger,
    `select kind, coin, sum(amount), sum(value), any_value(currency), count(*), count(*) filter (value is null),
       amount < 0 as is_paid, ${reach('amount', 'value')}
     from income where ${OF_ACCOUNT} and ${within('occurred_at')}
     group by kind, is_paid, coin order by kind, is_paid, coin`,
    valuesOf(request),
  )
  return {
    words: byKind.some((row) => row.at(-1) === true) ? [PAID_TOO] : [],
    tables: [
      tableWith(
        'Income by kind and coin',
        INCOME,
        byKind.map((row) => row.slice(0, -1)),
      ),
      columnsOf('Income, each event', await reportFor(question, 'income'), EVENT),
    ],
  }
}

const CONTRACT: readonly Column[] = [
  { name: 'account' },
  { name: 'product_line' },
  { name: 'symbol', title: 'contract' },
  { name: 'coin', title: 'margin coin' },
  ...['realised_pnl', 'fees', 'funding', 'net_pnl'].map((name): Column => ({ name, kind: 'amount' })),
]

export async function derivatives({ ledger, request, law }: PaperQuestion): Promise<Content> {
  const rows = await sums(
    ledger,
    `select account, product_line, symbol, coin, sum(realised_pnl), sum(fee), sum(funding),
       sum(realised_pnl) + sum(fee) + sum(funding), ${reach('realised_pnl', 'fee', 'funding')}
     from ${entryParts(ledger)}
     where ${OF_ACCOUNT} and ${within('occurred_at')} and is_of_futures
     group by account, product_line, symbol, coin order by account, product_line, symbol nulls last, coin`,
    { ...valuesOf(request), zone: request.zone },
  )
  const coins = [...new Set(rows.map((row) => row[3] ?? null))]
  const totals = coins.map((coin): Row => {
    const of = rows.filter((row) => row[3] === coin)
    return ['total', null, null, coin, ...[4, 5, 6, 7].map((at) => addAmounts(of.map((row) => row[at])))]
  })
  return {
    words: [
      'Futures are kept apart from coins: results, fees and funding as the venue booked them, signed as they change the balance.',
      ...(law.figures === null
        ? []
        : [`Under the rules ${law.name}: ${law.futures.rule} (${law.futures.source}).`]),
    ],
    tables: [tableWith('Derivatives by contract', CONTRACT, rows, totals)],
  }
}

const FEES: readonly Column[] = [
  { name: 'account' },
  { name: 'product_line' },
  { name: 'coin' },
  { name: 'fee', kind: 'amount' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'fee_count', title: 'number of fees', kind: 'number' },
  { name: 'without_value', kind: 'number' },
]

export async function fees({ ledger, request }: PaperQuestion): Promise<Content> {
  const rows = await sums(
    ledger,
    `select account, product_line, coin, sum(fee), sum(value), any_value(currency), count(*),
       count(*) filter (value is null), ${reach('fee', 'value')}
     from ${feesOf(ledger)} where ${OF_ACCOUNT} and ${within('occurred_at')}
     group by account, product_line, coin order by account, product_line nulls last, coin`,
    valuesOf(request),
  )
  return {
    words: [
      'Positive when paid, negative for a rebate. Fees of trades are already included in the cost of what was bought, or deducted from the proceeds of what was sold. Those of imported rows, and what the network took of an imported move, have no product line.',
    ],
    tables: [tableWith('Fees', FEES, rows)],
  }
}
