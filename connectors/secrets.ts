// Removes our secrets from what the venue sent, before it is journaled. No other byte changes: each occurrence is
// replaced by asterisks (nines for digits) of the same byte length, so that every offset stays the same.
import { MultiSearch } from './multi-search.ts'
import { PassingSearch } from './passing-search.ts'

const BACKSLASH = 0x5c
const FULL_STOP = 0x2e
const SMALL_U = 0x75

/** The meaning of a letter after a backslash in JSON. */
const SHORT_ESCAPES: ReadonlyMap<number, Buffer> = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map(([letter = '', meant = '']) => [
    letter.charCodeAt(0),
    Buffer.from(meant),
  ]),
)

/**
 * How a body is read when searching for a secret: as its raw bytes; as JSON, with every escape decoded; and as JSON
 * within JSON, where an escaped backslash begins an escape that is decoded too.
 */
type Reading = 'plain' | 'escaped' | 'nested'

/** A backslash within JSON, which begins an escape of JSON within it. */
const ESCAPED_BACKSLASHES = ['\\\\', '\\u005c', '\\u005C']

interface Secrets {
  readonly list: readonly { readonly length: number; readonly isDigits: boolean }[]
  readonly lengthMax: number
  /** Whether the raw bytes of a body may contain a secret. */
  readonly passing: PassingSearch
  /** Built when needed: with a thousand accounts it takes hundreds of megabytes. */
  readonly search: () => MultiSearch
}

/** A run passes the same list again and again. */
const prepared = new WeakMap<readonly string[], Secrets>()

function prepare(given: readonly string[]): Secrets {
  const known = prepared.get(given)
  if (known !== undefined) return known
  const texts = [...new Set(given)].filter((text) => text !== '')
  const bytes = texts.map((text) => Buffer.from(text))
  const list = bytes.map(({ length }, at) => ({ length, isDigits: /^\d+$/.test(texts[at] ?? '') }))
  const lengthMax = Math.max(0, ...bytes.map(({ length }) => length))
  let search: MultiSearch | undefined
  const made = {
    list,
    lengthMax,
    passing: new PassingSearch(bytes),
    search: () => {
      search ??= new MultiSearch(bytes)
      return search
    },
  }
  prepared.set(given, made)
  return made
}

interface Place {
  readonly start: number
  readonly end: number
}

/**
 * Replaces every occurrence of a secret, including its JSON-escaped forms, and returns how many there were. Takes at
 * most a few steps for each byte, whatever the secrets and the body are.
 */
export function redactSecrets(body: Buffer, secrets: readonly string[]): { body: Buffer; redacted: number } {
  const wanted = prepare(secrets)
  if (wanted.list.length === 0) return { body, redacted: 0 }
  // Hardly any body has a backslash, and hardly any of those has two in a row.
  const readings: Reading[] = wanted.passing.mayFind(body) ? ['plain'] : []
  if (body.includes(BACKSLASH)) readings.push('escaped')
  if (ESCAPED_BACKSLASHES.some((form) => body.includes(form))) readings.push('nested')
  const found = readings.flatMap((reading) => [...placesIn(body, wanted, reading)])
  return found.length === 0 ? { body, redacted: 0 } : blanked(body, found)
}

/** Where secrets occur under one reading of a body; overlapping ones are merged. */
function* placesIn(body: Buffer, secrets: Secrets, reading: Reading): Generator<Place> {
  const { list, lengthMax } = secrets
  const search = secrets.search()
  // Where in the body the last decoded bytes began, as many as the longest secret has.
  const began = new Uint32Array(lengthMax)
  let count = 0
  let last: Place | null = null
  search.reset()
  for (let at = 0; at < body.length; ) {
    const escaped = body[at] === BACKSLASH ? escapeOf[reading](body, at) : null
    const end = at + (escaped?.length ?? 1)
    for (let place = 0; place < (escaped?.meant.length ?? 1); place += 1) {
      began[count % lengthMax] = at
      count += 1
      for (const which of search.push((escaped === null ? body[at] : escaped.meant[place]) ?? 0)) {
        const { length, isDigits } = list[which] ?? { length: 0, isDigits: false }
        const start = began[(count - length) % lengthMax] ?? 0
        if (isDigits && isWithinNumber(body, start, end)) continue
        if (last !== null && start >= last.end) yield last
        last =
          last === null || start >= last.end ? { start, end } : { start: Math.min(start, last.start), end }
        break
      }
    }
    at = end
  }
  if (last !== null) yield last
}

