// Which budget a request spends: one for each endpoint, or configured group, and each account, and one for the address
// from which everything is sent. Source: interface document, part 8; venue-facts, Failures and Paging.
import type { Clock } from '../models/clock.ts'
import { Budget, type Turn } from './budget.ts'
import type { Endpoint, Rate } from './endpoint.ts'
import type { AccountAccess, BudgetOverride } from './venue.ts'

export interface BudgetsOptions {
  /** What one address may send over all endpoints. */
  readonly addressRate: Rate
  readonly overrides: Readonly<Record<string, BudgetOverride>>
  readonly clock: Clock
  /** Wall milliseconds of the last request of an earlier process; null when that is not known. */
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

  /** Names the budget of an endpoint for an account: all keys of a uid share it, all accounts that of an address. */
  keyOf(access: AccountAccess, endpoint: Endpoint): string {
    const group = this.#options.overrides[endpoint.name]?.group ?? endpoint.name
    return endpoint.rate.scope === 'ip' ? group : `${group} of ${access.uid ?? access.name}`
  }

  /** Waits for a slot of the endpoint's budget and only then for one of the address's, which everything shares. */
  run<T>(key: string, endpoint: Endpoint, task: () => Promise<T>, turn: Turn): Promise<T> {
    let budget = this.#budgets.get(key)
    if (budget === undefined) {
      budget = this.#newBudget(rateOf(endpoint, this.#options.overrides))
      this.#budgets.set(key, budget)
    }
    return budget.run(() => this.#address.run(task, turn), turn)
  }

  /** An earlier process may have spent the whole budget just before it ended, so that much time must pass first. */
  #newBudget({ count, perMs }: Pick<Rate, 'count' | 'perMs'>): Budget {
    const { clock, closing } = this.#options
    const notBefore = this.#openedAt + Math.max(0, perMs - this.#quietMs)
    return new Budget({ count, perMs, clock, notBefore, closing })
  }
}

/** The documented rate, or what the configuration puts in its place; a group goes by the strictest of its members. */
function rateOf(
  endpoint: Endpoint,
  overrides: Readonly<Record<string, BudgetOverride>>,
): Pick<Rate, 'count' | 'perMs'> {
  const own = overrides[endpoint.name]
  if (own?.group === undefined) return own ?? endpoint.rate
  const members = Object.values(overrides).filter((other) => other.group === own.group)
  return members.reduce((strictest, one) =>
    one.count / one.perMs < strictest.count / strictest.perMs ? one : strictest,
  )
}
