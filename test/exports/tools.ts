// Small published books for the tests of exports, and what beancount and hledger themselves make of an exported file.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { formatAmount } from '../../models/amount.ts'
import { exportBooks, type LotBooking } from '../../pipeline/exports/export.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { computeDisposals } from '../../pipeline/reports/disposals.ts'
import { units } from '../lots/books.ts'
import { publish } from '../reports/books.ts'

/** One entry of a book in USDT, with what it was worth where it is no USDT itself. */
export interface Line {
  readonly id: string
  readonly at: string
  readonly coin: string
  readonly amount: string
  readonly value?: string | null
  readonly kind?: string
  readonly counter?: string
  readonly account?: string
  readonly ledger?: string
  readonly transaction?: string
  /** Ties the two legs of a transfer. */
  readonly transfer?: string
}

const sql = (text: string | null): string => (text === null ? 'null' : `'${text.replaceAll("'", "''")}'`)

/** Publishes the lines as entries, postings, balances and events for the lots; gives back the folder. */
export async function publishBook(lines: readonly Line[]): Promise<string> {
  const rows = lines.map((line, place) => {
    const { kind = 'trade', counter = 'Equity:Trading', account = 'main', ledger = 'UNIFIED' } = line
    const { id, transaction = id, at, coin, amount, value = null, transfer = null } = line
    const cells = [id, transaction, account, ledger, coin, amount, kind, at, counter, value, transfer]
    return `(${cells.map(sql).join(', ')}, ${place})`
  })
  return await publish([
    `create table lines (id varchar, tx varchar, account varchar, ledger varchar, coin varchar,
       amount decimal(38, 18), kind varchar, happened_at timestamptz, counter varchar, value decimal(38, 18),
       transfer varchar, place bigint)`,
    ...(rows.length === 0 ? [] : [`insert into lines values ${rows.join(', ')}`]),
    `insert into entries
     select id, tx, account, ledger, 'SPOT', coin, amount, kind, happened_at, 'tax.records', id, place + 1, 0, null from lines`,
    `insert into postings
     select id || '/wallet' as posting_id, tx as transaction_id, id as entry_id, account,
       'Assets:Venue:' || account || ':' || ledger as account_name, coin, amount, happened_at as occurred_at from lines
     union all
     select id || '/counter', tx, null, account, counter, coin, -amount, happened_at from lines`,
    `insert into balances
     select account, ledger, coin, sum(amount), null, max(happened_at) from lines group by account, ledger, coin`,
    `insert into lot_events
     select account, coin, happened_at, place, id,
       case when kind = 'borrow' then 'borrow' when kind = 'repayment' then 'repay'
         when transfer is null then (case when amount > 0 then 'acquire' else 'dispose' end)
         else (case when amount > 0 then 'transfer_in' else 'transfer_out' end) end,
       abs(amount), value, 'USDT', transfer
     from lines where coin <> 'USDT'`,
    'drop table lines',
  ])
}

