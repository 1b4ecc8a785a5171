// Mistakes about budgets, retries and clocks.
import { of } from './mutation.ts'

const budget = 'connectors/budget.ts'
const budgets = 'connectors/budgets.ts'

export const asking = [
  of(
    'budget full again after a restart',
    budgets,
    'const notBefore = this.#openedAt + Math.max(0, perMs - this.#quietMs)',
    'const notBefore = this.#openedAt',
    'quick restart',
  ),
  of(
    'retries not counted in the budget',
    'connectors/client.ts',
    'await this.#budgets.run(pending.spending, () => this.#tryOnce(pending), turn)',
    'pending.last !== null ? await this.#tryOnce(pending) : await this.#budgets.run(pending.spending, () => this.#tryOnce(pending), turn)',
    'server error',
  ),
  of(
    'slot of a budget freed when the request is sent',
    budget,
    'await task().then(resolve, reject)',
    'void task().then(resolve, reject)',
  ),
  of(
    'slot of a budget freed when the answer arrives',
    budget,
    'this.#options.clock.monotonic() + this.#options.perMs + SAFETY_MS',
    'this.#options.clock.monotonic()',
  ),
  of(
    'one request more than the budget allows',
    budget,
    'new PQueue({ concurrency: options.count })',
    'new PQueue({ concurrency: options.count + 1 })',
  ),
  of(
    'budget of the address ignored',
    budgets,
    'return budget.run(() => this.#address.run(task, turn), turn)',
    'return budget.run(task, turn)',
  ),
  of(
    'Retry-After ignored',
    'connectors/retry.ts',
    'Math.max(jitter, error.retryAfterMs ?? 0)',
    'jitter',
    'rate refusal with Retry-After',
  ),
  of(
    'Retry-After ignored if the body is cut off',
    'connectors/attempt.ts',
    'retryAfterMs: failure.head === null ? null : retryAfterMs(failure.head.headers, tried.wallNow),',
    'retryAfterMs: null,',
    'rate storm',
    'body cut off by a reset',
  ),
  of(
    'too many retries',
    'connectors/retry.ts',
    'export const TRIES_MAX = 5',
    'export const TRIES_MAX = 50',
    'outage',
  ),
  of(
    'requestTime of any length trusted',
    'connectors/offset.ts',
    '/^[1-9]\\d{12}$/',
    '/^\\d+$/',
    'odd requestTime',
  ),
  of(
    'venue’s clock not measured again after a refusal',
    'connectors/client.ts',
    'if (error instanceof ClockRefused) this.#offset.forget()',
    '',
    'clock steps',
  ),
  of(
    'the venue’s clock jumps when the wall clock is changed',
    'connectors/client.ts',
    'return this.#offset.at(monotonic, answers)',
    `const { clock } = this.#options
    const at = this.#offset.at(monotonic, answers)
    const own = this as unknown as { drift?: number }
    own.drift ??= clock.wall() - clock.monotonic()
    return at === null ? null : Math.floor(at + clock.wall() - clock.monotonic() - own.drift)`,
    'clock steps',
  ),
  of(
    'a run’s now jumps when the wall clock is changed',
    'models/clock.ts',
    'return () => Math.floor(instant + clock.monotonic() - began)',
    'return () => clock.wall() + 0 * (instant + began)',
    'clock steps',
  ),
  of(
    'venue’s clock not measured at all',
    'connectors/client.ts',
    'if (envelope !== null && envelope.requestTime !== null)',
    'if (envelope === null)',
    'clock skew',
  ),
]
