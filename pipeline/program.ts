// The command line with this process around it.
import { setMaxListeners } from 'node:events'
import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { isOutOfAddressSpace } from '../connectors/connections.ts'
import type { Begun } from './commands/command.ts'
import { commands, type Entry } from './commands/index.ts'

/**
 * The first Ctrl-C asks the run to stop cleanly. The second ends the process immediately, as `kill -9` does: a normal exit
 * would wait for the database's current statement, which may take minutes. A terminal that closes also asks the run to stop,
 * possibly several times (the shell, then the system); as nobody is there to mean it, a repeated hang-up does not kill.
 */
function stopSignal(tell: (text: string) => void): AbortSignal {
  const controller = new AbortController()
  // Every request in progress listens for it.
  setMaxListeners(0, controller.signal)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (name !== 'SIGHUP') process.kill(process.pid, 'SIGKILL')
        return
      }
      controller.abort()
      tell(`Stopping after the work in progress${kept}. Press Ctrl-C again to stop immediately.`)
    })
  }
  return controller.signal
}

/** On exit, Node restores the terminal, and aborts with a core dump if that is gone. Closing lost terminals prevents this. */
function leaveLostTerminals(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd)
  })
}

/**
 * Starts the slow part of a command while the parser is still being loaded; if the command is not the first word, the parser
 * does it later. The command's module is loaded here wherever its name appears, so that a module that cannot be loaded is
 * always reported in the same way.
 */
async function beginning(words: readonly string[]): Promise<Begun | undefined> {
  const name = words.find((word) => commands.some((entry) => nameOf(entry) === word))
  const named = await commands.find((entry) => nameOf(entry) === name)?.load()
  return name !== words[0] || words.includes('--help') ? undefined : named?.begin()
}

const nameOf = ({ command }: Entry): string | undefined => command.split(' ')[0]

const { stdout, stderr } = process
const words = process.argv.slice(2)
/** Servers make no progress that could be kept. */
const kept = ['serve', 'sandbox'].includes(words[0] ?? '') ? '' : '; progress is kept'

/**
 * Node's own copy of the HTTP library is loaded with ours and not used, but under a limit on address space the reservation that it
 * makes is refused, in a promise that nobody holds. If ours is refused too, the request reports it.
 */
function withoutNodesCopy(): void {
  process.on('unhandledRejection', (error) => {
    if (!isOutOfAddressSpace(error)) throw error
  })
}

/** Runs the command that the process was started with and returns its exit code. */
export async function runProgram(): Promise<number> {
  leaveLostTerminals()
  withoutNodesCopy()
  const begun = await beginning(words)
  const { runCommandLine } = await import('./commands/command-line.ts')
  return await runCommandLine(words, { stdout, stderr, stop: stopSignal }, begun)
}
