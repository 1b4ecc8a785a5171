// A chart with its text: a description for screen readers, a legend, and the same figures as a table on demand.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** What the chart shows, in a sentence with its figures: the text alternative of the chart. */
  readonly says: string
  /** Draws the chart for a width in pixels. */
  readonly draw: (width: number) => ComponentChildren
  readonly legend?: readonly string[] | undefined
  /** Label in the legend for the mark across each bar. */
  readonly total?: string | undefined
  /** The figures as a table; rendered when it is opened. */
  readonly table?: (() => ComponentChildren) | undefined
}

export function Figure({ says, draw, legend, total, table }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const element = frame.current as HTMLDivElement
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <figure class="figure">
      {legend === undefined ? null : <Legend names={legend} total={total} />}
      <div ref={frame} class="picture" role="img" aria-label={says}>
        {width > 0 ? draw(width) : null}
      </div>
      {table === undefined ? null : (
        <details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Show as a table</summary>
          {isOpen ? table() : null}
        </details>
      )}
    </figure>
  )
}

export function Legend({
  names,
  total,
}: {
  readonly names: readonly string[]
  readonly total?: string | undefined
}) {
  return (
    <ul class="legend">
      {names.map((name, at) => (
        <li key={name}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect class={`series series-${at}`} width="10" height="10" rx="2" />
          </svg>
          {name}
        </li>
      ))}
      {total === undefined ? null : (
        <li>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <line class="total" x1="0" x2="10" y1="5" y2="5" />
          </svg>
          {total}
        </li>
      )}
    </ul>
  )
}
