// A whole life of books against a venue that says more than it should, with everything told, refused, killed and asked;
// then every file, database, line of log and piece of output is searched for secrets and for people.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../../models/clock.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { type Outcome, startTieout, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { keysOf, type Retelling, retelling } from '../support/retelling.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const SPEED = 2_000
const NOW = '2026-06-30T00:00:00Z'
const PASSPHRASE = 'hush-hush-passphrase'

let venue: Sandbox
let way: Retelling
let folder: string
const outcomes = new Map<string, Outcome>()

const dir = (): string => join(folder, 'books')

/** Commands that have run as a process of their own; after that once, they run in this one. */
const started = new Set<string>()
const machine = process.env.TMPDIR

async function run(...words: string[]): Promise<Outcome> {
  const [name = ''] = words
  const args = [...words, '--dir', dir(), '--now', NOW, '--log-level', 'debug']
  const outcome = await (started.has(name) ? command(args) : tieout(args))
  started.add(name)
  outcomes.set(words.join(' '), outcome)
  return outcome
}

beforeAll(async () => {
  venue = await startSandbox({ seed: 5, days: 6, now: new Date(NOW), speed: SPEED })
  way = await retelling(venue)
  folder = mkdtempSync(join(tmpdir(), 'tieout-whole-'))
  for (const name of ['temporary', 'out']) mkdirSync(join(folder, name))
  process.env.TMPDIR = join(folder, 'temporary')
  await configureBooks(dir(), way, { speed: SPEED, since: '2026-06-20' })
  const dying = await startTieout(['nightly', '--dir', dir(), '--now', NOW, '--log-level', 'debug'])
  while (way.requests() < 60 && dying.child.exitCode === null) await systemClock.sleep(1)
  dying.child.kill('SIGKILL')
  outcomes.set('killed', await dying.ended)
  const night = await run('nightly')
  expect([night.code, night.stderr.includes('unexpected')]).toEqual([5, false])
  const sub =
    venue.accounts.find(({ roles }) => roles.includes('sub') && roles.includes('broker')) ?? venue.accounts[3]
  await run('call', 'account.settings', '--account', 'parent')
  await run('call', 'loan.ltv', '--account', 'parent')
  const key = [
    `subUid=${sub?.uid}`,
    `passphrase=${PASSPHRASE}`,
    'label=books',
    'permType=readonly',
    'permList=spot_trade',
  ]
  await run('call', 'broker.createApiKey', ...key, '--account', 'broker')
  await run('call', 'broker.createApiKey', ...key, '--account', 'broker', '--write')
  for (const name of ['statement', 'breaks', 'coverage'])
    await run('report', name, '--format', 'csv', '--out', join(folder, 'out/'))
  for (const format of ['xlsx', 'html'])
    await run('report', 'statement', '--format', format, '--out', join(folder, 'out/'))
  await run('report', 'balances', '--freeze', 'june')
  for (const kind of ['beancount', 'hledger', 'parquet'])
    await run('export', kind, '--out', join(folder, 'out', kind))
  await run('sql', 'from p2p_orders', '--format', 'csv', '--out', join(folder, 'out', 'orders.csv'))
  await run('sql', 'from quarantine', '--format', 'json')
  await run('status', '--json')
  await run('verify')
  const [, place] = (
    await run('sql', "select page_id || ':' || page_row p from p2p_orders limit 1", '--format', 'csv')
  ).stdout.split('\n')
  await run('explain', place ?? '')
  await run('explain', place ?? '', '--json')
  await run('rebuild')
}, 600_000)

