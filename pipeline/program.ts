// The command line with this process around it.
import { setMaxListeners } from 'node:events'
import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Begun } from './commands/command.ts'
import { commands, type Entry } from './commands/index.ts'

/**
 * The first Ctrl-C asks the run to stop where it stands; a second one ends the process at once, as `kill -9` does: an exit
 * would wait for the statement that the database is at, which may take minutes. A terminal that closes asks too, and may do so
 * several times (the shell, then the system): nobody is left there who would mean the second one.
 */
function stopSignal(tell: (text: string) => void): AbortSignal {
  const controller = new AbortController()
  // Every request under way listens for it.
  setMaxListeners(0, controller.signal)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (name !== 'SIGHUP') process.kill(process.pid, 'SIGKILL')
        return
      }
      controller.abort()
      tell(`Stopping after what is under way${kept}. Once more to stop at once.`)
    })
  }
  return controller.signal
}

/** Node sets a terminal back when it ends, and aborts with a dump of its memory where that is gone: then it finds none. */
function leaveLostTerminals(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd)
  })
}

/**
 * What the command takes long to begin, begun while the parser is still being loaded; the parser does it where it finds another
 * one. The command is loaded here wherever it stands among the words, so that one which cannot be is told of in one way.
 */
async function beginning(words: readonly string[]): Promise<Begun | undefined> {
  const name = words.find((word) => commands.some((entry) => nameOf(entry) === word))
  const named = await commands.find((entry) => nameOf(entry) === name)?.load()
  return name !== words[0] || words.includes('--help') ? undefined : named?.begin()
}

const nameOf = ({ command }: Entry): string | undefined => command.split(' ')[0]

const { stdout, stderr } = process
const words = process.argv.slice(2)
/** What answers others makes no progress that could be kept. */
const kept = ['serve', 'sandbox'].includes(words[0] ?? '') ? '' : '; progress is kept'

/** Runs the command that the process was started with, and gives its exit code. */
export async function runProgram(): Promise<number> {
  leaveLostTerminals()
  const begun = await beginning(words)
  const { runCommandLine } = await import('./commands/command-line.ts')
  return await runCommandLine(words, { stdout, stderr, stop: stopSignal }, begun)
}
