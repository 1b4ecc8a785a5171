// Time zones by their IANA names: what their clocks show.

/**
 * Offset of the zone's clocks from UTC, in microseconds, at Unix microseconds. Throws a RangeError for a zone that does
 * not exist.
 */
export function offsetsOf(timeZone: string): (us: number) => number {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (us) => {
    const shown = clock.format(us / 1_000).replace(', ', 'T')
    return Date.parse(`${shown}Z`) * 1_000 - us
  }
}
