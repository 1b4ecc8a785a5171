// Commands that read the published ledger, each as a separate process, over books with daily prices and a
// tenth as many imported trades as entries: processor seconds and peak memory, of the command and its
// children. Compared with the same for books of another size, they show how a command scales. BENCH_ONLY is a
// pattern for the names of the commands to run.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { packageRoot } from '../pipeline/config/root.ts'
import { LEDGER_FILE } from '../pipeline/ledger/publish.ts'
import { inFolder, openLargeBooks } from './built-books.ts'
import { landLargeBooks } from './large-books.ts'
import type { BenchOptions } from './options.ts'

const ENTRIES = 100_000
const MAIN = join(packageRoot, 'dist', 'pipeline', 'main.js')
const NOW = '2026-02-01T00:00:00Z'
const YEAR_BEGINS_MS = Date.UTC(2025, 0, 1)
const DAY_MS = 86_400_000
const DAYS_PRICED = 396
const YEAR = '2025'

export const run = ({ entries = ENTRIES, memory, books }: BenchOptions): Promise<void> =>
  inFolder(books, async (dir) => {
    if (!existsSync(join(dir, LEDGER_FILE))) await publish(dir, entries, memory)
    await measure(dir)
  })

async function publish(dir: string, entries: number, memoryLimit: string | undefined): Promise<void> {
  const books = await openLargeBooks(dir, memoryLimit)
  await landLargeBooks(books, entries)
  await books.close()
  const file = join(dir, 'import.csv')
  await write(file, imported(Math.ceil(entries / 10)))
  say('import trades', tieout(dir, ['import', 'trades', file, '--no-build']))
  await write(file, prices())
  say('import prices', tieout(dir, ['import', 'prices', file, '--no-build']))
  rmSync(file)
  say('build', tieout(dir, ['build']))
}

async function write(file: string, lines: Iterable<string>): Promise<void> {
  const stream = createWriteStream(file)
  for (const line of lines) if (!stream.write(`${line}\n`)) await once(stream, 'drain')
  stream.end()
  await finished(stream)
}

/** Purchases, sales and, in one row of five, arrivals of unknown cost. */
function* imported(count: number): Iterable<string> {
  yield 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
  for (let at = 0; at < count; at += 1) {
    const time = new Date(YEAR_BEGINS_MS + Math.floor((at * 364 * DAY_MS) / count)).toISOString()
    const coin = `C${1 + (at % 20)}`
    const row = `elsewhere:${at},${time},elsewhere`
    if (at % 5 === 4) yield `${row},transfer_in,${coin},0.5,,,,`
    else yield `${row},${at % 5 === 3 ? 'sell' : 'buy'},${coin},1.25,USD,${1 + (at % 97)}.13,0.01,USD`
  }
}

/** Daily prices of every coin, and of a dollar in the currency of the books. */
function* prices(): Iterable<string> {
  yield 'time,asset,currency,price'
  const coins = ['USD', 'BGB', ...Array.from({ length: 20 }, (_, index) => `C${1 + index}`)]
  for (let day = 0; day < DAYS_PRICED; day += 1)
    for (const coin of coins)
      yield `${new Date(YEAR_BEGINS_MS + day * DAY_MS).toISOString()},${coin},USDT,1.${10 + (day % 89)}`
}

interface Taken {
  readonly code: number | null
  readonly seconds: number
  readonly megabytes: number
  readonly errors: string
}

function tieout(dir: string, args: readonly string[]): Taken {
  const time = ['-f', '%U %S %M', process.execPath, MAIN]
  const { status, stderr } = spawnSync('/usr/bin/time', [...time, ...args, '--dir', dir, '--now', NOW], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    maxBuffer: 2 ** 28,
  })
  const lines = stderr.trimEnd().split('\n')
  const [user = '', system = '', kilobytes = ''] = (lines.pop() ?? '').split(' ')
  return {
    code: status,
    seconds: Number(user) + Number(system),
    megabytes: Number(kilobytes) / 1_000,
    errors: lines.join(' '),
  }
}

