// Syncs one account: first finds out what it is (4.14 answers for a unified account and is refused to a classic one),
// then reads every feed that applies, all concurrently and each under its own budget.

import type { AccountAccess } from '../../connectors/access.ts'
import { NO_CREDENTIAL } from '../../connectors/classify.ts'
import { appliesTo, type Endpoint } from '../../connectors/endpoint.ts'
import { textOf } from '../../connectors/envelope.ts'
import {
  CredentialRefused,
  IpRefused,
  isOwnAnswer,
  MalformedAnswer,
  NotApplicable,
  ParameterRefused,
  PermissionRefused,
  TimeRangeRefused,
  UnknownRefusal,
  VenueError,
} from '../../connectors/errors.ts'
import { redactText } from '../../connectors/secrets.ts'
import type { AccountClient } from '../../connectors/venue.ts'
import { UsageError } from '../../models/error.ts'
import {
  answeredNow,
  isoNow,
  noteAnswer,
  noteFailure,
  noteGivenUp,
  type SyncContext,
  state,
} from './context.ts'
import { recordRefusal } from './failure.ts'
import { asksFor, syncFeed } from './feed.ts'

/** The feed that shows what an account is; it is read first and alone. */
export const SETTINGS_FEED = 'account.settings'

/** A feed that is read once for each value of a list, where nothing has filled the list. */
const NOTHING_TO_ASK_FOR = {
  status: 'not_applicable',
  code: 'not asked',
  reason: 'no sub-account of this account is known from 4.13 or from a key created here',
} as const

type Kind = 'unified' | 'classic' | 'unknown'

interface Identity {
  readonly kind: Kind
  readonly mode: string | null
  readonly uid: string | null
  /** Credentials that the venue has refused or that are missing: feeds that need them are skipped. */
  readonly unusable: ReadonlyMap<Endpoint['credential'], { code: string; reason: string }>
  /** Why nothing more is read for this account in this run: the venue could not be reached. Null if it could. */
  readonly unreachable: string | null
}

