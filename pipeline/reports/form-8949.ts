// Form 8949 under the rules `us`: one line for each piece, in columns (a) to (h), grouped by box, in whole
// dollars as its instructions require, with the totals of line 2 for each box, which carry over to Schedule
// D. Pieces with no known basis or acquisition date have no box and no gain: they cannot be filed until their
// history is available.
import { UsageError } from '../../models/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Reader, Values } from '../ledger/reader.ts'
import type { Row } from '../output/cell.ts'
import type { Column, RowBatches } from '../output/column.ts'
import { calendarOf } from '../rules/catalogue.ts'
import type { Form1099 } from '../rules/figures.ts'
import { form8949Box, us } from '../rules/us.ts'
import { withoutGain } from './completeness.ts'
import { disposalsOf } from './disposals.ts'
import { reportCurrency } from './gains.ts'
import { lawNotes } from './law-notes.ts'
import { reportNotes } from './notes.ts'
import { addAmounts, fileNameOf, type Report, type ReportRequest, reach, sums, valuesOf } from './report.ts'
import { otherCurrency } from './taxes.ts'
import { PIECES, roundingNotes } from './year-totals.ts'

const COLUMNS: readonly Column[] = [
  { name: 'box', title: 'box' },
  { name: 'description', title: '(a) description of property' },
  { name: 'acquired_on', title: '(b) date acquired', kind: 'date' },
  { name: 'sold_on', title: '(c) date sold', kind: 'date' },
  { name: 'proceeds', title: '(d) proceeds', kind: 'amount' },
  { name: 'cost_basis', title: '(e) cost or other basis', kind: 'amount' },
  { name: 'code', title: '(f) code' },
  { name: 'adjustment', title: '(g) adjustment', kind: 'amount' },
  { name: 'gain', title: '(h) gain or (loss)', kind: 'amount' },
  { name: 'currency' },
  { name: 'account' },
  { name: 'disposal_id' },
  { name: 'lot_id' },
]

const LINES = `
  with pieces as (${PIECES})
  select case when is_unknown then null else term end as term,
    rtrim(rtrim(cast(quantity as varchar), '0'), '.') || ' ' || coin as description,
    strftime(timezone($zone, acquired_at), '%Y-%m-%d') as acquired_on,
    strftime(timezone($zone, disposed_at), '%Y-%m-%d') as sold_on,
    proceeds, cost_basis, null as code, denied_loss as adjustment, gain, currency, account, disposal_id, lot_id
  from pieces
  order by term is null, term desc, strftime(timezone($zone, disposed_at), '%Y') >= '2025', disposed_at, account, coin, disposal_id, acquired_at nulls last, lot_id nulls last`

/** UsageError for other rules than `us`. */
export async function form8949Report(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const { rules = us.name } = request.lots
  if (rules !== us.name) {
    throw new UsageError('Form 8949 is only available under the rules us.', {
      where: '--rules',
      found: rules,
      action: 'Omit --rules.',
    })
  }
  const standing = await reportNotes(ledger, request)
  const { reader, notes } = await disposalsOf(ledger, { ...request.lots, rules }, request.currency)
  const currency = await reportCurrency(reader, request.currency)
  const zone = calendarOf(us, request.lots.timeZone).timeZone
  const values = { ...valuesOf(request), currency, has_terms: true, rounds: us.roundsPieces, zone }
  const { rows } = await reader.stream(LINES, values)
  const [found] = await reader.query('select min(currency) from disposals')
  const isForeign = typeof found?.[0] === 'string' && found[0] !== us.currency
  const { form1099 = 'none' } = request
  const { label } = request.period
  return {
    fileName: fileNameOf('form-8949', request),
    title: label === '' ? 'Form 8949' : `Form 8949 ${label}`,
    columns: COLUMNS,
    rows: boxed(rows, form1099),
    totals: await boxTotals(reader, values, form1099),
    warnings: await withoutGain(ledger, reader, values),
    notes: [
      ...notes,
      ...(await roundingNotes(reader, values)),
      ...(isForeign ? [otherCurrency(us, String(found?.[0]))] : []),
      ...(await lawNotes(ledger, reader, us, request)),
      ...standing,
    ],
  }
}

/** Line 2 of each box: the sum of its lines as printed. */
async function boxTotals(reader: Reader, values: Values, form1099: Form1099): Promise<Row[]> {
  const rows = await sums(
    reader,
    `with pieces as (${PIECES})
     select term, strftime(timezone($zone, disposed_at), '%Y') as year, sum(proceeds), sum(cost_basis), sum(denied_loss),
       sum(gain), min(currency), ${reach('proceeds', 'cost_basis', 'denied_loss', 'gain')}
     from pieces where not is_unknown group by term, year order by term desc, year`,
    values,
  )
  const boxes = new Map<string, Row[]>()
  for (const row of rows) {
    const box = form8949Box(Number(row[1]), row[0] === 'short' ? 'short' : 'long', form1099)
    boxes.set(box, [...(boxes.get(box) ?? []), row])
  }
  return [...boxes].map(([box, of]): Row => {
    const [proceeds, cost, adjustment, gain] = [2, 3, 4, 5].map((at) => addAmounts(of.map((row) => row[at])))
    const currency = of[0]?.[6] ?? null
    return [
      box,
      'line 2: totals',
      null,
      null,
      proceeds,
      cost,
      null,
      adjustment,
      gain,
      currency,
      null,
      null,
      null,
    ] as Row
  })
}

/** The first cell is the term; the box follows from it and the year of the sale. */
async function* boxed(batches: RowBatches, form1099: Form1099): RowBatches {
  for await (const rows of batches)
    yield rows.map(([term, ...rest]): Row => {
      const year = Number(String(rest[2]).slice(0, 4))
      return [term === 'short' || term === 'long' ? form8949Box(year, term, form1099) : null, ...rest]
    })
}
