// Sends a request that changes something at the venue. Its intent is stored in the journal before it is sent, and its
// outcome afterwards. If no answer arrives it is never sent again; an order is looked for by its clientOid instead.

import { isDeepStrictEqual } from 'node:util'
import { credentialsOf, describeRequest, prepare, secretsOf } from '../../connectors/attempt.ts'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { placeOrder } from '../../connectors/endpoints/spot.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import { SUCCESS } from '../../connectors/envelope.ts'
import { OutcomeUnknown, type RequestMeta, Stopped, VenueError } from '../../connectors/errors.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { redactText } from '../../connectors/secrets.ts'
import type { Answer } from '../../connectors/venue.ts'
import { withoutEndZeros } from '../../models/amount.ts'
import { closing } from '../../models/closing.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import {
  howToSettle,
  readWrites,
  record,
  type Settlement,
  settle,
  unsettledWrites,
  type Write,
} from '../books/writes.ts'
import { CLOCK_SLACK_MS, findOrder, IDEMPOTENT_MS } from './find-order.ts'
import { describeItems, failedItems, NOT_TOLD, notDone } from './items.ts'
import { cleanBody } from './secrets.ts'
import type { CallSession } from './session.ts'

/** The request as it may be shown: method, path and body without secrets. */
export function shownRequest(endpoint: Endpoint, params: Params): RequestMeta {
  return describeRequest(endpoint, prepare(endpoint, defaultProfile, params), params)
}

/**
 * Sends a write once and returns the `data` of its answer. `keep` receives the answer before the outcome is journaled,
 * to store what is shown only once. Throws a UsageError if an identical request has an unknown outcome, or was just
 * found to have been carried out, and whatever a request throws. Throws OutcomeUnknown only if the order could not be
 * found either.
 */
export async function sendWrite(
  session: CallSession,
  endpoint: Endpoint,
  params: Params,
  keep: (answer: Answer) => Promise<void> = async () => undefined,
): Promise<unknown> {
  // Without credentials nothing would be sent, so nothing is journaled either.
  credentialsOf(session.access, endpoint)
  const open = await unsettledWrites(session.books.landing.connection, session.access.name)
  refuseTwin(session, endpoint, params, open, await lookForOrders(session))
  const intent = await journalIntent(session, endpoint, params)
  const secrets = allSecrets(session, endpoint, params)
  const { clock, run, books } = session
  let answer: Answer
  try {
    answer = await session.client.request(endpoint, params)
  } catch (error) {
    const found = await afterFailure({ ...session, secrets }, endpoint, intent, error)
    if (found === undefined || found === null) throw error
    return found
  }
  const settled = (): Promise<void> => {
    const settlement = settlementOf(endpoint, params, answer.envelope.data, secrets)
    return settle(books, clock, run, intent, settlement, cleanBody(endpoint, answer.body, secrets))
  }
  await closing(settled, () => keep(answer))
  return answer.envelope.data
}

/** The result of a successful answer: done, or refused for some or all of its items, each of which is named. */
function settlementOf(
  endpoint: Endpoint,
  params: Params,
  data: unknown,
  secrets: readonly string[],
): Settlement {
  const said = notDone(endpoint, data)
  if (said !== null) return { outcome: 'refused', code: redactText(said, secrets), reason: null }
  const failed = failedItems(endpoint, params, data)
  if (failed.length === 0) return { outcome: 'done', code: SUCCESS, reason: null }
  const codes = [...new Set(failed.map(({ code }) => code))].join(' ')
  const isAll = failed.length === failed[0]?.total
  return {
    // Whether an item that the answer does not mention was done is unknown, and it is not sent again until someone has
    // looked.
    outcome: failed.some(({ code }) => code === NOT_TOLD) ? 'unknown' : isAll ? 'refused' : 'partial',
    code: redactText(codes, secrets),
    reason: redactText(describeItems(failed), secrets),
  }
}

/** Journals what is about to be sent; returns the number of its frame. */
async function journalIntent(session: CallSession, endpoint: Endpoint, params: Params): Promise<number> {
  const { books, clock, run, access } = session
  const { method, path } = shownRequest(endpoint, params)
  const at = new Date(clock.wall()).toISOString()
  const who = { account: access.name, endpoint: endpoint.name, request: { method, path } }
  const body = journaledBody(session, endpoint, params)
  return (await record(books, { kind: 'write-intent', at, run, ...who }, body)).seq
}

