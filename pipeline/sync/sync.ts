// A run over all accounts: fetch, journal, land. Progress is never ahead of data, so a run can be killed at any point.
import { randomUUID } from 'node:crypto'
import { type AccountAccess, secretsOfAccount } from '../../connectors/access.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import type { Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import type { Config } from '../config/config.ts'
import type { Journal } from '../journal/frame.ts'
import type { Landing } from '../landing/landing.ts'
import { SETTINGS_FEED, syncAccount } from './account.ts'
import { isoNow, type Outcome, type Progress, type SyncContext, type SyncFailure } from './context.ts'
import { uidOwners } from './owners.ts'
import { createRecorder } from './recorder.ts'

export interface SyncOptions {
  readonly journal: Journal
  readonly landing: Landing
  readonly venue: Venue
  readonly venueName: string
  readonly config: Config
  readonly accounts: readonly AccountAccess[]
  /** Credentials of all accounts of the configuration, if this run covers only some of them. */
  readonly secrets?: readonly string[]
  /** Feeds to read, account settings included. */
  readonly feeds: readonly Endpoint[]
  readonly settings: Endpoint
  readonly since?: number
  /** The command line named accounts or feeds, so this run does not read everything that is configured. */
  readonly isPart?: boolean
  /** The feeds that it named. */
  readonly namedFeeds?: readonly string[] | undefined
  readonly clock: Clock
  readonly now: () => number
  readonly signal: AbortSignal
  readonly command: string
  readonly progress: (event: Progress) => void
  /** Id of the run; a new one if absent. */
  readonly run?: string
}

export interface SyncResult {
  readonly run: string
  readonly requests: number
  readonly retries: number
  readonly rows: number
  /** What the venue refused for lack of a valid credential or address, for people to read. */
  readonly refusals: readonly string[]
  /** Why the venue could not be read, once for each account and class, refusals included. */
  readonly failures: readonly SyncFailure[]
  readonly incomplete: boolean
  /** Accounts about which the configuration is wrong, and which were not read. */
  readonly misconfigured: boolean
}

export async function sync(options: SyncOptions): Promise<SyncResult> {
  const secrets = options.secrets ?? options.accounts.flatMap(secretsOfAccount)
  const recorder = createRecorder(options, secrets)
  const outcome: Outcome = {
    refusals: [],
    failures: [],
    incomplete: false,
    misconfigured: false,
    answered: 0,
    givenUp: 0,
  }
  const context: SyncContext = {
    run: options.run ?? randomUUID(),
    venue: options.venue,
    venueName: options.venueName,
    landing: options.landing,
    recorder,
    secrets,
    owners: await uidOwners(options.landing, options.config, options.accounts, options.settings),
    clock: options.clock,
    now: options.now,
    signal: options.signal,
    config: options.config,
    feeds: options.feeds,
    since: options.since,
    progress: options.progress,
    outcome,
  }
  await recorder.record({
    kind: 'run-start',
    at: isoNow(context),
    run: context.run,
    command: options.command,
    now: new Date(options.now()).toISOString(),
    ...(options.namedFeeds === undefined ? {} : { feeds: [...new Set(options.namedFeeds)].sort() }),
  })
  const ended = await Promise.allSettled(
    options.accounts.map((access, place) => syncAccount(context, options.settings, access, place)),
  )
  const failure = ended.find((one) => one.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  await recorder.flush()
  const { requests, retries } = options.venue.counters
  await recorder.record({
    kind: 'run-end',
    at: isoNow(context),
    run: context.run,
    now: new Date(options.now()).toISOString(),
    requests,
    rows: recorder.rows,
    retries,
    outcome: outcomeOf(outcome, options.isPart ?? false),
  })
  await recorder.flush()
  return {
    run: context.run,
    requests,
    retries,
    rows: recorder.rows,
    refusals: outcome.refusals,
    failures: outcome.failures,
    incomplete: outcome.incomplete,
    misconfigured: outcome.misconfigured,
  }
}

/** How a run ended, for the table `runs`; a run restricted to a part of the books vouches for that part alone. */
function outcomeOf({ refusals, incomplete, misconfigured }: Outcome, isPart: boolean): string {
  if (refusals.length > 0) return 'refused'
  if (incomplete || misconfigured) return 'incomplete'
  return isPart ? 'part done' : 'done'
}

/**
 * Feeds of a run: those named, otherwise every reading endpoint whose answer lands; the settings are always included.
 */
export function selectFeeds(
  endpoints: readonly Endpoint[],
  named: readonly string[] | undefined,
): Endpoint[] {
  return endpoints.filter(
    (endpoint) =>
      !endpoint.writes &&
      endpoint.item !== null &&
      (named === undefined || named.includes(endpoint.name) || endpoint.name === SETTINGS_FEED),
  )
}
