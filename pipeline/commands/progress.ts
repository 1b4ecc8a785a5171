// Progress for people: a bar on a terminal, elsewhere a line every ten seconds. Always on standard error, so that standard
// output stays clean. The time left is the least that the rate budgets need for the requests planned but not yet sent. Other
// processes can follow the run through its state in the books.
import { Presets, SingleBar } from 'cli-progress'
import { leastMs, type Spending, spendingOf } from '../../connectors/budgets.ts'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Clock } from '../../models/clock.ts'
import { counted, forTerminal } from '../../models/text.ts'
import { tellRun } from '../books/run-state.ts'
import { addressRateOf, budgetOverrides, type Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { logsAlone } from '../config/log-level.ts'
import { duration } from '../reports/status-text.ts'
import type { Progress } from '../sync/context.ts'

interface ProgressDisplay {
  report(event: Progress): void
  stop(): void
}

export interface RunProgress extends ProgressDisplay {
  /** Fetching has ended; what follows is work on the books. */
  fetched(): void
}

/** Starts reporting the progress of a run that holds the lock on the books. */
export async function startProgress(
  context: CommandContext,
  config: Config,
  command: string,
): Promise<RunProgress> {
  const { dir, run, clock } = context
  const so = new SoFar(clock, config)
  const display =
    context.stderr.isTTY === true && !logsAlone(context.log.level) ? bar(context, so) : lines(context, so)
  const state = await tellRun(dir, { run, command, clock, config })
  return {
    report: (event) => {
      display.report(event)
      state.report(event)
    },
    fetched: () => {
      display.stop()
      state.building()
    },
    stop: () => {
      display.stop()
      state.end()
    },
  }
}

interface FeedSoFar {
  readonly account: string
  readonly feed: string
  /** The budget its requests use; null for a feed that is not in the catalogue. */
  readonly spending: Spending | null
  planned: number
  done: number
  rows: number
}

/** The progress of a run, over all accounts and feeds. */
export class SoFar {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #config: Config
  readonly #begun: number
  readonly #feeds = new Map<string, FeedSoFar>()
  rows = 0
  done = 0
  planned = 0

  constructor(clock: Pick<Clock, 'monotonic'>, config: Config) {
    this.#clock = clock
    this.#config = config
    this.#begun = clock.monotonic()
  }

  /** Records the event and returns the progress of its feed. */
  note(event: Exclude<Progress, { kind: 'note' }>): Readonly<FeedSoFar> {
    const so = this.#feedOf(event.account, event.feed)
    const before = { ...so }
    if (event.kind === 'planned') so.planned += event.requests
    if (event.kind === 'page') {
      so.done += 1
      so.rows += event.rows
    }
    // A finished feed sends no more requests, whatever had been planned.
    if (event.kind === 'finished') so.planned = so.done
    else so.planned = Math.max(so.planned, so.done)
    this.rows += so.rows - before.rows
    this.done += so.done - before.done
    this.planned += so.planned - before.planned
    return so
  }

  #feedOf(account: string, feed: string): FeedSoFar {
    const key = JSON.stringify([account, feed])
    const known = this.#feeds.get(key)
    if (known !== undefined) return known
    const endpoint = findEndpoint(feed)
    const uid = this.#config.accounts[account]?.uid
    const access = { name: account, ...(uid === undefined ? {} : { uid }) }
    const spending =
      endpoint === undefined ? null : spendingOf(access, endpoint, budgetOverrides(this.#config))
    const made = { account, feed, spending, planned: 0, done: 0, rows: 0 }
    this.#feeds.set(key, made)
    return made
  }

  /** Requests per second since the start. */
  get rate(): number {
    const seconds = (this.#clock.monotonic() - this.#begun) / 1000
    return seconds <= 0 ? 0 : this.done / seconds
  }

  /** Least time, in milliseconds, that the budgets need for the remaining requests. */
  get leftMs(): number {
    const rest = [...this.#feeds.values()].flatMap(({ spending, planned, done }) =>
      spending === null || planned <= done ? [] : [{ spending, count: planned - done }],
    )
    return leastMs(rest, addressRateOf(this.#config))
  }

  /** `1200 of 2715 requests, 5868 rows, 40/s, at least 45 s left`. */
  describe(): string {
    return (
      `${this.done} of ${counted(this.planned, 'request')}, ${counted(this.rows, 'row')}, ${Math.round(this.rate)}/s, ` +
      `at least ${duration(this.leftMs)} left`
    )
  }
}

/** How often a bar is drawn, in milliseconds. */
const REDRAW_MS = 250

function bar({ clock, stderr, tell }: CommandContext, so: SoFar): ProgressDisplay {
  const drawn = new SingleBar(
    {
      format: 'Fetching {bar} {text}',
      barsize: 10,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      stream: stderr as NodeJS.WriteStream,
    },
    Presets.shades_grey,
  )
  let isRunning = false
  let drawnAt = Number.NEGATIVE_INFINITY
  const stop = (): void => {
    if (isRunning) drawn.stop()
    isRunning = false
  }
  return {
    report(event) {
      if (event.kind === 'note') {
        stop()
        tell(event.text)
        return
      }
      so.note(event)
      if (so.planned === 0 || clock.monotonic() - drawnAt < REDRAW_MS) return
      drawnAt = clock.monotonic()
      const text = forTerminal(so.describe())
      if (!isRunning) drawn.start(so.planned, so.done, { text })
      isRunning = true
      drawn.setTotal(so.planned)
      drawn.update(so.done, { text })
    },
    stop,
  }
}

const LINE_EVERY_MS = 10_000

/** A line every ten seconds, and one for each feed that did not end as planned; in a log, one for every feed that ended. */
export function lines(
  { clock, tell, log }: Pick<CommandContext, 'clock' | 'tell' | 'log'>,
  so: SoFar,
): ProgressDisplay {
  let toldAt = clock.monotonic()
  return {
    report(event) {
      if (event.kind === 'note') {
        tell(event.text)
        return
      }
      const { rows, done } = so.note(event)
      const isUsual = event.kind === 'finished' && ['done', 'not_applicable'].includes(event.status)
      if (event.kind === 'finished' && (!isUsual || logsAlone(log.level)))
        tell(
          `${event.account} ${event.feed}: ${event.status}, ${counted(rows, 'row')} in ${counted(done, 'request')}`,
        )
      if (clock.monotonic() - toldAt < LINE_EVERY_MS) return
      toldAt = clock.monotonic()
      tell(`Fetching: ${so.describe()}.`)
    },
    stop: () => undefined,
  }
}
