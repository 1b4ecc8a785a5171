// A page as the venue nearly always writes it: a list of objects with the same keys in the same order, all values texts
// without escapes. Its rows are cut out of the text itself, which costs less than reading any JSON without loss. For whatever
// is written otherwise there is no answer here, and models/json.ts reads it; a property test holds the two together.
import { JsonError, parseJson } from '../../models/json.ts'
import { type FoundRows, findRows, isObject, type RowsPlace } from '../../models/rows.ts'

/** What no plain page has: a backslash, and what JSON forbids inside a text. */
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
  // All but the rows is read as ever; it must have this one list, and nothing else of its name.
  const rest = text.slice(0, open) + text.slice(close)
  if (rest.indexOf(name) !== before || rest.indexOf(name, open) >= 0) return null
  const found = placeIn(rest, field)
  return found === null ? null : { rows, place: found }
}

/** Where the empty list stands in what is left of a page; null where that is not read without a remark. */
function placeIn(rest: string, field: string): RowsPlace | null {
  try {
    const { value, problems } = parseJson(rest)
    const found = problems.length === 0 && isObject(value) ? findRows(value.data, field) : ''
    return typeof found === 'string' || found.place === 'one' ? null : found.place
  } catch (error) {
    if (error instanceof JsonError) return null // Whoever reads all of it says where it is wrong.
    throw error
  }
}

/** Keys of the object that opens here; null where it is not plain, or a key would stand twice or mean something else. */
function keysAt(text: string, open: number): string[] | null {
  const close = text.indexOf('}', open)
  const members = /^\{((?:"[^"]*":"[^"]*",?)+)$/.exec(text.slice(open, close))
  if (close < 0 || members === null) return null
  const keys = [...(members[1] ?? '').matchAll(/"([^"]*)":"[^"]*"/g)].map(([, key = '']) => key)
  return new Set(keys).size < keys.length || keys.includes('__proto__') ? null : keys
}

/** Appends the rows from `open` on and answers where their list closes; -1 where they are not all plain. */
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
