// How much of a venue's memory of a feed is used up: full means that what was not fetched is being forgotten.

interface Props {
  readonly width: number
  readonly height: number
  /** 0: just fetched; 1: the venue begins to forget. */
  readonly used: number
  readonly tone: 'good' | 'warn' | 'bad'
}

export function MemoryBar({ width, height, used, tone }: Props) {
  const filled = Math.max(2, Math.min(1, Math.max(0, used)) * width)
  return (
    <svg class="memory" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect class="trough" width={width} height={height} rx={height / 2} />
      <rect class={`used ${tone}`} width={filled} height={height} rx={Math.min(height, filled) / 2} />
    </svg>
  )
}
