// The fast path for a page as the venue nearly always writes it: a list of objects with the same keys in the same
// order, all values strings without escapes. Its rows are cut out of the text itself, which costs less than parsing
// general JSON without loss. Anything else is left to models/json.ts; a property test compares the two.
import { JsonError, parseJson } from '../../models/json.ts'
import { type FoundRows, findRows, isObject, type RowsPlace } from '../../models/rows.ts'

/** What a plain page never contains: a backslash, and characters that JSON forbids inside a string. */
const UNPLAIN = /[\\\p{Cc}]/u

/** The rows that `parseJson` and `findRows` would find, without problems; null for a text that is not plain. */
export function plainRows(text: string, field: string): FoundRows | null {
  const name = `"${field === '' ? 'data' : field}"`
  const before = text.indexOf(`${name}:[`)
  if (before < 0 || UNPLAIN.test(text)) return null
  const open = before + name.length + 2
  const keys = keysAt(text, open)
  if (keys === null) return null
  const rows: Record<string, string>[] = []
  const close = cutRows(text, open, keys, rows)
  if (close < 0) return null
  // Everything but the rows is parsed as usual; it must have this one list, and nothing else with its name.
  const rest = text.slice(0, open) + text.slice(close)
  if (rest.indexOf(name) !== before || rest.indexOf(name, open) >= 0) return null
  const found = placeIn(rest, field)
  return found === null ? null : { rows, place: found }
}

/** Position of the empty list in what is left of a page; null if that cannot be parsed without problems. */
function placeIn(rest: string, field: string): RowsPlace | null {
  try {
    const { value, problems } = parseJson(rest)
    const found = problems.length === 0 && isObject(value) ? findRows(value.data, field) : ''
    return typeof found === 'string' || found.place === 'one' ? null : found.place
  } catch (error) {
    if (error instanceof JsonError) return null // The full parser reports where it is wrong.
    throw error
  }
}

/** Keys of the object that opens here; null if it is not plain, or a key is repeated or has a special meaning. */
function keysAt(text: string, open: number): string[] | null {
  const close = text.indexOf('}', open)
  const members = /^\{((?:"[^"]*":"[^"]*",?)+)$/.exec(text.slice(open, close))
  if (close < 0 || members === null) return null
  const keys = [...(members[1] ?? '').matchAll(/"([^"]*)":"[^"]*"/g)].map(([, key = '']) => key)
  return new Set(keys).size < keys.length || keys.includes('__proto__') ? null : keys
}

/** Appends the rows from `open` on and returns where their list closes; -1 if they are not all plain. */
function cutRows(
  text: string,
  open: number,
  keys: readonly string[],
  rows: Record<string, string>[],
): number {
  const ahead = keys.map((key, nth) => (nth === 0 ? `{"${key}":"` : `","${key}":"`))
  for (let at = open; ; at += 1) {
    const row: Record<string, string> = {}
    for (let nth = 0; nth < ahead.length; nth += 1) {
      const start = at + ahead[nth]!.length
      if (!text.startsWith(ahead[nth]!, at)) return -1
      at = text.indexOf('"', start)
      if (at < 0) return -1
      row[keys[nth]!] = text.slice(start, at)
    }
    if (!text.startsWith('"}', at)) return -1
    rows.push(row)
    at += 2
    if (text[at] === ']') return at
    if (text[at] !== ',') return -1
  }
}
