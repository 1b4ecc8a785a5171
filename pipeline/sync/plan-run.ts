// The plan of a whole run, for people and scripts: what every partition needs, and how long the budgets make it take.
import { leastMs, type Spent, spendingOf } from '../../connectors/budgets.ts'
import { appliesTo, type Endpoint } from '../../connectors/endpoint.ts'
import { addressRateOf, budgetOverrides, type Config } from '../config/config.ts'
import type { Landing } from '../landing/landing.ts'
import { asksFor, type Knowledge, planFeedPartition } from './feed.ts'
import type { PartitionPlan } from './plan.ts'

export interface PlannedPartition {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** ISO-8601, UTC; null for a feed without a time range. */
  readonly from: string | null
  readonly to: string | null
  readonly windows: number
  /** Number of requests if every window fits on one page. */
  readonly requests: number
}

/** What an account needs, all its feeds together. */
export interface PlannedAccount {
  readonly account: string
  readonly partitions: number
  readonly requests: number
  /** Minimum time under this account's own budgets, rounded up to a tenth. */
  readonly minutes: number
}

export interface RunPlan {
  readonly partitions: readonly PlannedPartition[]
  readonly accounts: readonly PlannedAccount[]
  readonly requests: number
  /** Minimum time under the budgets, rounded to a tenth: budgets run in parallel, requests of one budget do not. */
  readonly minutes: number
}

interface PlanOptions {
  /** Null for books that do not exist yet. */
  readonly landing: Landing | null
  readonly config: Config
  readonly accounts: readonly string[]
  readonly feeds: readonly Endpoint[]
  readonly since: number | undefined
  readonly now: () => number
}

/** What landing returns for books that do not exist yet. */
const nothingKnown: Knowledge & Pick<Landing, 'account'> = {
  covered: async () => [],
  wanted: async () => ({ from: null, lost: [] }),
  unfinished: async () => [],
  oldestUnsettled: async () => null,
  oldestThatLeft: async () => null,
  account: async () => null,
}

export async function planRun(options: PlanOptions): Promise<RunPlan> {
  const landing = options.landing ?? nothingKnown
  const instant = options.now()
  const context = { ...options, landing, now: () => instant }
  const overrides = budgetOverrides(options.config)
  // All accounts ask together, so that the landing database answers each question once for all of them.
  const planned = await Promise.all(
    options.accounts.map(async (account, place) => {
      const kind = (await landing.account(account))?.kind ?? 'unknown'
      const uid = options.config.accounts[account]?.uid
      const access = { name: account, ...(uid === undefined ? {} : { uid }) }
      const feeds = options.feeds.filter((one) => appliesTo(one, kind) && asksFor(one, place))
      const partitions = await Promise.all(
        feeds.flatMap((endpoint) =>
          endpoint.partitions.map(async (partition) => ({
            planned: described(
              account,
              endpoint,
              await planFeedPartition(context, account, endpoint, partition),
            ),
            spending: spendingOf(access, endpoint, overrides),
          })),
        ),
      )
      return { account, partitions }
    }),
  )
  const spent = planned.map(({ partitions }) =>
    partitions.map(({ planned: { requests }, spending }) => ({ spending, count: requests })),
  )
  const accounts = planned.map(({ account, partitions }, place) => ({
    account,
    partitions: partitions.length,
    requests: sum(partitions.map((one) => one.planned.requests)),
    minutes: minutesOf(spent[place] ?? [], options.config),
  }))
  return {
    partitions: planned.flatMap(({ partitions }) => partitions.map((one) => one.planned)),
    accounts,
    requests: sum(accounts.map(({ requests }) => requests)),
    minutes: minutesOf(spent.flat(), options.config),
  }
}

function described(
  account: string,
  endpoint: Endpoint,
  { partition, needs, resume, requests }: PartitionPlan,
): PlannedPartition {
  const ranges = [...needs, ...resume.map((begun) => begun.window)]
  return {
    account,
    feed: endpoint.name,
    partition: partition.label,
    from: ranges.length === 0 ? null : iso(Math.min(...ranges.map((range) => range.start))),
    to: ranges.length === 0 ? null : iso(Math.max(...ranges.map((range) => range.end))),
    windows: endpoint.window === null ? 0 : requests,
    requests,
  }
}

const minutesOf = (spent: readonly Spent[], config: Config): number =>
  Math.ceil(leastMs(spent, addressRateOf(config)) / 6_000) / 10
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
const iso = (ms: number): string => new Date(ms).toISOString()
