// Which budget a request uses: one for each endpoint (or group of endpoints) and account, and one for the address from
// which everything is sent. The plan uses this too. Source: interface document, part 8; venue-facts, Failures, Paging.
import type { Clock } from '../models/clock.ts'
import type { AccountAccess } from './access.ts'
import { Budget, type Turn } from './budget.ts'
import { endpoints } from './catalogue.ts'
import type { Endpoint, Rate } from './endpoint.ts'

export interface BudgetOverride {
  readonly count: number
  readonly perMs: number
  /** Endpoints of the same group share one budget: the strictest of theirs. */
  readonly group?: string
}

export interface BudgetsOptions {
  /** What one address may send over all endpoints. */
  readonly addressRate: Rate
  readonly overrides: Readonly<Record<string, BudgetOverride>>
  readonly clock: Clock
  /** Wall-clock milliseconds of the last request of an earlier process; null if unknown. */
  readonly quietSince: number | null
  readonly closing: AbortSignal
}

export class Budgets {
  readonly #options: BudgetsOptions
  readonly #openedAt: number
  readonly #quietMs: number
  readonly #address: Budget
  readonly #budgets = new Map<string, Budget>()

  constructor(options: BudgetsOptions) {
    const { clock, quietSince, addressRate } = options
    this.#options = options
    this.#openedAt = clock.monotonic()
    this.#quietMs = quietSince === null ? 0 : Math.max(0, clock.wall() - quietSince)
    this.#address = this.#newBudget(addressRate)
  }

  /** What a request uses, from `spendingOf`. */
  spendingOf(access: AccountAccess, endpoint: Endpoint): Spending {
    return spendingOf(access, endpoint, this.#options.overrides)
  }

  /**
   * Waits for a slot of the endpoint's budget first, and only then for one of the address's, which all requests share.
   */
  run<T>({ key, rate }: Spending, task: () => Promise<T>, turn: Turn): Promise<T> {
    let budget = this.#budgets.get(key)
    if (budget === undefined) {
      budget = this.#newBudget(rate)
      this.#budgets.set(key, budget)
    }
    return budget.run(() => this.#address.run(task, turn), turn)
  }

  /** An earlier process may have spent the whole budget just before it ended, so this much time must pass first. */
  #newBudget({ count, perMs }: Pick<Rate, 'count' | 'perMs'>): Budget {
    const { clock, closing } = this.#options
    const notBefore = this.#openedAt + Math.max(0, perMs - this.#quietMs)
    return new Budget({ count, perMs, clock, notBefore, closing })
  }
}

type Overrides = Readonly<Record<string, BudgetOverride>>

/**
 * The budget that an endpoint's requests for an account use: its name, and how many requests it allows in which time.
 */
export interface Spending {
  readonly key: string
  readonly rate: Pick<Rate, 'count' | 'perMs'>
}

/** All keys of a uid share a budget, and all accounts share that of an address. */
export function spendingOf(
  { uid, name }: Pick<AccountAccess, 'uid' | 'name'>,
  endpoint: Endpoint,
  overrides: Overrides,
): Spending {
  const group = groupOf(endpoint, overrides)
  const key = endpoint.rate.scope === 'ip' ? group : `${group} of ${uid ?? name}`
  return { key, rate: rateOf(group, endpoint, overrides) }
}

/** The group from the configuration, otherwise the declared one; an endpoint without a group is its own. */
const groupOf = ({ name, rate }: Pick<Endpoint, 'name' | 'rate'>, overrides: Overrides): string =>
  overrides[name]?.group ?? rate.group ?? name

/** Each member uses its documented rate, or the configured override; a group uses the strictest of these. */
function rateOf(group: string, endpoint: Endpoint, overrides: Overrides): Pick<Rate, 'count' | 'perMs'> {
  const own = overrides[endpoint.name] ?? endpoint.rate
  return endpoints
    .filter((other) => groupOf(other, overrides) === group)
    .map((other) => overrides[other.name] ?? other.rate)
    .reduce(
      (strictest, one) => (one.count / one.perMs < strictest.count / strictest.perMs ? one : strictest),
      own,
    )
}

/** This many requests of one budget. */
export interface Spent {
  readonly spending: Spending
  readonly count: number
}

/** Minimum milliseconds for these requests: budgets run in parallel, requests of one budget do not. */
export function leastMs(requests: Iterable<Spent>, addressRate: Pick<Rate, 'count' | 'perMs'>): number {
  const address: Spending = { key: 'address', rate: addressRate }
  const spent = new Map<string, number>()
  for (const { spending, count } of requests)
    for (const { key, rate } of [spending, address])
      spent.set(key, (spent.get(key) ?? 0) + (count / rate.count) * rate.perMs)
  return Math.max(0, ...spent.values())
}
