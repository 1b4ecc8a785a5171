#!/usr/bin/env node
// The program: the command line with this process around it.
import { setMaxListeners } from 'node:events'
import { hideBin } from 'yargs/helpers'
import { runCommandLine } from './commands/command-line.ts'

/** The first Ctrl-C asks the run to stop where it stands; a second one ends the process at once. */
function stopSignal(tell: (text: string) => void): AbortSignal {
  const controller = new AbortController()
  // Every request under way listens for it.
  setMaxListeners(0, controller.signal)
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort()
      tell('Stopping after what is under way; progress is kept. Once more to stop at once.')
    })
  }
  return controller.signal
}

const { stdout, stderr } = process
process.exitCode = await runCommandLine(hideBin(process.argv), { stdout, stderr, stop: stopSignal })
