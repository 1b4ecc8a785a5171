// The steps of a nightly run, each usable alone: sync the books from the venue, build and check the ledger, publish it.

import { secretsOfAccount } from '../../connectors/access.ts'
import type { BudgetOverride } from '../../connectors/budgets.ts'
import { endpoints, withSpans } from '../../connectors/catalogue.ts'
import { openVenue } from '../../connectors/client.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { spotCandles, spotPairs } from '../../connectors/prices/candles.ts'
import { EcbClient } from '../../connectors/prices/ecb.ts'
import { defaultProfile, type VenueProfile } from '../../connectors/profile.ts'
import type { RequestEvent, Venue } from '../../connectors/venue.ts'
import { closing } from '../../models/closing.ts'
import { type ErrorDetails, UsageError } from '../../models/error.ts'
import { clickHouseSettings } from '../clickhouse/settings.ts'
import { addressRateOf, budgetOverrides, type Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { configuredSecrets, readAccounts, requireCredentials } from '../config/credentials.ts'
import { nodeDisk } from '../journal/disk.ts'
import { endErasure, isErasing } from '../journal/erase.ts'
import {
  type BuildConfig,
  type BuildOptions,
  type BuildResult,
  buildLedger,
  type ExtraStep,
} from '../ledger/build.ts'
import { type LotsStepOptions, lotsStep } from '../lots/step.ts'
import { type FetchOutcome, noteAsking, type PriceSources } from '../prices/fetch.ts'
import { priceStep } from '../prices/step.ts'
import { configuredMatching } from '../rules/matching.ts'
import { SETTINGS_FEED } from '../sync/account.ts'
import type { Progress } from '../sync/context.ts'
import { type SyncResult, selectFeeds, sync } from '../sync/sync.ts'
import type { Books } from './books.ts'
import { removeOlderLedger } from './copies.ts'

/** Restricts a run to some accounts, some feeds, or a later start. */
export interface Selection {
  readonly accounts?: readonly string[] | undefined
  readonly feeds?: readonly string[] | undefined
  readonly since?: number | undefined
}

const settings = endpoints.find((endpoint) => endpoint.name === SETTINGS_FEED)
if (settings === undefined) throw new Error(`The catalogue has no ${SETTINGS_FEED}.`)
const settingsEndpoint = settings

/** The catalogue, with the spans that the configuration overrides. */
export const asConfigured = ({ venue }: Config): readonly Endpoint[] => withSpans(endpoints, venue.span_days)

/** With an empty list a run would read nothing and exit successfully. */
function refuseNone(
  named: readonly string[] | undefined,
  what: 'feed' | 'account',
  details: ErrorDetails,
): void {
  if (named?.length === 0) throw new UsageError(`No ${what} is named.`, details)
}

/** The feeds named by the selection, otherwise those in the configuration, otherwise all of them. */
export function chosenFeeds(config: Config, selection: Selection) {
  const wanted = selection.feeds ?? config.history.feeds
  const where = selection.feeds === undefined ? 'history.feeds in the configuration' : '--feeds'
  const reads = (name: string): boolean => endpoints.some((one) => one.name === name && !one.writes)
  const other = wanted?.find((name) => !reads(name))
  const details = {
    where,
    expected: 'names of reading endpoints, as listed by `tieout endpoints`',
    action: 'Correct the names, or omit them to read every feed.',
  }
  refuseNone(wanted, 'feed', details)
  if (other !== undefined) throw new UsageError(`There is no feed ${other}.`, details)
  return selectFeeds(asConfigured(config), wanted)
}

/** Throws a UsageError if the configured history begins after `now`: everything before it would be recorded as lost. */
export function mustHaveBegun({ history: { since } }: Config, now: number): void {
  if (since === undefined || since <= now) return
  throw new UsageError('history.since is in the future.', {
    where: 'history.since in the configuration',
    expected: `a date before ${new Date(now).toISOString()}`,
    found: new Date(since).toISOString(),
    action: 'Correct the date, or omit it to read everything that the venue still has.',
  })
}

/** The accounts named by the selection, otherwise all in the configuration. */
export function chosenAccounts(config: Config, selection: Selection): string[] {
  const names = Object.keys(config.accounts)
  refuseNone(selection.accounts, 'account', {
    where: '--accounts',
    expected: `one or more of ${names.join(', ')}`,
    action: 'Name them, or omit the option to read every account.',
  })
  const unknown = selection.accounts?.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`There is no account ${unknown} in the configuration.`, {
      where: '--accounts',
      expected: `one of ${names.join(', ')}`,
      action: 'Correct the name.',
    })
  }
  return names.filter((name) => selection.accounts?.includes(name) ?? true)
}

