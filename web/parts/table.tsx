// Rows as a real table: a sticky head, figures aligned right and at their decimal points, and a caption for screen readers.
// Pure: it shows exactly what it is given.
import type { ComponentChildren } from 'preact'
import type { Cell, Column } from '../../pipeline/serve/api.ts'
import { decimalsOf } from '../words/digits.ts'
import { named } from '../words/plain.ts'
import { Amount, Unknown } from './amount.tsx'
import { Instant } from './marks.tsx'

interface Base<Row> {
  readonly head: string
  /** Explanation of the column, if its head is too short. */
  readonly says?: string
  /** Shown instead of the value; the value still determines how amounts are aligned. */
  readonly show?: (row: Row) => ComponentChildren
  /** Hidden on a narrow screen: the row is clear enough without it. */
  readonly isExtra?: boolean
  /** Text that may wrap over several lines. */
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
  /** Marks the row that is shown in detail elsewhere on the page. */
  readonly isChosen?: (row: Row) => boolean
}

/** Names longer than this many characters wrap, so that they do not push the figures off the screen. */
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
    // A scrolling region must be reachable by keyboard, so it has a name and a tab stop.
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
  // A number that arrives as text, as from reports, may be a year.
  return typeof value === 'number' ? <Amount value={String(value)} /> : value
}

/** Columns for rows that arrive as lists, as from reports and queries. */
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