/** Credentials of all accounts, and the secrets that the request itself carries. */
function allSecrets({ secrets, access }: CallSession, endpoint: Endpoint, params: Params): string[] {
  return [...secrets, ...secretsOf(access, endpoint, params)]
}

/**
 * The request's body as it is journaled. A passphrase may happen to equal a field name; the field name reveals nothing
 * and stays.
 */
function journaledBody(session: CallSession, endpoint: Endpoint, params: Params): Buffer {
  const { body } = shownRequest(endpoint, params)
  if (body === undefined) return Buffer.alloc(0)
  const secrets = allSecrets(session, endpoint, params)
  const clean = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? redactText(value, secrets) : value
  return Buffer.from(JSON.stringify(JSON.parse(body), clean))
}

/**
 * Journals the failure, and looks for an order whose outcome is unknown. Whatever goes wrong with that, including a
 * stop, does not hide that the order may have been placed.
 */
async function afterFailure(
  session: CallSession,
  endpoint: Endpoint,
  intent: number,
  error: unknown,
): Promise<FoundAnswer | null | undefined> {
  if (!(error instanceof OutcomeUnknown)) {
    await settleFailure(session, endpoint, intent, error)
    return null
  }
  try {
    await settleFailure(session, endpoint, intent, error)
    return (await lookForOrders(session)).get(intent)
  } catch (cause) {
    if (!(cause instanceof TieoutError)) throw cause
    session.tell(`The outcome of write ${intent} was not looked up: ${cause.message}`)
    return null
  }
}

async function settleFailure(
  session: CallSession,
  endpoint: Endpoint,
  intent: number,
  error: unknown,
): Promise<void> {
  const { books, clock, run, secrets } = session
  if (error instanceof Stopped) {
    const reason = 'stopped before it was sent'
    return settle(books, clock, run, intent, { outcome: 'refused', code: 'stopped', reason })
  }
  // Anything that did not come from the venue leaves the intent open, and the next command reports it.
  if (!(error instanceof VenueError)) return
  const { code, body, venueMessage } = error
  const outcome = error instanceof OutcomeUnknown ? 'unknown' : 'refused'
  const reason = body === null ? venueMessage : null
  const answer = cleanBody(endpoint, body ?? Buffer.alloc(0), secrets)
  await settle(books, clock, run, intent, { outcome, code, reason }, answer)
}

/** What the lost answer to an order contained. */
interface FoundAnswer {
  readonly orderId: string
  readonly clientOid: string
}

/**
 * Settles orders of this account whose answer was lost and that the venue has. Returns the content of that answer by
 * intent, and null for orders that are in neither list.
 */
export async function lookForOrders(session: CallSession): Promise<ReadonlyMap<number, FoundAnswer | null>> {
  const { books, clock, run, client, venue, access, secrets, tell } = session
  const looked = new Map<number, FoundAnswer | null>()
  for (const write of await unsettledWrites(books.landing.connection, access.name)) {
    const { clientOid, symbol } = write.endpoint === placeOrder.name ? fieldsOf(write) : {}
    if (typeof clientOid !== 'string' || typeof symbol !== 'string') continue
    try {
      const order = await findOrder(client, venue, { clientOid, symbol, sentAt: write.intendedAt })
      if (order === null) {
        looked.set(write.seq, null)
        tell(`Order ${clientOid} of write ${write.seq} is neither among the open orders nor in the history.`)
        continue
      }
      if (order.isOlder) {
        const older = redactText(order.orderId, secrets)
        tell(
          `Order ${clientOid} of write ${write.seq} cannot be distinguished from order ${older}, which is older and has the same clientOid. Check both yourself.`,
        )
        continue
      }
      const namesake = order.feed === orderHistory.name ? await namesakeOf(session, write) : undefined
      if (namesake !== undefined) {
        tell(
          `Order ${clientOid} of write ${write.seq} cannot be distinguished from that of write ${namesake.seq}, which has the same clientOid. Check both yourself.`,
        )
        continue
      }
      looked.set(write.seq, { orderId: order.orderId, clientOid })
      const said = `order ${order.orderId} was found in ${order.feed} as ${order.status}`
      const reason = redactText(said, secrets)
      await settle(books, clock, run, write.seq, { outcome: 'done', code: 'found', reason })
      tell(`Write ${write.seq} was carried out: ${reason} (clientOid ${clientOid}).`)
    } catch (error) {
      // An account that has lost its key may still use the other one.
      if (!(error instanceof VenueError || error instanceof UsageError)) throw error
      const code = error instanceof VenueError ? ` (${error.code})` : ''
      tell(`Order ${clientOid} of write ${write.seq} could not be looked for: ${error.message}${code}`)
    }
  }
  return looked
}

