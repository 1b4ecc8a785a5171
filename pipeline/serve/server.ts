// Starting and stopping the server. It listens only on loopback: 127.0.0.1 and ::1.
import { setMaxListeners } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { TieoutError } from '../../models/error.ts'
import { portRefused } from '../config/port.ts'
import { type Answering, type AppContext, appOf } from './app.ts'
import { readAssets } from './assets.ts'
import { Console } from './console.ts'
import { Events } from './events.ts'
import { Guard } from './guard.ts'
import { hashApart } from './hash-answer.ts'
import { followRuns } from './live.ts'
import { Notes, type NotesOptions } from './notes.ts'
import { Published, type PublishedOptions } from './published.ts'
import { failureOf } from './refusal.ts'

export interface ServeOptions
  extends Omit<AppContext, 'guard' | 'published' | 'events' | 'assets' | 'console' | 'notes'>,
    Pick<PublishedOptions, 'engine' | 'onTrouble'>,
    Pick<NotesOptions, 'explain'> {
  /** 0 for any free port. */
  readonly port: number
}

export interface Serving {
  readonly port: number
  /** A new address with a code that works once, within a minute. */
  readonly newAddress: () => string
  /** Ends the requests in progress, and closes. */
  readonly close: () => Promise<void>
}

/** Throws NoLedger if nothing is published, UsageError for a port that is not available. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { dir, engine, clock, onTrouble } = options
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  // Every query in progress listens for it.
  setMaxListeners(0, signal)
  const events = new Events()
  const questions = new Console({ dir, engine, clock, signal })
  const notes = new Notes({ ...options, events })
  const published = await Published.open(dir, {
    engine,
    clock,
    signal,
    hashApart,
    onTrouble,
    onUnopened: (error) =>
      events.tell({ kind: 'unopened', failure: error === null ? null : failureOf(error).error }),
    onStamp: (stamp) => {
      events.tell({ kind: 'published', stamp })
      void questions.renew()
    },
  })
  events.tell({ kind: 'published', stamp: published.stamp })
  void followRuns(dir, { clock, signal, events })
  let answer: Answering = async () => new Response(null, { status: 503 })
  const servers = await listen(options.port, (request, breakOff) => answer(request, breakOff)).catch(
    (error: unknown) => {
      ending.abort()
      published.close()
      throw error
    },
  )
  const port = portOf(servers[0] as Server)
  const guard = new Guard(port, clock)
  answer = appOf({
    ...options,
    signal,
    guard,
    published,
    events,
    console: questions,
    notes,
    assets: readAssets(),
  })
  return {
    port,
    newAddress: () => `http://127.0.0.1:${port}/?code=${guard.newCode()}`,
    close: async () => {
      ending.abort()
      await Promise.all(servers.map(closed))
      // A note that is being published is completed: otherwise it would be in the journal but not in the books.
      await notes.done
      published.close()
    },
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const ATTEMPTS = 5

/** Both loopback addresses on one port: `localhost` may mean either, and no other program should answer on it. */
async function listen(port: number, fetch: Answering): Promise<Server[]> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await listenOn('127.0.0.1', port, fetch).catch((error: unknown) => refuse(port, error))
    try {
      return [first, await listenOn('::1', portOf(first), fetch)]
    } catch (error) {
      // A machine without IPv6 has no ::1.
      if (codeOf(error) !== 'EADDRINUSE') return [first]
      await closed(first)
      if (port !== 0 || attempt === ATTEMPTS) refuse(port, error)
    }
  }
}

function listenOn(hostname: string, port: number, answer: Answering): Promise<Server> {
  const fetch = (request: Request, { outgoing }: HttpBindings | Http2Bindings): Promise<Response> =>
    answer(request, () => outgoing.destroy())
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: hostname, port, exclusive: true }, () => {
      server.removeListener('error', reject)
      resolve(server)
    })
  })
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

function refuse(port: number, cause: unknown): never {
  const refused = portRefused(port, cause)
  if (refused !== null) throw refused
  throw new TieoutError('The server cannot listen on loopback.', {
    where: `127.0.0.1:${port}`,
    found: codeOf(cause),
    action: 'Check this machine’s network, then run again.',
    cause,
  })
}
