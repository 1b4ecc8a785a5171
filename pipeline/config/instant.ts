// Parses a date or time as a user writes it, both on the command line and in the configuration.
import { utc } from '@date-fns/utc'
import { isValid } from 'date-fns/isValid'
import { parseISO } from 'date-fns/parseISO'

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/

export const INSTANT_EXPECTED = 'an ISO-8601 date such as 2026-01-31, or a time such as 2026-01-31T23:59:59Z'

/** A date (its first instant in UTC), or a time with Z or an offset, as Unix milliseconds; null for anything else. */
export function readInstant(text: string): number | null {
  // Unlike Date.parse, parseISO does not roll an impossible date over into the next month.
  const at = INSTANT.test(text) ? parseISO(text, { in: utc }) : null
  return at === null || !isValid(at) ? null : at.getTime()
}
