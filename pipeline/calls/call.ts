// Calls any endpoint once. Its fields are checked before anything is opened or sent. A reading endpoint is called and
// its answer shown; a write is only shown, and sent only if that is asked for. Contract, Commands.
import { secretsOf } from '../../connectors/attempt.ts'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { placeOrder } from '../../connectors/endpoints/spot.ts'
import { extractPage } from '../../connectors/pages.ts'
import { validateParams } from '../../connectors/params.ts'
import { redactText } from '../../connectors/secrets.ts'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { asConfigured, openConfiguredVenue } from '../books/night.ts'
import { nearest } from '../config/config.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { retentionOverride } from '../sync/page.ts'
import { failedItems, itemsRefused, notDone } from './items.ts'
import { keepSecret, type SecretKeeper } from './keep-secret.ts'
import { maskSecrets } from './secrets.ts'
import { type CallSession, withSession } from './session.ts'
import { showJson, showRequest } from './show.ts'
import { readValues } from './values.ts'
import { lookForOrders, sendWrite, shownRequest } from './write.ts'

export interface CallOptions {
  readonly endpoint: string
  /** Words of the form key=value. */
  readonly values: readonly string[]
  readonly account?: string | undefined
  readonly write: boolean
  readonly json: boolean
  /** Name under which credentials created by 4.1 are stored. */
  readonly saveAs?: string | undefined
  /** Generates the client's own id for an order. */
  readonly newId: () => string
}

/**
 * Makes the call and prints the result. Throws a UsageError for input that breaks a rule, and whatever a request
 * throws.
 */
export async function call(context: CommandContext, options: CallOptions): Promise<void> {
  const config = optionalConfig(context)
  const endpoint = endpointNamed(options.endpoint, asConfigured(config))
  const reach = { now: context.now(), retentionMs: retentionOverride({ config }, endpoint.name) }
  const params = validateParams(endpoint, readValues(endpoint, options.values), reach)
  if (endpoint.public) return callPublic(context, endpoint, params, options)
  if (!endpoint.writes) {
    return withSession(context, 'call', options.account, async (session) => {
      await lookForOrders(session)
      await read({ ...context, ...session }, endpoint, params, options)
    })
  }
  if (!options.write) return preview(context, endpoint, params, options)
  return withSession(context, 'call', options.account, (session) =>
    write(context, session, endpoint, params, options),
  )
}

function endpointNamed(name: string, endpoints: readonly Endpoint[]): Endpoint {
  const endpoint = endpoints.find((one) => one.name === name) ?? endpoints.find((one) => one.section === name)
  if (endpoint !== undefined) return endpoint
  const names = endpoints.map((one) => one.name)
  throw new UsageError(`There is no endpoint ${name}.`, {
    expected: `a name that \`tieout endpoints\` lists, perhaps ${nearest(name, names)}`,
    action: 'Correct the name.',
  })
}

/** Public endpoints need neither an account nor books; a configuration only supplies the venue's address. */
async function callPublic(
  context: CommandContext,
  endpoint: Endpoint,
  params: Params,
  options: CallOptions,
): Promise<void> {
  const venue = openConfiguredVenue(context, optionalConfig(context), [])
  await closing(venue, () =>
    read({ ...context, client: venue.account({ name: '' }), secrets: [] }, endpoint, params, options),
  )
}

/** Which account is asked, and which of our secrets the answer must not show if the venue repeats them. */
type Asker = Pick<CommandContext, 'print' | 'tell' | 'signal'> & Pick<CallSession, 'client' | 'secrets'>

async function read(
  { client, secrets, signal, print, tell }: Asker,
  endpoint: Endpoint,
  params: Params,
  { json }: CallOptions,
): Promise<void> {
  const { data } = (await client.request(endpoint, params, { signal })).envelope
  print(redactText(showJson(data, json), secrets))
  if (endpoint.page.kind === 'none') return
  const { rows, cursor } = extractPage(endpoint, data)
  const { kind, param } = endpoint.page
  const next = kind === 'page-number' ? String(Number(params[param] ?? '1') + 1) : cursor
  if (rows.length > 0 && next !== null) tell(redactText(`Next page: ${param}=${next}`, secrets))
}

function preview(context: CommandContext, endpoint: Endpoint, params: Params, { json }: CallOptions): void {
  context.print(showRequest(shownRequest(endpoint, params), json))
  if (wantsId(endpoint, params))
    context.tell('A clientOid will be added, so that the order can be found later.')
  context.tell('Nothing was sent: this changes something at the venue. Add --write to send it.')
}

async function write(
  context: CommandContext,
  session: CallSession,
  endpoint: Endpoint,
  params: Params,
  options: CallOptions,
): Promise<void> {
  const id = wantsId(endpoint, params) ? { clientOid: options.newId() } : {}
  const keeper: SecretKeeper | null =
    endpoint.secretFields === undefined ? null : keepSecret(context.dir, params, options.saveAs)
  const data = await sendWrite(session, endpoint, { ...params, ...id }, keeper?.keep)
  const secrets = [...session.secrets, ...secretsOf(session.access, endpoint, params)]
  context.print(redactText(showJson(maskSecrets(endpoint, data), options.json), secrets))
  if (keeper !== null) context.tell(keeper.told)
  const said = notDone(endpoint, data)
  if (said !== null)
    context.tell(redactText(`The venue reports that nothing was done: ${said}.`, session.secrets))
  const failed = failedItems(endpoint, params, data)
  if (failed.length > 0) throw itemsRefused(endpoint, session, failed)
}

/** An order without an id of its own gets one: if the answer is lost, the order can only be found by it. */
const wantsId = (endpoint: Endpoint, params: Params): boolean =>
  endpoint.name === placeOrder.name && params.clientOid === undefined && params.tpslType !== 'tpsl'
