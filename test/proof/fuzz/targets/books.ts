// Questions to published books: SQL, the words of `report` and `call`, ids to explain, and where a report is written.
// One small set of real books serves all of them; nothing asked may change it.
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { crc32 } from 'node:zlib'
import yargs, { type Argv } from 'yargs'
import { endpoints } from '../../../../connectors/catalogue.ts'
import { validateParams } from '../../../../connectors/params.ts'
import { systemClock } from '../../../../models/clock.ts'
import { UsageError } from '../../../../models/error.ts'
import { openBooks } from '../../../../pipeline/books/books.ts'
import { importInto } from '../../../../pipeline/books/import.ts'
import { showJson } from '../../../../pipeline/calls/show.ts'
import { readValues } from '../../../../pipeline/calls/values.ts'
import { commands } from '../../../../pipeline/commands/index.ts'
import { parseInstant } from '../../../../pipeline/config/context.ts'
import { explain } from '../../../../pipeline/evidence/explain.ts'
import { describeExplanation } from '../../../../pipeline/evidence/print.ts'
import { importFormats } from '../../../../pipeline/imports/formats.ts'
import { buildLedger } from '../../../../pipeline/ledger/build.ts'
import { openLedger } from '../../../../pipeline/ledger/ledger.ts'
import { methods } from '../../../../pipeline/lots/engine.ts'
import { lotsStep } from '../../../../pipeline/lots/step.ts'
import { outFile, safeFileName } from '../../../../pipeline/output/deliver.ts'
import { answerHere } from '../../../../pipeline/reports/answer.ts'
import { makeReport, type ReportName } from '../../../../pipeline/reports/catalogue.ts'
import { REPORT_FORMATS, writeReport } from '../../../../pipeline/reports/print.ts'
import { QUERY_FORMATS } from '../../../../pipeline/reports/question.ts'
import { runQuery } from '../../../../pipeline/reports/sql.ts'
import { rulesNames } from '../../../../pipeline/rules/catalogue.ts'
import { BOUND_MS, byName, must, newFolder, type OpenTarget, type Target } from '../target.ts'

const TRADES = `id,time,account,type,asset,quantity,currency,total,fee,fee_currency
b1,2025-01-02T10:00:00Z,main,buy,BTC,1,EUR,50000,10,EUR
b2,2025-02-02T10:00:00Z,main,buy,BTC,0.5,EUR,30000,5,EUR
s1,2025-06-02T10:00:00Z,main,sell,BTC,0.7,EUR,60000,12,EUR
s2,2026-01-03T10:00:00Z,main,sell,BTC,0.2,EUR,20000,3,EUR
i1,2025-03-01T00:00:00Z,main,income,SOL,3,EUR,400,,
`

let shared: Promise<string> | undefined
let users = 0

/** Published books of one account, the same for all who use them at the time. */
function smallBooks(): Promise<string> {
  users += 1
  shared ??= makeBooks()
  return shared
}

async function leaveBooks(): Promise<void> {
  users -= 1
  if (users > 0 || shared === undefined) return
  rmSync(await shared, { recursive: true, force: true })
  shared = undefined
}

async function makeBooks(): Promise<string> {
  const dir = newFolder()
  const books = await openBooks(dir, { clock: systemClock, command: 'fuzz' })
  try {
    const file = { name: 'trades.csv', bytes: Buffer.from(TRADES) }
    const rows = importFormats.trades.read(file)
    const read = { kind: 'trades', file, rows, reading: null, aside: [] } as const
    await importInto(books, read, { id: 'r1', clock: systemClock })
    const config = { accounts: [{ name: 'main' }], publishPersonalData: false, reportingCurrency: 'EUR' }
    const steps = [lotsStep({ method: 'fifo', scope: 'account' })]
    const now = new Date('2026-02-01T04:00:00Z')
    await buildLedger({ dir, landing: books.landing, now, clock: systemClock, config, steps })
  } finally {
    await books.close()
  }
  return dir
}

const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Names and sizes of all files beside the books. */
const filesOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => `${name} ${statSync(join(dir, name), { throwIfNoEntry: false })?.size}`)
    .join('\n')

