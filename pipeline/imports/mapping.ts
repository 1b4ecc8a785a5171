// How the exports of other services are read: a mapping states, as data, which columns hold what, how times
// and numbers are written, and what the words of the service mean. The shipped ones are in data/imports;
// docs/imports.md explains the keys.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../../models/error.ts'
import { badKey, chiefIssue, nearest } from '../config/config.ts'
import { readInputFile, SMALL_FILE_BYTES } from '../config/input-file.ts'
import { packageRoot } from '../config/root.ts'
import { readYaml } from '../config/yaml.ts'
import { type CsvFile, firstRows } from './csv.ts'
import { formProblem } from './instant.ts'

/** What a word of a service may mean. */
export const MEANINGS = [
  'trade',
  'buy',
  'sell',
  'fee',
  'transfer',
  'transfer_in',
  'transfer_out',
  'income',
  'gift_in',
  'gift_out',
  'spend',
  'internal',
] as const

export type Meaning = (typeof MEANINGS)[number]

/**
 * A name or word to search a file for, however accented letters are encoded: macOS writes them as two
 * characters.
 */
export const sought = z.string().normalize('NFC')

/** A column, or several names for it, one of which is in the header. */
export const column = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(sought).min(1),
)

/** What was paid, if a text states it better than the columns: `Converted {} {} to {total} {currency}`. */
const paid = z.strictObject({
  column: sought,
  forms: z.array(sought).min(1),
  /** Whether a row is refused if its text matches none of the forms; otherwise the columns are used. */
  required: z.boolean().default(false),
})

const word = z.preprocess(
  (value) => (typeof value === 'string' ? { as: value } : value),
  z.strictObject({
    as: z.enum(MEANINGS, { error: `expected one of ${MEANINGS.join(', ')}` }),
    /** Only rows of one family form a trade together. */
    family: z.string().default(''),
    /** The amount is the change of the balance; the fee column states a part of it. */
    fee_within: z.boolean().default(false),
    paid: paid.optional(),
  }),
)

/** How a service writes amounts. */
export const numbers = z
  .strictObject({
    decimal: z.enum(['.', ',']).default('.'),
    thousands: z.enum([',', '.', ' ', "'"]).optional(),
    /** Signs before or after an amount that carry no meaning. */
    signs: z.string().default(''),
    /** Words for no amount. */
    nothing: z.array(sought).default([]),
  })
  .prefault({})

/** The separator between the cells of a row. */
export const delimiter = z.enum([',', ';'])

export const mappingName = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/, 'expected lower-case letters, digits and hyphens')

const schema = z.strictObject({
  /** Prefix of the ids of its rows. */
  name: mappingName,
  title: z.string().optional(),
  /** A header with all of these is this service's. A repeated column name is numbered: `Cur.`, `Cur. 2`. */
  columns: z.array(sought).min(1),
  /** Absent for a comma: the key is newer than the first mappings, whose versions refuse unknown keys. */
  delimiter: delimiter.optional(),
  time: z.strictObject({
    column: sought,
    forms: z.array(z.string()).min(1),
    /** IANA name, or `given` if the file does not state it and --zone must. */
    zone: z.string().default('UTC'),
  }),
  numbers,
  fields: z.strictObject({
    word: column,
    amount: column.optional(),
    asset: column.optional(),
    total: column.optional(),
    currency: column.optional(),
    fee: column.optional(),
    fee_currency: column.optional(),
    in: column.optional(),
    in_asset: column.optional(),
    out: column.optional(),
    out_asset: column.optional(),
    value: column.optional(),
    value_currency: column.optional(),
    account: column.optional(),
    in_account: column.optional(),
    out_account: column.optional(),
    /** The service's own id of a row, and of the rows that form one transaction. */
    id: column.optional(),
    group_id: column.optional(),
  }),
  /** Columns that are equal in the rows of one transaction; without them each row is a transaction. */
  group: z.array(sought).default([]),
  /** Whether the sign of an amount shows if it was received or sent. */
  signed: z.boolean().default(true),
  /** on_top: amounts are without fees. included: a fee in the coin of an amount is in that amount. */
  fees: z.enum(['on_top', 'included']).default('on_top'),
  /**
   * The sign of a paid fee in the fee column; the other sign is then a rebate, whatever `signed` states.
   * Newer than the first mappings: without it, a fee has the sign of our own format, or its sign is ignored
   * if `signed` is false.
   */
  fee_sign: z.enum(['plus', 'minus']).optional(),
  /** Whatever follows this in the cell of a coin or an account is not part of the name. */
  cut_at: z.string().min(1).optional(),
  assets: z.record(sought, z.string()).default({}),
  asset_suffixes: z.array(z.string()).default([]),
  accounts: z.record(sought, z.string()).default({}),
  /** Rows for things that did not happen. */
  aside: z.array(z.strictObject({ column: sought, is: z.array(sought).min(1), why: z.string() })).default([]),
  /** Keys are the cells of the word's columns, joined by slashes; a star stands for any last cell. */
  words: z.record(sought, word),
})

