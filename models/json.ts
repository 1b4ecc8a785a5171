// JSON without loss: digits of bare numbers survive, and a duplicate key in an object is never hidden.
// Node's own parser rounds `12345678901234567890` and silently keeps the last of two equal keys, so one
// scan of the text quotes the numbers that a float would change or re-spell, and counts the members; then the
// native parser runs, and a tree with fewer members than the text is read again by the exact parser below.
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { TieoutError } from './error.ts'

export interface JsonProblem {
  /**
   * number: a bare number that arrives as text, digit by digit. duplicate key: it occurred twice with equal values.
   * conflicting key: it occurred twice with unequal values, see `DUPLICATES`. byte-order mark: skipped.
   */
  readonly kind: 'number' | 'duplicate key' | 'conflicting key' | 'byte-order mark'
  /** The nearest key around it; empty outside any object. */
  readonly key: string
  /** The number as written in the text, for `number` only. */
  readonly lexeme?: string
}

/** Under this key an object holds the members that a later, unequal member of the same name displaced. */
export const DUPLICATES: unique symbol = Symbol('duplicates')

export type Displaced = readonly (readonly [key: string, value: unknown])[]

/** Levels of nesting that are accepted; no answer of the venue has more than five. */
export const JSON_DEPTH_MAX = 64

/** The text is not JSON that can be read. Nothing of the text is repeated here: it may hold personal data. */
export class JsonError extends TieoutError {
  override readonly name = 'JsonError'
  /** Position in the text, in UTF-16 units from 0. */
  readonly offset: number
  readonly what: string

  constructor(offset: number, what: string) {
    super(`Not readable as JSON: ${what}.`, {
      where: `character ${offset}`,
      expected: `JSON text in UTF-8, nested at most ${JSON_DEPTH_MAX} deep`,
      action: 'Get the text again from its source; nothing was read from it.',
    })
    this.offset = offset
    this.what = what
  }
}

/**
 * Reads a JSON text. A number whose lexeme JavaScript would spell differently arrives as a string with exactly
 * that lexeme; every other value is what JSON.parse gives. Throws JsonError.
 */
export function parseJson(text: string): { value: unknown; problems: JsonProblem[] } {
  const problems: JsonProblem[] = []
  let plain = text
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    problems.push({ kind: 'byte-order mark', key: '' })
    plain = text.slice(1)
  }
  const shift = text.length - plain.length
  const scanned = scan(plain, problems, shift)
  let value: unknown
  try {
    value = JSON.parse(scanned.text)
  } catch {
    throw findError(plain, shift)
  }
  if (countMembers(value) !== scanned.members) {
    value = new ExactParser(scanned.text, problems).parse()
  }
  return { value, problems }
}

/** The first key anywhere in the value that occurred twice in one object with unequal values; null if none did. */
export function conflictingKey(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const displaced = (value as { readonly [DUPLICATES]?: Displaced })[DUPLICATES]
  if (displaced !== undefined) return displaced[0]?.[0] ?? ''
  for (const member of Object.values(value)) {
    const key = conflictingKey(member)
    if (key !== null) return key
  }
  return null
}

/** JSON text with the keys of every object in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Reads bytes as received. Bytes that are not UTF-8 are refused: decoding would silently replace them. */
export function parseJsonBytes(bytes: Uint8Array): { value: unknown; problems: JsonProblem[] } {
  return parseJson(decodeJson(bytes))
}

