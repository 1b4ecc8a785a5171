// A build on a server that fails, falls silent or goes away within it, and what stays published then.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { buildOnClickHouse } from '../../pipeline/clickhouse/build.ts'
import { landOn } from '../../pipeline/clickhouse/landing.ts'
import { Server } from '../../pipeline/clickhouse/server.ts'
import { States } from '../../pipeline/clickhouse/states.ts'
import type { BuildResult } from '../../pipeline/ledger/build.ts'
import { TestBooks } from '../support/books.ts'
import { temporaryFolder } from '../support/cli.ts'
import { type FakeServer, fakeServer, type Said, VERSION } from './fake-server.ts'

const settingsOf = (url: string) => ({ url, database: 'books', user: 'default', password: '' })

/** A server without databases, on which every statement is carried out but those for which there is another answer. */
const emptyServer = (otherwise: (statement: string) => Said | undefined): Promise<FakeServer> =>
  fakeServer(({ statement }) => {
    const other = otherwise(statement)
    if (other !== undefined) return other
    if (statement.startsWith('select version')) return VERSION
    return { body: statement.startsWith('select count()') ? '["0"]\n' : '' }
  })

const droppedOn = ({ asked }: FakeServer): string[] =>
  asked.flatMap(
    ({ statement }) => /^drop database if exists "books_b\d+(.*)" sync$/.exec(statement)?.[1] ?? [],
  )

/** Of one build, behind its own name. */
const DATABASES = ['', '_staging', '_checks', '_part', '_part_staging', '_part_checks', '_part_landing']

let books: TestBooks

beforeAll(async () => {
  books = await TestBooks.open()
})

afterAll(() => books.close())

const buildOn = ({ url }: FakeServer, signal: AbortSignal): Promise<BuildResult> =>
  buildOnClickHouse(
    {
      dir: books.dir,
      landing: books.landing,
      now: new Date('2026-11-01T00:00:00Z'),
      clock: systemClock,
      config: { accounts: [], publishPersonalData: false },
      only: ['accounts'],
      signal,
    },
    settingsOf(url),
  )

test.each([
  ['goes away', { end: 'broken off' }, { name: 'ClickHouseUnreachable', exitCode: 5 }],
  [
    'has no room',
    {
      status: 500,
      code: '243',
      body: 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB. (NOT_ENOUGH_SPACE)',
    },
    { name: 'BuildFailed', exitCode: 1, details: { found: 'Cannot reserve 1.00 MiB. ' } },
  ],
  ['is stopped', { end: 'never' }, { name: 'BuildStopped', exitCode: 5 }],
] as const)('a build whose server %s while it runs drops what it created', async (_what, said, error) => {
  const stop = new AbortController()
  const server = await emptyServer((statement) => {
    if (!/^insert into "books_b\d+"."accounts"\n/.test(statement)) return undefined
    if ('end' in said && said.end === 'never') setTimeout(() => stop.abort(), 50)
    return said
  })
  await expect(buildOn(server, stop.signal)).rejects.toMatchObject(error)
  expect(droppedOn(server)).toEqual(DATABASES)
  expect(readdirSync(join(books.dir, 'tmp'))).toEqual([])
})

test('a build that was asked to stop before it started requests nothing from a server', async () => {
  const server = await emptyServer(() => undefined)
  await expect(buildOn(server, AbortSignal.abort())).rejects.toMatchObject({ name: 'BuildStopped' })
  expect(server.asked).toEqual([])
})

test('a published state stays, whatever is refused after the switch', async () => {
  let build = ''
  const server = await emptyServer((statement) => {
    build = /^insert into "books"."published" values \('(\w+)'/.exec(statement)?.[1] ?? build
    if (statement.includes('create or replace view'))
      return {
        status: 500,
        code: '497',
        body: 'Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)',
      }
    if (build === '') return undefined
    if (statement.includes('system.tables')) return { body: '["1"]\n' }
    return statement.startsWith('select build') ? { body: `["${build}"]\n` } : undefined
  })
  const opened = await Server.open(settingsOf(server.url))
  const states = new States([opened], 'books')
  const state = await states.create(new Date('2026-11-01T00:00:00Z'))
  await expect(states.publish(state, ['balances'], { keepsLast: true })).rejects.toMatchObject({
    message: 'The books are published, but the server failed to complete the follow-up steps.',
    details: { found: 'Not enough privileges. ' },
  })
  await states.drop(state)
  await opened.close()
  expect(build).toBe('b20261101000000000')
  expect(droppedOn(server)).toEqual([])
})

describe('what has landed', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
    await connection.run(
      "attach ':memory:' as landing; create table landing.main.state as select 7 as landed_seq",
    )
  })
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })

  async function land({ url }: FakeServer, anew = false): Promise<boolean> {
    const server = await Server.open(settingsOf(url))
    const options = { servers: [server] as const, folder: temporaryFolder(), connection, database: 'books' }
    return await landOn({ ...options, origin: 'now', anew }).finally(() => server.close())
  }

  test('may have been erased since the last publication by a build that failed afterwards', async () => {
    let origin = ''
    let published = ''
    const server = await emptyServer((statement) => {
      origin = /where origin = '(\w+)'/.exec(statement)?.[1] ?? origin
      // All has landed, by this origin.
      if (statement.startsWith('select seq')) return { body: '["7"]\n' }
      return statement.startsWith('select origin') ? { body: `["${published || origin}"]\n` } : undefined
    })
    expect(await land(server)).toBe(false)
    published = 'before'
    expect(await land(server)).toBe(true)
  })

  test('is transferred again if that was interrupted', async () => {
    let last: string | undefined
    let isFull = false
    const server = await emptyServer((statement) => {
      last = /^insert into "books"."landed" select '(\w*)'/.exec(statement)?.[1] ?? last
      const asked = /^select seq .* where origin = '(\w+)'/.exec(statement)?.[1]
      if (asked !== undefined && asked === last) return { body: '["7"]\n' }
      if (isFull && statement.startsWith('create table "books_landing"'))
        return { status: 500, code: '243', body: 'Code: 243. DB::Exception: No space. (NOT_ENOUGH_SPACE)' }
      return undefined
    })
    const drops = (): number =>
      server.asked.filter(({ statement }) => statement.startsWith('drop database if exists "books_landing" '))
        .length
    await land(server)
    await land(server)
    expect(drops()).toBe(1)
    isFull = true
    await expect(land(server, true)).rejects.toThrow('failed to execute')
    isFull = false
    await land(server)
    expect(drops()).toBe(3)
  })
})