const SQL_TOKENS = [
  ...[
    'select',
    'from',
    'where',
    '*',
    'balances',
    'entries',
    'lots',
    'disposals',
    'with recursive t(n) as (',
    'union all',
  ],
  ...[
    'group by all',
    'order by 1',
    'limit 1',
    'join',
    'pivot',
    'unpivot',
    'lateral',
    'values (1)',
    'describe',
    'summarize',
  ],
  ...[
    'show tables',
    'explain',
    'explain analyze',
    'from range(10)',
    'generate_series(1, 1000000000)',
    'repeat(chr(65), 100000)',
  ],
  ...[
    "copy balances to '/tmp/x.csv'",
    "attach '/tmp/x.db'",
    'install httpfs',
    'load httpfs',
    "read_csv('/etc/passwd')",
  ],
  ...[
    "read_text('*')",
    "glob('/*')",
    'pragma version',
    'pragma database_list',
    "set memory_limit = '1TB'",
    'set threads = 100',
  ],
  ...[
    'create table t(i int)',
    'insert into balances values (1)',
    'delete from balances',
    'drop table balances',
    'checkpoint',
  ],
  ...[
    'use memory',
    'detach ledger',
    'export database',
    'call pragma_version()',
    'prepare v as select 1',
    'execute v',
    'begin',
  ],
  ...[
    'commit',
    'rollback',
    'vacuum',
    'analyze',
    "getenv('HOME')",
    "query('select 1')",
    'duckdb_settings()',
    'duckdb_secrets()',
  ],
  ...[
    '$1',
    '$name',
    '?',
    ';',
    '--',
    '/*',
    '*/',
    "'",
    '"',
    '::',
    '::json',
    '::decimal(38,18)',
    '{',
    '[1,2]',
    'map {1: 2}',
  ],
  ...[
    'unnest',
    'struct_pack',
    'list_transform',
    'x -> x + 1',
    "'\\x00'::blob",
    'interval 1 day',
    "timestamptz 'infinity'",
  ],
  ...[
    'union_value(a := 1)',
    'uuid()',
    "'1e400'::double",
    "'nan'::float",
    '170141183460469231731687303715884105728',
  ],
]

export const sqlTarget: Target = {
  name: 'sql',
  shape: { kind: 'lines', tokens: SQL_TOKENS },
  // A query may keep both processors busy until its limit of 0.3 s is noticed.
  boundMs: 20_000,
  short: 40,
  // The class of DuckDB's error and the first words of what it says.
  tells: ({ details }) => (details.found ?? '').replace(/["'`].*/s, '').slice(0, 60),
  open: async (): Promise<OpenTarget> => {
    const dir = await smallBooks()
    const before = filesOf(dir)
    return {
      run: async (input) => {
        const text = input.toString('utf8')
        const format = QUERY_FORMATS[crc32(input) % 3] as (typeof QUERY_FORMATS)[number]
        const terminal = { stdout: silent(), tell: () => {}, width: 100 }
        try {
          const limits = { timeoutMs: 300, memoryLimit: '200MB' }
          await runQuery(dir, text, { format, terminal, answer: answerHere, ...limits })
        } finally {
          must(filesOf(dir) === before, 'a query leaves the books as they are')
        }
        return `answered ${/^\s*\w*/.exec(text)?.[0].trim().toLowerCase().slice(0, 12)}`
      },
      close: leaveBooks,
    }
  },
}

/** What yargs makes of the words of one command, or the message with which it refuses them. */
async function parsed(words: readonly string[]): Promise<Record<string, unknown>> {
  let given: Record<string, unknown> | undefined
  const recorded = commands.map(({ command, describe, load }) => ({
    command,
    describe,
    builder: async (parser: Argv) => (await load()).builder(parser),
    handler: (args: unknown) => {
      given = args as Record<string, unknown>
    },
  }))
  try {
    await yargs()
      .scriptName('tieout')
      .option('dir', { type: 'string', default: '.', requiresArg: true })
      .option('config', { type: 'string', requiresArg: true })
      .option('now', { type: 'string', requiresArg: true })
      .command(recorded as never)
      .strict()
      .exitProcess(false)
      .showHelpOnFail(false)
      .fail((message, error) => {
        if (error) throw error
        throw new UsageError('The words are not understood.', {
          found: message.slice(0, 500),
          action: 'See --help.',
        })
      })
      .parseAsync(['report', ...words.filter((word) => !/^--(help|version)/.test(word))])
  } catch (error) {
    // yargs refuses some words by errors of its own, which the command line shows with its usage.
    if (error instanceof Error && error.name === 'YError')
      throw new UsageError('The words are not understood.', { action: 'See --help.' })
    throw error
  }
  if (given === undefined) throw new UsageError('The words are not understood.', { action: 'See --help.' })
  return given
}

const REPORT_TOKENS = [
  ...[
    'balances',
    'pnl',
    'gains',
    'taxes',
    'form-8949',
    'income',
    'statement',
    'breaks',
    'coverage',
    '--account',
    'main',
  ],
  ...[
    '--from',
    '--to',
    '--year',
    '--method',
    '--scope',
    '--rules',
    '--currency',
    '--format',
    '--methods',
    '--now',
  ],
  ...['2025', '2026-01-01', '2024-02-30', ...methods, ...rulesNames],
  ...[
    'fifo,2025:hifo',
    'universal,2025:account',
    'account',
    'universal',
    'EUR',
    'USD',
    'BTC',
    'csv',
    'json',
    'html',
    'xlsx',
  ],
  ...[
    '--year=1e3',
    '--year=',
    '--year=99999',
    '--year=NaN',
    '--form-1099-da',
    '--',
    '-x',
    '--account=',
    '--method=a:b:c',
  ],
]

const text = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))