/** The text of a body, including its byte-order mark. Throws JsonError if the bytes are not UTF-8. */
export function decodeJson(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new JsonError(0, 'bytes that are not UTF-8')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

const BYTE_ORDER_MARK = 0xfeff
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_E = 0x45
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const LOWER_E = 0x65
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const THEN_COLON = /[ \t\r\n]*:/y

/** Index of the quote that closes the string opened before `from`, or -1. */
export function closingQuote(text: string, from: number): number {
  for (let close = text.indexOf('"', from); close >= 0; close = text.indexOf('"', close + 1)) {
    let first = close
    while (text.charCodeAt(first - 1) === BACKSLASH && first > from) first--
    if ((close - first) % 2 === 0) return close
  }
  return -1
}

/**
 * One pass outside the strings: counts colons (each is one member), quotes numbers that would not survive, and
 * refuses deep nesting. It accepts any text: what is not JSON stays invalid, and the native parser refuses it.
 */
function scan(text: string, problems: JsonProblem[], shift: number): { text: string; members: number } {
  const hasEscapes = text.includes('\\')
  const keyStarts = new Int32Array(JSON_DEPTH_MAX + 2).fill(-1)
  // Each key is read once, however many numbers are below it.
  const keys = new Map<number, string>()
  const keyOf = (start: number): string => {
    const known = keys.get(start)
    if (known !== undefined) return known
    const key = keyAt(text, start)
    keys.set(start, key)
    return key
  }
  let members = 0
  let depth = 0
  let string = -1
  let quoted = ''
  let copied = 0
  let i = 0
  while (i < text.length) {
    let c = text.charCodeAt(i++)
    while (c === QUOTE) {
      string = i
      const close = hasEscapes ? closingQuote(text, i) : text.indexOf('"', i)
      if (close < 0) return { text, members }
      i = close + 1
      c = text.charCodeAt(i++)
      if (c === COLON) {
        members++
        keyStarts[depth] = string
        c = text.charCodeAt(i++)
      } else if (c === COMMA) c = text.charCodeAt(i++)
    }
    if (c === OPEN_OBJECT || c === OPEN_LIST) {
      if (++depth > JSON_DEPTH_MAX) throw new JsonError(i - 1 + shift, 'nesting that is too deep')
      keyStarts[depth] = keyStarts[depth - 1]!
    } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
      if (--depth < 0) return { text, members }
    } else if (c === COLON) {
      members++
      keyStarts[depth] = string
    } else if ((c >= ZERO && c <= NINE) || c === MINUS) {
      const start = i - 1
      const end = shortIntegerEnd(text, start)
      i = end > 0 ? end : numberEnd(text, start)
      if (end < 0 && !survives(text, start, i)) {
        const lexeme = text.slice(start, i)
        quoted += `${text.slice(copied, start)}"${lexeme}"`
        copied = i
        problems.push({ kind: 'number', key: keyOf(keyStarts[depth]!), lexeme })
      }
    }
  }
  return { text: copied === 0 ? text : quoted + text.slice(copied), members }
}

/** End of an integer of at most 15 digits, which no float changes; -1 where another number starts. */
function shortIntegerEnd(text: string, start: number): number {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  let end = first
  // One more digit is enough: a run of digits that is not a number is examined again from each of them.
  while (
    end < text.length &&
    end - first <= 15 &&
    text.charCodeAt(end) >= ZERO &&
    text.charCodeAt(end) <= NINE
  )
    end++
  const digits = end - first
  if (digits === 0 || digits > 15 || end === text.length) return -1
  if (first > start && text.charCodeAt(first) === ZERO) return -1
  const next = text.charCodeAt(end)
  return next === POINT || next === LOWER_E || next === UPPER_E ? -1 : end
}

/** End of the number that starts here; the next character where none does. */
function numberEnd(text: string, start: number): number {
  NUMBER.lastIndex = start
  return NUMBER.test(text) ? NUMBER.lastIndex : start + 1
}

/** Whether a parsed number would be spelled as in the text. A number in the position of a key is left to be refused. */
function survives(text: string, start: number, end: number): boolean {
  const lexeme = text.slice(start, end)
  if (String(Number(lexeme)) === lexeme || lexeme === '-') return true
  THEN_COLON.lastIndex = end
  return THEN_COLON.test(text)
}

function keyAt(text: string, start: number): string {
  if (start < 0) return ''
  try {
    return JSON.parse(text.slice(start - 1, closingQuote(text, start) + 1))
  } catch {
    return '' // A malformed key: the native parser refuses the text that holds it.
  }
}

