// The command `serve`: the page over the published books, on loopback, until it is stopped.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closing } from '../../models/closing.ts'
import type { ExitCode } from '../../models/error.ts'
import { explainBreak } from '../books/note.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { mustBePort } from '../config/port.ts'
import { engineSettings } from '../engine/settings.ts'
import { nodeDisk } from '../journal/disk.ts'
import { DEFAULT_PORT } from '../serve/address.ts'
import { serve } from '../serve/server.ts'
import { defineCommand } from './command.ts'
import { mustBeFiles } from './engine.ts'

export const serveCommand = defineCommand({
  example: ['$0 serve --port 0 --no-open', 'prints an address that is good once, for a minute'],
  options: (parser) =>
    parser
      .option('port', {
        type: 'number',
        default: DEFAULT_PORT,
        describe: 'Port on 127.0.0.1 and ::1; 0 takes a free one',
        requiresArg: true,
      })
      .option('read-only', { type: 'boolean', default: false, describe: 'No notes on breaks' })
      .option('open', {
        type: 'boolean',
        default: true,
        describe: 'Open the page in the browser of this machine; --no-open does not',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'The first line is {"url":…,"port":…}',
      }),
  run: async (context, args) => {
    const { port } = args
    mustBePort(port)
    const config = optionalConfig(context)
    mustBeFiles(config, 'serve')
    const { dir, clock, now, log, signal } = context
    const serving = await serve({
      port,
      dir,
      config,
      clock,
      now,
      signal,
      disk: nodeDisk,
      engine: engineSettings(config.engine),
      isReadOnly: args['read-only'],
      explain: async (breakId, note, onNoted) => {
        // A run of its own, by the configuration as it is by then; what ends the server waits for it.
        const own = { ...context, run: randomUUID(), signal: new AbortController().signal }
        const asked = { command: 'serve', breakId, note, onNoted }
        return (await explainBreak(own, optionalConfig(context), asked)).result.published
      },
      log: (event) => log.debug(event, 'answered'),
      onError: (error) => log.error({ err: error }, 'a request failed'),
      onTrouble: (error) => log.warn({ err: error }, 'the published ledger cannot be followed'),
    })
    return await closing(serving, async (): Promise<ExitCode> => {
      announce(context, serving.newAddress(), serving.port, args.json)
      if (args.open) openBrowser(serving.newAddress())
      const stopAsking = onEnter(context, () => announce(context, serving.newAddress(), serving.port, false))
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      stopAsking()
      return 0
    })
  },
})

function announce({ dir, print, stdout }: CommandContext, url: string, port: number, asJson: boolean): void {
  if (asJson) {
    print(JSON.stringify({ url, port }))
    return
  }
  print(`The books in ${dir}: ${url}`)
  print('The address is good once, for a minute. Ctrl-C ends.')
  if (stdout.isTTY === true && process.stdin.isTTY) print('Enter prints a new address.')
}

/** On a terminal, Enter asks for another address. Gives back what ends that. */
function onEnter({ stdout }: CommandContext, print: () => void): () => void {
  if (stdout.isTTY !== true || !process.stdin.isTTY) return () => {}
  process.stdin.on('data', print)
  return () => {
    process.stdin.removeListener('data', print)
    process.stdin.pause()
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** A machine without a browser is no error: the address is printed as well. */
function openBrowser(url: string): void {
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}
