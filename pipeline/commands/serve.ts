// The command `serve`: the page over the published books, on loopback, until it is stopped.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closing } from '../../models/closing.ts'
import type { ExitCode } from '../../models/error.ts'
import { optionsToRepeat } from '../../models/suggested.ts'
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
  example: ['$0 serve --port 0 --no-open', 'prints an address that works once, within a minute'],
  options: (parser) =>
    parser
      .option('port', {
        type: 'number',
        default: DEFAULT_PORT,
        describe: 'Port on 127.0.0.1 and ::1; 0 for any free port',
        requiresArg: true,
      })
      .option('read-only', { type: 'boolean', default: false, describe: 'Do not allow notes on breaks' })
      .option('open', {
        type: 'boolean',
        default: true,
        describe: 'Open the page in this machine’s browser; --no-open does not',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print {"url":…,"port":…} as the first line',
      }),
  run: async (context, args) => {
    const { port } = args
    mustBePort(port)
    const config = optionalConfig(context)
    mustBeFiles(config, 'serve')
    const { dir, clock, now, log, signal, configFile, isConfigNamed } = context
    const serving = await serve({
      port,
      dir,
      // Full paths: the page's reader is in no folder.
      options: optionsToRepeat({ dir, config: isConfigNamed === true ? configFile : undefined }),
      config,
      clock,
      now,
      signal,
      disk: nodeDisk,
      engine: engineSettings(config.engine),
      isReadOnly: args['read-only'],
      explain: async (breakId, note, onNoted) => {
        // A separate run, with the configuration as it is at that time. Stopping the server waits for it.
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
  print('The address works once, within a minute. Press Ctrl-C to stop.')
  if (stdout.isTTY === true && process.stdin.isTTY) print('Press Enter for a new address.')
}

/** On a terminal, Enter prints a new address. Returns the function that ends this. */
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

/** A machine without a browser is not an error: the address is printed too. */
function openBrowser(url: string): void {
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true })
  opener.on('error', () => {})
  opener.unref()
}
