// Runs the command line in the test's own process: arguments in; exit code and output out. It runs everything from the parser
// on, like the program that `cli.ts` starts, but without the cost of a process: for tests of what a command does. Process
// behaviour (signals, locks between processes, start-up, a closed pipe) is tested with `cli.ts`.
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { runCommandLine } from '../../pipeline/commands/command-line.ts'
import { compileForChild } from './child.ts'
import type { Outcome } from './cli.ts'

type Program = { readonly runCommandLine: typeof runCommandLine }

let program: Promise<Program> | undefined

const load = async (): Promise<Program> =>
  import(pathToFileURL(await compileForChild('pipeline/commands/command-line.ts')).href)

export const command = (words: readonly string[]): Promise<Outcome> => run(words, {})

/** The same on a terminal of that many columns. */
export const onTerminal = (columns: number, words: readonly string[]): Promise<Outcome> =>
  run(words, { isTTY: true, columns })

async function run(words: readonly string[], terminal: object): Promise<Outcome> {
  if (words.includes('--help') || words.includes('--version'))
    throw new Error('The parser prints these itself, to the output of its process: start one (cli.ts).')
  program ??= load()
  const { runCommandLine } = await program
  const [stdout, stderr] = [Object.assign(collector(), terminal), Object.assign(collector(), terminal)]
  const stop = new AbortController().signal
  const code = await runCommandLine(words, { stdout, stderr, stop: () => stop })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(): Writable & { text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString('utf8') })
}
