// How a record of the venue is declared: each field once, with its kind, its meaning and its source.
// The zod schema, the landing table, the published table and its comments are all derived from the declaration.
import { z } from 'zod'
import { parseAmount } from './amount.ts'
import { conflictingKey } from './json.ts'

/**
 * What a field holds, and the column it becomes:
 * text VARCHAR (a bare number is kept digit by digit), amount DECIMAL(38,18), millis TIMESTAMPTZ,
 * flag BOOLEAN, json VARCHAR holding JSON text (nested lists and objects), whose items are rows of a separate table.
 */
export type FieldKind = 'text' | 'amount' | 'millis' | 'flag' | 'json'

export interface Field {
  readonly kind: FieldKind
  /** A required field that is null or absent quarantines the row; so does an empty one that is not a text. */
  readonly required: boolean
  /** A required text that must have content, such as the coin that amounts are in: empty is not a value either. */
  readonly filled: boolean
  /** Part of a record's identity: a non-empty text, or an integer. Follows from the record's key. */
  readonly identifies: boolean
  /**
   * The row is valid without it: a value that does not fit is null there, kept in `extra` and reported, and never quarantines
   * the row. Follows from the record: true for fields that the venue sends beyond the document, and for optional amounts,
   * times and flags on which no figure depends.
   */
  readonly dispensable: boolean
  /** Meaning and unit, for the COMMENT of the column. */
  readonly doc: string
  /** Other spellings under which the venue sends the field. */
  readonly aliases: readonly string[]
  /** Data about people: published as null unless the configuration asks for it. */
  readonly personal: boolean
  /** The venue sends it although the interface document does not name it. Nothing is promised about its content. */
  readonly beyond: boolean
  /** Documented values; any other value is kept and reported. */
  readonly values?: readonly string[]
  /** For an amount in an item: a column records how many decimals were printed, because more may have been cut off. */
  readonly decimals?: boolean
  /** What is inside; only for kind json. */
  readonly items?: Items
}

/** Contents of a field of kind json: its items become rows of a published table, beside the record that they belong to. */
export interface Items {
  /** Published table, snake_case plural. */
  readonly table: string
  /** What an item is, for the COMMENT of the table. */
  readonly doc: string
  /** A list of objects, a list of plain values, or one object that is not in a list. */
  readonly form: 'objects' | 'values' | 'object'
  /** By wire name, none of them required. Plain values have a single field, named as the column. */
  readonly fields: Readonly<Record<string, Field>>
}

type FieldOptions = Partial<
  Pick<Field, 'required' | 'filled' | 'aliases' | 'personal' | 'beyond' | 'values' | 'decimals' | 'items'>
>

const field =
  (kind: FieldKind) =>
  (doc: string, options: FieldOptions = {}): Field => ({
    kind,
    doc,
    required: false,
    filled: false,
    identifies: false,
    dispensable: false,
    aliases: [],
    personal: false,
    beyond: false,
    ...options,
  })

/** What a field means, and whether it is in the interface document. */
export const docOf = ({ doc, beyond }: Field): string =>
  beyond ? `${doc} Beyond the interface document; null where it was not sent.` : doc

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

/** How a record moves the books: wire names of its fields. Names omitted are fields that the record does not have. */
export interface BookingOfRecord {
  readonly amount: string
  readonly fee?: string
  /** Balance after the record: if present, the amounts are checked against it. */
  readonly balance?: string
  /** Futures contract. */
  readonly symbol?: string
  /** Amounts have no sign: it follows from the direction of the type, and a type without a direction books nothing. */
  readonly isUnsigned?: true
  /** Wallet line that moves; null for the partition of the feed in which the record was seen. */
  readonly line: string | null
  /** Books nothing for an account that has unified tax records: those report the same. */
  readonly yieldsToUnified?: true
}

/** Which field names the kind of change, with a word of the venue that tax_types.csv explains. */
export interface TypeOfRecord {
  /** Wire name of the field with that word. */
  readonly field: string
  /** Rows of tax_types.csv may name this instead of the feed, if feeds share their words. */
  readonly vocabulary: string
  /** Wire names of the fields for the coin that moved, and for the time. */
  readonly coin: string
  readonly time: string
  /** Null for a record of a change that another record books. */
  readonly books: BookingOfRecord | null
}

