// A chart of the query's rows: a line if the first column is a time, bars if it is text.
import { useState } from 'preact/hooks'
import type { Column } from '../../pipeline/serve/api.ts'
import { StackedBars } from '../charts/bars.tsx'
import { Figure } from '../charts/figure.tsx'
import { Lines } from '../charts/lines.tsx'
import { Empty } from '../parts/states.tsx'
import { count } from '../words/plain.ts'
import { textOf } from './grid.tsx'
import type { ResultRow } from './run.ts'

const BARS_MAX = 40

/** By its kind, or because every cell is a day. */
function isOfTime(kind: Column['kind'], rows: readonly ResultRow[], at: number): boolean {
  return (
    kind === 'time' ||
    kind === 'date' ||
    rows.every((row) => /^\d{4}-\d{2}-\d{2}/.test(textOf(row[at] ?? null)))
  )
}

export function QuickChart({
  columns,
  rows,
}: {
  readonly columns: readonly Column[]
  readonly rows: readonly ResultRow[]
}) {
  const figures = columns.flatMap(({ name, kind }, at) =>
    kind === 'amount' || kind === 'number' ? [{ name, at }] : [],
  )
  const along = columns.flatMap(({ name, kind }, at) =>
    kind === 'amount' ? [] : [{ name, at, isTime: isOfTime(kind, rows, at) }],
  )
  const [chosen, setChosen] = useState<{ readonly x: number; readonly y: number } | null>(null)
  const x = along.find(({ at }) => at === chosen?.x) ?? along.find(({ isTime }) => isTime) ?? along[0]
  const y = figures.find(({ at }) => at === chosen?.y) ?? figures.find(({ at }) => at !== x?.at)
  if (x === undefined || y === undefined || rows.length === 0)
    return (
      <Empty title="These rows cannot be charted.">
        A chart needs a column of times or text and a column of figures.
      </Empty>
    )
  const value = (row: ResultRow): string | null => {
    const cell = row[y.at]
    return cell === null || cell === undefined ? null : String(cell)
  }
  const points = rows
    .map((row) => ({ day: textOf(row[x.at] ?? null), value: value(row) }))
    .filter(({ day }) => day !== '')
  const says = `${y.name} by ${x.name}, ${count(points.length, 'row')}`
  return (
    <div>
      <div class="filters">
        <label class="filter" for="chart-x">
          <span>X axis</span>
          <select
            id="chart-x"
            value={x.at}
            onChange={(event) => setChosen({ x: Number(event.currentTarget.value), y: y.at })}
          >
            {along.map(({ name, at }) => (
              <option key={at} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="filter" for="chart-y">
          <span>Y axis</span>
          <select
            id="chart-y"
            value={y.at}
            onChange={(event) => setChosen({ x: x.at, y: Number(event.currentTarget.value) })}
          >
            {figures.map(({ name, at }) => (
              <option key={at} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {x.isTime ? (
        <Figure
          says={says}
          draw={(width) => (
            <Lines
              width={width}
              height={260}
              unit=""
              series={[{ name: y.name, points: [...points].sort((a, b) => a.day.localeCompare(b.day)) }]}
            />
          )}
        />
      ) : (
        <>
          <Figure
            says={says}
            draw={(width) => (
              <StackedBars
                width={width}
                height={260}
                unit=""
                parts={[y.name]}
                bars={points.slice(0, BARS_MAX).map(({ day, value: amount }) => ({
                  at: day,
                  parts: { [y.name]: amount },
                  total: null,
                }))}
              />
            )}
          />
          {points.length > BARS_MAX ? (
            <p class="quiet">
              The first {BARS_MAX} of {points.length} rows.
            </p>
          ) : null}
        </>
      )}
    </div>
  )
}
