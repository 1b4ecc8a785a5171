// A proxy to the sandbox that loses what a test tells it to: a request before it arrives, or the answer to one that did;
// or that withholds an answer, so that the requesting process can be killed while its request is in transit.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Sandbox } from '../../sandbox/index.ts'

export interface LossyWay {
  readonly baseUrl: string
  readonly accounts: Sandbox['accounts']
  /** Loses the next message of this kind on requests to the path. */
  lose(what: 'request' | 'answer', path: string): void
  /** Withholds the answer to the next request to the path for ever; resolves when the venue has answered. */
  hold(path: string): Promise<void>
  /** Paths of the requests that reached the venue. */
  readonly arrived: string[]
}

export async function lossyWay(venue: Sandbox): Promise<LossyWay> {
  const losses: { what: 'request' | 'answer' | 'hold'; path: string; answered?: () => void }[] = []
  const arrived: string[] = []
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const at = losses.findIndex((loss) => loss.path === path)
    const loss = at < 0 ? undefined : losses.splice(at, 1)[0]
    if (loss?.what === 'request') return request.socket.destroy()
    arrived.push(path)
    const answer = await forward(venue, request)
    if (loss?.what === 'answer') return request.socket.destroy()
    if (loss?.what === 'hold') return loss.answered?.()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    accounts: venue.accounts,
    arrived,
    lose: (what, path) => void losses.push({ what, path }),
    hold: (path) => new Promise((answered) => losses.push({ what: 'hold', path, answered })),
  }
}

async function forward(venue: Sandbox, request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const kept = Object.entries(request.headers).filter(
    ([name]) => name.startsWith('access-') || name === 'content-type' || name === 'locale',
  )
  return fetch(`${venue.baseUrl}${request.url}`, {
    method: request.method ?? 'GET',
    headers: kept as [string, string][],
    ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
  })
}
