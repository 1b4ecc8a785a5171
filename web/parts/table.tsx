// Rows as a real table: a head that stays, figures to the right with their points below each other, a caption for those who
// listen. Pure: what stands in it is what it is given.
import type { ComponentChildren } from 'preact'
import type { Cell, Column } from '../../pipeline/serve/api.ts'
import { decimalsOf } from '../words/digits.ts'
import { named } from '../words/plain.ts'
import { Amount, Unknown } from './amount.tsx'
import { Instant } from './marks.tsx'

interface Base<Row> {
  readonly head: string
  /** Said of the column where its head is too short for it. */
  readonly says?: string
  /** Takes the place of the value; the value still lines up amounts. */
  readonly show?: (row: Row) => ComponentChildren
  /** Hidden where the screen is narrow: the row says enough without it. */
  readonly isExtra?: boolean
  /** Words that may run over several lines. */
  readonly wraps?: boolean
}
interface AmountColumn<Row> extends Base<Row> {
  readonly kind: 'amount'
  readonly value: (row: Row) => string | null
  readonly coin?: (row: Row) => string | null
  /** Where the figure comes from. */
  readonly link?: (row: Row) => { readonly href: string; readonly title: string } | null
}
interface PlainColumn<Row> extends Base<Row> {
  readonly kind: 'text' | 'number' | 'time' | 'row'
  readonly value: (row: Row) => string | number | null
}
export type TableColumn<Row> = AmountColumn<Row> | PlainColumn<Row>

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Rows of sums, below a line. */
  readonly totals?: readonly Row[]
  /** Marks the row that something else on the page is about. */
  readonly isChosen?: (row: Row) => boolean
}

/** Characters of a name beyond which it goes on in a second line, so that it does not push the figures off the screen. */
const LONG = 40

export function Table<Row>({ caption, columns, rows, keyOf, totals = [], isChosen }: Props<Row>) {
  const decimals = columns.map((column) =>
    column.kind === 'amount' ? decimalsOf([...rows, ...totals].map(column.value)) : 0,
  )
  const line = (row: Row, isTotal: boolean) => (
    <tr key={`${isTotal ? 'total ' : ''}${keyOf(row)}`} aria-current={isChosen?.(row) ? 'true' : undefined}>
      {columns.map((column, at) => {
        const isLong = column.kind !== 'amount' && String(column.value(row) ?? '').length > LONG
        const style = isLong ? `${classOf(column)} long` : classOf(column)
        const content =
          column.show === undefined ? plain(column, row, decimals[at] as number) : column.show(row)
        return column.kind === 'row' ? (
          <th key={at} scope="row" class={style}>
            {content}
          </th>
        ) : (
          <td key={at} class={style}>
            {content}
          </td>
        )
      })}
    </tr>
  )
  return (
    // A region that scrolls is reached by keyboard, so it has a name and a place in the order.
    <section class="table-frame" aria-label={`${caption}, table`} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={classOf(column)} title={column.says}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map((row) => line(row, false))}</tbody>
        {totals.length === 0 ? null : <tfoot>{totals.map((row) => line(row, true))}</tfoot>}
      </table>
    </section>
  )
}

function classOf<Row>({ kind, isExtra, wraps }: TableColumn<Row>): string {
  return [kind, ...(isExtra ? ['extra'] : []), ...(wraps ? ['wraps'] : [])].join(' ')
}

function plain<Row>(column: TableColumn<Row>, row: Row, decimals: number): ComponentChildren {
  if (column.kind === 'amount') {
    const amount = <Amount value={column.value(row)} decimals={decimals} coin={column.coin?.(row)} />
    const link = column.link?.(row) ?? null
    return link === null ? (
      amount
    ) : (
      <a class="figure-link" {...link}>
        {amount}
      </a>
    )
  }
  const value = column.value(row)
  if (value === null || value === '') return <Unknown />
  if (column.kind === 'time') return <Instant at={String(value)} />
  return value
}

/** Columns of rows that come as lists, as reports and queries have them. */
export function columnsOf(columns: readonly Column[]): TableColumn<readonly Cell[]>[] {
  return columns.map(({ name, kind }, at) => {
    const value = (row: readonly Cell[]): string | null => {
      const cell = row[at]
      if (cell === null || cell === undefined) return null
      return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
    }
    if (kind === 'amount') return { kind: 'amount', head: named(name), value }
    return {
      kind: kind === 'number' ? 'number' : kind === 'time' ? 'time' : at === 0 ? 'row' : 'text',
      head: named(name),
      value,
      wraps: kind === 'text',
    }
  })
}