/** The counterparty of a deal: the personal field that names it, by the side of the account. */
export interface Counterparty {
  /** Wire name of the field for the account's side. */
  readonly side: string
  /** Wire name of the field with the name, by the side in lower case. */
  readonly names: Readonly<Record<string, string>>
}

export interface RecordType {
  /** Landing and published table, snake_case plural. */
  readonly table: string
  readonly nature: RecordNature
  readonly doc: string
  /** Wire names of the fields that identify the record within its account and feed; empty if the venue gives none. */
  readonly key: readonly string[]
  /** Wire name of the field by which versions of a record are ordered, if it has one. */
  readonly version: string | null
  /** Null for a record without a type. Records with a type are classified, and unknown types are reported. */
  readonly typed: TypeOfRecord | null
  /** Published as a pseudonym, `counterparty_id`; null if the record names nobody. */
  readonly counterparty: Counterparty | null
  /** By wire name, in the order of the interface document. */
  readonly fields: Readonly<Record<string, Field>>
  readonly schema: z.ZodType<Record<string, unknown>>
}

export function defineRecord({
  figures = [],
  ...declaration
}: Omit<RecordType, 'schema' | 'version' | 'typed' | 'counterparty'> & {
  version?: string
  typed?: TypeOfRecord
  counterparty?: Counterparty
  /** Wire names of the fields on which figures depend, besides the version and the fields named in `typed`. */
  figures?: readonly string[]
}): RecordType {
  const { version, typed } = declaration
  const weighing = new Set([...figures, version, typed?.field, typed?.coin, typed?.time, ...bookedBy(typed)])
  const isDispensable = (name: string, { beyond, required, kind }: Field): boolean =>
    beyond || (!required && kind !== 'text' && kind !== 'json' && !weighing.has(name))
  const fields = Object.fromEntries(
    Object.entries(declaration.fields).map(([name, one]) => {
      const identifies = declaration.key.includes(name)
      return [name, { ...one, identifies, dispensable: !identifies && isDispensable(name, one) }]
    }),
  )
  return {
    version: null,
    typed: null,
    counterparty: null,
    ...declaration,
    fields,
    schema: recordSchema(fields),
  }
}

/** Wire names of the fields by which a record moves the books. */
function bookedBy(typed: TypeOfRecord | undefined): (string | undefined)[] {
  const { amount, fee, balance, symbol } = typed?.books ?? {}
  return [amount, fee, balance, symbol]
}

/** `cTime` → `c_time`, `unrealizedPL` → `unrealized_pl`, `trades30d` → `trades30d`. */
export function columnName(wireName: string): string {
  return wireName
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

/** Null, absent and the empty string are the same on this wire: no value. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

const MILLIS = /^\d{1,15}$/

/** The first block of Bitcoin: nothing was traded before it, but a time in seconds read as milliseconds falls there. */
export const EARLIEST_MS = Date.UTC(2009, 0, 3)

/** What was expected instead of an earlier time. */
export const NO_EARLY_TIME = 'Unix milliseconds, found a time before 2009'

/** Half of a surrogate pair on its own has no UTF-8, so no column and no file could keep it. */
const hasUtf8 = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** What a received value becomes: text (text, json), units of 10^-18, milliseconds or a boolean; null for none. */
export type FieldValue = string | bigint | number | boolean | null

export type FieldReading =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly expected: string }

const read = (value: FieldValue): FieldReading => ({ ok: true, value })
const refuse = (expected: string): FieldReading => ({ ok: false, expected })

/** An id that is blank, true, an object or a fraction cannot distinguish one record from another. */
function readIdentity(value: unknown): FieldReading {
  if (isAbsent(value) || isBlank(value)) return refuse('a value')
  if (typeof value === 'number') return Number.isInteger(value) ? read(String(value)) : refuse(AN_IDENTITY)
  if (typeof value !== 'string') return refuse(AN_IDENTITY)
  return hasUtf8(value) ? read(value) : refuse('a text that UTF-8 can hold')
}

