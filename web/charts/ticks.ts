// Which days a chart names below itself.
import type { ScaleTime } from 'd3-scale'

/** Pixels between two labels: as they are best read, and as they just fit. */
const [APART, LEAST] = [110, 60]

/** At least two where they fit: a single one does not show how long the period is. */
export function dayTicks(scale: ScaleTime<number, number>, width: number): Date[] {
  const most = Math.floor(width / LEAST)
  let wanted = Math.max(2, Math.floor(width / APART))
  let ticks = scale.ticks(wanted)
  while (ticks.length < 2 && wanted < most) {
    wanted += 1
    ticks = scale.ticks(wanted)
  }
  const every = Math.ceil(ticks.length / Math.max(1, most))
  return ticks.filter((_, at) => at % every === 0)
}
