// Balances with their value: current ones as published, or those at the end of a period as the sum of all
// entries up to then.

import { counted } from '../../models/text.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { QueryResult } from '../ledger/session.ts'
import type { Row } from '../output/cell.ts'
import { asBatches, type Column } from '../output/column.ts'
import { belowNothing } from './below-nothing.ts'
import { reportNotes } from './notes.ts'
import { openPositions } from './open-positions.ts'
import { currencyOf, EXTEND_BOOKS, LAST_DAY, pricesBefore, pricesOf, worthOf } from './period-prices.ts'
import {
  fileNameOf,
  movesOf,
  OF_ACCOUNT,
  type Report,
  type ReportRequest,
  reach,
  requireTable,
  sums,
} from './report.ts'

/** Columns of `balances`; account, ledger and coin are the key of a line. */
export async function balancesReport(ledger: Ledger, request: ReportRequest): Promise<Report> {
  const { before } = request.period
  const notes = await reportNotes(ledger, request)
  const { columns, rows, remarks } =
    before === null ? await now(ledger, request) : await until(ledger, request)
  const title =
    before === null ? 'Balances' : `Balances at the end of ${request.period.label.replace(/^to /, '')}`
  return {
    fileName: fileNameOf('balances', request),
    title,
    columns,
    rows,
    totals: [],
    notes: [
      ...notes,
      ...remarks,
      ...(await belowNothing(ledger, request, { atEnd: true })),
      ...(await openPositions(ledger, request)),
    ],
  }
}

const VALUE_OF_OWN = worthOf('own', 'exact_multiply(own, prices.price)')
const CURRENCY_OF_VALUE = currencyOf('own', 'prices.currency')

interface Balances extends QueryResult {
  /** Remarks on the values: how many are missing, and that they are net of what is owed. */
  readonly remarks: readonly string[]
}

const LESS_LOANS =
  'Values cover what is owned: quantity less borrowed (`own`). The closing balances of `report statement`, ' +
  '`report account-values` and daily_valuation.value include what is borrowed.'

async function now(ledger: Ledger, { account }: ReportRequest): Promise<Balances> {
  const isValued = ledger.tables.has('daily_valuation')
  const valued = isValued
    ? `select balances.*, prices.price, ${VALUE_OF_OWN} as value, ${CURRENCY_OF_VALUE} as currency,
         prices.priced_at
       from balances left join (${pricesOf(LAST_DAY)}) as prices using (coin)`
    : 'select * from balances'
  const values = { account: account ?? null }
  const [counts] = isValued
    ? await ledger.query(
        `select count(*) filter (own <> 0 and value is null), count(*), count(*) filter (borrowed <> 0)
         from (${valued}) where ${OF_ACCOUNT}`,
        values,
      )
    : []
  const [lacking = 0, all = 0, owing = 0] = (counts ?? []).map(Number)
  const asked = `select * from (${valued}) where ${OF_ACCOUNT} order by account, ledger, coin`
  return {
    ...(await ledger.stream(asked, values)),
    remarks: remarksOn({ lacking, all, owing }, 'the last day of the books'),
  }
}

interface Counts {
  /** Balances without a value, and all of them. */
  readonly lacking: number
  readonly all: number
  readonly owing: number
}

/** An empty cell would otherwise read as zero. */
function remarksOn({ lacking, all, owing }: Counts, day: string, end: string | null = null): string[] {
  const why =
    end === null
      ? `because there is no price at the end of ${day}. Import prices (\`tieout import prices\`) or fetch them (\`tieout prices fetch\`).`
      : `because the books end on ${end}. ${EXTEND_BOOKS}`
  return [
    ...(owing === 0 ? [] : [LESS_LOANS]),
    ...(lacking === 0 ? [] : [`No value for ${lacking} of ${counted(all, 'balance')}, ${why}`]),
  ]
}

/**
 * What each wallet owed on loans before `$before`, and over how many entries; only wallets that ever owed
 * something.
 */
export const OWED = `
  select liabilities.account, liabilities.ledger, liabilities.coin,
    coalesce(sum(loans.change), 0) + any_value(liabilities.owed_before) as borrowed, count(loans.change) as loan_entries
  from liabilities
  left join (
    select entries.account, entries.ledger, entries.coin, -postings.amount as change
    from postings join entries on entries.entry_id || '/counter' = postings.posting_id
    where starts_with(postings.account_name, 'Liabilities:')
      and ($before::timestamptz is null or entries.occurred_at < $before::timestamptz)
  ) as loans using (account, ledger, coin)
  group by all`

const COLUMNS: readonly Column[] = [
  { name: 'account' },
  { name: 'ledger' },
  { name: 'coin' },
  { name: 'quantity', kind: 'amount' },
  { name: 'borrowed', kind: 'amount' },
  { name: 'own', kind: 'amount' },
  { name: 'as_of', kind: 'time' },
  { name: 'price', kind: 'amount' },
  { name: 'value', kind: 'amount' },
  { name: 'currency' },
  { name: 'priced_at', kind: 'time' },
]

const placeOf = (name: string): number => COLUMNS.findIndex((column) => column.name === name)
const [OWN, BORROWED, VALUE] = [placeOf('own'), placeOf('borrowed'), placeOf('value')]

/** For books of an earlier version, which have no daily prices. */
const NO_PRICES = `select null::varchar as coin, null::decimal(38, 18) as price, null::varchar as currency,
  null::timestamptz as priced_at`

async function until(ledger: Ledger, request: ReportRequest): Promise<Balances> {
  for (const table of ['postings', 'liabilities']) requireTable(ledger, table)
  const isValued = ledger.tables.has('daily_valuation')
  const { sql: prices, booksEnd } = isValued
    ? await pricesBefore(ledger, request.period.before)
    : { sql: NO_PRICES, booksEnd: null }
  const rows = await sums(
    ledger,
    `with
     held as (
       select account, ledger, coin, sum(amount) as quantity, max(occurred_at) as as_of,
         ${reach('amount')} as reach
       from ${movesOf(ledger)} as moves where ${OF_ACCOUNT} and occurred_at < $before::timestamptz
       group by account, ledger, coin
     ),
     owned as (
       select held.account, held.ledger, held.coin, held.quantity,
         coalesce(owed.borrowed, 0) as borrowed,
         -- A sum that may be wrong is refused below; a difference with it would stop the query before.
         case when reach < 1e20 then held.quantity - coalesce(owed.borrowed, 0) end as own,
         held.as_of, reach
       from held
       left join (${OWED}) as owed using (account, ledger, coin)
     )
     select owned.* exclude (reach), prices.price, ${isValued ? VALUE_OF_OWN : 'null::decimal(38, 18)'} as value,
       ${isValued ? CURRENCY_OF_VALUE : 'null::varchar'} as currency, prices.priced_at, reach
     from owned left join (${prices}) as prices using (coin)
     order by owned.account, owned.ledger, owned.coin`,
    { account: request.account ?? null, before: request.period.before },
  )
  const isWith = (column: number, row: Row): boolean => row[column] !== '0' && row[column] !== null
  const counts = {
    lacking: isValued ? rows.filter((row) => isWith(OWN, row) && row[VALUE] === null).length : 0,
    all: rows.length,
    owing: rows.filter((row) => isWith(BORROWED, row)).length,
  }
  return { columns: COLUMNS, rows: asBatches(rows), remarks: remarksOn(counts, 'that day', booksEnd) }
}
