// The routes and their handlers. Everything is behind the guard.
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Clock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import type { Config } from '../config/config.ts'
import { packageVersion } from '../config/root.ts'
import type { Disk } from '../journal/disk.ts'
import { safeFileName } from '../output/deliver.ts'
import { publishedCurrency } from '../reports/revalue.ts'
import type { About, ConsoleCancel, ConsoleDownload, ConsoleTicket, NoteRequest } from './api.ts'
import type { Assets } from './assets.ts'
import type { Console } from './console.ts'
import type { Events } from './events.ts'
import { examples } from './examples.ts'
import { type Guard, HEADERS, NO_STORE } from './guard.ts'
import { liveRun } from './live.ts'
import type { Notes } from './notes.ts'
import type { Edition, Published } from './published.ts'
import { failureOf, Refusal, statusOf } from './refusal.ts'
import { bodyOf, linesOf } from './streams.ts'
import { accounts, balanceHistory } from './views/accounts.ts'
import { breaks } from './views/breaks.ts'
import { coverage, coverageRuns } from './views/coverage.ts'
import { csvDays, csvOf, filingCsv } from './views/csv.ts'
import { consoleSchema, dictionary } from './views/dictionary.ts'
import { entries, entryFacets } from './views/entries.ts'
import { filingDifference, filings } from './views/filings.ts'
import { filtersOf } from './views/filters.ts'
import { gains, lots } from './views/lots.ts'
import { methodLines } from './views/methods.ts'
import { overview } from './views/overview.ts'
import { proof } from './views/proof.ts'
import { runs } from './views/runs.ts'

export interface AppContext {
  readonly dir: string
  /** What a command to copy repeats, each after a space, so that it means these books from any folder. */
  readonly options: string
  readonly config: Config
  readonly clock: Clock
  /** The server's current time, in Unix milliseconds. */
  readonly now: () => number
  readonly disk: Disk
  readonly signal: AbortSignal
  readonly guard: Guard
  readonly published: Published
  readonly events: Events
  readonly console: Console
  readonly notes: Notes
  readonly assets: Assets
  readonly isReadOnly: boolean
  /** A request that was answered; its address without the query string. */
  readonly log: (event: { method: string; path: string; status: number; ms: number }) => void
  readonly onError: (error: unknown) => void
}

/** An SQL statement is rarely longer than a page; a larger body is refused before it is read. */
const BODY_BYTES_MAX = 1_000_000

/** Answers any request; never throws. `breakOff` breaks the connection immediately. */
export type Answering = (request: Request, breakOff: () => void) => Promise<Response>

type Routed = Hono<{ Bindings: { readonly breakOff: (error: unknown) => void } }>

export function appOf(context: AppContext): Answering {
  const { guard, log, clock } = context
  const app = routes(context)
  return async (request, breakOff) => {
    const began = clock.monotonic()
    const { pathname } = new URL(request.url)
    const answer = await answered(request, context, app)
    for (const [name, value] of Object.entries(HEADERS)) answer.headers.set(name, value)
    if (!answer.headers.has('cache-control')) answer.headers.set('cache-control', NO_STORE)
    log({ method: request.method, path: pathname, status: answer.status, ms: clock.monotonic() - began })
    return answer

    async function answered(asked: Request, { onError }: AppContext, routed: Routed): Promise<Response> {
      try {
        guard.mustComeFromHere(asked)
        const entered = enter(asked, guard)
        if (entered !== null) return entered
        guard.mustBeKnown(asked)
        guard.mustBeJson(asked)
        const broken = (error: unknown): void => {
          if (!(error instanceof TieoutError)) onError(error)
          breakOff()
        }
        if (asked.method !== 'HEAD') return await routed.fetch(asked, { breakOff: broken })
        // The body would not be sent, so it is not produced.
        const { url, headers: sent, signal } = asked
        const { body, status, headers } = await routed.fetch(
          new Request(url, { method: 'GET', headers: sent, signal }),
          { breakOff: broken },
        )
        await body?.cancel()
        return new Response(null, { status, headers })
      } catch (error) {
        return failed(error, asked, onError)
      }
    }
  }
}

/** The printed address: exchanges its code for a cookie and redirects to an address without it. Null for any other request. */
function enter(request: Request, guard: Guard): Response | null {
  const { pathname, searchParams } = new URL(request.url)
  const code = searchParams.get('code')
  if (request.method !== 'GET' || pathname !== '/' || code === null) return null
  const cookie = guard.redeem(code)
  if (cookie !== null)
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
  throw new Refusal(401, 'This address has already been used or has expired.', {
    expected: 'an address printed less than 60 s ago and not opened before',
    action: 'For a new address, press Enter where `tieout serve` is running, or restart it.',
  })
}

