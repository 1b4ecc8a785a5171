// How a record of the venue is declared: each field once, with its kind, its meaning and its source.
// The zod schema, the landing table, the published table and its comments all follow from the declaration.
import { z } from 'zod'
import { parseAmount } from './amount.ts'

/**
 * What a field holds, and the column it becomes:
 * text VARCHAR (a bare number is kept digit by digit), amount DECIMAL(38,18), millis TIMESTAMPTZ,
 * flag BOOLEAN, json VARCHAR holding JSON text (nested lists and objects).
 */
export type FieldKind = 'text' | 'amount' | 'millis' | 'flag' | 'json'

export interface Field {
  readonly kind: FieldKind
  /** A required field that is null, empty or absent puts the row into quarantine. */
  readonly required: boolean
  /** Meaning and unit, for the COMMENT of the column. */
  readonly doc: string
  /** Other spellings under which the venue sends the field. */
  readonly aliases: readonly string[]
  /** Data about people: published as null unless the configuration asks for it. */
  readonly personal: boolean
  /** Documented values; any other value is kept and reported. */
  readonly values?: readonly string[]
}

type FieldOptions = Partial<Pick<Field, 'required' | 'aliases' | 'personal' | 'values'>>

const field =
  (kind: FieldKind) =>
  (doc: string, options: FieldOptions = {}): Field => ({
    kind,
    doc,
    required: false,
    aliases: [],
    personal: false,
    ...options,
  })

export const text = field('text')
export const amount = field('amount')
export const millis = field('millis')
export const flag = field('flag')
export const json = field('json')

/**
 * event: happened once and should never change; life: changes until it is settled (an order);
 * snapshot: the present state of something, whose history is kept by when each value was seen.
 */
export type RecordNature = 'event' | 'life' | 'snapshot'

export interface RecordType {
  /** Landing and published table, snake_case plural. */
  readonly table: string
  readonly nature: RecordNature
  readonly doc: string
  /** Wire names of the fields that identify the record within its account and feed; empty where the venue gives none. */
  readonly key: readonly string[]
  /** Wire name of the field by which versions of a record are ordered, where it has one. */
  readonly version: string | null
  /** By wire name, in the order of the interface document. */
  readonly fields: Readonly<Record<string, Field>>
  readonly schema: z.ZodType<Record<string, unknown>>
}

export function defineRecord(
  declaration: Omit<RecordType, 'schema' | 'version'> & { version?: string },
): RecordType {
  return { version: null, ...declaration, schema: recordSchema(declaration.fields) }
}

/** `cTime` → `c_time`, `unrealizedPL` → `unrealized_pl`, `trades30d` → `trades30d`. */
export function columnName(wireName: string): string {
  return wireName
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

/** Null, absent and the empty string are one thing on this wire: no value. */
const absent = (value: unknown): boolean => value === undefined || value === null || value === ''

const MILLIS = /^\d{1,15}$/

/** The zod schema of one field; a value that fits becomes text (text, json), units of 10^-18, milliseconds or a boolean. */
export function fieldSchema(declared: Field): z.ZodType {
  const issue = (context: z.RefinementCtx, expected: string): never => {
    context.addIssue({ code: 'custom', message: `expected ${expected}` })
    return z.NEVER as never
  }
  return z.unknown().transform((value, context): unknown => {
    if (absent(value)) {
      // An empty tax type occurs in the wild: a required text may be empty, but not missing.
      if (declared.required && !(declared.kind === 'text' && value === '')) return issue(context, 'a value')
      return value === '' && declared.required ? '' : null
    }
    switch (declared.kind) {
      case 'text':
        if (typeof value === 'string') return value
        if (typeof value === 'number' || typeof value === 'boolean') return String(value)
        return issue(context, 'a text')
      case 'amount': {
        if (typeof value !== 'string' && typeof value !== 'number') return issue(context, 'a decimal number')
        const parsed = parseAmount(String(value).trim())
        return parsed.ok
          ? parsed.units
          : issue(context, `a decimal number that fits, found ${parsed.problem}`)
      }
      case 'millis': {
        const digits = String(value).trim()
        return MILLIS.test(digits) ? Number(digits) : issue(context, 'Unix milliseconds')
      }
      case 'flag':
        if (typeof value === 'boolean') return value
        if (/^(true|yes|1)$/i.test(String(value))) return true
        return /^(false|no|0)$/i.test(String(value)) ? false : issue(context, 'true or false')
      case 'json':
        return JSON.stringify(value)
    }
  })
}

function recordSchema(fields: Readonly<Record<string, Field>>): z.ZodType<Record<string, unknown>> {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, declared]) => [name, fieldSchema(declared)]),
  )
  return z.looseObject(shape)
}
