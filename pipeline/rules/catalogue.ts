// The rules by name. Everything that lists them (help, example configuration, messages, column comments)
// reads this.
import { oneOfThese } from '../../models/text.ts'
import { ca } from './ca.ts'
import type { TaxCalendar } from './calendar.ts'
import { de } from './de.ts'
import { generic } from './generic.ts'
import type { Law } from './law.ts'
import { uk } from './uk.ts'
import { us } from './us.ts'

export const laws = { generic, us, uk, de, ca } satisfies Record<string, Law>

export type RulesName = keyof typeof laws

export const rulesNames = Object.keys(laws) as RulesName[]

/** `generic, us or uk`, for lists of the rules. */
export const rulesList = oneOfThese(rulesNames)

/** The calendar of a law; `configured` is the zone used if the law leaves it open. */
export function calendarOf({ timeZone, yearStart }: Law, configured = 'UTC'): TaxCalendar {
  return { timeZone: typeof timeZone === 'string' ? timeZone : configured, yearStart }
}
