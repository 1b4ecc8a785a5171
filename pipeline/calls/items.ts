// Requests for several things at once, of which the venue may carry out some and refuse others while answering with a
// success code: lists the items that failed, each by name. Source: venue-facts, Wire oddities (4.9).
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { SUCCESS, textOf } from '../../connectors/envelope.ts'
import { redactText } from '../../connectors/secrets.ts'
import { TieoutError } from '../../models/error.ts'
import type { CallSession } from './session.ts'

export interface FailedItem {
  /**
   * Position in the answer, from 1, or in the request if the answer does not mention the item; and how many items there
   * are.
   */
  readonly place: number
  readonly total: number
  /** The item's name in the answer, or else in the request; empty if neither has one. */
  readonly name: string
  /** The venue's code; `no id` if it gave neither a code nor the id that a success has. */
  readonly code: string
  readonly message: string
}

type Item = Readonly<Record<string, unknown>>

/** Our own code for an item that the answer does not mention: it may or may not have been changed. */
export const NOT_TOLD = 'not told'

/**
 * What was not done of what was asked for, as far as the answer shows: items that carry a code, are among the failures,
 * or do not have the id of what was changed; and items that were sent but are not in the answer.
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
  // Answers are in the order of the request; an answer of another length cannot be matched to it.
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
  // Items that the answer does not mention are listed after those that it has.
  const total = Math.max(answered.length + untold.length, sent.length)
  return [...refused, ...untold].map((item) => ({ ...item, total }))
}

/**
 * What an answer says if it reports that the whole request was not done, such as a repayment without debt. Null if it
 * was done, and also if the answer does not mention it, which is handled as "not told".
 */
export function notDone({ doneWhen }: Endpoint, data: unknown): string | null {
  if (doneWhen === undefined) return null
  const said = fieldOf(data, doneWhen.field)
  return said === null || said.toUpperCase() === doneWhen.value ? null : `${doneWhen.field} ${said}`
}

const fieldOf = (data: unknown, field: string): string | null => (isItem(data) ? nameIn(data, field) : null)

/** The items of an answer: the list that it is, or all the lists that it contains. */
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

/**
 * If the request lists only names, each is an item with that name; a string may contain several, separated by commas.
 */
function sentItems(value: unknown, names: readonly string[]): readonly Item[] {
  const list = typeof value === 'string' ? value.split(',') : value === undefined ? [] : [value].flat()
  return list.map((one) => (isItem(one) ? one : { [names[0] ?? '']: one }))
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameIn = (item: Item, field: string): string | null => textOf(item[field])?.trim() || null

/** Identified by the first of its names that was sent, because the venue uses that one. */
function isNamed(sent: Item, answered: Item, names: readonly string[]): boolean {
  const field = names.find((one) => nameIn(sent, one) !== null)
  return field !== undefined && nameIn(sent, field) === nameIn(answered, field)
}

/** It names a different item from the one sent in its position. */
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
  const what = failed.some(({ code }) => code === NOT_TOLD) ? 'with unknown outcome' : 'refused'
  return `${failed.length} of ${failed[0]?.total ?? 0} items ${what}: ${each.join('; ')}`
}

/** The venue answered, and refused some or all of what was asked for, or does not state what became of it. */
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
      `The answer does not state what became of ${untold.length === failed[0]?.total ? 'any item' : 'some of the items'}: ${where}.`,
      {
        found: redactText(describeItems(failed), secrets),
        action: `${endpoint.outcome ?? 'Look at the account itself.'} Until then, do not send it again.`,
      },
    )
  return new ItemsRefused(`The venue refused ${what}: ${where}.`, {
    found: redactText(describeItems(failed), secrets),
    action: `${isAll ? 'Nothing was changed.' : 'The other items were carried out.'} Correct what was refused and send only that.`,
  })
}
