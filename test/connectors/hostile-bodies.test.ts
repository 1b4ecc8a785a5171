// Answers without end: a limit stops each while it streams, whatever it would cost to hold it.
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createGzip, gzipSync } from 'node:zlib'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ExchangeFailure, exchange, type Incoming } from '../../connectors/http.ts'
import { systemClock } from '../../models/clock.ts'
import { JSON_DEPTH_MAX, JsonError, parseJson } from '../../models/json.ts'
import { taxRecord } from '../../models/records.ts'
import { rawRows } from '../../pipeline/landing/raw-row.ts'

const MEBIBYTE = 2 ** 20
/** As production has them, but for the time. */
const LIMITS = { timeoutMs: 60_000, maxBodyBytes: 64 * MEBIBYTE }

interface Asked {
  readonly outcome: Incoming | ExchangeFailure
  /** Beyond what the process had before. */
  readonly peakMiB: number
}

/** Asks an address once, through a connection pool of its own. */
async function ask(origin: string, limits = LIMITS): Promise<Asked> {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  onTestFinished(() => agent.destroy())
  const outgoing = { origin, method: 'GET', path: '/', headers: {}, body: '' } as const
  const before = process.memoryUsage().rss
  let peak = before
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 5)
  const outcome = await exchange(agent, outgoing, limits, systemClock, new AbortController().signal).catch(
    (error: unknown) => {
      if (error instanceof ExchangeFailure) return error
      throw error
    },
  )
  clearInterval(sampler)
  return { outcome, peakMiB: Math.round((peak - before) / MEBIBYTE) }
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server of bytes, for what no HTTP server would send. */
async function serveBytes(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const CHUNK = Buffer.alloc(MEBIBYTE, 'x')

/** Writes as fast as the other side reads; gives how much went out until it left. */
async function stream(response: ServerResponse | NodeJS.WritableStream, mebibytes: number): Promise<number> {
  let sent = 0
  let isOver = false
  const left = new Promise<void>((resolve) =>
    response.once('close', () => {
      isOver = true
      resolve()
    }),
  )
  while (sent < mebibytes && !isOver) {
    sent += 1
    if (!response.write(CHUNK)) await Promise.race([left, once(response, 'drain')])
  }
  response.end()
  return sent
}

describe('a body', () => {
  test('of 400 MB is refused at 64 MiB while it streams', async () => {
    let sent = 0
    const origin = await serve(async (_request, response) => {
      sent = await stream(response, 400)
    })

    const { outcome, peakMiB } = await ask(origin)

    expect(outcome).toMatchObject({
      kind: 'body too large',
      message: 'the answer is larger than 67108864 bytes',
    })
    // What lies in the buffers of the system was sent, and is not read.
    expect(sent).toBeLessThan(100)
    expect(peakMiB).toBeLessThan(250)
  })

  test('of 1 GB in a gzip of 1 MB is refused before it is unpacked', async () => {
    const bomb: Buffer[] = []
    const gzip = createGzip({ level: 9 })
    gzip.on('data', (piece: Buffer) => bomb.push(piece))
    await Promise.all([stream(gzip, 1024), new Promise((resolve) => gzip.once('end', resolve))])
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.concat(bomb))
    })

    const { outcome, peakMiB } = await ask(origin)

    expect(outcome).toMatchObject({ kind: 'body too large' })
    expect(peakMiB).toBeLessThan(350)
  }, 60_000)

  test('packed many times over is not unpacked', async () => {
    let body = Buffer.from('{}')
    for (let layer = 0; layer < 50; layer += 1) body = gzipSync(body)
    const encodings = Array.from({ length: 50 }, () => 'gzip').join(', ')
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encodings }).end(body)
    })

    const { outcome } = await ask(origin)

    expect(outcome).toMatchObject({ kind: 'body not decodable', message: '50 content encodings' })
  })

  test('that comes one byte at a time and never ends is given up when its time is over', async () => {
    const origin = await serve((_request, response) => {
      response.write('[')
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    })

    const { outcome } = await ask(origin, { ...LIMITS, timeoutMs: 300 })

    expect(outcome).toMatchObject({
      kind: 'time-out',
      message: 'no whole answer within 300 ms',
      head: { status: 200 },
    })
  })

  test('of endlessly nested JSON is refused without walking it', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`
      const before = performance.now()
      expect(() => parseJson(nested(1_000_000)), open).toThrow(JsonError)
      expect(() => parseJson(open.repeat(5_000_000)), open).toThrow(JsonError)
      expect(performance.now() - before).toBeLessThan(3_000)
      expect(parseJson(nested(JSON_DEPTH_MAX)).problems).toEqual([])
    }
  })
})

describe('deliberately costly JSON', () => {
  test.each([
    ['a run of zeros', `{"a":${'0'.repeat(2_000_000)}}`],
    ['a run of digits where none can stand', `{"a"${'7'.repeat(2_000_000)}}`],
    ['a run of signs', `[${'-'.repeat(2_000_000)}]`],
  ])('%s is refused in time that grows with its length', (_what, text) => {
    const before = performance.now()
    expect(() => parseJson(text)).toThrow(JsonError)
    expect(performance.now() - before).toBeLessThan(8_000)
  })

  test('a key of a megabyte over many exact numbers is read once', () => {
    const key = 'k'.repeat(MEBIBYTE)
    const before = performance.now()
    const { problems } = parseJson(`{"${key}":[${'1.0,'.repeat(20_000)}1]}`)
    expect([problems.length, problems[0]?.key === key]).toEqual([20_000, true])
    expect(performance.now() - before).toBeLessThan(3_000)
  })

  test('a quarantined row with texts of many megabytes is kept completely', () => {
    for (const long of ['y'.repeat(20_000_000), '\\n\\"'.repeat(5_000_000)]) {
      const row = `{"id":null,"x":"${long}"}`
      const rows = rawRows(`{"code":"00000","data":[{"id":"1"}, ${row} ]}`, 'list', taxRecord)
      expect([rows(0), rows(1) === row]).toEqual(['{"id":"1"}', true])
    }
  })
})

describe('headers', () => {
  test('without end are refused', async () => {
    let sent = 0
    const origin = await serveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = (): void => {
        while (!socket.destroyed && sent < 100_000_000) {
          sent += 10_000
          if (!socket.write(`x-${sent}: ${'y'.repeat(10_000)}\r\n`)) return void socket.once('drain', more)
        }
      }
      more()
    })

    const { outcome, peakMiB } = await ask(origin)

    expect(outcome).toMatchObject({ kind: 'connection failed', message: 'UND_ERR_HEADERS_OVERFLOW' })
    expect(peakMiB).toBeLessThan(100)
  })

  test('that never come are given up when their time is over', async () => {
    const origin = await serveBytes((socket) => {
      const timer = setInterval(() => socket.write('H'), 20)
      socket.on('close', () => clearInterval(timer))
      socket.write('HTTP/1.1 200 OK\r\nx: ')
    })

    const { outcome } = await ask(origin, { ...LIMITS, timeoutMs: 300 })

    expect(outcome).toMatchObject({ kind: 'time-out', head: null })
  })

  test.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}'],
    [
      'chunks of an impossible size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n',
    ],
  ])('with %s fail like a broken connection', async (_what, bytes) => {
    const origin = await serveBytes((socket) => socket.end(bytes))

    const { outcome } = await ask(origin)

    expect(outcome).toMatchObject({ kind: 'connection failed' })
  })
})

describe('an answer that is sent twice', () => {
  test.each([
    ['at once', 0],
    ['a moment later', 5],
  ])(
    '%s ends the connection, and is not taken for the answer to the next request',
    async (_when, delayMs) => {
      const closings: Promise<unknown>[] = []
      const origin = await serveBytes((socket) => {
        closings.push(once(socket, 'close'))
        socket.on('data', (data) => {
          const [, path = ''] = /^GET (\S+)/.exec(data.toString()) ?? []
          const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${path.length}\r\n\r\n${path}`
          if (delayMs === 0) return socket.write(answer + answer)
          socket.write(answer)
          setTimeout(() => socket.writable && socket.write(answer), delayMs)
        })
      })
      const agent = new Agent({ connections: 1, pipelining: 1 })
      onTestFinished(() => agent.destroy())
      const told: string[] = []
      for (const path of ['/one', '/two', '/three', '/four']) {
        const outgoing = { origin, method: 'GET', path, headers: {}, body: '' } as const
        const { body } = await exchange(agent, outgoing, LIMITS, systemClock, new AbortController().signal)
        told.push(body.toString())
        await closings.at(-1)
      }

      expect(told).toEqual(['/one', '/two', '/three', '/four'])
    },
  )
})
