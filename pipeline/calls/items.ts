// A request for several things at once, of which the venue may carry out some and refuse others under a code of success:
// the items that failed, each by name. Source: venue-facts, Wire oddities (4.9).
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { SUCCESS, textOf } from '../../connectors/envelope.ts'
import { redactText } from '../../connectors/secrets.ts'
import { TieoutError } from '../../models/error.ts'
import type { CallSession } from './session.ts'

export interface FailedItem {
  /** Place in the answer, or in the request where the answer does not tell of it, from 1; and how many items there are. */
  readonly place: number
  readonly total: number
  /** Which one it is, as the answer or else the request names it; empty where neither does. */
  readonly name: string
  /** The venue's code; `no id` where it gave neither a code nor the id that a success has. */
  readonly code: string
  readonly message: string
}

type Item = Readonly<Record<string, unknown>>

/** Code of our own for an item of which the answer does not tell: it may have been changed or not. */
export const NOT_TOLD = 'not told'

/**
 * What was not done of what was asked for, as far as the answer tells: items that carry a code, stand among the failures, or
 * lack the id of what was changed, and items that were sent and are not in it.
 */
export function failedItems(
  { itemsMayFail, doneWhen }: Endpoint,
  params: Params,
  data: unknown,
): FailedItem[] {
  if (doneWhen !== undefined && fieldOf(data, doneWhen.field) === null)
    return [{ place: 1, total: 1, name: doneWhen.field, code: NOT_TOLD, message: '' }]
  if (itemsMayFail === undefined) return []
  const { names, id } = itemsMayFail
  const answered = itemsOf(data)
  const sent = sentItems(params[itemsMayFail.param], names)
  // Answers stand in the order of the request; one of another length is no help.
  const isParallel = sent.length === answered.length
  const refused = answered.flatMap(({ item, isFailure }, index): FailedItem[] => {
    const code = textOf(item.code) ?? textOf(item.errorCode)
    const isDone = !isFailure && (code === null || code === SUCCESS) && nameIn(item, id) !== null
    if (isDone) return []
    const name = nameOf(item, names) || nameOf((isParallel ? sent[index] : undefined) ?? {}, names)
    const message = textOf(item.msg) ?? textOf(item.errorMsg) ?? ''
    const isCode = code !== null && code !== SUCCESS
    return [
      { place: index + 1, total: 0, name, code: isCode ? code : isFailure ? 'failed' : 'no id', message },
    ]
  })
  const untold = sent.flatMap((item, index): FailedItem[] => {
    const beside = isParallel ? answered[index]?.item : undefined
    const isTold =
      answered.some((one) => isNamed(item, one.item, names)) ||
      (beside !== undefined && !isContradicted(item, beside, names))
    if (isTold) return []
    return [{ place: index + 1, total: 0, name: nameOf(item, names), code: NOT_TOLD, message: '' }]
  })
  // What the answer does not tell of stands beside what it has.
  const total = Math.max(answered.length + untold.length, sent.length)
  return [...refused, ...untold].map((item) => ({ ...item, total }))
}

/**
 * What an answer says where it says of the whole that it was not done, such as a repayment where there is no debt; null where
 * it was, and where the answer says nothing of it, which is among what is not told.
 */
export function notDone({ doneWhen }: Endpoint, data: unknown): string | null {
  if (doneWhen === undefined) return null
  const said = fieldOf(data, doneWhen.field)
  return said === null || said.toUpperCase() === doneWhen.value ? null : `${doneWhen.field} ${said}`
}

const fieldOf = (data: unknown, field: string): string | null => (isItem(data) ? nameIn(data, field) : null)

/** The items of an answer: the list that it is, or all lists that it has. */
function itemsOf(data: unknown): readonly { readonly item: Item; readonly isFailure: boolean }[] {
  const lists: [string, unknown][] = Array.isArray(data)
    ? [['', data]]
    : isItem(data)
      ? Object.entries(data)
      : []
  return lists.flatMap(([name, list]) =>
    Array.isArray(list)
      ? list.map((one) => ({ item: isItem(one) ? one : {}, isFailure: /fail/i.test(name) }))
      : [],
  )
}

/** Where the request lists mere names, each is an item with that name; a text may name several with commas between them. */
function sentItems(value: unknown, names: readonly string[]): readonly Item[] {
  const list = typeof value === 'string' ? value.split(',') : value === undefined ? [] : [value].flat()
  return list.map((one) => (isItem(one) ? one : { [names[0] ?? '']: one }))
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameIn = (item: Item, field: string): string | null => textOf(item[field])?.trim() || null

/** By the first of its names that was sent: the venue goes by that. */
function isNamed(sent: Item, answered: Item, names: readonly string[]): boolean {
  const field = names.find((one) => nameIn(sent, one) !== null)
  return field !== undefined && nameIn(sent, field) === nameIn(answered, field)
}

/** It names another than what was sent in its place. */
const isContradicted = (sent: Item, answered: Item, names: readonly string[]): boolean =>
  names.some((field) => {
    const [own, other] = [nameIn(sent, field), nameIn(answered, field)]
    return own !== null && other !== null && own !== other
  })

const nameOf = (item: Item, names: readonly string[]): string =>
  names
    .flatMap((field) => {
      const id = nameIn(item, field)
      return id === null ? [] : [`${field} ${id}`]
    })
    .join(', ')

/** One line for all of them. */
export function describeItems(failed: readonly FailedItem[]): string {
  const each = failed.map(({ place, name, code, message }) =>
    [`item ${place}${name === '' ? '' : ` (${name})`}: ${code}`, message].filter(Boolean).join(' '),
  )
  const what = failed.some(({ code }) => code === NOT_TOLD) ? 'not told of' : 'refused'
  return `${failed.length} of ${failed[0]?.total ?? 0} items ${what}: ${each.join('; ')}`
}

/** The venue answered, and refused some or all of what was asked for, or does not say what became of it. */
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
  const untold = failed.filter(({ code }) => code === NOT_TOLD)
  const where = `${endpoint.name} for account ${access.name}`
  if (untold.length > 0)
    return new ItemsRefused(
      `The answer does not tell what became of ${untold.length === failed[0]?.total ? 'any item' : 'some of the items'}: ${where}.`,
      {
        found: redactText(describeItems(failed), secrets),
        action: `${endpoint.outcome ?? 'Look at the account itself.'} Do not send it again until then.`,
      },
    )
  return new ItemsRefused(`The venue refused ${what}: ${where}.`, {
    found: redactText(describeItems(failed), secrets),
    action: `${isAll ? 'Nothing was changed.' : 'The other items were carried out.'} Correct what was refused and send that alone.`,
  })
}
