// `tieout serve` as a separate process, queried over real HTTP. Requests are written with node:http, which lets a test send
// any header that an attacker could.
import { type IncomingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Running, startTieout } from '../support/cli.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly host?: string
}

export interface Serving {
  readonly port: number
  readonly origin: string
  /** The printed address. */
  readonly url: string
  /** What the cookie and a script's header hold. */
  readonly secret: string
  readonly running: Running
  /** A request just as it is given. */
  readonly ask: (path: string, asking?: Asking) => Promise<Answered>
  /** As a script asks: with the secret in a header. */
  readonly get: <T>(path: string) => Promise<T>
  readonly post: (path: string, body: unknown) => Promise<Answered>
  /** Lines of NDJSON. */
  readonly lines: <T>(path: string, body: unknown) => Promise<T[]>
}

/** Starts the server and takes the secret as a script would; `end` stops it. */
export async function startServing(
  dir: string,
  options: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Serving & { readonly end: () => Promise<void> }> {
  const running = await startTieout(
    ['serve', '--port', '0', '--no-open', '--json', '--dir', dir, ...options],
    environment,
  )
  const { url, port } = await firstLine(running)
  const ask = (path: string, asking: Asking = {}): Promise<Answered> => answerOf(port, path, asking)
  const { pathname, search } = new URL(url)
  const entered = await ask(pathname + search)
  const secret = /^tieout-\d+=([^;]+)/.exec(entered.headers['set-cookie']?.[0] ?? '')?.[1] ?? ''
  const bearer = { authorization: `Bearer ${secret}` }
  const post = (path: string, body: unknown): Promise<Answered> =>
    ask(path, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    url,
    secret,
    running,
    ask,
    post,
    get: async <T>(path: string) => {
      const { status, text } = await ask(path, { headers: bearer })
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
      return JSON.parse(text) as T
    },
    lines: async <T>(path: string, body: unknown) =>
      (await post(path, body)).text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T),
    end: async () => {
      running.child.kill('SIGTERM')
      await running.ended
    },
  }
}

/** The same for one test. */
export async function servingFor(dir: string, options: readonly string[] = []): Promise<Serving> {
  const serving = await startServing(dir, options)
  onTestFinished(serving.end)
  return serving
}

function firstLine({ child, ended }: Running): Promise<{ url: string; port: number }> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (piece: string) => {
      text += piece
      const end = text.indexOf('\n')
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)))
    })
    void ended.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}: ${stderr}`)))
  })
}

export function answerOf(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, host }: Asking,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        headers: {
          ...headers,
          host: host ?? `127.0.0.1:${port}`,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString(),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