/** Members of all objects in the tree, nested ones included. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += countMembers(item)
    return members
  }
  const object = value as Record<string, unknown>
  for (const key in object) {
    members++
    const member = object[key]
    if (typeof member === 'object') members += countMembers(member)
  }
  return members
}

function findError(text: string, shift: number): JsonError {
  try {
    new ExactParser(text, []).parse()
  } catch (error) {
    if (error instanceof JsonError) return new JsonError(error.offset + shift, error.what)
    throw error
  }
  return new JsonError(shift, 'text that the native parser refuses')
}

/** A plain recursive parser: it sees every member, and knows its position if the text is wrong. */
class ExactParser {
  readonly #text: string
  readonly #problems: JsonProblem[]
  #at = 0

  constructor(text: string, problems: JsonProblem[]) {
    this.#text = text
    this.#problems = problems
  }

  parse(): unknown {
    const value = this.#value()
    if (this.#peek() !== '') throw this.#wrong('text after the end of the value')
    return value
  }

  /** The next character that is not white space; empty at the end. */
  #peek(): string {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'end')) this.#at++
    return this.#text[this.#at] ?? ''
  }

  #wrong(what: string): JsonError {
    return this.#at < this.#text.length
      ? new JsonError(this.#at, what)
      : new JsonError(this.#at, 'a text that is cut off')
  }

  #value(): unknown {
    const next = this.#peek()
    if (next === '{') return this.#object()
    if (next === '[') return this.#list()
    if (next === '"') return this.#string()
    for (const [literal, value] of [
      ['true', true] as const,
      ['false', false] as const,
      ['null', null] as const,
    ])
      if (this.#text.startsWith(literal, this.#at)) {
        this.#at += literal.length
        return value
      }
    NUMBER.lastIndex = this.#at
    const lexeme = NUMBER.exec(this.#text)?.[0]
    if (lexeme === undefined) throw this.#wrong('something that is no value')
    this.#at += lexeme.length
    return Number(lexeme)
  }

  #string(): string {
    const start = this.#at
    const close = closingQuote(this.#text, start + 1)
    if (close < 0) throw new JsonError(start, 'a string that is not closed')
    this.#at = close + 1
    try {
      return JSON.parse(this.#text.slice(start, close + 1))
    } catch {
      throw new JsonError(start, 'a string with a control character or a wrong escape')
    }
  }

  #list(): unknown[] {
    const list: unknown[] = []
    this.#at++
    if (this.#peek() === ']') {
      this.#at++
      return list
    }
    for (;;) {
      list.push(this.#value())
      const next = this.#peek()
      if (next !== ',' && next !== ']') throw this.#wrong('a list without a comma or an end')
      this.#at++
      if (next === ']') return list
    }
  }

  #object(): Record<string, unknown> {
    const members = new Map<string, unknown>()
    const displaced: [string, unknown][] = []
    this.#at++
    if (this.#peek() === '}') {
      this.#at++
      return {}
    }
    for (;;) {
      if (this.#peek() !== '"') throw this.#wrong('an object without a quoted key')
      const key = this.#string()
      if (this.#peek() !== ':') throw this.#wrong('a key without a colon')
      this.#at++
      const value = this.#value()
      if (members.has(key)) {
        const equal = isDeepStrictEqual(members.get(key), value)
        this.#problems.push({ kind: equal ? 'duplicate key' : 'conflicting key', key })
        if (!equal) displaced.push([key, members.get(key)])
      }
      members.set(key, value)
      const next = this.#peek()
      if (next !== ',' && next !== '}') throw this.#wrong('an object without a comma or an end')
      this.#at++
      if (next === '}') break
    }
    // Through fromEntries a key named __proto__ is plain data.
    const object = Object.fromEntries(members)
    return displaced.length === 0
      ? object
      : Object.assign(object, { [DUPLICATES]: displaced satisfies Displaced })
  }
}
