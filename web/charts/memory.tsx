// A share of a whole as a bar: how much of a venue's retention of a feed is left, or the progress of a run.

interface Props {
  readonly width: number
  readonly height: number
  /** From 0 to 1. */
  readonly share: number
  readonly tone: 'good' | 'warn' | 'bad'
}

export function MemoryBar({ width, height, share, tone }: Props) {
  // Even a tiny share stays visible.
  const filled = Math.max(2, Math.min(1, Math.max(0, share)) * width)
  return (
    <svg class="memory" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect class="trough" width={width} height={height} rx={height / 2} />
      <rect class={`share ${tone}`} width={filled} height={height} rx={Math.min(height, filled) / 2} />
    </svg>
  )
}