async function measure(dir: string): Promise<void> {
  const out = join(dir, 'bench-out')
  mkdirSync(out, { recursive: true })
  const to = (name: string): string[] => ['--out', join(out, name)]
  const report = (name: string, ...options: string[]): string[] => [
    'report',
    name,
    '--year',
    YEAR,
    ...options,
    ...to('report.csv'),
  ]
  const commands: [string, string[]][] = [
    ['export beancount', ['export', 'beancount', ...to('b.beancount')]],
    ['export beancount --lots fifo', ['export', 'beancount', '--lots', 'fifo', ...to('l.beancount')]],
    ['export hledger', ['export', 'hledger', ...to('b.journal')]],
    ['export parquet', ['export', 'parquet', ...to('parquet')]],
    ['verify', ['verify']],
    ['verify --rebuild', ['verify', '--rebuild']],
    ...[
      'balances',
      'pnl',
      'gains',
      'account-values',
      'income',
      'net-worth',
      'statement',
      'breaks',
      'coverage',
    ].map((name): [string, string[]] => [
      `report ${name}`,
      name === 'coverage' ? ['report', name, ...to('r.csv')] : report(name),
    ]),
    ['report gains as xlsx', ['report', 'gains', '--year', YEAR, ...to('g.xlsx')]],
    ['report gains as html', ['report', 'gains', '--year', YEAR, ...to('g.html')]],
    ['report gains as json', ['report', 'gains', '--year', YEAR, ...to('g.json')]],
    ['report gains --methods', report('gains', '--methods', 'fifo,lifo,hifo')],
    ...['generic', 'us', 'uk', 'de', 'ca'].map((rules): [string, string[]] => [
      `report taxes --rules ${rules}`,
      report('taxes', '--rules', rules),
    ]),
    ['report form-8949', report('form-8949', '--rules', 'us', '--form-1099-da', 'none')],
    ['report gains --freeze', report('gains', '--freeze', `f${process.pid}`)],
    ['report gains --against', report('gains', '--against', `f${process.pid}`)],
    ['report taxes --rules us --freeze', report('taxes', '--rules', 'us', '--freeze', `t${process.pid}`)],
    ['report taxes --rules us --against', report('taxes', '--rules', 'us', '--against', `t${process.pid}`)],
    ['worksheet', ['worksheet', ...to('w.csv')]],
    ...(await ids(dir)).map(([kind, id]): [string, string[]] => [
      `explain ${kind}`,
      ['explain', id, '--json'],
    ]),
    ['check', ['check', '--json']],
    ['status', ['status', '--json']],
    ['tables', ['tables', '--json']],
    ['tables entries --lineage', ['tables', 'entries', '--lineage']],
    ['sql', ['sql', 'select * from entries', '--format', 'csv', ...to('s.csv')]],
  ]
  const only = process.env.BENCH_ONLY
  for (const [name, args] of commands)
    if (only === undefined || new RegExp(only).test(name)) say(name, tieout(dir, args))
}

/** One id of every kind. */
async function ids(dir: string): Promise<(readonly [string, string])[]> {
  const instance = await DuckDBInstance.create(join(dir, LEDGER_FILE), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const kinds = [
    ['disposal_id', 'select disposal_id from disposals order by all limit 1'],
    ['lot_id', 'select lot_id from lots order by all limit 1'],
    ['entry_id', 'select entry_id from entries order by all limit 1'],
    ['transaction_id', 'select transaction_id from entries order by all desc limit 1'],
    ['trade_id', 'select trade_id from trades order by all limit 1'],
    ['trade_id of an import', "select trade_id from trades where source = 'import' order by all limit 1"],
    ['break_id', 'select break_id from breaks order by all limit 1'],
    ['id of the venue', 'select source_id from entries where source_id is not null order by all limit 1'],
    ['an id of nothing', "select 'nothing-has-this'"],
  ] as const
  const found: (readonly [string, string])[] = []
  for (const [kind, sql] of kinds) {
    const id = (await connection.runAndReadAll(sql)).getRows()[0]?.[0]
    if (id != null) found.push([kind, String(id)])
  }
  connection.closeSync()
  instance.closeSync()
  return found
}

function say(name: string, { code, seconds, megabytes, errors }: Taken): void {
  process.stdout.write(
    `${name.padEnd(36)} ${seconds.toFixed(2).padStart(8)} s ${megabytes.toFixed(0).padStart(6)} MB  code ${code} ${code === 0 ? '' : errors.slice(0, 300)}\n`,
  )
}
