// Whom `tieout serve` answers and whom it refuses: each rule of docs/page.md, "Security", over real HTTP.
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../models/clock.ts'
import { Guard } from '../../pipeline/serve/guard.ts'
import { publish } from '../reports/books.ts'
import { startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { type Serving, servingFor, startServing } from './serving.ts'

let dir: string
let serving: Serving & { readonly end: () => Promise<void> }
beforeAll(async () => {
  dir = await publish([
    "insert into runs values ('r1', now(), now(), 'nightly', 3, 5, 0, 'done')",
    `insert into breaks values ('b1', 'coverage', 'warning', 'main', null, null, null, null, null, null, 'x', '[]', now(), 'open')`,
  ])
  serving = await startServing(dir, ['--log-level', 'debug'])
})
afterAll(() => serving.end())

const cookie = (): Record<string, string> => ({
  cookie: `tieout-${serving.port}=${serving.secret}`,
  'sec-fetch-site': 'same-origin',
})

const RUNS = '/api/runs'

describe('the printed address', () => {
  test('a code becomes a cookie that scripts of the page cannot read, at an address without it', async () => {
    const own = await servingFor(dir)
    const { pathname, search } = new URL(own.url)
    expect([new URL(own.url).hostname, own.secret.length]).toEqual(['127.0.0.1', 43])
    const used = await own.ask(pathname + search)
    expect([used.status, used.headers['set-cookie']]).toEqual([401, undefined])
  })

  test('entering answers with the cookie of this port and a clean address', async () => {
    const guard = new Guard(4711, heldClock())
    const set = guard.redeem(guard.newCode())
    expect(set).toMatch(/^tieout-4711=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
  })

  test('a code works once', () => {
    const guard = new Guard(4711, heldClock())
    const code = guard.newCode()
    expect([guard.redeem(code) !== null, guard.redeem(code)]).toEqual([true, null])
  })

  test('a code expires after a minute', () => {
    const clock = heldClock()
    const guard = new Guard(4711, clock)
    const [early, late] = [guard.newCode(), guard.newCode()]
    clock.now = 59_999
    expect(guard.redeem(early)).not.toBeNull()
    clock.now = 60_000
    expect(guard.redeem(late)).toBeNull()
  })

  test('an unknown code is refused', async () => {
    expect((await serving.ask('/?code=guess')).status).toBe(401)
  })

  test('each start has a new secret', async () => {
    expect((await servingFor(dir)).secret).not.toBe(serving.secret)
  })
})

describe('the host', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]'])('%s of this port is answered', async (name) => {
    const { status } = await serving.ask(RUNS, { headers: cookie(), host: `${name}:${serving.port}` })
    expect(status).toBe(200)
  })

  test.each([
    (port: number) => `evil.example:${port}`,
    (port: number) => `127.0.0.1.evil.example:${port}`,
    (port: number) => `127.0.0.1:${port + 1}`,
    () => '127.0.0.1',
    () => 'localhost',
    (port: number) => `LOCALHOST:${port}`,
    (port: number) => `0.0.0.0:${port}`,
  ])('another name is refused before anything is routed (%#)', async (nameOf) => {
    for (const path of [RUNS, '/', '/nowhere']) {
      const { status, text } = await serving.ask(path, { headers: cookie(), host: nameOf(serving.port) })
      expect([path, status]).toEqual([path, 403])
      expect(text).not.toContain(serving.secret)
    }
  })
})