export type Mapping = z.output<typeof schema>
export type Word = Mapping['words'][string]
export type Field = Exclude<keyof Mapping['fields'], 'word'>

/**
 * Everything that reading a file by a mapping needs besides its bytes; the journal stores it with the file.
 */
export interface Reading {
  readonly mapping: Mapping
  /** Account of rows that name none. */
  readonly account: string | null
  /** IANA name. */
  readonly zone: string
  /** Codes in which trades are priced, in order of preference. */
  readonly quotes: readonly string[]
}

const reading = z.strictObject({
  mapping: schema,
  account: z.string().nullable(),
  zone: z.string(),
  quotes: z.array(z.string()),
})

/** The reading in a frame of the journal; null if it is not one. */
export function readingOf(value: unknown): Reading | null {
  const checked = reading.safeParse(value)
  return checked.success ? checked.data : null
}

const SHIPPED = join(packageRoot, 'data', 'imports')

/** The mapping files in a folder, by name. */
export const mappingFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => join(folder, name))

/** The shipped mappings, by name. */
export const shippedMappings = (): Mapping[] => mappingFiles(SHIPPED).map(readMapping)

/** UsageError for a file that is not a mapping, with the line, and the nearest key for an unknown one. */
export function readMapping(file: string): Mapping {
  const mapping = checkedMapping(file, schema, SHIPPED)
  const wrong = contradictionOfForms(mapping.time.forms, mapping.numbers) ?? contradiction(mapping)
  if (wrong === null) return mapping
  throw contradictory(file, wrong)
}

/**
 * What the file states, merged with the shipped mapping that it extends; UsageError if the schema does not
 * allow it.
 */
export function checkedMapping<S extends z.ZodType>(file: string, schema: S, shipped: string): z.output<S> {
  const read = readYaml(textOf(file))
  if (!read.ok)
    throw new UsageError('The mapping is not valid YAML.', {
      where: read.line === null ? file : `${file}:${read.line}`,
      found: read.problem,
      action: 'Correct that line; docs/imports.md lists the keys.',
    })
  const checked = schema.safeParse(extended(file, read.value, shipped))
  if (!checked.success)
    throw badKey(file, read, chiefIssue(checked.error), {
      schema,
      what: 'The mapping',
      action: 'Correct the value; docs/imports.md lists the keys.',
    })
  return checked.data as z.output<S>
}

export const contradictory = (file: string, wrong: { expected: string; found: string }): UsageError =>
  new UsageError('The mapping contradicts itself.', {
    where: file,
    ...wrong,
    action: 'Correct the mapping; docs/imports.md lists the keys.',
  })

const textOf = (file: string): string =>
  readInputFile(file, SMALL_FILE_BYTES, {
    message: 'The mapping cannot be read.',
    expected: 'a YAML file',
  }).toString()

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * `extends` names a shipped mapping: its keys apply if the file does not set them, and the file's words and
 * aliases are added to its own.
 */
function extended(file: string, value: unknown, shipped: string): unknown {
  if (!isRecord(value) || value.extends === undefined) return value
  const { extends: name, ...own } = value
  const names = mappingFiles(shipped).map((each) => basename(each, '.yaml'))
  if (typeof name !== 'string' || !names.includes(name))
    throw new UsageError('The mapping extends an unknown mapping.', {
      where: file,
      expected: `one of ${names.join(', ')}; the nearest is ${nearest(String(name), names)}`,
      found: String(name),
      action: 'Correct the name.',
    })
  const base = readYaml(readFileSync(join(shipped, `${name}.yaml`), 'utf8'))
  if (!base.ok || !isRecord(base.value)) return own
  const merged: Record<string, unknown> = { ...base.value, ...own }
  for (const key of ['words', 'assets', 'accounts', 'fields', 'time', 'numbers']) {
    const [before, after] = [base.value[key], own[key]]
    if (isRecord(before) && isRecord(after)) merged[key] = { ...before, ...after }
  }
  return merged
}