/** What is expected of an identity. */
export const AN_IDENTITY = 'a text or an integer'

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

/** Reads one value as its field is declared; nothing is rounded, cut or guessed. */
export function readField(declared: Field, value: unknown): FieldReading {
  if (declared.identifies) return readIdentity(value)
  if (declared.filled && isBlank(value)) return refuse('a value')
  if (isAbsent(value)) {
    if (!declared.required) return read(null)
    // An empty tax type occurs in the wild: a required text may be empty, but not missing.
    return declared.kind === 'text' && value === '' ? read('') : refuse('a value')
  }
  switch (declared.kind) {
    case 'text':
      if (typeof value === 'number' || typeof value === 'boolean') return read(String(value))
      if (typeof value !== 'string') return refuse('a text')
      return hasUtf8(value) ? read(value) : refuse('a text that UTF-8 can hold')
    case 'amount': {
      if (!isScalar(value)) return refuse('a decimal number')
      const parsed = parseAmount(String(value).trim())
      return parsed.ok ? read(parsed.units) : refuse(`a decimal number that fits, found ${parsed.problem}`)
    }
    case 'millis': {
      // A list of one number or an object with a `toString` is not a time, whatever JavaScript makes of it.
      if (!isScalar(value)) return refuse('Unix milliseconds')
      const digits = String(value).trim()
      if (!MILLIS.test(digits)) return refuse('Unix milliseconds')
      const ms = Number(digits)
      // A required one is judged by the caller, which knows what was requested.
      if (declared.required || ms >= EARLIEST_MS) return read(ms)
      // Zero in an optional field means that nothing has happened yet.
      return ms === 0 ? read(null) : refuse(NO_EARLY_TIME)
    }
    case 'flag':
      if (typeof value === 'boolean') return read(value)
      if (!isScalar(value)) return refuse('true or false')
      if (/^(true|yes|1)$/i.test(String(value))) return read(true)
      return /^(false|no|0)$/i.test(String(value)) ? read(false) : refuse('true or false')
    case 'json':
      return read(JSON.stringify(value))
  }
}

/** The spelling under which a row carries the field: the declared one, or an alias if that one has no value. */
export function spellingOf(name: string, declared: Field, row: Readonly<Record<string, unknown>>): string {
  if (declared.aliases.length === 0 || !isAbsent(row[name])) return name
  return declared.aliases.find((alias) => !isAbsent(row[alias])) ?? name
}

/** The zod schema of one field, by `readField`. */
export function fieldSchema(declared: Field): z.ZodType {
  // Optional on the way in, so that an absent key is read as no value.
  return z
    .unknown()
    .optional()
    .transform((value, context): unknown => {
      const reading = readField(declared, value)
      if (reading.ok) return reading.value
      if (declared.dispensable) return null
      context.addIssue({ code: 'custom', message: `expected ${reading.expected}` })
      return z.NEVER
    })
}

/** Renames aliases, refuses a key with two unequal values, keeps unknown fields. */
function recordSchema(fields: Readonly<Record<string, Field>>): z.ZodType<Record<string, unknown>> {
  const declared = Object.entries(fields)
  const shape = Object.fromEntries(declared.map(([name, one]) => [name, fieldSchema(one)]))
  const rename = (input: unknown, context: z.RefinementCtx): unknown => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
    const conflict = conflictingKey(input)
    if (conflict !== null) {
      context.addIssue({ code: 'custom', path: [conflict], message: `expected ${ONE_VALUE}` })
      return z.NEVER
    }
    const row: Record<string, unknown> = { ...input }
    for (const [name, one] of declared) {
      const spelling = spellingOf(name, one, row)
      if (spelling === name) continue
      row[name] = row[spelling]
      delete row[spelling]
    }
    return row
  }
  return z.preprocess(rename, z.looseObject(shape))
}

/** What was expected of a row with two unequal values under one key. */
export const ONE_VALUE = 'one value, found one key with unequal values'
