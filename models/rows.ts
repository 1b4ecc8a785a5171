// Where the rows of an answer are. The connectors judge an answer by it before it is journaled, and landing, quarantine,
// evidence and erasure find the same rows in the journal. Sources: interface document, part 1; venue-facts, Wire oddities.
import { DUPLICATES } from './json.ts'

/** The rows of `data`, as received, and where they are in it. */
export interface FoundRows {
  readonly rows: readonly unknown[]
  readonly place: RowsPlace
}

/** `data` is the list; a member of `data` is; or `data` itself is the only row. */
export type RowsPlace = 'list' | { readonly member: string } | 'one'

/** Name of the list if an empty one arrives wrapped, although `data` should be the list itself. */
const WRAPPED_LIST = 'list'

/**
 * `field` is the endpoint's: '' if `data` is the list, 'object' if it is the only row, else the member with the list. A list
 * that is null is empty on this wire, and an empty list may be wrapped or bare, whatever is documented; rows in another form
 * are not an answer. A text states what is wrong: rows under another name never pass as an empty page.
 */
export function findRows(data: unknown, field: string): FoundRows | string {
  if (data === undefined || data === null) return 'data is missing'
  if (field === 'object')
    return isObject(data) && Object.keys(data).length > 0
      ? { rows: [data], place: 'one' }
      : 'data is not an object with fields'
  if (Array.isArray(data))
    return field === '' || data.length === 0
      ? { rows: data, place: 'list' }
      : `data is a list instead of an object with ${field}`
  const member = field === '' ? WRAPPED_LIST : field
  if (!isObject(data) || !(member in data))
    return field === '' ? 'data is not a list' : `data has no ${field}`
  if (saysTwoThings(data)) return 'data has a field twice, with unequal values'
  const list = data[member] ?? []
  if (!Array.isArray(list)) return `${member} is not a list`
  return field === '' && list.length > 0 ? 'data is not a list' : { rows: list, place: { member } }
}

/** The same key stands twice in it with unequal values: two lists of rows must not become one. */
export const saysTwoThings = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && DUPLICATES in value

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
