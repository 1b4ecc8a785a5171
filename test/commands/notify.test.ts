// Which runs are notified, and with what: through a real command and a real server, after everything is closed, without secrets.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { messageOf, type NotifyMessage, notify, type RunReport } from '../../pipeline/commands/notify.ts'
import { readConfig } from '../../pipeline/config/config.ts'
import { exampleConfig } from '../../pipeline/config/example.ts'
import type { Break } from '../../pipeline/ledger/breaks.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { HeldClock, turns } from '../support/venue.ts'

const at = (iso: string): number => Date.parse(iso)

const broken = (breakId: string, severity: Break['severity'], firstSeenAt: string): Break => ({
  breakId,
  checkName: 'balance_chain',
  severity,
  account: 'main',
  ledger: 'UNIFIED',
  coin: 'BTC',
  occurredAt: null,
  expected: '1234.5',
  found: '1',
  difference: '-1233.5',
  explanation: 'Jane Roe is missing 1233.5 BTC.',
  evidence: '[]',
  firstSeenAt,
  status: 'open',
  note: null,
  notedAt: null,
  figuresHash: 'f',
})

const report = (more: Partial<RunReport>): RunReport => ({
  run: 'r1',
  command: 'nightly',
  startedAt: at('2026-02-01T03:00:00Z'),
  endedAt: at('2026-02-01T03:05:00Z'),
  exitCode: 0,
  ...more,
})

const built = (openBreaks: readonly Break[], published = true): RunReport['build'] => ({
  published,
  path: 'ledger.duckdb',
  breaks: { error: 0, warning: openBreaks.length, notice: 0 },
  openBreaks,
  explainedBreaks: [],
  tables: [],
  found: new Map(),
})

const BOTH = ['failure', 'new_breaks'] as const

describe('the message', () => {
  test('is not sent for a run without a failure or new breaks', () => {
    const old = broken('b1', 'warning', '2026-01-31T03:00:00.000Z')
    const notice = broken('b2', 'notice', '2026-02-01T03:00:01.000Z')

    expect(messageOf(report({ exitCode: 3, build: built([old, notice]) }), BOTH)).toBeNull()
  })

  test('for new breaks has their id, check and severity, but no amount and none of their text', () => {
    const breaks = [
      broken('b1', 'warning', '2026-01-31T03:00:00.000Z'),
      broken('b2', 'warning', '2026-02-01T03:04:00.000Z'),
    ]

    const message = messageOf(report({ exitCode: 3, build: built(breaks) }), BOTH)

    expect(message).toMatchObject({
      events: ['new_breaks'],
      run_id: 'r1',
      outcome: 'open breaks',
      exit_code: 3,
      published: true,
      open_breaks: { error: 0, warning: 2, notice: 0 },
      new_breaks: [{ break_id: 'b2', check_name: 'balance_chain', severity: 'warning' }],
      new_break_count: 1,
      error: null,
    })
    expect(JSON.stringify(message)).not.toMatch(/1233|Jane|BTC/)
  })

  test('is a failure for an unpublished build, a thrown error and an incomplete run', () => {
    const thrown = report({ exitCode: 1, error: new TypeError('token=abc123') })

    expect(messageOf(report({ build: built([], false) }), BOTH)).toMatchObject({
      events: ['failure'],
      published: false,
    })
    expect(messageOf(report({ exitCode: 5 }), BOTH)).toMatchObject({
      events: ['failure'],
      outcome: 'incomplete',
    })
    expect(messageOf(thrown, BOTH)).toMatchObject({ error: { name: 'TypeError', message: null } })
    expect(messageOf(thrown, ['new_breaks'])).toBeNull()
  })
})

interface Hook {
  readonly url: string
  readonly received: { headers: IncomingHttpHeaders; body: string; path: string }[]
}

