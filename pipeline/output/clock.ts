// Times as local readers expect them: a UTC instant by the clocks of a zone.

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.000)?(\.\d+)?Z$/

/**
 * By the IANA name of the zone; fractions of a second only if there are any. Text that is not an instant is
 * returned unchanged.
 */
export function clockIn(zone: string): (instant: string) => string {
  // Sweden writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (text) =>
    text.replace(
      INSTANT,
      (_, second: string, more = '') => `${format.format(Date.parse(`${second}Z`))}${more}`,
    )
}