interface Escape {
  /** Of the escape in the body. */
  readonly length: number
  /** In UTF-8. */
  readonly meant: Buffer
}

/** The escape that begins with the backslash at this position; null if none does. */
function escapeAt(body: Buffer, at: number): Escape | null {
  const short = SHORT_ESCAPES.get(body[at + 1] ?? 0)
  if (short !== undefined) return { length: 2, meant: short }
  const unit = unitAt(body, at)
  if (unit === null) return null
  const low = isBetween(unit, 0xd800, 0xdbff) ? unitAt(body, at + 6) : null
  if (low !== null && isBetween(low, 0xdc00, 0xdfff))
    return { length: 12, meant: Buffer.from(String.fromCharCode(unit, low)) }
  return { length: 6, meant: Buffer.from(String.fromCharCode(unit)) }
}

/** The UTF-16 unit of an escape such as `\u00e9`, with hex digits in either case. */
function unitAt(body: Buffer, at: number): number | null {
  const text = body.subarray(at, at + 6).toString('latin1')
  return /^\\u[0-9a-fA-F]{4}$/.test(text) ? Number.parseInt(text.slice(2), 16) : null
}

/** The most characters of an escape: two UTF-16 units. */
const ESCAPE_LENGTH_MAX = 12

/** The same in JSON within JSON: each character of the inner escape may itself be escaped. */
function nestedEscapeAt(body: Buffer, at: number): Escape | null {
  const outer = escapeAt(body, at)
  if (outer === null || outer.meant[0] !== BACKSLASH) return outer
  const second = at + outer.length
  const escaped = body[second] === BACKSLASH ? escapeAt(body, second) : null
  const letter = escaped === null ? body[second] : escaped.meant[0]
  const short = SHORT_ESCAPES.get(letter ?? 0)
  if (short !== undefined) return { length: outer.length + (escaped?.length ?? 1), meant: short }
  return (letter === SMALL_U ? nestedUnitsAt(body, at) : null) ?? outer
}

/** What an escape by UTF-16 units means, if its characters are escaped in turn; null if none begins here. */
function nestedUnitsAt(body: Buffer, at: number): Escape | null {
  const decoded: number[] = []
  /** Where each of them ends in the body. */
  const ends: number[] = []
  for (let from = at; decoded.length < ESCAPE_LENGTH_MAX && from < body.length; ) {
    const escaped = body[from] === BACKSLASH ? escapeAt(body, from) : null
    const meant = escaped?.meant ?? body.subarray(from, from + 1)
    from += escaped?.length ?? 1
    for (const byte of meant) {
      decoded.push(byte)
      ends.push(from)
    }
  }
  const inner = escapeAt(Buffer.from(decoded), 0)
  return inner === null ? null : { length: (ends[inner.length - 1] as number) - at, meant: inner.meant }
}

const escapeOf: Readonly<Record<Reading, (body: Buffer, at: number) => Escape | null>> = {
  plain: () => null,
  escaped: escapeAt,
  nested: nestedEscapeAt,
}

const isBetween = (value: number, from: number, to: number): boolean => value >= from && value <= to

const isDigit = (byte: number | undefined): boolean => byte !== undefined && isBetween(byte, 0x30, 0x39)

/**
 * A secret of digits alone may be part of an amount or an id: only a complete run of digits is treated as the secret.
 */
const isWithinNumber = (body: Buffer, start: number, end: number): boolean =>
  [body[start - 1], body[end]].some((byte) => isDigit(byte) || byte === FULL_STOP)

/** The body with these places masked, and how many there are. Digits may be a bare number, which must remain one. */
function blanked(body: Buffer, found: readonly Place[]): { body: Buffer; redacted: number } {
  const clean = Buffer.from(body)
  let redacted = 0
  let until = 0
  for (const { start, end } of found.toSorted((one, other) => one.start - other.start)) {
    if (start >= until) redacted += 1
    if (end > until)
      clean.fill(body.subarray(start, end).every(isDigit) ? '9' : '*', Math.max(start, until), end)
    until = Math.max(until, end)
  }
  return { body: clean, redacted }
}

/** The same for a text that is shown. */
export function redactText(text: string, secrets: readonly string[]): string {
  return redactSecrets(Buffer.from(text), secrets).body.toString('utf8')
}
