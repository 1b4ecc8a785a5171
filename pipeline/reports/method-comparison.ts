// Gains by several methods side by side: for each coin the proceeds, the cost and the gain under each method.
// Pieces with no known gain under a method are counted, never guessed.
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Cell, Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import type { LotChoice } from '../rules/matching.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import { reportNotes } from './notes.ts'
import {
  addAmounts,
  fileNameOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  sums,
  valuesOf,
  within,
} from './report.ts'

/**
 * `fifo,lifo` is two methods, and so is `fifo,2025:hifo,lifo`: one that changes with a tax year, and lifo.
 */
export function parseMethods(text: string): string[] {
  const methods: string[] = []
  for (const part of text.split(',').map((one) => one.trim())) {
    const before = methods.pop()
    if (before === undefined) methods.push(part)
    else if (/^\d{4}:/.test(part)) methods.push(`${before},${part}`)
    else methods.push(before, part)
  }
  const repeated = methods.find((method, at) => methods.indexOf(method) !== at)
  if (methods.length > 1 && repeated === undefined) return methods
  throw new UsageError('--methods compares several methods.', {
    where: '--methods',
    expected: 'at least two different methods, such as fifo,lifo,hifo',
    found: text,
    action: 'Name the methods, or use --method for a single one.',
  })
}

/** Sums of one method by coin and currency: proceeds, cost basis, gain, and how many pieces have no known gain. */
type Sums = ReadonlyMap<string, readonly [Cell, Cell, Cell, Cell]>

const FIGURES = ['proceeds', 'cost_basis', 'gain', 'unknown_pieces'] as const

/** Columns coin and currency, then the figures of each method, in the order given. */
export async function comparisonReport(
  ledger: Ledger,
  request: ReportRequest,
  methods: readonly string[],
  /** Called with each method before it is calculated. */
  onMethod: (method: string, done: number) => void = () => {},
): Promise<Report> {
  const standing = await reportNotes(ledger, request)
  const found: Sums[] = []
  const notes: string[] = []
  for (const [done, method] of methods.entries()) {
    onMethod(method, done)
    const { notes: how, reader } = await disposalsOf(ledger, choiceOf(request.lots, method), request.currency)
    const values = { ...valuesOf(request), currency: await reportCurrency(reader, request.currency) }
    const rows = await sums(
      reader,
      `select coin, currency, sum(proceeds) filter (gain is not null), sum(cost_basis) filter (gain is not null),
         sum(gain), count(*) filter (gain is null), ${reach('proceeds', 'cost_basis', 'gain')}
       from disposals
       where ${OF_ACCOUNT} and ${within('disposed_at')}
         and ($currency::varchar is null or currency is null or currency = $currency)
       group by coin, currency`,
      values,
    )
    // An in-memory database per method would add up.
    if (reader !== ledger) reader.close()
    found.push(new Map(rows.map(([coin, currency, ...figures]) => [keyOf(coin, currency), figures as never])))
    notes.push(...how.map((note) => `${method}: ${note}`))
  }
  const keys = [...new Set(found.flatMap((each) => [...each.keys()]))].toSorted()
  return {
    fileName: [...fileNameOf('gains', request), methods.join('-')],
    title: ['Gains by method', request.period.label].filter((part) => part !== '').join(' '),
    columns: columnsOf(methods),
    importance: [
      'coin',
      'currency',
      ...figuresOf(methods, ['gain', 'proceeds', 'cost_basis', 'unknown_pieces']),
    ],
    rows: asBatches(
      keys.map((key) => [...partsOf(key), ...found.flatMap((each) => each.get(key) ?? NOTHING)]),
    ),
    totals: totalsOf(keys, found),
    notes: [...notes, ...standing],
  }
}

const NOTHING: readonly Cell[] = [null, null, null, 0]

/** A selection of lots belongs to the method that uses it. */
function choiceOf({ selection, ...choice }: LotChoice, method: string): LotChoice {
  return { ...choice, method, ...(/\bspecific\b/.test(method) ? { selection } : {}) }
}

/** Columns of all methods, figure by figure. */
const figuresOf = (methods: readonly string[], figures: readonly Figure[]): string[] =>
  figures.flatMap((figure) => methods.map((method) => nameOf(method, figure)))

type Figure = (typeof FIGURES)[number]

const nameOf = (method: string, figure: Figure): string => `${method}_${figure}`

function columnsOf(methods: readonly string[]): Column[] {
  const figures = methods.flatMap((method) =>
    FIGURES.map(
      (figure): Column => ({
        name: nameOf(method, figure),
        title: `${method} ${figure.replace('_', ' ')}`,
        kind: figure === 'unknown_pieces' ? 'number' : 'amount',
      }),
    ),
  )
  return [{ name: 'coin' }, { name: 'currency' }, ...figures]
}

/** One line for each currency, over all coins. */
function totalsOf(keys: readonly string[], found: readonly Sums[]): Row[] {
  const currencies = [...new Set(keys.map((key) => partsOf(key)[1] ?? null))]
  return currencies.map((currency) => {
    const inCurrency = keys.filter((key) => partsOf(key)[1] === currency)
    const cells = found.flatMap((each) =>
      FIGURES.map((_, at) => {
        const column = inCurrency.map((key) => (each.get(key) ?? NOTHING)[at])
        return at === 3 ? column.reduce((sum: number, cell) => sum + Number(cell), 0) : addAmounts(column)
      }),
    )
    return ['total', currency, ...cells]
  })
}

const keyOf = (coin: Cell | undefined, currency: Cell | undefined): string =>
  JSON.stringify([coin ?? null, currency ?? null])

const partsOf = (key: string): Cell[] => JSON.parse(key) as Cell[]
