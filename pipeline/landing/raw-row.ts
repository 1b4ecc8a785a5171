// The text of a row as it was on its page, for quarantine: with every digit and every key, including repeated ones, and
// without personal data. The page has been parsed before, so its syntax is not checked again.
import { closingQuote, parseJson } from '../../models/json.ts'
import type { RecordType } from '../../models/record.ts'
import { findRows, isObject, type RowsPlace } from '../../models/rows.ts'

interface Span {
  readonly key: string
  readonly start: number
  readonly end: number
}

/**
 * Where the rows are in a journaled page; `field` is the endpoint's. If there are none, the one row is all of `data`.
 */
export function placeOfRows(text: string, field: string): RowsPlace {
  const envelope = parseJson(text).value
  const found = findRows(isObject(envelope) ? envelope.data : undefined, field)
  return typeof found === 'string' ? 'one' : found.place
}

/** Texts of the rows of a page, by their number. */
export function rawRows(text: string, place: RowsPlace, record: RecordType): (row: number) => string | null {
  const spans = rowSpans(text, place)
  return (row) => {
    const span = spans[row]
    return span === undefined ? null : withoutPersonalData(text, span, record)
  }
}

/** Where each row of a page begins and ends in its text. */
export function rowSpans(text: string, place: RowsPlace): Span[] {
  const data = memberAt(text, startOf(text, 0), 'data')
  if (data === null) return []
  if (place === 'one') return [data]
  const list = place === 'list' ? data : memberAt(text, data.start, place.member)
  return list !== null && text[list.start] === '[' ? children(text, list.start) : []
}

function memberAt(text: string, object: number, key: string): Span | null {
  if (text[object] !== '{') return null
  return children(text, object).findLast((member) => member.key === key) ?? null
}

/**
 * In a record with personal fields, everything that is not declared as impersonal is replaced by null: an unknown
 * member, or a row of another shape, may be personal as well.
 */
function withoutPersonalData(text: string, row: Span, record: RecordType): string | null {
  const fields = Object.entries(record.fields)
  if (!fields.some(([, field]) => field.personal)) return text.slice(row.start, row.end)
  if (text[row.start] !== '{') return null
  const open = new Set(
    fields.filter(([, field]) => !field.personal).flatMap(([name, field]) => [name, ...field.aliases]),
  )
  let kept = ''
  let from = row.start
  for (const member of children(text, row.start)) {
    if (open.has(member.key)) continue
    kept += `${text.slice(from, member.start)}null`
    from = member.end
  }
  return kept + text.slice(from, row.end)
}

/** Members of the object, or items of the list, that opens here. */
function children(text: string, open: number): Span[] {
  const inObject = text[open] === '{'
  const spans: Span[] = []
  let at = startOf(text, open + 1)
  while (text[at] !== '}' && text[at] !== ']') {
    let key = ''
    if (inObject) {
      const keyEnd = valueEnd(text, at)
      key = JSON.parse(text.slice(at, keyEnd))
      at = startOf(text, startOf(text, keyEnd) + 1)
    }
    const end = valueEnd(text, at)
    spans.push({ key, start: at, end })
    at = startOf(text, end)
    if (text[at] === ',') at = startOf(text, at + 1)
  }
  return spans
}

/** Position of the next character that is not white space; a byte-order mark is treated as white space. */
function startOf(text: string, from: number): number {
  let at = from
  while (' \t\r\n\ufeff'.includes(text[at] ?? 'end')) at++
  return at
}

const BRACKETS = /["{}[\]]/g
const SCALAR_END = /[\s{}[\],:]/g

/** End of the value that starts here. Strings are skipped quote by quote: one may be as long as a body. */
function valueEnd(text: string, start: number): number {
  const first = text[start] ?? ''
  if (first === '"') return afterString(text, start)
  if (first !== '{' && first !== '[') {
    SCALAR_END.lastIndex = start
    return SCALAR_END.test(text) ? SCALAR_END.lastIndex - 1 : text.length
  }
  let depth = 0
  BRACKETS.lastIndex = start
  for (let found = BRACKETS.exec(text); found !== null; found = BRACKETS.exec(text)) {
    const [mark] = found
    if (mark === '"') BRACKETS.lastIndex = afterString(text, found.index)
    else depth += mark === '{' || mark === '[' ? 1 : -1
    if (depth === 0) return BRACKETS.lastIndex
  }
  return text.length
}

function afterString(text: string, quote: number): number {
  const close = closingQuote(text, quote + 1)
  return close < 0 ? text.length : close + 1
}