afterAll(async () => {
  if (machine === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = machine
  await way.close()
  await venue.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Texts to search, by where they stand. */
type Texts = Map<string, string>

function files(root: string, found: Texts): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = readFileSync(path)
    found.set(relative(folder, path), bytes.toString('latin1'))
    if (!entry.name.endsWith('.xlsx')) continue
    for (const [part, content] of Object.entries(unzipSync(bytes)))
      found.set(`${relative(folder, path)}/${part}`, Buffer.from(content).toString('latin1'))
  }
}

/** Every value of every table as text, since a database may compress what it holds. */
async function tables(name: string, found: Texts): Promise<void> {
  const instance = await DuckDBInstance.create(join(dir(), name), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const all = await connection.runAndReadAll(
    "select schema_name, table_name from duckdb_tables() where not internal and table_name <> 'sqlite_master'",
  )
  for (const [schema, table] of all.getRows()) {
    const rows = await connection.runAndReadAll(`select cast(t as varchar) from "${schema}"."${table}" as t`)
    found.set(`${name}: ${table}`, Buffer.from(rows.getRows().flat().join('\n')).toString('latin1'))
  }
  connection.closeSync()
  instance.closeSync()
}

async function journal(found: Texts): Promise<void> {
  const opened = await openJournal(dir(), { mode: 'read', clock: systemClock })
  for await (const { seq, meta, body } of opened.read()) {
    found.set(`frame ${seq}: meta`, Buffer.from(JSON.stringify(meta)).toString('latin1'))
    found.set(`frame ${seq}: body`, Buffer.from(body ?? '').toString('latin1'))
  }
  await opened.close()
}

let all: Promise<Texts> | undefined

/** Read once, by the first test that asks: as it was before any test changed the books. */
const everything = (): Promise<Texts> => {
  all ??= readEverything()
  return all
}

async function readEverything(): Promise<Texts> {
  const found: Texts = new Map()
  files(folder, found)
  await tables('landing.duckdb', found)
  await tables('ledger.duckdb', found)
  await journal(found)
  for (const [words, { stdout, stderr }] of outcomes) {
    found.set(`output of ${words}`, Buffer.from(stdout).toString('latin1'))
    found.set(`errors of ${words}`, Buffer.from(stderr).toString('latin1'))
  }
  return found
}

const escapedAll = (text: string): string =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

/** Every spelling in which a secret could lie about, as the bytes of its UTF-8. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const all = [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    escapedAll(secret),
  ]
  return [...new Set(all)].map((text) => Buffer.from(text).toString('latin1'))
}

const places = (texts: Texts, needles: readonly string[]): string[] =>
  [...texts].filter(([, text]) => needles.some((needle) => text.includes(needle))).map(([place]) => place)

describe('secrets', { timeout: 120_000 }, () => {
  test('in use are in no file but that of the credentials: in no database, journal, log or output, in any spelling', async () => {
    const texts = await everything()
    const created = Object.values(
      parse(readFileSync(join(dir(), 'credentials.yaml'), 'utf8')) as Record<string, Record<string, string>>,
    )
    const inUse = [...keysOf(venue), ...created].flatMap(({ apiKey, secret, passphrase }) => [
      apiKey,
      secret,
      passphrase,
    ])
    const secrets = [...new Set([...inUse, PASSPHRASE])].filter((text) => text !== undefined)

    const found = secrets.flatMap((secret) => places(texts, spellings(secret)))

    expect(secrets.length).toBeGreaterThan(30)
    expect([...new Set(found)]).toEqual([join('books', 'credentials.yaml')])
  })

  test('were repeated by the venue wherever it could, and the journal records how many were removed', async () => {
    const texts = await everything()
    const metas = [...texts].filter(([place]) => place.endsWith(': meta'))
    expect(metas.filter(([, text]) => /"redacted":[1-9]/.test(text)).length).toBeGreaterThan(20)
    expect(outcomes.get('call loan.ltv --account parent')?.stderr).toContain('code ****')
  })
})

describe('people', { timeout: 120_000 }, () => {
  test('are in the journal and in what has landed from it, and nowhere else', async () => {
    const texts = await everything()
    const needles = [...way.people.values()].flat()

    const found = places(texts, needles).filter(
      (place) => !/^frame \d+: body$|^landing\.duckdb: /.test(place),
    )

    expect([...way.people.keys()].sort()).toEqual([
      'broker.subaccountEmail.subaccountEmail',
      'broker.subaccountEmail.subaccountName',
      'broker.subaccountEmail.unknown',
      'p2p.merchant.email',
      'p2p.merchant.mobile',
      'p2p.merchant.nickName',
      'p2p.merchant.unknown',
      'p2p.orders.buyerRealName',
      'p2p.orders.paymentInfo',
      'p2p.orders.sellerRealName',
      'p2p.orders.unknown',
    ])
    // The bytes of the landing database itself are the journal's twin, and as closed to others.
    expect(found.filter((place) => place !== join('books', 'landing.duckdb'))).toEqual([])
    expect(outcomes.get('sql from quarantine --format json')?.stdout).toContain('p2p.orders')
  })

  test('are published when the configuration asks for it', async () => {
    const file = join(dir(), 'tieout.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}privacy: { publish_personal_data: true }\n`)
    await run('build')

    const { stdout } = await run('sql', 'select buyer_real_name from p2p_orders', '--format', 'csv')

    expect(stdout).toContain('Pers0n-p2p-orders-buyerRealName')
  })
})

describe('logs', { timeout: 120_000 }, () => {
  test('name their run in every line, and the runs are in the published table', async () => {
    const { stderr } = outcomes.get('nightly') as Outcome
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
    const runs = new Set(lines.map((line) => (JSON.parse(line) as { run: string }).run))
    const { stdout } = await run(
      'sql',
      'select run_id, command, outcome, requests > 0 asked from runs order by 1',
      '--format',
      'json',
    )

    expect([lines.length > 100, runs.size]).toEqual([true, 1])
    expect(JSON.parse(stdout)).toContainEqual({
      run_id: [...runs][0],
      command: 'nightly',
      outcome: 'incomplete',
      asked: true,
    })
  })
})