/** Problems with the format of times and numbers that the schema cannot express. */
export function contradictionOfForms(
  forms: readonly string[],
  { decimal, thousands }: Mapping['numbers'],
): { expected: string; found: string } | null {
  if (thousands === decimal)
    return {
      expected: 'numbers.decimal and numbers.thousands: two different characters',
      found: `${decimal} for both`,
    }
  const form = forms.find((each) => formProblem(each) !== null)
  return form === undefined ? null : { expected: `time.forms: ${formProblem(form)}`, found: form }
}

/** Problems that the schema cannot express. */
function contradiction({
  fields,
  words,
  signed,
  group,
  fee_sign: feeSign,
}: Mapping): { expected: string; found: string } | null {
  const hasChange = fields.amount !== undefined && fields.asset !== undefined
  const hasSides = [fields.in, fields.in_asset, fields.out, fields.out_asset].every(
    (each) => each !== undefined,
  )
  if (hasChange === hasSides)
    return {
      expected: 'fields amount and asset, or in, in_asset, out and out_asset',
      found: hasChange ? 'both' : 'neither',
    }
  if (feeSign !== undefined && (fields.fee === undefined || fields.fee_currency === undefined))
    return {
      expected: 'fields fee and fee_currency, because fee_sign describes how fees are written',
      found: 'none',
    }
  for (const [text, { as }] of Object.entries(words)) {
    if (hasChange && !signed && ['trade', 'transfer', 'fee'].includes(as))
      return { expected: `signed: true, because the sign determines what ${text} is`, found: 'signed: false' }
    if (hasChange && as === 'trade' && group.length === 0)
      return { expected: `group: the columns that tie the rows of ${text}`, found: 'no group' }
    if (
      (as === 'buy' || as === 'sell') &&
      (hasSides || fields.total === undefined || fields.currency === undefined)
    )
      return { expected: `fields total and currency, because ${text} is a ${as}`, found: 'none' }
  }
  return null
}

/**
 * Column names of a header as mappings use them: surrounding spaces are ignored, and a repeated name is
 * numbered.
 */
export function columnsOf(cells: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return cells.map((cell) => {
    const name = cell.trim().normalize('NFC')
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return nth === 1 ? name : `${name} ${nth}`
  })
}

export const delimiterOf = ({ delimiter: own = ',' }: Mapping): ',' | ';' => own

/** How many rows may precede a header. */
const PREAMBLE_MAX = 10

/** How many rows precede the header of this mapping; null for a file that has no such header. */
export function preambleOf(file: CsvFile, mapping: Mapping): number | null {
  const rows = firstRows(file, PREAMBLE_MAX + 1, delimiterOf(mapping))
  const at = rows.findIndex((cells) => lacking(mapping, columnsOf(cells)).length === 0)
  return at < 0 ? null : at
}

/** As `preambleOf`; UsageError for a file that has no such header. */
export function requirePreamble(file: CsvFile, mapping: Mapping): number {
  const preamble = preambleOf(file, mapping)
  if (preamble !== null) return preamble
  const own = delimiterOf(mapping)
  const [first = []] = firstRows(file, 1, own)
  const missing = lacking(mapping, columnsOf(first))
  const other = own === ',' ? ';' : ','
  const isOther = preambleOf(file, { ...mapping, delimiter: other }) !== null
  throw new UsageError('Unexpected header.', {
    where: `${file.name}:1`,
    expected: `the columns of the mapping ${mapping.name}; without a match: ${missing.join(', ')}`,
    found: first.length === 0 ? 'an empty file' : first.join(own),
    action: isOther
      ? `Set delimiter: "${other}" in the mapping, as in this file; nothing of it has been imported.`
      : 'Import the file as the service exports it, or correct the mapping; nothing of it has been imported.',
  })
}

/**
 * Positions of the unused columns of a header. A text that may state what was paid is unused otherwise:
 * nothing else is read from a note that people have written.
 */
export function unreadBy({ time, fields, group, aside }: Mapping, header: readonly string[]): Set<number> {
  const read = new Set([
    time.column,
    ...Object.values(fields).flat(),
    ...group,
    ...aside.map(({ column }) => column),
  ])
  return new Set(columnsOf(header).flatMap((name, at) => (read.has(name) ? [] : [at])))
}

/** Columns that the mapping needs and a header does not have. */
export function lacking(
  { columns, time, fields, group, aside }: Mapping,
  header: readonly string[],
): string[] {
  const { word: words, id: _id, group_id: _group, ...others } = fields
  const needed = [...columns, time.column, ...words, ...group, ...aside.map((each) => each.column)]
  const missing = needed.filter((name) => !header.includes(name))
  const named = Object.values(others).filter((names) => names !== undefined)
  const unmet = named.filter((names) => !names.some((name) => header.includes(name)))
  return [...new Set([...missing, ...unmet.map((names) => names.join(' or '))])]
}
