// The vocabulary of request fields: each rule once, with the words of its violation. On the wire every value is a
// string (interface document, part 1); a number given by a caller is converted.
import { z } from 'zod'
import { UsageError } from '../models/error.ts'
import { days, type Endpoint, type Params } from './endpoint.ts'

const missing = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is required' : otherwise

const asText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value)

/** Any string but the empty one. */
export const text = z.preprocess(
  asText,
  z.string({ error: missing('must be a string') }).min(1, 'must not be empty'),
)

export const textBetween = (min: number, max: number) =>
  z.preprocess(
    asText,
    z
      .string({ error: missing('must be a string') })
      .refine((value) => value.length >= min && value.length <= max, `must have ${min} to ${max} characters`),
  )

export const textShorterThan = (limit: number, { min = 0 }: { min?: number } = {}) =>
  z.preprocess(
    asText,
    z
      .string({ error: missing('must be a string') })
      .min(min, 'must not be empty')
      .refine((value) => value.length < limit, `must be shorter than ${limit} characters`),
  )

/** A closed enumeration, spelled as documented. */
export const oneOf = (...values: readonly [string, ...string[]]) =>
  z.enum(values, { error: missing(`must be one of ${values.map((value) => value || '(empty)').join(', ')}`) })

/** Unix milliseconds as digits. */
export const millis = z.preprocess(
  asText,
  z.string({ error: missing('must be Unix milliseconds') }).regex(/^\d{1,15}$/, 'must be Unix milliseconds'),
)

/** A whole number within the documented bounds; without a documented maximum any positive one. */
export const wholeNumber = (max?: number) => {
  const rule =
    max === undefined ? 'must be a positive whole number' : `must be a whole number from 1 to ${max}`
  return z.preprocess(
    asText,
    z
      .string({ error: missing(rule) })
      .refine(
        (value) => /^[1-9]\d{0,14}$/.test(value) && Number(value) <= (max ?? Number.MAX_SAFE_INTEGER),
        rule,
      ),
  )
}

/** A positive decimal number without exponent. */
export const positive = z.preprocess(
  asText,
  z
    .string({ error: missing('must be a positive decimal number') })
    .refine(
      (value) => /^\d+(\.\d+)?$/.test(value) && /[1-9]/.test(value),
      'must be a positive decimal number',
    ),
)

export const listOf = (item: z.ZodType, bounds: { min?: number; max?: number } = {}) => {
  const list = z.array(item, { error: missing('must be a list') })
  const filled = bounds.min === undefined ? list : list.min(bounds.min, 'must not be an empty list')
  return bounds.max === undefined ? filled : filled.max(bounds.max, `must have at most ${bounds.max} entries`)
}

export const textOrListOf = (item: z.ZodType) =>
  z.union([text, listOf(item, { min: 1 })], { error: missing('must be a string or a non-empty list') })

export const category = oneOf('SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
export const productType = oneOf('USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES')
export const yesNo = oneOf('yes', 'no')
export const side = oneOf('buy', 'sell')
export const permType = oneOf('read_and_write', 'readonly')

type Fields = Readonly<Record<string, unknown>>

/** Adds a violation of a rule that involves more than one field. */
export type Report = (field: string, rule: string) => void

/** An object with these fields and no others, and rules between them. */
export function fields(shape: z.ZodRawShape, ...rules: readonly ((value: Fields, report: Report) => void)[]) {
  return z
    .strictObject(shape, { error: 'must be an object of named fields' })
    .superRefine((value, context) => {
      const report: Report = (field, rule) =>
        context.addIssue({ code: 'custom', path: [field], message: rule })
      for (const rule of rules) rule(value as Fields, report)
    })
}

/** endTime is not before startTime. How far apart they may be is defined by the window's span. */
export const inOrder = (value: Fields, report: Report): void => {
  if (value.startTime === undefined || value.endTime === undefined) return
  if (Number(value.endTime) < Number(value.startTime)) report('endTime', 'must not be before startTime')
}

export const bothTimesOrNone = (value: Fields, report: Report): void => {
  if ((value.startTime === undefined) === (value.endTime === undefined)) return
  report(
    value.startTime === undefined ? 'startTime' : 'endTime',
    'must be given together with the other end of the range',
  )
}

export const oneIdAtLeast = (value: Fields, report: Report): void => {
  if (value.orderId === undefined && value.clientOid === undefined)
    report('orderId', 'must be given, or clientOid')
}

/** What a check knows of the venue's memory. */
interface Reach {
  /** Unix milliseconds by the venue's clock. */
  readonly now?: number
  /** What the configuration states in place of the documented retention. */
  readonly retentionMs?: number | undefined
}

/**
 * Checks a request against the rules of the interface document, and returns it as it will be sent. With `now`, a start
 * beyond the documented retention is a violation too, as is such an end if no start is given.
 *
 * Throws a UsageError that names each field, its rule and the section.
 */
export function validateParams(endpoint: Endpoint, params: Params, reach: Reach = {}): Params {
  const checked = endpoint.params.safeParse(params)
  const violations = checked.success
    ? windowViolations(endpoint, checked.data as Params, reach)
    : checked.error.issues.flatMap(tell)
  if (violations.length === 0) return checked.data as Params
  throw new UsageError(`${endpoint.name}: ${violations.join('; ')}.`, {
    where: `interface document, ${endpoint.section}`,
    action: 'Correct these fields. Nothing was sent.',
  })
}

function tell(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${key} is not a field of this endpoint`)
  const place = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('.')
  return [`${place.replaceAll('.[', '[') || 'the request'} ${issue.message}`]
}

function windowViolations(endpoint: Endpoint, params: Params, reach: Reach): string[] {
  const tooLong = spanViolations(endpoint, params)
  return tooLong.length > 0 ? tooLong : retentionViolations(endpoint, params, reach)
}

function spanViolations({ window }: Endpoint, { startTime, endTime }: Params): string[] {
  if (window === null || startTime === undefined || endTime === undefined) return []
  if (Number(endTime) - Number(startTime) <= window.spanMaxMs) return []
  return [`endTime must be at most ${window.spanMaxMs / days(1)} days after startTime`]
}

function retentionViolations(
  endpoint: Endpoint,
  params: Params,
  { now, retentionMs: stated }: Reach,
): string[] {
  const documented = endpoint.window?.retentionMs ?? null
  const retentionMs = documented === null ? null : (stated ?? documented)
  // An end alone requests everything before it.
  const field = params.startTime === undefined ? 'endTime' : 'startTime'
  if (now === undefined || retentionMs === null || params[field] === undefined) return []
  if (Number(params[field]) >= now - retentionMs) return []
  return [`${field} must be within the last ${retentionMs / days(1)} days`]
}
