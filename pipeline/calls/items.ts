// A request for several things at once, of which the venue may carry out some and refuse others under a code of success:
// the items that failed, each by name. Source: venue-facts, Wire oddities (4.9).
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { SUCCESS, textOf } from '../../connectors/envelope.ts'
import { redactText } from '../../connectors/secrets.ts'
import { TieoutError } from '../../models/error.ts'
import type { CallSession } from './session.ts'

export interface FailedItem {
  /** Place in the answer, from 1, and how many items it has. */
  readonly place: number
  readonly total: number
  /** Which one it is, as the answer or else the request names it; empty where neither does. */
  readonly name: string
  /** The venue's code; `no id` where it gave neither a code nor the id that a success has. */
  readonly code: string
  readonly message: string
}

type Item = Readonly<Record<string, unknown>>

/** The items of an answer that carry a code, or lack the id of what was changed. */
export function failedItems(endpoint: Endpoint, params: Params, data: unknown): FailedItem[] {
  if (endpoint.itemsMayFail !== true) return []
  const items = itemsOf(data)
  const sent = itemsOf(params[endpoint.bodyParam ?? ''])
  return items.flatMap((item, index) => {
    const code = textOf(item.code)
    const isDone = (code === null || code === SUCCESS) && textOf(item.orderId) !== null
    if (isDone) return []
    // Answers stand in the order of the request; one of another length is no help.
    const asked = sent.length === items.length ? sent[index] : undefined
    const name = nameOf(item) || nameOf(asked ?? {})
    const message = textOf(item.msg) ?? ''
    const isCode = code !== null && code !== SUCCESS
    return [{ place: index + 1, total: items.length, name, code: isCode ? code : 'no id', message }]
  })
}

function itemsOf(data: unknown): readonly Item[] {
  const list = Array.isArray(data) ? data : isItem(data) && Array.isArray(data.list) ? data.list : []
  return list.map((one) => (isItem(one) ? one : {}))
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (item: Item): string =>
  ['orderId', 'clientOid']
    .flatMap((field) => {
      const id = textOf(item[field])
      return id === null ? [] : [`${field} ${id}`]
    })
    .join(', ')

/** One line for all of them. */
export function describeItems(failed: readonly FailedItem[]): string {
  const each = failed.map(({ place, name, code, message }) =>
    [`item ${place}${name === '' ? '' : ` (${name})`}: ${code}`, message].filter(Boolean).join(' '),
  )
  return `${failed.length} of ${failed[0]?.total ?? 0} items refused: ${each.join('; ')}`
}

/** The venue answered, and refused some or all of what was asked for. */
export class ItemsRefused extends TieoutError {
  override readonly name = 'ItemsRefused'
  override readonly exitCode = 4
}

export function itemsRefused(
  endpoint: Endpoint,
  { access, secrets }: Pick<CallSession, 'access' | 'secrets'>,
  failed: readonly FailedItem[],
): ItemsRefused {
  const isAll = failed.length === failed[0]?.total
  const what = isAll ? 'all items' : 'some of the items'
  return new ItemsRefused(`The venue refused ${what}: ${endpoint.name} for account ${access.name}.`, {
    found: redactText(describeItems(failed), secrets),
    action: `${isAll ? 'Nothing was changed.' : 'The other items were carried out.'} Correct what was refused and send that alone.`,
  })
}
