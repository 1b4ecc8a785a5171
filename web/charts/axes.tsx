// Axes that all charts share: faint lines, few ticks, labels that fit.
import type { ScaleLinear, ScaleTime } from 'd3-scale'
import { dayInWords, monthInWords } from '../words/times.ts'
import { dayTicks } from './ticks.ts'

export interface Frame {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The plotting area of a chart, leaving room for the axis labels. */
export function frameOf(width: number, height: number, scale: ScaleLinear<number, number>): Frame {
  const words = scale.ticks(TICKS).map(tickWords(scale))
  const left = 10 + 6.6 * Math.max(...words.map(({ length }) => length))
  return { left, top: 8, right: width - 6, bottom: height - 22 }
}

const TICKS = 4

export function ValueAxis({
  scale,
  frame,
}: {
  readonly scale: ScaleLinear<number, number>
  readonly frame: Frame
}) {
  const words = tickWords(scale)
  return (
    <g>
      {scale.ticks(TICKS).map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'zero' : 'grid'}
            x1={frame.left}
            x2={frame.right}
            y1={scale(tick)}
            y2={scale(tick)}
          />
          <text x={frame.left - 6} y={scale(tick)} dy="0.32em" text-anchor="end">
            {words(tick)}
          </text>
        </g>
      ))}
    </g>
  )
}

function tickWords(scale: ScaleLinear<number, number>): (tick: number) => string {
  const most = Math.max(...scale.domain().map(Math.abs))
  const format = most >= 1_000 ? scale.tickFormat(TICKS, '~s') : scale.tickFormat(TICKS)
  return (tick) => (tick === 0 ? '0' : format(tick))
}

export function DayAxis({
  scale,
  frame,
}: {
  readonly scale: ScaleTime<number, number>
  readonly frame: Frame
}) {
  const [from, to] = scale.domain() as [Date, Date]
  const days = (to.getTime() - from.getTime()) / 86_400_000
  const word = (day: Date): string => {
    const text = day.toISOString().slice(0, 10)
    return days > 120 ? monthInWords(text) : dayInWords(text).replace(/ \d{4}$/, '')
  }
  return (
    <g>
      {dayTicks(scale, frame.right - frame.left).map((tick) => (
        <text
          key={tick.getTime()}
          x={scale(tick)}
          y={frame.bottom + 16}
          text-anchor={anchorOf(scale(tick), frame)}
        >
          {word(tick)}
        </text>
      ))}
    </g>
  )
}

function anchorOf(x: number, frame: Frame): 'start' | 'middle' | 'end' {
  if (x < frame.left + 20) return 'start'
  return x > frame.right - 24 ? 'end' : 'middle'
}
