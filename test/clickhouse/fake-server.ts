// A ClickHouse server for tests: it keeps what it was asked and answers what the test says.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Asked {
  readonly statement: string
  readonly parameters: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

export interface Said {
  readonly status?: number
  readonly code?: string
  readonly body?: string
  /** The answer has no end: the connection is broken off behind its body, if it has one, or stays open and nothing more comes. */
  readonly end?: 'broken off' | 'never'
}

export interface FakeServer {
  readonly url: string
  readonly asked: readonly Asked[]
}

/** Listens on loopback until the test has ended. */
export async function fakeServer(answer: (asked: Asked) => Said): Promise<FakeServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const body = Buffer.concat(pieces).toString('latin1')
    const statement = searchParams.get('query') ?? body
    const one = { statement, parameters: searchParams, headers: request.headers }
    asked.push(one)
    const said = answer(one)
    response.statusCode = said.status ?? 200
    if (said.code !== undefined) response.setHeader('x-clickhouse-exception-code', said.code)
    const breakOff = (): void => {
      if (said.end === 'broken off') response.destroy()
    }
    if (said.end === undefined) response.end(said.body ?? '')
    else if (said.body === undefined) breakOff()
    else response.write(said.body, breakOff)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen.')
  return { url: `http://127.0.0.1:${address.port}`, asked }
}

/** The answer to who asks for the version. */
export const VERSION: Said = { body: '["26.7.2.1"]\n' }