export const reportTarget: Target = {
  name: 'report-words',
  shape: { kind: 'lines', tokens: REPORT_TOKENS },
  boundMs: BOUND_MS,
  short: 25,
  open: async (): Promise<OpenTarget> => {
    const dir = await smallBooks()
    return {
      run: async (input) => {
        const args = await parsed(input.toString('utf8').split('\n').slice(0, 40))
        if (typeof args.now === 'string') parseInstant(args.now, '--now')
        const ledger = await openLedger(dir, { timeoutMs: 3_000 })
        try {
          const year = typeof args.year === 'number' ? args.year : undefined
          const [account, from, to, method, scope, rules, currency, methods] = [
            ...['account', 'from', 'to', 'method', 'scope', 'rules', 'currency', 'methods'].map((name) =>
              text(args[name]),
            ),
          ]
          const options = { account, from, to, year, method, scope, rules, currency, methods }
          const report = await makeReport(ledger, args.name as ReportName, options)
          const format = REPORT_FORMATS.find((one) => one === args.format) ?? 'table'
          const terminal = { stdout: silent(), tell: () => {}, width: 100 }
          if (format !== 'xlsx') await writeReport(report, format, { dir, terminal })
          must(
            basename(safeFileName(report.fileName, 'csv')) === safeFileName(report.fileName, 'csv'),
            'a file name names no folder',
          )
          return `${args.name} ${format} ${method} ${rules} ${scope}`
        } finally {
          ledger.close()
        }
      },
      close: leaveBooks,
    }
  },
}

export const explainTarget: Target = {
  name: 'explain',
  shape: {
    kind: 'lines',
    tokens: [
      'b1',
      's1',
      's2',
      '2:0',
      '2:4',
      '1:0',
      '0:0',
      '-1:0',
      '99999999999:1',
      'main',
      ':',
      "' or 1=1 --",
    ],
  },
  boundMs: BOUND_MS,
  short: 15,
  open: async (): Promise<OpenTarget> => {
    const dir = await smallBooks()
    const ledger = await openLedger(dir, { timeoutMs: 3_000 })
    return {
      run: async (input) => {
        const { steps, ...rest } = await explain(ledger, dir, input.toString('utf8'), {})
        describeExplanation({ steps, ...rest })
        return steps.map(({ what }) => what).join(' ')
      },
      close: async () => {
        ledger.close()
        await leaveBooks()
      },
    }
  },
}

const CALL_TOKENS = [
  ...[
    'productType=USDT-FUTURES',
    'startTime=1',
    'endTime=2',
    'limit=500',
    'bizType=SPOT',
    'coin=BTC',
    'ipList=1.1.1.1,::1',
  ],
  ...[
    'ipList=["1.1.1.1"]',
    'permissions=[',
    'permissions={}',
    '=',
    'a==b',
    'x=@@y',
    'x=@/dev/null',
    'x=@/nowhere',
    'x=@.',
  ],
  ...[
    'orderList=[{"orderId":"1"}]',
    'orderId=1',
    'clientOid=x',
    'symbol=BTCUSDT',
    'side=buy',
    'size=1e3',
    'price=-1',
  ],
]

export const callTarget: Target = {
  name: 'call-words',
  shape: { kind: 'lines', tokens: CALL_TOKENS },
  boundMs: BOUND_MS,
  open: () => ({
    run: (input) => {
      const endpoint = byName(endpoints, input)
      const words = input
        .toString('utf8')
        .split('\n')
        .filter((word) => word !== '')
      const params = validateParams(endpoint, readValues(endpoint, words), { now: 1_763_688_181_556 })
      const shown = showJson(params, true)
      must(showJson(JSON.parse(shown), true) === shown, 'what is shown as JSON is JSON')
      return `${endpoint.name} ${Object.keys(params).sort().join(' ')}`.slice(0, 200)
    },
  }),
}

/** Where `--out` and account names lead: never out of the folder that was meant, never into the books. */
export const pathsTarget: Target = {
  name: 'paths',
  shape: {
    kind: 'bytes',
    tokens: ['journal', 'ledger.duckdb', 'tmp/', 'books/', './', 'link', 'link/x', '//', 'CON', 'lock'],
  },
  boundMs: BOUND_MS,
  open: (): OpenTarget => {
    const dir = newFolder()
    const books = join(dir, 'books')
    mkdirSync(join(books, 'journal'), { recursive: true })
    writeFileSync(join(books, 'ledger.duckdb'), '')
    symlinkSync(books, join(dir, 'link'))
    return {
      run: async (input) => {
        const given = input.toString('utf8')
        const name = safeFileName(['gains', given], 'csv')
        must(
          !/[/\\\0]/.test(name) && !name.startsWith('.') && Buffer.byteLength(name) <= 255,
          'a file name is a plain one',
        )
        const file = await outFile(join(dir, given), name, books)
        const part = file.startsWith(`${books}/`) ? file.slice(books.length + 1) : ''
        must(!/^(journal|ledger\.duckdb|lock|tmp)(\/|$)/.test(part), 'the books stay as they are')
        return dirname(file) === dir ? 'here' : 'elsewhere'
      },
      close: async () => rmSync(dir, { recursive: true, force: true }),
    }
  },
}
