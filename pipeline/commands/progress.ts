// Progress for people: bars on a terminal, plain lines elsewhere. Always on standard error, so that output stays clean. And
// for whoever watches from another process: the state of the run in the books.
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import { tellRun } from '../books/run-state.ts'
import type { Config } from '../config/config.ts'
import type { CommandContext } from '../config/context.ts'
import { logsAlone } from '../config/log-level.ts'
import type { Progress } from '../sync/context.ts'

interface ProgressDisplay {
  report(event: Progress): void
  stop(): void
}

export interface RunProgress extends ProgressDisplay {
  /** All is fetched, and what follows is work on the books. */
  fetched(): void
}

/** Begins to tell of a run that has the lock of the books. */
export async function startProgress(
  context: CommandContext,
  config: Config,
  command: string,
): Promise<RunProgress> {
  const { dir, run, clock } = context
  const display =
    context.stderr.isTTY === true && !logsAlone(context.log.level) ? bars() : lines(context.tell)
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

/** One bar for each feed of each account. */
function bars(): ProgressDisplay {
  const multi = new MultiBar(
    { format: '{name} {bar} {value}/{total} requests, {rows} rows', hideCursor: true, clearOnComplete: true },
    Presets.shades_grey,
  )
  const running = new Map<string, { bar: SingleBar; rows: number; total: number }>()
  return {
    report(event) {
      if (event.kind === 'note') {
        multi.log(`${event.account}: ${event.text}\n`)
        return
      }
      const name = `${event.account} ${event.feed}`
      if (event.kind === 'planned') {
        const bar = multi.create(event.requests, 0, { name: name.padEnd(32), rows: 0 })
        running.set(name, { bar, rows: 0, total: event.requests })
        return
      }
      const shown = running.get(name)
      if (shown === undefined) return
      if (event.kind === 'finished') {
        multi.remove(shown.bar)
        return
      }
      shown.rows += event.rows
      shown.bar.increment(1, { rows: shown.rows })
    },
    stop: () => multi.stop(),
  }
}

/** A line when a feed begins and when it ends. */
function lines(tell: (text: string) => void): ProgressDisplay {
  const rows = new Map<string, { rows: number; requests: number }>()
  return {
    report(event) {
      if (event.kind === 'note') {
        tell(`${event.account}: ${event.text}`)
        return
      }
      const name = `${event.account} ${event.feed}`
      const so = rows.get(name) ?? { rows: 0, requests: 0 }
      if (event.kind === 'page') rows.set(name, { rows: so.rows + event.rows, requests: so.requests + 1 })
      if (event.kind === 'finished')
        tell(`${name}: ${event.status}, ${so.rows} rows in ${so.requests} requests`)
    },
    stop: () => undefined,
  }
}
