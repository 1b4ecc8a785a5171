// Rows of a query: a real table that renders only the visible rows, and states their positions and the total number.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks'
import type { Cell, Column } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { Instant, ProofLink } from '../parts/marks.tsx'
import { decimalsOf } from '../words/digits.ts'
import type { ResultRow } from './run.ts'

const ROW_PX = 27
/** Longest text, in characters, that a cell shows uncut; the full text is in its title. */
const WIDTH_MAX = 48

interface Props {
  readonly columns: readonly Column[]
  readonly rows: readonly ResultRow[]
}

export function Grid({ columns, rows }: Props) {
  const frame = useRef<HTMLElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const options = {
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  }
  const virtual = useMemo(() => new Virtualizer<HTMLElement, HTMLTableRowElement>(options), [])
  virtual.setOptions(options)
  useEffect(() => {
    const stop = virtual._didMount()
    return stop
  }, [])
  useEffect(() => virtual._willUpdate())
  const shapes = useMemo(() => columns.map((column, at) => shapeOf(column, rows, at)), [columns, rows])
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <section ref={frame} class="result-frame" aria-label="Rows of the query" tabIndex={0}>
      <table class="result" aria-rowcount={rows.length + 1} aria-colcount={columns.length}>
        <caption class="unseen">Rows of the query</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, kind }, at) => (
              <th
                key={at}
                scope="col"
                class={isRight(kind) ? 'amount' : 'text'}
                style={{ minWidth: `${shapes[at]?.width}ch` }}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 ? (
            <tr class="room">
              <td colSpan={columns.length} style={{ height: `${above}px` }} />
            </tr>
          ) : null}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {columns.map((column, at) => (
                <td key={at} class={isRight(column.kind) ? 'amount' : 'text'}>
                  {content(column, rows[index]?.[at] ?? null, shapes[at]?.decimals ?? 0)}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 ? (
            <tr class="room">
              <td colSpan={columns.length} style={{ height: `${below}px` }} />
            </tr>
          ) : null}
        </tbody>
      </table>
    </section>
  )
}

const isRight = (kind: Column['kind']): boolean => kind === 'amount' || kind === 'number'

function shapeOf(
  { name, kind }: Column,
  rows: readonly ResultRow[],
  at: number,
): { readonly width: number; readonly decimals: number } {
  let longest = name.length + 1
  for (const row of rows) longest = Math.max(longest, textOf(row[at] ?? null).length)
  const decimals =
    kind === 'amount'
      ? decimalsOf(rows.map((row) => (typeof row[at] === 'string' ? (row[at] as string) : null)))
      : 0
  return { width: Math.min(longest, PROVEN.test(name) ? ID_WIDTH : WIDTH_MAX), decimals }
}

export function textOf(cell: Cell): string {
  if (cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

const ID_WIDTH = 30

/** Columns whose cells are ids that have a proof. */
const PROVEN = /^(entry|transaction|trade|disposal|lot|line|break)_id$/

function content({ name, kind }: Column, cell: Cell, decimals: number) {
  if (cell === null) return <span class="unknown">null</span>
  const text = textOf(cell)
  if (kind === 'amount') return <Amount value={text} decimals={decimals} />
  if (kind === 'time') return <Instant at={text} />
  if (PROVEN.test(name)) return <ProofLink id={text} length={ID_WIDTH} />
  return text.length > WIDTH_MAX ? <span title={text}>{`${text.slice(0, WIDTH_MAX - 1)}…`}</span> : text
}

/** Rows in the form that a spreadsheet accepts from the clipboard. */
export function tabbed(columns: readonly Column[], rows: readonly ResultRow[], hasHead: boolean): string {
  const clean = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')
  const body = rows.map((row) => row.map((cell) => clean(textOf(cell))).join('\t'))
  return (hasHead ? [columns.map(({ name }) => name).join('\t'), ...body] : body).join('\n')
}