/** `place` is the account's position among the accounts of the run. */
export async function syncAccount(
  context: SyncContext,
  settings: Endpoint,
  access: AccountAccess,
  place: number,
): Promise<void> {
  const client = context.venue.account(access)
  const identity = await identify(context, settings, access, client)
  await context.recorder.record({
    kind: 'account',
    at: isoNow(context),
    run: context.run,
    account: access.name,
    venue: context.venueName,
    uid: identity.uid,
    accountKind: identity.kind,
    accountMode: identity.mode,
  })
  const feeds = context.feeds.filter((feed) => feed.name !== SETTINGS_FEED && asksFor(feed, place))
  const underWay = new Map<string, Promise<void>>()
  const begin = async (feed: Endpoint): Promise<void> => {
    // Rows that have left a list are looked for in the same run.
    if (feed.endsOf !== undefined) await underWay.get(feed.endsOf.feed)?.catch(() => undefined)
    await syncIfUsable(context, access, client, feed, identity)
  }
  const own = feeds.filter((feed) => feed.paramFrom === undefined)
  for (const isLater of [false, true])
    for (const feed of own) if ((feed.endsOf !== undefined) === isLater) underWay.set(feed.name, begin(feed))
  const ended = await Promise.allSettled(underWay.values())
  const failure = ended.find((one) => one.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  // The rest are read once for each value that another feed returned.
  for (const feed of feeds) {
    if (feed.paramFrom === undefined) continue
    const { param, feed: source, field, write } = feed.paramFrom
    await context.recorder.flush()
    const values = new Set([
      ...(await context.landing.distinctValues(access.name, source, field)),
      ...(await context.landing.writtenValues(access.name, write, param)),
    ])
    const partitions = [...values].map((value) => ({ label: value, params: { [param]: value } }))
    await syncIfUsable(context, access, client, { ...feed, partitions }, identity)
    if (values.size > 0) continue
    if (
      context.config.history.feeds?.includes(feed.name) === true ||
      (await isLeftPending(context, access.name, feed, identity))
    )
      await state(context, { account: access.name, feed: feed.name, partition: '' }, NOTHING_TO_ASK_FOR)
  }
}

/** Whether an earlier run had to skip the feed and this one could read it: no page will ever clear that statement. */
async function isLeftPending(
  { landing }: SyncContext,
  account: string,
  feed: Endpoint,
  { unusable, unreachable }: Identity,
): Promise<boolean> {
  if (unreachable !== null || unusable.has(feed.credential)) return false
  return ['pending', 'failed'].includes((await landing.wordOnFeed(account, feed.name)) ?? '')
}

async function syncIfUsable(
  context: SyncContext,
  access: AccountAccess,
  client: AccountClient,
  feed: Endpoint,
  identity: Identity,
): Promise<void> {
  const whole = { account: access.name, feed: feed.name, partition: '' }
  if (!appliesTo(feed, identity.kind)) {
    const reason = `this is a ${identity.kind} account`
    await state(context, whole, { status: 'not_applicable', code: identity.kind, reason })
    context.progress({ kind: 'finished', account: access.name, feed: feed.name, status: 'not_applicable' })
    return
  }
  const missing = identity.unusable.get(feed.credential)
  if (missing !== undefined) {
    await state(context, whole, { status: 'failed', ...missing })
    context.progress({ kind: 'finished', account: access.name, feed: feed.name, status: 'failed' })
    return
  }
  if (identity.unreachable !== null) {
    await state(context, whole, {
      status: 'pending',
      code: 'unreachable',
      reason: identity.unreachable,
    })
    return
  }
  await syncFeed(context, access.name, client, feed)
}

/** Asks 4.14 what the account is; falls back to what earlier runs found. */
async function identify(
  context: SyncContext,
  settings: Endpoint,
  access: AccountAccess,
  client: AccountClient,
): Promise<Identity> {
  const unusable = new Map<Endpoint['credential'], { code: string; reason: string }>()
  if (access.api === undefined) unusable.set('api', noCredential('an API key'))
  if (access.tax === undefined) unusable.set('tax', noCredential('a tax API key'))
  const known = await context.landing.account(access.name)
  const before: Identity = {
    kind: known?.kind ?? 'unknown',
    mode: known?.accountMode ?? null,
    uid: access.uid ?? known?.uid ?? null,
    unusable,
    unreachable: null,
  }
  if (access.api === undefined) return before
  const { answered } = context.outcome
  try {
    const answer = await client.request(settings, {}, { signal: context.signal })
    await context.recorder.record(
      {
        kind: 'page',
        at: isoNow(context),
        ...answeredNow(context),
        run: context.run,
        account: access.name,
        feed: settings.name,
        partition: '',
        request: answer.request,
        status: answer.status,
      },
      answer.body,
    )
    noteAnswer(context)
    const found = answer.envelope.data as { uid?: unknown; accountMode?: unknown }
    const uid = textOf(found.uid)
    const clean = (text: string): string => redactText(text, context.secrets)
    const wrong = uid === null ? null : wrongAccount(context, access, uid, clean)
    if (wrong !== null) {
      // Nothing may be read under this name; the other accounts are not affected.
      context.outcome.misconfigured = true
      noteFailure(context, access.name, wrong)
      for (const credential of ['api', 'tax'] as const)
        unusable.set(credential, { code: 'other account', reason: wrong.message })
      return { ...before, uid: context.owners.ofHistory(access.name) ?? before.uid }
    }
    const mode = typeof found.accountMode === 'string' ? clean(found.accountMode) : null
    return { ...before, kind: 'unified', mode, uid: uid === null ? before.uid : clean(uid) }
  } catch (error) {
    return judgeIdentity(context, settings, access, { before, unusable, answered }, error)
  }
}

async function judgeIdentity(
  context: SyncContext,
  settings: Endpoint,
  access: AccountAccess,
  {
    before,
    unusable,
    answered,
  }: {
    readonly before: Identity
    readonly unusable: Map<Endpoint['credential'], { code: string; reason: string }>
    readonly answered: number
  },
  error: unknown,
): Promise<Identity> {
  const whole = { account: access.name, feed: settings.name, partition: '' }
  if (context.signal.aborted) {
    context.outcome.incomplete = true
    return { ...before, unreachable: 'the run was stopped' }
  }
  if (!(error instanceof VenueError)) throw error
  const word = { code: error.code, reason: error.message }
  if (error instanceof NotApplicable) {
    await state(context, whole, { status: 'not_applicable', ...word })
    return { ...before, kind: 'classic', mode: null }
  }
  if (error instanceof PermissionRefused) {
    await state(context, whole, { status: 'failed', ...word })
    return before
  }
  if (error instanceof CredentialRefused || error instanceof IpRefused) {
    context.outcome.refusals.push(error.describe())
    noteFailure(context, access.name, error)
    await state(context, whole, { status: 'failed', ...word })
    // A key bound to other addresses proves nothing about the tax key, but this machine has only one address.
    unusable.set('api', word)
    if (error instanceof IpRefused) unusable.set('tax', word)
    return before
  }
  context.outcome.incomplete = true
  if (isOfSettingsAlone(error)) {
    noteFailure(context, access.name, error, true)
    await recordRefusal(context, whole, error)
    await state(context, whole, { status: error.retryable ? 'pending' : 'failed', ...word })
    return before
  }
  noteGivenUp(context, answered)
  noteFailure(context, access.name, error)
  await state(context, whole, { status: 'pending', ...word })
  return { ...before, unreachable: error.message }
}

/**
 * Whether the venue itself answered, and only refused 4.14: the other feeds can still be read, and their oldest records
 * expire in the meantime.
 */
const isOfSettingsAlone = (error: VenueError): boolean =>
  isOwnAnswer(error) &&
  [MalformedAnswer, UnknownRefusal, ParameterRefused, TimeRangeRefused].some((type) => error instanceof type)

const noCredential = (what: string) => ({
  code: NO_CREDENTIAL,
  reason: `the configuration has no ${what.replace(/^an? /, '')} for this account`,
})

/** Why nothing may be read under this name, given the account's uid; null if there is no objection. */
function wrongAccount(
  { owners }: SyncContext,
  access: AccountAccess,
  uid: string,
  clean: (text: string) => string,
): UsageError | null {
  if (access.uid !== undefined && uid !== access.uid) return differingUid(access, clean(uid))
  const before = owners.ofHistory(access.name)
  if (before !== undefined && before !== clean(uid)) return otherHistory(access, before, clean(uid))
  const owner = owners.claim(uid, access.name)
  return owner === access.name ? null : sameAccount(access, owner, clean(uid))
}

function sameAccount(access: AccountAccess, owner: string, uid: string): UsageError {
  return new UsageError(`Account ${access.name} is the same venue account as ${owner}.`, {
    where: `accounts.${access.name}`,
    expected: 'a different venue account under each name: otherwise every figure would count twice',
    found: `uid ${uid}, which is read as ${owner}`,
    action: `Remove ${access.name} from the configuration, or give it the credentials of the intended account.`,
  })
}

function otherHistory(access: AccountAccess, before: string, uid: string): UsageError {
  return new UsageError(`Account ${access.name} is not the account that the books have under this name.`, {
    where: `accounts.${access.name}`,
    expected: `the credentials of uid ${before}, whose history the books have as ${access.name}`,
    found: `uid ${uid}`,
    action: 'Give it those credentials, or configure the other account under a name of its own.',
  })
}

function differingUid(access: AccountAccess, found: string): UsageError {
  return new UsageError(`Account ${access.name} is not the account that the configuration states.`, {
    where: `accounts.${access.name}.uid`,
    expected: `uid ${access.uid ?? ''}`,
    found: `uid ${found}`,
    action: 'Correct the uid, or give the credentials of the intended account.',
  })
}
