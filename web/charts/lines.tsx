// Figures by day as lines. A day without a figure breaks the line: unknown values are not drawn.
import { scaleLinear, scaleUtc } from 'd3-scale'
import { area, curveStepAfter, line } from 'd3-shape'
import { digitsOf, placeOf } from '../words/digits.ts'
import { dayInWords } from '../words/times.ts'
import { DayAxis, frameOf, ValueAxis } from './axes.tsx'

export interface Point {
  readonly day: string
  readonly value: string | null
}

interface Props {
  readonly width: number
  readonly height: number
  readonly series: readonly { readonly name: string; readonly points: readonly Point[] }[]
  readonly unit: string
  /** Steps for balances, which hold until they change; values are drawn as sloping lines. */
  readonly isStepped?: boolean
  /** Whether the axis starts at zero. */
  readonly isFromZero?: boolean
}

export function Lines({ width, height, series, unit, isStepped, isFromZero }: Props) {
  const all = series.flatMap(({ points }) => points)
  const values = all.map(({ value }) => placeOf(value)).filter((value) => value !== null)
  const times = all.map(({ day }) => Date.parse(day))
  if (values.length === 0) return null
  const [low, high] = extent(isFromZero ? [...values, 0] : values)
  const y = scaleLinear([low, high], [0, 1]).nice(4)
  const frame = frameOf(width, height, y)
  y.range([frame.bottom, frame.top])
  const x = scaleUtc([new Date(Math.min(...times)), new Date(Math.max(...times))], [frame.left, frame.right])
  const at = ({ day }: Point): number => x(new Date(day))
  const height_ = ({ value }: Point): number => y(placeOf(value) as number)
  const known = ({ value }: Point): boolean => value !== null
  const base = line<Point>().x(at).y(height_).defined(known)
  const filled = area<Point>().x(at).y0(frame.bottom).y1(height_).defined(known)
  const path = isStepped ? base.curve(curveStepAfter) : base
  const below = isStepped ? filled.curve(curveStepAfter) : filled
  const first = series[0]?.points ?? []
  const step = first.length > 1 ? (frame.right - frame.left) / (first.length - 1) : frame.right - frame.left
  return (
    <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <ValueAxis scale={y} frame={frame} />
      <DayAxis scale={x} frame={frame} />
      {series.length === 1 ? <path class="area series-0" d={below([...first]) ?? ''} /> : null}
      {series.map(({ name, points }, order) => (
        <path key={name} class={`line series-${order}`} d={path([...points]) ?? ''} />
      ))}
      {first.map((point, order) => (
        <g key={point.day} class="reading">
          <rect x={at(point) - step / 2} y={frame.top} width={step} height={frame.bottom - frame.top}>
            <title>
              {`${dayInWords(point.day)}\n${series.map(({ name, points }) => told(name, points[order], unit)).join('\n')}`}
            </title>
          </rect>
          {series.map(({ name, points }, place) => {
            const here = points[order]
            return here === undefined || here.value === null ? null : (
              <circle key={name} class={`dot series-${place}`} cx={at(here)} cy={height_(here)} r="3.5" />
            )
          })}
        </g>
      ))}
    </svg>
  )
}

function told(name: string, point: Point | undefined, unit: string): string {
  if (point === undefined || point.value === null) return `${name}: not known`
  const { isNegative, groups, decimals } = digitsOf(point.value)
  return `${name}: ${isNegative ? '-' : ''}${groups.join(' ')}${decimals === '' ? '' : `.${decimals}`} ${unit}`
}

/** From the lowest to the highest value; a constant line gets space on both sides. */
function extent(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low !== high) return [low, high]
  return low === 0 ? [0, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1]
}
