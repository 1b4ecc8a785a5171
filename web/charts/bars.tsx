// Stacked parts by month: gains above the line, losses below it, the total as a mark across the bar.
import { scaleBand, scaleLinear } from 'd3-scale'
import { stack, stackOffsetDiverging } from 'd3-shape'
import { digitsOf, placeOf } from '../words/digits.ts'
import { monthInWords } from '../words/times.ts'
import { frameOf, ValueAxis } from './axes.tsx'

export interface Bar {
  /** First day of the month, or another name for the bar; names need not be unique. */
  readonly at: string
  /** Amounts by part; null if not known. */
  readonly parts: Readonly<Record<string, string | null>>
  /** The exact sum of the parts, calculated by the caller. */
  readonly total: string | null
}

interface Props {
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
  readonly bars: readonly Bar[]
  readonly unit: string
}

/** Half the width of a month's label, which would be cut off if it were closer to the edge. */
const HALF_A_MONTH = 28

export function StackedBars({ width, height, parts, bars, unit }: Props) {
  const layers = stack<Bar>()
    .keys([...parts])
    .value((bar, part) => placeOf(bar.parts[part] ?? null) ?? 0)
    .offset(stackOffsetDiverging)([...bars])
  const ends = layers.flat(2)
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)]
  const y = scaleLinear([low, high === low ? low + 1 : high], [0, 1]).nice(4)
  const frame = frameOf(width, height, y)
  y.range([frame.bottom, frame.top])
  const x = scaleBand(
    bars.map((_, order) => order),
    [frame.left, frame.right],
  )
    .paddingInner(0.35)
    .paddingOuter(0.2)
  const thick = Math.min(x.bandwidth(), 56)
  const left = (order: number): number => (x(order) as number) + (x.bandwidth() - thick) / 2
  const every = Math.ceil((bars.length * 74) / (frame.right - frame.left))
  return (
    <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <ValueAxis scale={y} frame={frame} />
      {layers.map((layer, order) => (
        <g key={layer.key} class={`series series-${order}`}>
          {layer.map(([from, to], at) => {
            const [top, bottom] = [y(Math.max(from, to)), y(Math.min(from, to))]
            return bottom - top < 0.2 ? null : (
              <rect key={at} x={left(at)} y={top} width={thick} height={bottom - top} />
            )
          })}
        </g>
      ))}
      {bars.map((bar, order) => {
        const total = placeOf(bar.total)
        return (
          <g key={order} class="reading">
            {total === null ? null : (
              <line
                class="total"
                x1={left(order) - 5}
                x2={left(order) + thick + 5}
                y1={y(total)}
                y2={y(total)}
              />
            )}
            <rect
              x={x(order) as number}
              y={frame.top}
              width={x.bandwidth()}
              height={frame.bottom - frame.top}
            >
              <title>
                {[
                  wordOf(bar.at),
                  ...parts.map((part) => told(part, bar.parts[part] ?? null, unit)),
                  told('total', bar.total, unit),
                ].join('\n')}
              </title>
            </rect>
            {order % every === 0 ? (
              <text
                class="tick"
                x={Math.min((x(order) as number) + x.bandwidth() / 2, width - HALF_A_MONTH)}
                y={frame.bottom + 16}
                text-anchor="middle"
              >
                {wordOf(bar.at)}
              </text>
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

function wordOf(at: string): string {
  return /^\d{4}-\d{2}-01$/.test(at) ? monthInWords(at) : at
}

function told(part: string, amount: string | null, unit: string): string {
  if (amount === null) return `${part}: not known`
  const { isNegative, groups, decimals } = digitsOf(amount)
  return `${part}: ${isNegative ? '-' : ''}${groups.join(' ')}${decimals === '' ? '' : `.${decimals}`} ${unit}`
}