describe('where a request comes from', () => {
  test.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'https://127.0.0.1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('a read for another site is refused: %o', async (headers) => {
    expect(
      (await serving.ask(RUNS, { headers: { ...cookie(), ...headers } as Record<string, string> })).status,
    ).toBe(403)
  })

  test('a read that the user asked for is answered', async () => {
    expect((await serving.ask(RUNS, { headers: { ...cookie(), 'sec-fetch-site': 'none' } })).status).toBe(200)
  })

  test('a request from a browser that does not state its origin is refused', async () => {
    const headers = { cookie: cookie().cookie as string }
    expect((await serving.ask(RUNS, { headers })).status).toBe(403)
  })

  const note = (headers: Record<string, string>, body = '{"note":"x"}') =>
    serving.ask('/api/console/cancel', { method: 'POST', headers, body })
  const json = { 'content-type': 'application/json' }

  test('a write needs its own origin, the same site and JSON', async () => {
    const own = { ...cookie(), origin: serving.origin, ...json }
    expect((await note(own, '{"id":"none"}')).status).toBe(204)
    expect((await note({ ...cookie(), ...json })).status).toBe(403)
    expect((await note({ ...own, 'sec-fetch-site': 'none' })).status).toBe(403)
    expect((await note({ ...own, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await note({ ...own, origin: 'http://evil.example' })).status).toBe(403)
    expect((await note({ ...own, origin: `http://localhost:${serving.port}` })).status).toBe(403)
  })

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', ''])(
    'a form is refused: %s',
    async (type) => {
      const headers = {
        ...cookie(),
        origin: serving.origin,
        ...(type === '' ? {} : { 'content-type': type }),
      }
      expect((await note(headers)).status).toBe(415)
    },
  )

  test('no answer allows another site anything, even after a preflight request', async () => {
    const asked = await serving.ask(RUNS, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(asked.status).toBe(403)
    expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('the secret', () => {
  test.each(['/', RUNS, '/assets/index.js', '/api/nowhere', '/index.html', '/api/events'])(
    'without it nothing is answered: %s',
    async (path) => {
      expect((await serving.ask(path, { headers: { 'sec-fetch-site': 'none' } })).status).toBe(401)
    },
  )

  test.each(['', 'x', 'A'.repeat(43), 'tieout'])('a wrong one is refused: %s', async (wrong) => {
    expect((await serving.ask(RUNS, { headers: { authorization: `Bearer ${wrong}` } })).status).toBe(401)
    const headers = { ...cookie(), cookie: `tieout-${serving.port}=${wrong}` }
    expect((await serving.ask(RUNS, { headers })).status).toBe(401)
  })

  test('the cookie of another port is not valid for this one', async () => {
    const headers = { ...cookie(), cookie: `tieout-${serving.port + 1}=${serving.secret}` }
    expect((await serving.ask(RUNS, { headers })).status).toBe(401)
  })

  test('a script sends it in a header', async () => {
    expect((await serving.get<{ runs: { rows: unknown[] } }>(RUNS)).runs.rows).toHaveLength(1)
  })

  test('neither the secret nor a code appears in a log or an answer', async () => {
    const { code } = Object.fromEntries(new URL(serving.url).searchParams)
    const texts: string[] = []
    const note = (text: string): number => texts.push(text)
    serving.running.child.stderr?.on('data', note)
    for (const path of ['/?code=guess', RUNS, '/nowhere', '/api/proof?id=x'])
      texts.push((await serving.ask(path, { headers: cookie() })).text)
    serving.running.child.stderr?.off('data', note)
    expect(texts.length).toBeGreaterThan(4)
    expect(texts.join('\n')).not.toContain(serving.secret)
    expect(texts.join('\n')).not.toContain(String(code))
    expect(texts.join('\n')).not.toContain('guess')
  })
})

describe('every answer', () => {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
    "trusted-types 'none'"

  test.each([
    [RUNS, 200],
    ['/nowhere', 404],
    ['/api/nowhere', 404],
    ['/api/runs?cursor=garbage', 400],
    ['/?code=guess', 401],
  ])('%s: nothing from elsewhere, nothing kept', async (path, status) => {
    const { headers, status: found } = await serving.ask(path, { headers: cookie() })
    expect([
      found,
      headers['content-security-policy'],
      headers['x-content-type-options'],
      headers['referrer-policy'],
      headers['cross-origin-resource-policy'],
      headers['cross-origin-opener-policy'],
      headers['cache-control'],
    ]).toEqual([status, policy, 'nosniff', 'no-referrer', 'same-origin', 'same-origin', 'no-store'])
  })

  test.each([
    '/..%2f..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/..%5c..%5cpackage.json',
    '/%252e%252e%252fpackage.json',
    '/assets/../../package.json',
    '//etc/passwd',
    '/index.html%00.js',
    '/tieout.yaml',
    '/ledger.duckdb',
    '/api/csv/..%2f..%2fledger',
    '/api/csv/__proto__',
    '/api/filings/..%2f..%2ftieout',
  ])('no path leads to a file: %s', async (path) => {
    const { status, text } = await serving.ask(path, { headers: cookie() })
    expect([400, 404]).toContain(status)
    expect(text).not.toMatch(/"name": "tieout"|root:|DUCK/)
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
    const headers = { authorization: `Bearer ${serving.secret}`, 'content-type': 'application/json' }
    expect((await serving.ask(RUNS, { method, headers, body: '{}' })).status).toBe(404)
  })

  test('a body that is too large is refused', async () => {
    const { status } = await serving.post('/api/console/run', { id: 'x', sql: 'x'.repeat(1_100_000) })
    expect(status).toBe(413)
  })

  test('a body without a length is refused, with the reason', async () => {
    const { port, secret } = serving
    for (const path of ['/api/console/run', '/api/breaks/x/note']) {
      const answer = await new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(port, '127.0.0.1')
        socket.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        socket.on('close', () => resolve(text))
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${secret}\r\nconnection: close\r\n` +
            'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        )
      })
      expect([path, answer.slice(9, 12)]).toEqual([path, '411'])
      expect(answer).toContain('The request does not state its length.')
    }
  })

  test('a body that is not an object is refused', async () => {
    for (const body of ['', '[]', 'null', '{', '"x"']) {
      const headers = { authorization: `Bearer ${serving.secret}`, 'content-type': 'application/json' }
      expect((await serving.ask('/api/console/run', { method: 'POST', headers, body })).status).toBe(400)
    }
  })
})

describe('the process', () => {
  test('it listens only on loopback', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of others) {
      const outcome = await new Promise((resolve) => {
        const socket = connect(serving.port, address, () => resolve('connected'))
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      })
      expect(outcome).toBe('ECONNREFUSED')
    }
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with code 0', async (signal) => {
    const { running } = await startServing(dir)
    running.child.kill(signal)
    const { code, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stderr).toContain('Stopping after the work in progress. Press Ctrl-C again to stop immediately.')
  })

  test('a client that goes away in the middle of a request is not a failure', async () => {
    const { running, port, secret, get } = await startServing(dir)
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /api/console/run HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${secret}\r\n` +
        'content-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await get('/api/about')
    socket.destroy()
    await get('/api/about')
    running.child.kill('SIGTERM')
    expect((await running.ended).stderr).not.toMatch(/a request failed|\n\s+at /)
  })

  test('a port in use is named, with code 2', async () => {
    const { child, ended } = await startTieout([
      'serve',
      '--port',
      String(serving.port),
      '--no-open',
      '--dir',
      dir,
    ])
    const { code, stderr } = await ended
    child.kill()
    expect([code, stderr]).toEqual([
      2,
      `tieout: Another program is listening on this port.
  where:    --port ${serving.port}
  expected: a free port on loopback
  next:     Name another port, or use \`--port 0\` for any free one.
`,
    ])
  })

  test('an invalid port is refused', async () => {
    const { code, stderr } = await command(['serve', '--port', '70000', '--no-open', '--dir', dir])
    expect([code, stderr]).toEqual([
      2,
      `tieout: --port is not a valid port.
  where:    --port
  expected: 0 to 65535
  found:    70000
  next:     Correct it.
`,
    ])
  })

  test('without a ledger it says what to do, with code 2', async () => {
    const { code, stderr } = await command(['serve', '--port', '0', '--no-open', '--dir', temporaryFolder()])
    expect(code).toBe(2)
    expect(stderr).toContain('There is no published ledger yet.')
  })

  test('the browser is opened with a separate address', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'bin-'))
    const { chmodSync, existsSync, readFileSync, writeFileSync } = await import('node:fs')
    const opened = join(bin, 'opened')
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    const { child, ended } = await startTieout(['serve', '--port', '0', '--json', '--dir', dir], {
      PATH: `${bin}:${process.env.PATH}`,
    })
    while (!existsSync(opened)) await new Promise((resolve) => setTimeout(resolve, 50))
    child.kill('SIGTERM')
    const { stdout } = await ended
    const printed = JSON.parse(stdout.split('\n')[0] ?? '') as { url: string }
    const address = readFileSync(opened, 'utf8').trim()
    expect(new URL(address).origin).toBe(new URL(printed.url).origin)
    expect(address).not.toBe(printed.url)
  })
})

function heldClock(): Clock & { now: number } {
  const clock = {
    now: 0,
    wall: () => clock.now,
    monotonic: () => clock.now,
    sleep: () => Promise.resolve(),
  }
  return clock
}
