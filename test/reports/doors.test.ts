// Every way in has a door, and every reader goes through the same one: databases, listening ports, credentials, packages.
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { readCredentials } from '../../pipeline/config/credentials.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { QueryStopped } from '../../pipeline/ledger/limits.ts'
import type { Reader } from '../../pipeline/ledger/reader.ts'
import { answerHere } from '../../pipeline/reports/answer.ts'
import { runQuery } from '../../pipeline/reports/sql.ts'
import { startSandbox } from '../../sandbox/index.ts'
import { temporaryFolder } from '../support/cli.ts'
import { memoryTerminal, publish } from './books.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** Product sources with their text. */
const sources: readonly (readonly [string, string])[] = ['models', 'connectors', 'pipeline', 'sandbox']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(join(root, name), 'utf8')])

const filesWith = (pattern: RegExp): string[] =>
  sources.filter(([, text]) => pattern.test(text)).map(([name]) => name)

describe('the published ledger', () => {
  const books = publish(["insert into balances values ('main', 'UNIFIED', 'BTC', 1, null, now())"])

  test('is opened by a single function', () => {
    // hash.ts compares whole files for tests and the demo, and distant.ts fills a file of its own with tables of a server; neither
    // runs a statement that anybody gave it.
    expect(filesWith(/DuckDBInstance\.create\((?!':memory:')/)).toEqual([
      'pipeline/ledger/distant.ts',
      'pipeline/ledger/hash.ts',
      'pipeline/ledger/ledger.ts',
    ])
    expect(filesWith(/\bopenLedger\(/)).toEqual(
      expect.arrayContaining([
        'pipeline/commands/explain.ts',
        'pipeline/commands/report.ts',
        'pipeline/exports/export.ts',
        'pipeline/reports/answer.ts',
        'pipeline/reports/status.ts',
      ]),
    )
  })

  /** What a reader opened, and the scratch database beside it, which holds what reports compute. */
  async function readers(): Promise<readonly [string, Reader][]> {
    const ledger = await openLedger(await books, { memoryLimit: '1GB' })
    onTestFinished(() => ledger.close())
    return [
      ['ledger', ledger],
      ['scratch', await ledger.scratch(async () => undefined)],
    ]
  }

  test('has no access to files and network, a locked configuration, and a memory limit', async () => {
    for (const [name, reader] of await readers()) {
      const settings = await reader.query(
        `select current_setting('enable_external_access'), current_setting('lock_configuration'),
           current_setting('memory_limit'), current_setting('autoinstall_known_extensions'),
           current_setting('autoload_known_extensions')`,
      )
      expect([name, settings]).toEqual([name, [[false, true, '953.6 MiB', false, false]]])
    }
  })

  test('does nothing but answer, whatever the statement, even if it passes the console’s own inspection', async () => {
    const folder = temporaryFolder()
    const canary = join(folder, 'canary.csv')
    writeFileSync(canary, 'canary\n1\n')
    const hostile = [
      `from read_csv('${canary}')`,
      `from '${canary}'`,
      `from read_text('${canary}')`,
      `from read_blob('${canary}')`,
      `from glob('${folder}/*')`,
      `from sniff_csv('${canary}')`,
      `from parquet_metadata('${canary}')`,
      `copy (select 1) to '${folder}/out.csv'`,
      `copy balances from '${canary}'`,
      `attach '${folder}/other.duckdb'`,
      `attach ':memory:' as other (type sqlite)`,
      `export database '${folder}/all'`,
      `import database '${folder}/all'`,
      'install httpfs',
      'load httpfs',
      `load '${folder}/evil.duckdb_extension'`,
      'set enable_external_access = true',
      "set global memory_limit = '100GB'",
      'reset lock_configuration',
      "pragma enable_profiling = 'json'",
      `pragma profiling_output = '${folder}/profile.json'`,
      `set temp_directory = '${folder}'`,
      `set home_directory = '${folder}'`,
      `set log_query_path = '${folder}/log'`,
      "set secret_directory = '/tmp'",
      "create secret (type http, bearer_token 'x')",
      `select * from read_csv('http://127.0.0.1:1/x.csv')`,
      `from query('copy (select 1) to ''${folder}/q.csv''')`,
      `from query_table('${canary}')`,
    ]
    for (const [name, reader] of await readers())
      for (const statement of hostile)
        await expect(
          [name, statement, reader.query(statement)][2],
          `${name}: ${statement}`,
        ).rejects.toBeInstanceOf(Error)
    expect(readdirSync(folder)).toEqual(['canary.csv'])
  })

  test('is not changed by any statement', async () => {
    const [, ledger] = (await readers())[0] as [string, Reader]
    for (const statement of [
      'create table t(i int)',
      'create or replace view balances as select 1',
      'drop table balances',
      'alter table balances add column x int',
      'truncate balances',
      "update balances set coin = 'X'",
      'vacuum',
      "comment on table balances is 'x'",
      'create macro f(x) as x',
      'create schema s',
      'commit',
    ]) {
      const asked = ledger.query(statement)
      if (statement === 'commit' || statement === 'vacuum') await asked.catch(() => undefined)
      else await expect(asked, statement).rejects.toBeInstanceOf(Error)
    }
    expect(await ledger.query('select coin from balances')).toEqual([['BTC']])
  })

  const ask = async (query: string, options = {}): Promise<unknown> => {
    const terminal = memoryTerminal()
    const asked = runQuery(await books, query, { format: 'csv', terminal, answer: answerHere, ...options })
    return await asked.catch((error: unknown) => error)
  }

  test.each([
    'with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t',
    'with recursive t(n) as (select 1 union all select n from t) select max(n) from t',
    'select count(*) from range(1000000000) a, range(1000000000) b',
    'select sum(i * j) from range(10000000) a(i), range(10000000) b(j)',
    "select max(repeat('x', 1000 + (i % 7)::int)) from range(1000000000) r(i)",
  ])('stops endless queries: %s', async (query) => {
    const stopped = await ask(query, { timeoutMs: 400 })

    expect(stopped).toBeInstanceOf(UsageError)
    expect(stopped).toBeInstanceOf(QueryStopped)
  })

  test.each([
    "select repeat('x', 10000000000)",
    'select list(i) from range(100000000) r(i)',
    "select string_agg(repeat('x', 1000), '') from range(1000000)",
    `select ${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
    `select ${'1+'.repeat(20_000)}1`,
    `select * from balances where ${'not '.repeat(20_000)}true`,
    `select 1 ${'union all select 1 '.repeat(3_000)}`,
    '\0',
    'select \ud800',
    `select '${'\0'.repeat(10)}'`,
  ])(
    'refuses or answers what is oversized, and survives: %s',
    async (query) => {
      const said = await ask(query, { memoryLimit: '100MB', timeoutMs: 5_000 })

      expect(said === null || said instanceof UsageError).toBe(true)
      expect(await ask('select 1')).toBeNull()
    },
    60_000,
  )
})

interface Said {
  readonly status: number
  readonly body: string
}

/** Asks with exactly these headers. */
function ask(origin: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<Said> {
  return new Promise((resolveAnswer, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const asked = request(
      `${origin}${path}`,
      { method, headers, setHost: false, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () => resolveAnswer({ status: response.statusCode ?? 0, body: text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

describe('what listens', () => {
  async function sandbox(): Promise<{ origin: string; port: string; host: string }> {
    const venue = await startSandbox({ seed: 1, days: 2, now: new Date('2026-06-30T00:00:00Z') })
    onTestFinished(() => venue.close())
    const { port, host } = new URL(venue.baseUrl)
    return { origin: venue.baseUrl, port, host }
  }

  test('is only the sandbox, only on loopback', async () => {
    expect(filesWith(/createServer\(/)).toEqual(['sandbox/http/server.ts'])
    const { origin, port } = await sandbox()
    expect(origin).toBe(`http://127.0.0.1:${port}`)
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    for (const { address } of others)
      await expect(
        ask(`http://${address}:${port}`, '/truth', { host: `127.0.0.1:${port}` }),
      ).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      })
  })

  test('answers programs of this machine', async () => {
    const { origin, port } = await sandbox()
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      '127.0.0.1',
    ])
      expect([host, (await ask(origin, '/truth', { host })).status]).toEqual([host, 200])
    const page = { host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` }
    expect((await ask(origin, '/truth', page)).status).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example#127.0.0.1',
    '127.0.0.1@evil.example',
    '10.0.0.1',
    '0.0.0.0',
    '[::ffff:10.0.0.1]',
    '',
  ])('refuses a request for the host %j, as a rebound name would send it', async (host) => {
    const { origin } = await sandbox()

    const { status, body } = await ask(origin, '/truth', { host })

    expect([status, JSON.parse(body).msg]).toEqual([403, 'the Host is not this machine'])
  })

  test.each([
    'https://evil.example',
    'http://127.0.0.1.evil.example',
    'null',
    'file://',
    'http://localhost@evil.example',
  ])('refuses a request from the origin %s', async (from) => {
    const { origin, host } = await sandbox()

    const { status, body } = await ask(origin, '/truth', { host, origin: from })

    expect([status, JSON.parse(body).msg]).toEqual([403, 'the Origin is not this machine'])
  })

  test('changes nothing without a signature, and accepts no endless body', async () => {
    const { origin, host } = await sandbox()
    const headers = { host, 'content-type': 'application/json' }

    const unsigned = await ask(
      origin,
      '/api/v2/spot/trade/place-order',
      headers,
      Buffer.from('{"symbol":"BTCUSDT"}'),
    )
    const large = await ask(origin, '/api/v2/spot/trade/place-order', headers, Buffer.alloc(2 << 20, ' '))

    expect(JSON.parse(unsigned.body).code).toBe('40001')
    expect(large.status).toBe(413)
  })
})

describe('the credentials file', () => {
  test.each([0o640, 0o604, 0o644, 0o660, 0o666, 0o620, 0o602, 0o610, 0o601, 0o777])(
    'with mode %o is refused',
    (mode) => {
      const file = join(temporaryFolder(), 'credentials.yaml')
      writeFileSync(file, 'main: { key: "a", secret: "b", passphrase: "c" }\n')
      chmodSync(file, mode)
      const link = `${file}.link`
      symlinkSync(file, link)

      for (const path of [file, link])
        expect(() => readCredentials(path)).toThrow('The credentials file can be read by others.')
    },
  )

  test('that only its owner may read is accepted', () => {
    const file = join(temporaryFolder(), 'credentials.yaml')
    writeFileSync(file, 'main: { key: "a", secret: "b", passphrase: "c" }\n')
    for (const mode of [0o600, 0o400]) {
      chmodSync(file, mode)
      expect(readCredentials(file)).toEqual({ main: { key: 'a', secret: 'b', passphrase: 'c' } })
    }
    expect(existsSync(file)).toBe(true)
  })
})

describe('packages that a user installs', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<
      string,
      { dev?: boolean; hasInstallScript?: boolean; optional?: boolean; integrity?: string }
    >
  }
  const production = Object.entries(lock.packages).filter(([name, { dev }]) => name !== '' && dev !== true)
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)

  test('run no scripts when they are installed', () => {
    expect(production.filter(([, one]) => one.hasInstallScript === true).map(([name]) => name)).toEqual([])
  })

  test('are the same number as before: adding one is a decision', () => {
    const names = new Set(production.map(([path]) => nameOf(path)))
    const platforms = [...names].filter((name) => name.startsWith('@duckdb/node-bindings-'))
    expect(platforms).toHaveLength(8)
    expect([...names].filter((name) => !platforms.includes(name))).toEqual([
      '@duckdb/node-bindings',
      'detect-libc',
    ])
  })

  test('are exactly the files that were locked', () => {
    const loose = production.filter(
      ([, { optional, integrity }]) => optional !== true && !/^sha512-/.test(integrity ?? ''),
    )
    expect(loose.map(([name]) => name)).toEqual([])
  })
})