/**
 * The venue as configured; the caller closes it. `secrets` are the credentials of all accounts, not only those
 * selected.
 */
export function openConfiguredVenue(
  context: CommandContext,
  config: Config,
  secrets: readonly string[],
  budgets: Readonly<Record<string, BudgetOverride>> = {},
  /** Told when all requests pause. */
  tell: (text: string) => void = context.tell,
): Venue {
  const { base_url: baseUrl, timeout_ms: timeoutMs } = config.venue
  return openVenue({
    profile: venueProfile(config),
    clock: context.clock,
    random: Math.random,
    signal: context.signal,
    budgets: { ...budgetOverrides(config), ...budgets },
    secrets,
    log: (event: RequestEvent) => {
      logRequest(context, event)
      if (event.event === 'block pause') tell(pauseWords(context, event.pauseMs))
    },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}

/** Individual requests are details; that the venue cannot be reached is a warning once a request is given up. */
function logRequest({ log }: CommandContext, event: RequestEvent): void {
  log.debug(event, 'request')
  if (event.event !== 'refusal' || event.unreachable === null || event.retryInMs !== null) return
  const { account, endpoint, code } = event
  log.warn({ account, endpoint, class: code }, event.unreachable)
}

/** Nothing else happens for minutes, so this is said when it begins. */
const pauseWords = ({ clock }: CommandContext, pauseMs: number): string =>
  `The venue refuses requests on several budgets because of their number, and may have blocked this address: nothing is sent for ` +
  `${pauseMs / 60_000} minutes, until ${new Date(clock.wall() + pauseMs).toISOString()}, and then one more attempt is made. ` +
  'Press Ctrl-C to stop; what has landed is kept.'

/** The venue's profile with the configuration's overrides. */
const venueProfile = (config: Config): VenueProfile => ({ ...defaultProfile, ipRate: addressRateOf(config) })

export async function syncBooks(
  context: CommandContext,
  config: Config,
  books: Books,
  selection: Selection,
  command: string,
  progress: (event: Progress) => void,
): Promise<SyncResult> {
  // An invalid build configuration is refused before the venue is asked, not afterwards.
  configuredLots(config, context.configFile)
  mustHaveBegun(config, context.now())
  const feeds = chosenFeeds(config, selection)
  const names = chosenAccounts(config, selection)
  const all = readAccounts(config, books.dir, process.env)
  const accounts = all.filter((access) => names.includes(access.name))
  requireCredentials(accounts, config, books.dir)
  const secrets = all.flatMap(secretsOfAccount)
  const venue = openConfiguredVenue(context, config, secrets, {}, (text) => progress({ kind: 'note', text }))
  return await closing(venue, async () => {
    return await sync({
      journal: books.journal,
      landing: books.landing,
      venue,
      venueName: defaultProfile.name,
      config,
      accounts,
      secrets,
      feeds,
      settings: settingsEndpoint,
      clock: context.clock,
      now: context.now,
      signal: context.signal,
      command,
      run: context.run,
      isPart: selection.accounts !== undefined || selection.feeds !== undefined,
      namedFeeds: selection.feeds,
      progress,
      ...(selection.since === undefined ? {} : { since: selection.since }),
    })
  })
}

/**
 * How lots are matched for the published books. Throws a UsageError that names the configuration's file for a method or
 * for losses that the rules do not allow.
 */
export function configuredLots(config: Config, file: string): LotsStepOptions {
  return configuredMatching(config, file).options
}

/** What a command asks of a build. */
type BooksBuild = Pick<BuildOptions, 'publish' | 'full' | 'only' | 'signal'> & {
  readonly publishAnyway: boolean
}

export async function buildBooks(
  context: CommandContext,
  config: Config,
  books: Books,
  options: BooksBuild & { fetchesPrices?: boolean },
): Promise<NightlyBuild> {
  const secrets = options.fetchesPrices === true ? configuredSecrets(config, books.dir, process.env) : []
  const sources = options.fetchesPrices === true ? openPriceSources(context, config, secrets) : null
  let prices: FetchOutcome | null = null
  const steps: ExtraStep[] = [lotsStep(configuredLots(config, context.configFile))]
  if (sources !== null) {
    const { journal, landing } = books
    const { clock, now, signal, run } = context
    await noteAsking({ sources, journal, clock, run })
    steps.push(
      priceStep({ sources, secrets, journal, landing, clock, now, signal, run }, (outcome) => {
        prices = outcome
      }),
    )
  }
  const close = async (): Promise<void> => {
    await sources?.candles?.close()
    await sources?.ecb?.close()
  }
  return await closing(close, async () => {
    // Erased data that is still in the published ledger must go, whatever the checks find in the books without it.
    const erasing = await isErasing(books.dir)
    const publishAnyway = options.publishAnyway || erasing
    if (erasing && options.publish !== false && config.engine.clickhouse !== undefined)
      await removeOlderLedger(books.dir, nodeDisk)
    const built = await build(
      context,
      config,
      books,
      { signal: context.signal, ...options, publishAnyway },
      steps,
    )
    if (erasing && built.published) await endErasure(books.dir)
    return { ...built, prices }
  })
}

export interface NightlyBuild extends BuildResult {
  /** What was asked of the price sources; null if nothing was. */
  readonly prices: FetchOutcome | null
}

/** The sources that the configuration names; null for none, in which case nothing is sent. */
function openPriceSources(
  context: CommandContext,
  config: Config,
  secrets: readonly string[],
): PriceSources | null {
  const { candles, ecb } = config.prices.sources
  if (candles === undefined && ecb === undefined) return null
  const { clock, signal } = context
  const budget = (of: { count: number; per_ms: number } | undefined) =>
    of === undefined ? undefined : { count: of.count, perMs: of.per_ms }
  const candleBudget = budget(candles?.budget)
  const url = candles?.url ?? config.venue.base_url
  const ecbBudget = budget(ecb?.budget)
  return {
    candles:
      candles === undefined
        ? null
        : openConfiguredVenue(
            context,
            {
              ...config,
              venue: { ...config.venue, ...(url === undefined ? {} : { base_url: url }) },
            },
            secrets,
            candleBudget === undefined
              ? {}
              : { [spotCandles.name]: candleBudget, [spotPairs.name]: candleBudget },
          ),
    ecb:
      ecb === undefined
        ? null
        : new EcbClient({
            url: ecb.url,
            clock,
            signal,
            ...(ecbBudget === undefined ? {} : { budget: ecbBudget }),
          }),
  }
}

async function build(
  context: CommandContext,
  config: Config,
  books: Books,
  options: BooksBuild,
  steps: readonly ExtraStep[],
): Promise<BuildResult> {
  const asked: BuildOptions = {
    dir: books.dir,
    landing: books.landing,
    now: new Date(context.now()),
    clock: context.clock,
    signal: options.signal,
    publishAnyway: options.publishAnyway,
    publish: options.publish ?? true,
    config: configOfBuild(config),
    ...(options.only === undefined ? {} : { only: options.only }),
    full: options.full ?? false,
    onNote: context.tell,
    steps,
    log: (event) => context.log.info(event, 'build'),
  }
  const { clickhouse } = config.engine
  if (clickhouse === undefined) return buildLedger(asked)
  const { buildOnClickHouse } = await import('../clickhouse/build.ts')
  return buildOnClickHouse(asked, clickHouseSettings(clickhouse, process.env))
}

/** What a build reads of the configuration. */
export const configOfBuild = (config: Config): BuildConfig => ({
  accounts: Object.entries(config.accounts).map(([name, account]) => ({
    name,
    ...(account.uid === undefined ? {} : { uid: account.uid }),
  })),
  publishPersonalData: config.privacy.publish_personal_data,
  retentionDays: config.venue.retention_days,
  chainGrouping: Object.fromEntries(
    Object.entries(config.accounts).flatMap(([name, account]) =>
      account.balances === undefined ? [] : [[name, account.balances]],
    ),
  ),
  p2pTransfers: Object.fromEntries(
    Object.entries(config.accounts).flatMap(([name, account]) =>
      account.p2p_transfers === undefined ? [] : [[name, account.p2p_transfers]],
    ),
  ),
  ...(config.reports.currency === undefined ? {} : { reportingCurrency: config.reports.currency }),
  priceOrder: config.prices.order,
  ...(config.history.since === undefined ? {} : { since: new Date(config.history.since) }),
  ...(config.history.feeds === undefined ? {} : { namedFeeds: config.history.feeds }),
})
