// The table of contents of the command line: each command's name and what it does. A command's module is loaded only when it
// is named, so that its answer does not wait for the rest of the program.
import type { Command } from './command.ts'

export interface Entry {
  /** As yargs takes it: name and positionals. */
  readonly command: string
  readonly describe: string
  readonly load: () => Promise<Command>
}

export const commands: readonly Entry[] = [
  {
    command: 'demo',
    describe: 'Sandbox, nightly run and reports in one; ends by comparing the books with the sandbox’s truth',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    command: 'init',
    describe: 'Write a commented configuration into the folder of the books',
    load: async () => (await import('./setup.ts')).initCommand,
  },
  {
    command: 'endpoints',
    describe: 'List every endpoint with its rate, span, retention, page size and paging',
    load: async () => (await import('./setup.ts')).endpointsCommand,
  },
  {
    command: 'sandbox',
    describe: 'Run a local venue: the documented API on loopback, with a truth to compare against',
    load: async () => (await import('./setup.ts')).sandboxCommand,
  },
  {
    command: 'plan',
    describe: 'Show what would be fetched, with requests and time; sends nothing',
    load: async () => (await import('./fetch.ts')).planCommand,
  },
  {
    command: 'sync',
    describe: 'Fetch, journal and land what is missing',
    load: async () => (await import('./fetch.ts')).syncCommand,
  },
  {
    command: 'nightly',
    describe: 'Sync, build, check and publish',
    load: async () => (await import('./fetch.ts')).nightlyCommand,
  },
  {
    command: 'build',
    describe: 'Run the SQL models and checks, and publish',
    load: async () => (await import('./books.ts')).buildCommand,
  },
  {
    command: 'check',
    describe: 'Run the reconciliations and print the breaks with their ages and notes; publishes nothing',
    load: async () => (await import('./books.ts')).checkCommand,
  },
  {
    command: 'verify',
    describe: 'Check the journal’s hash chain, the landed rows against it, and the ledger’s invariants',
    load: async () => (await import('./books.ts')).verifyCommand,
  },
  {
    command: 'rebuild',
    describe: 'Rebuild everything from the journal, without the network',
    load: async () => (await import('./books.ts')).rebuildCommand,
  },
  {
    command: 'erase [frames..]',
    describe:
      'Erase personal data from the journal and the books permanently; without --yes, only shows what would go',
    load: async () => (await import('./erase.ts')).eraseCommand,
  },
  {
    command: 'worksheet',
    describe: 'Write a CSV of arrivals without a known cost, to fill in and import as opening lots',
    load: async () => (await import('./worksheet.ts')).worksheetCommand,
  },
  {
    command: 'import [kind] [file]',
    describe:
      'Import trades from elsewhere, opening lots or prices from a CSV file, or withdraw an import; publishes',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    command: 'prices <action>',
    describe: 'Fetch the prices the books need, and only those, from the configured sources',
    load: async () => (await import('./prices.ts')).pricesCommand,
  },
  {
    command: 'export <kind>',
    describe: 'Export the published books to other tools: beancount, hledger, or a folder of Parquet files',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    command: 'report <name>',
    describe: 'Report balances, PnL, gains, income or a statement, as a table, CSV, XLSX, HTML or JSON',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    command: 'sql <query>',
    describe: 'Query the published ledger; read-only, even while a run is writing',
    load: async () => (await import('./sql.ts')).sqlCommand,
  },
  {
    command: 'serve',
    describe: 'Show the published books as a page in the browser, on this machine only',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    command: 'status',
    describe: 'Show coverage, freshness, what the venue will forget and when, last runs, open breaks',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    command: 'tables [name]',
    describe:
      'List the published tables with their grain, or describe one: its columns, or what it is built from',
    load: async () => (await import('./tables.ts')).tablesCommand,
  },
  {
    command: 'explain <id>',
    describe: 'Trace a figure through its lot and entry to the venue’s own record, byte for byte',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    command: 'explain-break <break_id>',
    describe: 'Explain a break with a note; it then no longer counts as open, until its figures change',
    load: async () => (await import('./explain-break.ts')).explainBreakCommand,
  },
  {
    command: 'call <endpoint> [values..]',
    describe:
      'Call any endpoint once, checked before it is sent; a call that writes is sent only with --write',
    load: async () => (await import('./call.ts')).callCommand,
  },
  {
    command: 'writes',
    describe: 'List changes made at the venue and those without a known outcome; settle these by hand',
    load: async () => (await import('./call.ts')).writesCommand,
  },
  {
    command: 'add-subaccounts <uids..>',
    describe: 'Give a broker’s sub-accounts read-only keys and add them to the configuration',
    load: async () => (await import('./subaccounts.ts')).addSubaccountsCommand,
  },
]
