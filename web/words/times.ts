// Times in readable form, always in UTC, as in the books.

const HOUR = 3_600_000
const DAY = 24 * HOUR

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `9 Oct 2026` */
export function dayInWords(time: string): string {
  const [year, month, day] = time.slice(0, 10).split('-').map(Number)
  return `${day} ${MONTHS[(month as number) - 1]} ${year}`
}

/** `9 Oct 2026, 20:47:48 UTC` */
export function timeInWords(time: string): string {
  return `${dayInWords(time)}, ${time.slice(11, 19)} UTC`
}

/** `Oct 2026` */
export function monthInWords(day: string): string {
  return `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`
}

/** `3 days 4 hours`, `45 minutes`: the two largest non-zero units. */
export function spanInWords(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / 60_000)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)]
  const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`
  if (days >= 30) return count(days, 'day')
  if (days > 0) return hours > 0 ? `${count(days, 'day')} ${count(hours, 'hour')}` : count(days, 'day')
  if (hours > 0)
    return minutes % 60 > 0
      ? `${count(hours, 'hour')} ${count(minutes % 60, 'minute')}`
      : count(hours, 'hour')
  return minutes > 0 ? count(minutes, 'minute') : 'less than a minute'
}

/** `3 days 4 hours ago`, `in 45 minutes` */
export function distanceInWords(time: string, now: string): string {
  const ms = Date.parse(time) - Date.parse(now)
  return ms > 0 ? `in ${spanInWords(ms)}` : `${spanInWords(ms)} ago`
}

/** The day that many days later. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}