/** A server that answers with this status, or never. */
async function hook(status: number | null): Promise<Hook> {
  const received: Hook['received'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body, path: request.url ?? '' })
    if (status !== null) response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t0psecret`, received }
}

/** A program of its own, as a user would have one. */
function program(lines: readonly string[]): { file: string; dir: string } {
  const dir = temporaryFolder()
  const file = join(dir, 'program')
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  chmodSync(file, 0o700)
  return { file, dir }
}

const message = messageOf(report({ exitCode: 5 }), BOTH) as NotifyMessage
const tell = (settings: { command?: string[]; url?: string }, environment: NodeJS.ProcessEnv = process.env) =>
  notify({ on: BOTH, ...settings }, message, systemClock, environment)

describe('a command', () => {
  test('gets the message on its standard input and its arguments unchanged, without a shell and without credentials', async () => {
    const { file, dir } = program(['cat > "$0.in"', 'printf "%s" "$1" > "$0.word"', 'env > "$0.env"'])
    const environment = { PATH: process.env.PATH, TIEOUT_MAIN_SECRET: 'hush', OTHER: 'kept' }

    expect(await tell({ command: [file, '$(id); `id` && x'] }, environment)).toEqual([])

    expect(JSON.parse(readFileSync(join(dir, 'program.in'), 'utf8'))).toEqual(message)
    expect(readFileSync(join(dir, 'program.word'), 'utf8')).toBe('$(id); `id` && x')
    const seen = readFileSync(join(dir, 'program.env'), 'utf8')
    expect([seen.includes('hush'), seen.includes('OTHER=kept')]).toEqual([false, true])
  })

  test.each([
    [['exit 3'], 'it ended with code 3'],
    [['kill -9 $$'], 'it ended by SIGKILL'],
  ])('that fails is told of: %j', async (lines, reason) => {
    expect(await tell({ command: [program(lines).file] })).toEqual([{ by: 'command', reason }])
  })

  test('that does not exist, or is not a program, is reported', async () => {
    const told = async (path: string) => (await tell({ command: [path] })).map(({ reason }) => reason)
    expect(await told('/nowhere/program')).toEqual(['there is no such program (ENOENT)'])
    expect(await told('/')).toEqual(['the program may not be run (EACCES)'])
  })

  test('that does not read, or gets more than it reads, does no harm', async () => {
    const large = {
      ...message,
      new_breaks: Array.from({ length: 5_000 }, () => ({
        break_id: 'x'.repeat(60),
        check_name: 'c',
        severity: 'error' as const,
      })),
    }
    const { file } = program(['exit 0'])

    expect(await notify({ on: BOTH, command: [file] }, large, systemClock, process.env)).toEqual([])
  })

  test('that never ends is killed, with everything it started', async () => {
    const { file, dir } = program(['sleep 300 &', 'echo $! > "$0.child"', 'wait'])
    const clock = new HeldClock()

    const told = notify({ on: BOTH, command: [file] }, message, clock, process.env)
    while (!existsSync(join(dir, 'program.child')) || readFileSync(join(dir, 'program.child'), 'utf8') === '')
      await turns()
    await clock.advance(15_000)

    expect(await told).toEqual([{ by: 'command', reason: 'no end within 15 s' }])
    const child = Number(readFileSync(join(dir, 'program.child'), 'utf8'))
    while (isRunning(child)) await turns()
  })
})

/** Its remains, which nobody has collected yet, do not count. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('a URL', () => {
  test('gets the message by POST, and no credentials of the venue', async () => {
    const { url, received } = await hook(204)

    expect(await tell({ url })).toEqual([])

    expect(received.map(({ body, path }) => [JSON.parse(body), path])).toEqual([
      [message, '/hook?token=t0psecret'],
    ])
    expect(
      Object.keys(received[0]?.headers ?? {}).filter((name) => /access|auth|cookie/i.test(name)),
    ).toEqual([])
  })

  test.each([
    [500, 'HTTP 500'],
    [302, 'HTTP 302'],
  ])('that answers %i is told of, and not followed', async (status, reason) => {
    const { url, received } = await hook(status)

    expect(await tell({ url })).toEqual([{ by: 'url', reason }])
    expect(received).toHaveLength(1)
  })

  test('that refuses connections or never answers is reported without any part of the URL', async () => {
    const { url, received } = await hook(null)
    const clock = new HeldClock()

    const told = notify({ on: BOTH, url }, message, clock, process.env)
    while (received.length === 0) await turns()
    await clock.advance(15_000)

    expect(await told).toEqual([{ by: 'url', reason: 'no end within 15 s' }])
    expect(await tell({ url: 'http://127.0.0.1:1/t0psecret' })).toEqual([
      { by: 'url', reason: 'ECONNREFUSED' },
    ])
  })
})

describe('the configuration', () => {
  const read = (yaml: string) => {
    const file = join(temporaryFolder(), 'tieout.yaml')
    writeFileSync(file, yaml)
    return readConfig(file, [])
  }

  test('takes a command, a URL, or both, and notifies of everything by default', () => {
    expect(read('notify: { command: [page-me, --now] }')?.notify).toEqual({
      command: ['page-me', '--now'],
      on: [...BOTH],
    })
    for (const url of [
      'https://example.com/x',
      'http://127.0.0.1:8080/',
      'http://localhost/x',
      'http://[::1]:1/',
    ])
      expect(read(`notify: { url: "${url}", on: [failure] }`)?.notify).toEqual({ url, on: ['failure'] })
  })

  test.each([
    '{}',
    '{ on: [failure] }',
    '{ command: [] }',
    '{ command: page-me }',
    '{ command: [x], on: [] }',
    '{ command: [x], on: [everything] }',
    '{ url: "http://example.com/" }',
    '{ url: "http://127.0.0.1.example.com/" }',
    '{ url: "https://me:secret@example.com/" }',
    '{ url: "file:///etc/passwd" }',
    '{ url: "ftp://127.0.0.1/" }',
    '{ url: nothing }',
    '{ command: [x], shell: true }',
  ])('refuses %s', (notify) => {
    expect(() => read(`notify: ${notify}`)).toThrow('The configuration has')
  })

  test('written by init is valid as it is, and explains notify', () => {
    const example = exampleConfig('https://api.example.com', 'generic or us')
    const commented = example.replace(/^# (notify:| {2}(command|url|on):)/gm, '$1')

    expect(read(example)).toMatchObject({
      accounts: { main: { credentials: 'env' } },
      history: {},
      reports: {},
    })
    expect(read(commented)?.notify).toEqual({
      command: ['/usr/local/bin/page-me', '--tieout'],
      url: 'https://example.com/hook',
      on: [...BOTH],
    })
  })
})

describe('a run', { timeout: 120_000 }, () => {
  test('that fails notifies after the lock is released, and if notifying fails keeps its code and reports that', async () => {
    const dir = temporaryFolder()
    const { file, dir: beside } = program(['cat > "$0.in"', `ls "${dir}" > "$0.ls"`, 'exit 7'])
    mkdirSync(join(dir, 'journal'))
    writeFileSync(
      join(dir, 'tieout.yaml'),
      `venue: { base_url: "http://127.0.0.1:1" }\naccounts: { main: {} }\nnotify: { command: ["${file}"] }\n`,
    )
    const environment = Object.fromEntries(['KEY', 'SECRET'].map((name) => [`TIEOUT_MAIN_${name}`, 'x']))

    const { code, stderr } = await tieout(['nightly', '--dir', dir, '--log-level', 'info'], environment)

    expect(code).toBe(2)
    expect(stderr).toContain('The credentials of account main are incomplete.')
    expect(stderr).toContain(
      'The notification for this run was not delivered: the command of notify failed (it ended with code 7).',
    )
    const told = JSON.parse(readFileSync(join(beside, 'program.in'), 'utf8')) as NotifyMessage
    expect(told).toMatchObject({
      events: ['failure'],
      command: 'nightly',
      exit_code: 2,
      error: { name: 'UsageError' },
    })
    expect(readFileSync(join(beside, 'program.ls'), 'utf8')).not.toContain('lock')
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line) => (JSON.parse(line) as { run: string }).run)).toEqual(
      lines.map(() => told.run_id),
    )
    expect(lines.length).toBeGreaterThan(0)
  })

  test.each([
    ['sync', 'histroy: {}\naccounts: { main: {} }', 'The configuration has an unknown key: histroy.'],
    ['nightly', 'accounts: { main: { uid: 7 } }', 'The configuration has a bad value at accounts.main.uid.'],
    ['nightly', 'accounts: {}', 'The configuration has no accounts.'],
    [
      'nightly',
      'history: { feeds: [tax.record] }\naccounts: { main: {} }',
      'The configuration names an endpoint that does not exist: tax.record.',
    ],
    ['nightly --from 2999-01-01', 'accounts: { main: {} }', '--from lies in the future.'],
  ])('%s that its configuration or its words keep from starting tells so: %s', async (words, yaml, says) => {
    const dir = temporaryFolder()
    const { file, dir: beside } = program(['cat > "$0.in"'])
    writeFileSync(join(dir, 'tieout.yaml'), `${yaml}\nnotify: { command: ["${file}"] }\n`)

    const { code, stderr } = await command([...words.split(' '), '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toContain(says)
    expect(JSON.parse(readFileSync(join(beside, 'program.in'), 'utf8'))).toMatchObject({
      events: ['failure'],
      command: words.split(' ')[0],
      exit_code: 2,
      error: { name: 'UsageError', message: says },
      published: null,
    })
    expect(readdirSync(dir)).toEqual(['tieout.yaml'])
  })

  test.each([
    ['no YAML', 'accounts: { main: {}\n'],
    ['a notify that is refused itself', 'notify: { command: page-me }\naccounts: { main: {} }\n'],
    ['nobody to tell', 'accounts: { main: { uid: 7 } }\n'],
  ])('%s tells nobody, and says what is wrong', async (_what, yaml) => {
    const dir = temporaryFolder()
    const { file, dir: beside } = program(['cat > "$0.in"'])
    writeFileSync(join(dir, 'tieout.yaml'), yaml.replace('page-me', file))

    const { code, stderr } = await command(['nightly', '--dir', dir])

    expect(code).toBe(2)
    expect(stderr).toContain('The configuration ')
    expect(existsSync(join(beside, 'program.in'))).toBe(false)
  })

  test('that cannot reach the venue notifies with the account, the class and a plain sentence', async () => {
    const dir = temporaryFolder()
    const { file, dir: beside } = program(['cat > "$0.in"'])
    writeFileSync(
      join(dir, 'tieout.yaml'),
      `venue: { base_url: "http://127.0.0.1:1" }\naccounts: { main: {} }\nnotify: { command: ["${file}"] }\n`,
    )
    const names = ['KEY', 'SECRET', 'PASSPHRASE']
    const environment = Object.fromEntries(names.map((name) => [`TIEOUT_MAIN_${name}`, 'x']))

    const { code, stderr } = await tieout(['nightly', '--dir', dir], environment)

    const message = '127.0.0.1:1 refused the connection: account.settings for account main.'
    expect(code).toBe(5)
    const told = JSON.parse(readFileSync(join(beside, 'program.in'), 'utf8')) as NotifyMessage
    expect(told).toMatchObject({
      events: expect.arrayContaining(['failure']),
      failures: [{ account: 'main', class: 'refused', message }],
    })
    const logged = stderr.split('\n').filter((line) => line.startsWith('{'))
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { account: 'main', class: 'refused', msg: message },
    ])
    expect(stderr).toContain(
      'next:     Check venue.base_url with its port, and whether a firewall or a proxy is in between. Then run again',
    )
  })
})
