// How the configuration and the command line name a ClickHouse server, and where its credentials come from.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TieoutError } from '../../models/error.ts'
import { clickHouseSettings } from '../../pipeline/clickhouse/settings.ts'
import { clickHouseConfig, readConfig } from '../../pipeline/config/config.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

function configOf(text: string) {
  const file = join(temporaryFolder(), 'tieout.yaml')
  writeFileSync(file, text)
  return readConfig(file, [])
}

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof TieoutError) return error.describe()
  }
  throw new Error('Nothing was refused.')
}

test('the configuration names the server; user and password come from the environment', () => {
  const config = configOf('engine:\n  clickhouse: { url: https://ch.example.com:8443, database: books }\n')
  const { clickhouse } = config?.engine ?? {}
  if (clickhouse === undefined) throw new Error('It is not there.')
  const environment = { TIEOUT_CLICKHOUSE_USER: 'u', TIEOUT_CLICKHOUSE_PASSWORD: 'p' }
  expect(clickHouseSettings(clickhouse, environment)).toEqual({
    url: 'https://ch.example.com:8443',
    database: 'books',
    user: 'u',
    password: 'p',
  })
  expect(clickHouseSettings(clickhouse, {})).toMatchObject({ user: 'default', password: '' })
})

test.each([
  [
    'http to another machine',
    'url: http://ch.example.com:8123',
    'https, or with http if it is on this machine',
  ],
  [
    'a password in the address',
    'url: "https://u:p@ch.example.com"',
    'https, or with http if it is on this machine',
  ],
  ['a database that would need quotes', 'url: "https://ch", database: a-b', 'letters, digits and _'],
  [
    'a password in the configuration',
    'url: "https://ch", password: p',
    'one of url, database, shards, ca_file',
  ],
])('%s is refused', (_what, keys, expected) => {
  expect(refusal(() => configOf(`engine:\n  clickhouse: { ${keys} }\n`))).toContain(expected)
})

test('an engine without an address is refused, with what to add', () => {
  expect(refusal(() => clickHouseConfig({}))).toBe(
    [
      'The ClickHouse server is not named correctly.',
      '  where:    --url',
      '  expected: the address of the server, such as https://clickhouse.example.com:8443',
      '  next:     Correct it, or name the server under engine.clickhouse in the configuration.',
    ].join('\n'),
  )
})

test('certificates that do not exist are named', () => {
  const clickhouse = { url: 'https://ch', database: 'tieout', ca_file: '/nowhere/ca.pem' }
  expect(refusal(() => clickHouseSettings(clickhouse, {}))).toContain('/nowhere/ca.pem')
})

test('what only files can do is refused, and no older ledger is shown instead', async () => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'tieout.yaml'), 'engine:\n  clickhouse: { url: "http://127.0.0.1:1" }\n')
  const served = await command(['serve', '--dir', dir])
  expect([served.code, served.stderr]).toEqual([
    2,
    expect.stringContaining('serve works only on books built by DuckDB.'),
  ])
  const status = await command(['status', '--dir', dir])
  expect([status.code, status.stderr]).toEqual([5, expect.stringContaining('does not answer')])
})
