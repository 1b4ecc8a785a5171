// Commands that need no books: init, endpoints, sandbox.

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogueEntry, endpoints } from '../../connectors/catalogue.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { closing } from '../../models/closing.ts'
import { type ExitCode, UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { shellWord } from '../../models/text.ts'
import { CONFIG_MARK, type Sandbox, writeSandboxConfig } from '../../sandbox/index.ts'
import { ensureFolder } from '../books/books.ts'
import { parseInstant } from '../config/context.ts'
import { exampleConfig } from '../config/example.ts'
import { mustBePort } from '../config/port.ts'
import { nodeDisk, writeFileAtomic } from '../journal/disk.ts'
import { rulesList } from '../rules/catalogue.ts'
import { defineCommand, jsonOption, printRows, wideOption } from './command.ts'
import { daysOption, pagingOption, seedOption, startSandboxOf } from './demo/sandbox.ts'

export const initCommand = defineCommand({
  example: ['$0 init --dir ~/books', 'then put your credentials in the environment and run tieout plan'],
  options: (parser) => parser.option('json', jsonOption),
  run: async (context, args) => {
    if (existsSync(context.configFile)) {
      throw new UsageError('A configuration already exists.', {
        where: context.configFile,
        action: 'Edit it, or choose another folder with --dir.',
      })
    }
    ensureFolder(context.dir)
    await writeFileAtomic(
      nodeDisk,
      context.configFile,
      Buffer.from(exampleConfig(defaultProfile.baseUrl, rulesList)),
      0o600,
    )
    if (args.json) {
      context.print(JSON.stringify({ path: context.configFile }, null, 2))
      return 0
    }
    context.print(`Wrote ${context.configFile}.`)
    context.advise(
      'Next: name your accounts in it, put their credentials in the environment, and run `tieout plan`.',
    )
    return 0
  },
})

export const endpointsCommand = defineCommand({
  example: ['$0 endpoints --json', 'the same for a script'],
  options: (parser) => parser.option('json', jsonOption).option('wide', wideOption),
  run: async (context, args) => {
    const entries = endpoints.map(catalogueEntry)
    if (args.json) {
      context.print(JSON.stringify(entries, null, 2))
      return 0
    }
    const rows = entries.map((entry) => [
      entry.section,
      entry.name,
      `${entry.method} ${entry.path}`,
      `${entry.rate.count} per ${entry.rate.perMs / 1000} s (${entry.rate.scope})`,
      entry.spanMaxDays === null ? '' : `${entry.spanMaxDays} d`,
      entry.retentionDays === null ? '' : `${entry.retentionDays} d`,
      entry.pageSizeMax === null ? '' : String(entry.pageSizeMax),
      entry.writes ? 'writes' : '',
    ])
    const columns = ['section', 'name', 'request', 'rate', 'span', 'kept', 'page', 'effect'].map((name) => ({
      name,
    }))
    await printRows(context, columns, rows, {
      wide: args.wide,
      importance: ['section', 'name', 'rate', 'effect', 'kept'],
    })
    return 0
  },
})

export const sandboxCommand = defineCommand({
  usesBooks: false,
  example: [
    '$0 sandbox --init /tmp/books --speed 60',
    'then, in another terminal: tieout nightly --dir /tmp/books',
  ],
  options: (parser) =>
    parser
      .option('port', {
        type: 'number',
        default: 0,
        describe: 'Port on 127.0.0.1; 0 for any free port',
        requiresArg: true,
      })
      .option('seed', seedOption)
      .option('days', daysOption)
      .option('speed', {
        requiresArg: true,
        type: 'number',
        default: 1,
        describe: 'Refill the rate budgets this many times as fast as documented',
      })
      .option('faults', {
        type: 'string',
        describe: 'Faults and quirks to switch on: name[=value],…',
        requiresArg: true,
      })
      .option('paging', pagingOption)
      .option('init', {
        type: 'string',
        describe: 'Write a configuration and credentials for the sandbox into this folder',
        requiresArg: true,
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print the accounts as the first line of output',
      }),
  run: async (context, args) => {
    mustBePort(args.port)
    if (args.init !== undefined) mustNotBeConfigured(args.init)
    const sandbox = await startSandboxOf({
      port: args.port,
      seed: args.seed,
      days: args.days,
      speed: args.speed,
      ...(args.now === undefined ? {} : { now: new Date(parseInstant(args.now, '--now')) }),
      ...(args.faults === undefined ? {} : { faults: args.faults }),
      ...(args.paging === undefined ? {} : { paging: args.paging }),
    })
    return await closing(sandbox, async (): Promise<ExitCode> => {
      if (args.init !== undefined) {
        ensureFolder(args.init)
        await configure(args.init, sandbox, args.speed)
      }
      const { baseUrl, accounts } = sandbox
      if (args.json) context.print(JSON.stringify({ baseUrl, accounts }))
      else {
        context.print(
          `The sandbox listens at ${baseUrl}; its truth is at ${baseUrl}/truth. Press Ctrl-C to stop it.`,
        )
        for (const account of accounts)
          context.print(`  uid ${account.uid}  ${account.kind}  ${account.roles.join(', ')}`)
        if (args.init !== undefined) context.print(`Try: tieout nightly --dir ${shellWord(args.init)}`)
      }
      if (!context.signal.aborted) await once(context.signal, 'abort')
      return 0
    })
  },
})

async function configure(dir: string, sandbox: Sandbox, speed: number): Promise<void> {
  try {
    await writeSandboxConfig(dir, sandbox, { speed })
  } catch (cause) {
    throw new UsageError('The sandbox’s configuration cannot be written.', {
      where: dir,
      expected: 'a writable folder, or an unused name',
      found: systemWords(cause),
      action: 'Name another folder with --init.',
      cause,
    })
  }
}

/** False for anything that is not a file or cannot be read. */
function beginsAs(file: string, mark: string): boolean {
  try {
    return readFileSync(file, 'utf8').startsWith(mark)
  } catch {
    return false
  }
}

/** The user's own configuration and credentials are never replaced by a sandbox's. */
function mustNotBeConfigured(dir: string): void {
  const config = join(dir, 'tieout.yaml')
  if (beginsAs(config, CONFIG_MARK)) return
  const found = ['tieout.yaml', 'credentials.yaml'].filter((name) => existsSync(join(dir, name)))
  if (found.length === 0) return
  throw new UsageError('The folder contains a configuration that is not a sandbox’s.', {
    where: dir,
    expected: 'an empty folder, or one written by an earlier `tieout sandbox --init`',
    found: found.join(', '),
    action: 'Name another folder with --init.',
  })
}