/**
 * An order with the same clientOid, placed so shortly before that the history may contain it instead: the id protects
 * an order only while it is unfilled.
 */
async function namesakeOf({ books }: CallSession, write: Write): Promise<Write | undefined> {
  const { clientOid, symbol } = fieldsOf(write)
  const writes = await readWrites(books.landing.connection)
  return writes.findLast((other) => {
    if (other.seq >= write.seq || other.endpoint !== write.endpoint || other.account !== write.account)
      return false
    if (other.outcome === 'refused' || other.intendedAt < write.intendedAt - 2 * CLOCK_SLACK_MS) return false
    const fields = fieldsOf(other)
    return fields.clientOid === clientOid && fields.symbol === symbol
  })
}

/** The fields of a write as it was sent. */
function fieldsOf({ body }: Write): Readonly<Record<string, unknown>> {
  return body === null ? {} : (JSON.parse(body) as Record<string, unknown>)
}

/**
 * What a request does, ignoring the client's own id and whatever changes nothing: zeros at either end of a number, the
 * order of a list, and whether it is a list or a text with commas.
 */
function partsOf({ idleFields }: Endpoint, body: string | null) {
  const fields = body === null ? {} : (JSON.parse(body, plain) as Record<string, unknown>)
  const idle = idleFields?.(fields) ?? []
  const deed = Object.fromEntries(Object.entries(fields).filter(([name]) => !idle.includes(name)))
  return { clientOid: fields.clientOid, deed }
}

function plain(name: string, value: unknown): unknown {
  if (name === 'clientOid') return value
  if (Array.isArray(value)) return inOrder(value)
  if (typeof value !== 'string') return value
  if (value.includes(',')) return inOrder(value.split(',').map((part) => plain(name, part.trim())))
  return /^\d+(\.\d+)?$/.test(value) ? withoutEndZeros(value.replace(/^0+(?=\d)/, '')) : value
}

/** A list of one is that one. */
function inOrder(list: readonly unknown[]): unknown {
  const texts = list.map((item) => JSON.stringify(item)).toSorted()
  return texts.length === 1 ? list[0] : texts
}

/** A request that may have been carried out already, or has just been found to be, is not sent a second time. */
function refuseTwin(
  session: CallSession,
  endpoint: Endpoint,
  params: Params,
  open: readonly Write[],
  looked: ReadonlyMap<number, FoundAnswer | null>,
): void {
  const { clientOid, deed } = partsOf(endpoint, journaledBody(session, endpoint, params).toString())
  for (const write of open) {
    if (write.endpoint !== endpoint.name) continue
    const { clientOid: sentAs, deed: sent } = partsOf(endpoint, write.body)
    // What an erased one asked for is not known, so it may be this.
    if (write.body !== null && !isDeepStrictEqual(sent, deed)) continue
    const where = `write ${write.seq}, ${endpoint.name} of account ${write.account}`
    const order = looked.get(write.seq) ?? null
    if (order !== null)
      throw new UsageError('The same order has already been carried out; it was not sent a second time.', {
        where,
        found: redactText(`order ${order.orderId}, clientOid ${order.clientOid}`, session.secrets),
        action: 'Nothing, if you meant one order. To place another one, run the same command again.',
      })
    // A clientOid protects an order only while it is unfilled, so the order must be one that rests, and known to be in
    // neither list.
    const mayRest = params.orderType === 'limit' && params.force !== 'ioc' && params.force !== 'fok'
    const again = mayRest && sentAs !== undefined && looked.has(write.seq)
    if (again && clientOid === sentAs && session.clock.wall() - write.intendedAt < IDEMPOTENT_MS) continue
    throw new UsageError(
      'The same request may already have been carried out; it was not sent a second time.',
      {
        where,
        found:
          write.body === null
            ? 'its outcome is unknown, and what was sent has been erased'
            : 'its outcome is unknown',
        action: again
          ? `${howToSettle(write)} With clientOid=${String(sentAs)} it can be sent again for six hours, because the venue accepts it only once.`
          : howToSettle(write),
      },
    )
  }
}