/** Changes a published ledger after the fact. */
export async function alterBook(dir: string, statements: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(join(dir, 'ledger.duckdb'))
  const connection = await instance.connect()
  await connection.run("set timezone = 'UTC'")
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

export const temporary = (name: string): string => join(mkdtempSync(join(tmpdir(), 'export-')), name)

/** Exports the books of a folder and gives back the file. */
export async function exported(
  dir: string,
  kind: 'beancount' | 'hledger',
  lots?: LotBooking,
): Promise<string> {
  const out = temporary(`books.${kind}`)
  await exportBooks(dir, kind, { out, ...(lots === undefined ? {} : { lots }) })
  return out
}

/** Our gain of each disposal whose gain is known, with how many pieces it came in. */
export async function ourGains(
  dir: string,
  method: LotBooking,
): Promise<Map<string, { gain: bigint; pieces: number }>> {
  const ledger = await openLedger(dir)
  try {
    const reader = await computeDisposals(ledger, { method, scope: 'account' })
    const rows = await reader.query(
      // Beancount has the gain of a short sale where it is closed.
      `select coalesce(short_sales.closing_id, disposal_id), disposals.gain from disposals
       left join short_sales on short_sales.coin = disposals.coin and sale_id = disposal_id and closing_id = lot_id
       where disposals.gain is not null order by disposals.rowid`,
    )
    const gains = new Map<string, { gain: bigint; pieces: number }>()
    for (const [id, gain] of rows) {
      const before = gains.get(String(id)) ?? { gain: 0n, pieces: 0 }
      gains.set(String(id), { gain: before.gain + units(String(gain)), pieces: before.pieces + 1 })
    }
    return gains
  } finally {
    ledger.close()
  }
}

/** Balances of the ledger as `account coin` with the quantity; zero balances left out, as the tools do. */
export async function ourBalances(
  dir: string,
  name: (account: string) => string,
): Promise<Map<string, string>> {
  const ledger = await openLedger(dir)
  try {
    const rows = await ledger.query(
      'select account, ledger, coin, quantity from balances where quantity <> 0',
    )
    return new Map(
      rows.map(([account, wallet, coin, quantity]) => [
        `Assets:Venue:${name(String(account))}:${wallet} ${coin}`,
        String(quantity),
      ]),
    )
  } finally {
    ledger.close()
  }
}

const found = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0

/** Debian packages `beancount` and `hledger`; `.ci/run` installs them. */
export const hasBeancount = found('bean-check')
export const hasHledger = found('hledger')

/** What `bean-check` says; empty for books that it accepts. */
export function beanCheck(file: string): string {
  const { stdout, stderr, status } = spawnSync('bean-check', ['--no-cache', file], { encoding: 'utf8' })
  return status === 0 ? `${stdout}${stderr}` : `code ${status}: ${stdout}${stderr}`
}

/** What `hledger check --strict` says; empty for books that it accepts. */
export function hledgerCheck(file: string): string {
  const { stdout, stderr, status } = spawnSync('hledger', ['-f', file, 'check', '--strict'], {
    encoding: 'utf8',
  })
  return status === 0 ? `${stdout}${stderr}` : `code ${status}: ${stdout}${stderr}`
}

/** Balances that hledger computes, as `account commodity` with the quantity. */
export function hledgerBalances(file: string): Map<string, string> {
  const csv = execFileSync('hledger', ['-f', file, 'bal', '--flat', '--layout=bare', '-O', 'csv'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const rows = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(`[${line.replaceAll('""', '\\"')}]`) as [string, string, string])
  return new Map(
    rows
      .filter(([account, , quantity]) => account !== 'total' && units(quantity) !== 0n)
      .map(([account, commodity, quantity]) => [`${account} ${commodity}`, formatAmount(units(quantity))]),
  )
}

/**
 * What hledger makes of all that stands in accounts after a day, in a currency, with eighteen decimals: `-V`. By account, as
 * deep as asked for.
 */
export function hledgerValues(
  file: string,
  accounts: string,
  depth: number,
  day: string,
  currency: string,
): Map<string, string> {
  const style = `1.000000000000000000 "${currency}"`
  const query = [accounts, `--depth=${depth}`, '-V', '-e', dayAfter(day), '-c', style, '-O', 'csv']
  const csv = execFileSync('hledger', ['-f', file, 'bal', '--no-total', ...query], { encoding: 'utf8' })
  const rows = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')))
  return new Map(
    rows.map(([account = '', value = '']) => [account, formatAmount(units(value.replace(/[" A-Z]/g, '')))]),
  )
}

/** All of it, whatever the account. */
export const hledgerValue = (file: string, accounts: string, day: string, currency: string): string => {
  const values = [...hledgerValues(file, accounts, 1, day, currency).values()]
  return formatAmount(values.reduce((sum, value) => sum + units(value), 0n))
}

export const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

const VALUES = `
import json, sys, datetime
from collections import defaultdict
from decimal import Decimal
from beancount import loader
from beancount.core import convert, data, prices
from beancount.core.position import Position
entries, errors, options = loader.load_file(sys.argv[1])
price_map = prices.build_price_map(entries)
currency = options['operating_currency'][0]
answers = []
for prefix, day, method in json.loads(sys.argv[2]):
    day = datetime.date.fromisoformat(day)
    held = defaultdict(Decimal)
    for entry in entries:
        if isinstance(entry, data.Transaction) and entry.date <= day:
            for posting in entry.postings:
                if posting.account.startswith(prefix):
                    held[(posting.units.currency, posting.cost)] += posting.units.number
    total = Decimal(0)
    for (coin, cost), number in held.items():
        position = Position(data.Amount(number, coin), cost)
        value = (convert.get_value(position, price_map, day) if method == 'value'
            else convert.convert_position(position, currency, price_map, day))
        total += value.number if value.currency == currency else 0
    answers.append(format(total, 'f'))
print(json.dumps(answers))
`

/** What beancount makes of all that stands below accounts after days: by its `value()`, which needs costs, or `convert()`. */
export function beancountValues(
  file: string,
  questions: readonly (readonly [prefix: string, day: string, method: 'value' | 'convert'])[],
): string[] {
  const answer = execFileSync(beancountPython(), ['-c', VALUES, file, JSON.stringify(questions)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(answer) as string[]
}

export interface Beancount {
  readonly errors: readonly string[]
  /** By `account commodity`: units left, zero left out, as exact text. */
  readonly balances: ReadonlyMap<string, string>
  /** By entry: what beancount booked to Income:Gains, with the sign of a gain, digit by digit. */
  readonly gains: ReadonlyMap<string, string>
  /** Coin of each commodity. */
  readonly commodities: Readonly<Record<string, string>>
}

const READ = `
import json, sys
from collections import defaultdict
from decimal import Decimal, getcontext
from beancount import loader
from beancount.core import data
entries, errors, _ = loader.load_file(sys.argv[1])
getcontext().prec = 60
balances, gains, commodities = defaultdict(Decimal), defaultdict(Decimal), {}
for entry in entries:
    if isinstance(entry, data.Commodity):
        commodities[entry.currency] = entry.meta['coin']
    if not isinstance(entry, data.Transaction):
        continue
    for posting in entry.postings:
        balances[posting.account + ' ' + posting.units.currency] += posting.units.number
        if posting.account == 'Income:Gains':
            gains[entry.meta['entry_id']] -= posting.units.number
print(json.dumps({
    'errors': [error.message for error in errors],
    'balances': [[key, format(number, 'f')] for key, number in balances.items() if number],
    'gains': [[key, format(number, 'f')] for key, number in gains.items()],
    'commodities': commodities,
}))
`

/** The Python that bean-check runs under. */
function beancountPython(): string {
  const tool = execFileSync('sh', ['-c', 'command -v bean-check'], { encoding: 'utf8' }).trim()
  return /^#!\s*(\S+)/.exec(readFileSync(tool, 'utf8'))?.[1] ?? 'python3'
}

/** Loads the file by beancount's own API. */
export function readBeancount(file: string): Beancount {
  const answer = execFileSync(beancountPython(), ['-c', READ, file], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const { errors, balances, gains, commodities } = JSON.parse(answer)
  return {
    errors,
    balances: new Map(balances.map(([key, number]: [string, string]) => [key, trimmed(number)])),
    gains: new Map(gains.map(([key, number]: [string, string]) => [key, trimmed(number)])),
    commodities,
  }
}

const trimmed = (number: string): string => (number.includes('.') ? number.replace(/\.?0+$/, '') : number)

/** Whether a gain of beancount's, of up to 28 digits, is ours, which is rounded to 10^-18 once for each piece. */
export function agrees(theirs: string, ours: bigint, pieces: number): boolean {
  const [whole = '0', fraction = ''] = theirs.split('.')
  const scale = 10n ** 18n
  const exact = BigInt(whole + fraction.padEnd(36, '0').slice(0, 36))
  const apart = exact - ours * scale
  return (apart < 0n ? -apart : apart) <= BigInt(pieces) * scale
}