function failed(error: unknown, request: Request, onError: (error: unknown) => void): Response {
  const status = statusOf(error)
  // A client that went away in the middle of a request has left the page: nothing failed here.
  if (status === 500 && (error as NodeJS.ErrnoException | null)?.code !== 'ECONNRESET') onError(error)
  const failure = failureOf(error)
  const isPage = (request.headers.get('accept') ?? '').includes('text/html')
  if (!isPage) return Response.json(failure, { status })
  const { message, action } = failure.error
  return new Response(`tieout: ${message}\n\n${action}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
}

const NDJSON = 'application/x-ndjson; charset=utf-8'

/** The body as an object; its members are checked by the code that reads them. */
async function bodyObject<T>(request: { json: () => Promise<unknown> }): Promise<T> {
  const body = await request.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return null
    throw error
  })
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as T
  throw new Refusal(400, 'The body is not a JSON object.', { action: 'Correct it.' })
}

function routes(context: AppContext): Routed {
  const {
    dir,
    options,
    config,
    clock,
    disk,
    published,
    events,
    isReadOnly,
    onError,
    console: asked,
    notes,
  } = context
  const app: Routed = new Hono()
  const asks = () => ({
    now: context.now(),
    retentionDays: config.venue.retention_days,
    asked: { accounts: Object.keys(config.accounts), feeds: config.history.feeds },
  })
  const filters = (request: { raw: Request }) => filtersOf(new URL(request.raw.url).searchParams)
  app.onError((error, c) => failed(error, c.req.raw, onError))
  app.notFound((c) => {
    throw new Refusal(404, 'There is nothing at this address.', {
      where: c.req.path,
      action: 'Start at /.',
    })
  })
  app.use(async (c, next) => {
    if (c.req.header('transfer-encoding') !== undefined)
      throw new Refusal(411, 'The request does not state its length.', {
        expected: 'a content-length header, and no transfer-encoding',
        action: 'Send the body in one piece.',
      })
    await next()
  })
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError: () => {
        throw new Refusal(413, 'The body is too large.', {
          expected: `at most ${BODY_BYTES_MAX} bytes`,
          action: 'Send a smaller body.',
        })
      },
    }),
  )
  app.get('/api/about', async (c) =>
    c.json(
      await published.use(async ({ ledger, stamp }): Promise<About> => {
        const names = async (sql: string): Promise<string[]> =>
          (await ledger.query(sql)).map(([name]) => String(name))
        return {
          version: packageVersion,
          dir,
          options,
          isReadOnly,
          now: new Date(context.now()).toISOString(),
          stamp,
          accounts: await names('select account from accounts union select account from balances order by 1'),
          ledgers: await names('select distinct ledger from balances order by 1'),
          coins: await names('select distinct coin from balances order by 1'),
          currency: await publishedCurrency(ledger),
        }
      }),
    ),
  )
  app.get('/api/events', (c) => {
    const ended = AbortSignal.any([c.req.raw.signal, context.signal])
    return new Response(events.stream(ended), { headers: { 'content-type': 'text/event-stream' } })
  })
  app.get('/api/overview', async (c) =>
    c.json(await published.use((edition) => overview(edition, filters(c.req), asks(), { dir, disk }))),
  )
  app.get('/api/accounts', async (c) =>
    c.json(await published.use((edition) => accounts(edition, filters(c.req)))),
  )
  app.get('/api/accounts/history', async (c) =>
    c.json(await published.use((edition) => balanceHistory(edition, filters(c.req)))),
  )
  app.get('/api/entries', async (c) =>
    c.json(await published.use((edition) => entries(edition, filters(c.req)))),
  )
  app.get('/api/entries/facets', async (c) =>
    c.json(await published.use((edition) => entryFacets(edition, filters(c.req)))),
  )
  app.get('/api/proof', async (c) => c.json(await proof(published, filters(c.req), { dir, options, config })))
  app.get('/api/lots', async (c) => c.json(await published.use((edition) => lots(edition, filters(c.req)))))
  app.get('/api/gains', async (c) => c.json(await published.use((edition) => gains(edition, filters(c.req)))))
  app.get('/api/breaks', async (c) =>
    c.json(await published.use((edition) => breaks(edition, filters(c.req), { dir, disk }))),
  )
  app.get('/api/breaks/:id', async (c) =>
    c.json(await published.use((edition) => notes.of(edition, c.req.param('id')))),
  )
  app.get('/api/notes/current', (c) => c.json(notes.current))
  app.post('/api/breaks/:id/note', async (c) => {
    const { note } = await bodyObject<NoteRequest>(c.req)
    return c.json(await published.use((edition) => notes.begin(edition, c.req.param('id'), note)), 202)
  })
  app.get('/api/coverage', async (c) =>
    c.json(await published.use((edition) => coverage(edition, filters(c.req), asks()))),
  )
  app.get('/api/coverage/runs', async (c) =>
    c.json(await published.use((edition) => coverageRuns(edition, filters(c.req)))),
  )
  app.get('/api/runs', async (c) => c.json(await published.use((edition) => runs(edition, filters(c.req)))))
  app.get('/api/runs/live', async (c) => c.json(await liveRun(dir)))
  app.get('/api/filings', async (c) => c.json(await filings({ dir, disk, clock })))
  app.get('/api/filings/:name', async (c) =>
    c.json(await filingDifference(published, c.req.param('name'), { dir, disk, clock, options })),
  )
  app.get('/api/dictionary', async (c) => c.json(await published.use(dictionary)))
  app.get('/api/csv/:view', async (c) => {
    const view = c.req.param('view')
    const asked = { dir, disk, clock, ...asks() }
    const file = ({ stamp }: Edition, days = ''): Record<string, string> => ({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${safeFileName([view, days, stamp.publishedAt.slice(0, 10)], 'csv')}"`,
    })
    if (view === 'filing') {
      return await published.useApart(async (edition) => {
        const pieces = await filingCsv(edition, filters(c.req), asked)
        return new Response(bodyOf(pieces, c.env), { headers: file(edition) })
      })
    }
    // All rows of a view: sorting them may need more memory than views are given.
    const { release, ...edition } = await published.takeApart()
    try {
      const days = await csvDays(edition, view, filters(c.req))
      const pieces = await csvOf(edition, view, filters(c.req), asked)
      return new Response(bodyOf(pieces, { end: release, breakOff: c.env.breakOff }), {
        headers: file(edition, days),
      })
    } catch (error) {
      release()
      throw error
    }
  })
  app.get('/api/gains/methods', async (c) => {
    const lines = methodLines(published, filters(c.req), config, c.req.raw.signal)
    return new Response(bodyOf(linesOf(lines), c.env), { headers: { 'content-type': NDJSON } })
  })
  app.get('/api/console/schema', async (c) => {
    asked.warm()
    return c.json(await published.use(consoleSchema))
  })
  app.get('/api/console/examples', (c) => c.json({ examples }))
  app.post('/api/console/run', async (c) => {
    const { pieces, end } = asked.run(await bodyObject(c.req), published.stamp, c.req.raw.signal)
    return new Response(bodyOf(pieces, { end, breakOff: c.env.breakOff }), {
      headers: { 'content-type': NDJSON },
    })
  })
  app.post('/api/console/cancel', async (c) => {
    asked.cancel((await bodyObject<ConsoleCancel>(c.req)).id)
    return c.body(null, 204)
  })
  app.post('/api/console/complete', async (c) => c.json(await asked.complete(await bodyObject(c.req))))
  app.post('/api/console/download', async (c) => {
    const token = asked.ticket(await bodyObject<ConsoleDownload>(c.req))
    return c.json({ url: `/api/console/download/${token}` } satisfies ConsoleTicket)
  })
  app.get('/api/console/download/:token', async (c) => {
    const { format, pieces, end } = await asked.download(c.req.param('token'), c.req.raw.signal)
    return new Response(bodyOf(pieces, { end, breakOff: c.env.breakOff }), {
      headers: {
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.apache.parquet',
        'content-disposition': `attachment; filename="query.${format}"`,
      },
    })
  })
  app.get('*', (c) => asset(context.assets, new URL(c.req.url).pathname))
  return app
}

/** Addresses that the page itself handles; ids and filters are in the query string. */
const VIEWS: ReadonlySet<string> = new Set([
  '/',
  '/overview',
  '/accounts',
  '/ledger',
  '/proof',
  '/lots',
  '/gains',
  '/breaks',
  '/coverage',
  '/runs',
  '/filings',
  '/console',
  '/dictionary',
])

/** A file of the page; for the address of a view, which the page itself handles, the page. */
function asset(assets: Assets, path: string): Response {
  const isView = VIEWS.has(path)
  const found = assets.get(isView ? '/index.html' : path)
  if (found !== undefined) {
    return new Response(found.bytes, {
      headers: {
        'content-type': found.type,
        ...(found.isHashed ? { 'cache-control': 'private, max-age=31536000, immutable' } : {}),
      },
    })
  }
  throw new Refusal(404, isView ? 'The page has not been built.' : 'There is nothing at this address.', {
    where: path,
    action: isView ? 'Run `npm run build`, then restart `tieout serve`.' : 'Start at /.',
  })
}
