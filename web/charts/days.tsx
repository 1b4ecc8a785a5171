// A feed over time, as a strip: each interval in the colour and pattern of its status, and as wide as it is long.
import { scaleUtc } from 'd3-scale'
import type { CoverageStatus } from '../../pipeline/serve/api.ts'

export interface Stretch {
  readonly from: string
  readonly to: string
  readonly status: CoverageStatus
  readonly says: string
}

interface Props {
  readonly width: number
  readonly height: number
  readonly from: string
  readonly to: string
  readonly stretches: readonly Stretch[]
}

/** Minimum width of an interval: a missing hour in a year must be visible. */
const LEAST_WIDTH = 2

export function DayStrip({ width, height, from, to, stretches }: Props) {
  const x = scaleUtc([new Date(from), new Date(to)], [0, width]).clamp(true)
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
  const isRoomy = width / days >= 5
  const ordered = [...stretches].sort((a, b) => WEIGHT[a.status] - WEIGHT[b.status])
  return (
    <svg class="strip" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect class="day unasked" width={width} height={height} />
      {ordered.map(({ from: begins, to: ends, status, says }) => {
        const [left, right] = [x(new Date(begins)), x(new Date(ends))]
        return (
          <rect
            key={`${begins}${status}`}
            class={`day ${status}`}
            x={Math.min(left, width - LEAST_WIDTH)}
            width={Math.max(LEAST_WIDTH, right - left)}
            height={height}
          >
            <title>{says}</title>
          </rect>
        )
      })}
      {isRoomy
        ? Array.from({ length: Math.floor(days) }, (_, day) => (
            <line
              key={day}
              class="gridline"
              x1={((day + 1) * width) / days}
              x2={((day + 1) * width) / days}
              y1="0"
              y2={height}
            />
          ))
        : null}
    </svg>
  )
}

/** Drawing order: problems are never hidden below what went well. */
const WEIGHT: Readonly<Record<CoverageStatus, number>> = {
  not_applicable: 0,
  empty: 1,
  complete: 2,
  unproven: 3,
  pending: 4,
  lost: 5,
  failed: 6,
  missing: 7,
}
