// The plan of a whole run, for people and scripts: what every partition needs, and the time the budgets make it take.
import { leastMs, type Spending, spendingOf } from '../../connectors/budgets.ts'
import { appliesTo, type Endpoint } from '../../connectors/endpoint.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { budgetOverrides, type Config } from '../config/config.ts'
import type { Landing } from '../landing/landing.ts'
import { asksFor, type Knowledge, planFeedPartition } from './feed.ts'

export interface PlannedPartition {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** ISO-8601, UTC; null for a feed without a time range. */
  readonly from: string | null
  readonly to: string | null
  readonly windows: number
  /** Requests if every window fits into one page. */
  readonly requests: number
}

export interface RunPlan {
  readonly partitions: readonly PlannedPartition[]
  readonly requests: number
  /** Least time under the budgets, rounded to a tenth: budgets run side by side, requests of one budget do not. */
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

/** What landing answers for books that do not exist yet. */
const nothingKnown: Knowledge & Pick<Landing, 'account'> = {
  covered: async () => [],
  wanted: async () => ({ from: null, lost: [] }),
  unfinished: async () => [],
  oldestUnsettled: async () => null,
  account: async () => null,
}

export async function planRun(options: PlanOptions): Promise<RunPlan> {
  const landing = options.landing ?? nothingKnown
  const instant = options.now()
  const context = { ...options, landing, now: () => instant }
  const partitions: PlannedPartition[] = []
  const overrides = budgetOverrides(options.config)
  const spent: { spending: Spending; count: number }[] = []
  for (const [place, account] of options.accounts.entries()) {
    const kind = (await landing.account(account))?.kind ?? 'unknown'
    for (const endpoint of options.feeds) {
      if (!appliesTo(endpoint, kind) || !asksFor(endpoint, place)) continue
      for (const partition of endpoint.partitions) {
        const plan = await planFeedPartition(context, account, endpoint, partition)
        const ranges = [...plan.needs, ...plan.resume.map((begun) => begun.window)]
        partitions.push({
          account,
          feed: endpoint.name,
          partition: partition.label,
          from: ranges.length === 0 ? null : iso(Math.min(...ranges.map((range) => range.start))),
          to: ranges.length === 0 ? null : iso(Math.max(...ranges.map((range) => range.end))),
          windows: endpoint.window === null ? 0 : plan.requests,
          requests: plan.requests,
        })
        const uid = options.config.accounts[account]?.uid
        const access = { name: account, ...(uid === undefined ? {} : { uid }) }
        spent.push({ spending: spendingOf(access, endpoint, overrides), count: plan.requests })
      }
    }
  }
  return {
    partitions,
    requests: partitions.reduce((sum, one) => sum + one.requests, 0),
    minutes: Math.ceil(leastMs(spent, defaultProfile.ipRate) / 6_000) / 10,
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
