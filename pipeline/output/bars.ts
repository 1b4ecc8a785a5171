// Bars of one figure over time, for a printed report. Only the picture takes amounts as floating-point
// numbers; the table beside it has them as exact text.
import { h, type Markup } from './markup.ts'

export interface Bars {
  readonly title: string
  /** Label and exact amount of each bar, in their order. */
  readonly bars: readonly (readonly [label: string, amount: string])[]
}

const WIDTH = 800
const HEIGHT = 150
const FOOT = 16
const LABELS = 12
const WIDEST = 66

/** Gains are filled, losses are outlined, so that neither needs a colour. */
export function barChart({ title, bars }: Bars, id: string): Markup {
  const sizes = bars.map(([, amount]) => Number(amount))
  const top = Math.max(0, ...sizes)
  const bottom = Math.min(0, ...sizes)
  const scale = (HEIGHT - FOOT) / (top - bottom || 1)
  const step = Math.min(WIDTH / bars.length, WIDEST)
  const y = (size: number): number => (top - size) * scale
  const every = Math.ceil(bars.length / LABELS)
  const rects = sizes.map((size, at) => {
    const height = Math.max(Math.abs(size) * scale, 0.5)
    return h('rect', {
      class: size < 0 ? 'loss' : 'gain',
      x: place(at * step + step * 0.15),
      y: place(size < 0 ? y(0) : y(0) - height),
      width: place(step * 0.7),
      height: place(height),
    })
  })
  const labels = bars.flatMap(([label], at) =>
    at % every === 0
      ? [h('text', { x: place((at + 0.5) * step), y: place(HEIGHT - 3), 'text-anchor': 'middle' }, label)]
      : [],
  )
  const ends = [bars[0], bars.at(-1)].map((bar) => bar?.[0] ?? '')
  return h(
    'figure',
    {},
    h('figcaption', { id }, title),
    h(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-labelledby': `${id} ${id}-desc` },
      h(
        'desc',
        { id: `${id}-desc` },
        `${bars.length} bars, ${ends.join(' to ')}; the table below has the amounts.`,
      ),
      rects,
      h('line', { x1: '0', x2: String(WIDTH), y1: place(y(0)), y2: place(y(0)) }),
      labels,
    ),
  )
}

const place = (number: number): string => number.toFixed(1)
