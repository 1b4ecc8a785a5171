// The model venue: in memory, simple, strict. It knows its records by heart, checks signatures, spans, retention and
// budgets (a sliding window over arrivals), pages in one of the reported ways, and writes down what no honest client may do.
import { createHmac } from 'node:crypto'
import type { Credentials } from '../../../connectors/access.ts'
import { appliesTo, type Endpoint } from '../../../connectors/endpoint.ts'
import type { SimulationConfig } from './config.ts'
import { type Feed, retentionOfFeed, shapeOf } from './feeds.ts'
import { type Conditions, type Ids, invent, type VenueRecord, type Version, versionAt } from './history.ts'
import type { Random } from './random.ts'
import { allowsShortPages, isLiteral, isPagedAsDocumented, listed, passes, type Way } from './ways.ts'

export interface VenueAccount {
  readonly name: string
  readonly uid: string
  readonly kind: 'unified' | 'classic'
  readonly api: Credentials
  readonly tax: Credentials
}

export interface VenueRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface VenueAnswer {
  readonly status: number
  readonly code: string
  readonly msg: string
  /** JSON text. */
  readonly data: string
  readonly headers: Readonly<Record<string, string>>
  /** For the story. */
  readonly told: string
}

export interface VenueOptions {
  readonly config: SimulationConfig
  readonly start: number
  readonly accounts: readonly VenueAccount[]
  readonly settings: Endpoint
  readonly feeds: readonly Feed[]
  readonly addressRate: { readonly count: number; readonly perMs: number }
  readonly records: VenueRecord[]
  readonly conditions: Conditions
  readonly ids: Ids
  readonly random: Random
  /** Milliseconds of the world. */
  readonly now: () => number
  /** Whether this request's page is to be told wrongly. */
  readonly strikes: (
    fault: 'repeated cursor' | 'looping cursor' | 'overlapping page' | 'short page',
  ) => boolean
  readonly disorders: () => boolean
  /** Whether new records may appear on the edges of windows. */
  readonly invents: () => boolean
  /** The instant of a list that the venue cannot tell; null for none, and once the faults have ended. */
  readonly badInstant: (list: string) => number | null
  readonly isCalm: () => boolean
  /** Something that no fault explains. */
  readonly violation: (what: string) => void
}

const refusal = (status: number, code: string, msg: string): VenueAnswer => ({
  status,
  code,
  msg,
  data: 'null',
  headers: {},
  told: `refused ${code}`,
})

/**
 * By the instant: a refusal of the times, a code that nobody knows, a success of another form, or the code only behind a
 * cursor.
 */
function oddAnswer(instant: number, cursor: string | null): VenueAnswer | null {
  const unknown = refusal(200, '98765', 'unknown')
  if (instant % 4 === 0) return refusal(400, '40704', 'wrong time range')
  if (instant % 3 === 0) return unknown
  if (instant % 3 === 1) return { ...unknown, code: '00000', msg: 'success', data: '"none"' }
  return cursor === null ? null : unknown
}

export class ModelVenue {
  readonly #options: VenueOptions
  readonly #byList = new Map<string, VenueRecord[]>()
  readonly #byId = new Map<string, VenueRecord>()
  readonly #arrivals = new Map<string, number[]>()
  readonly #stuck = new Map<string, boolean>()
  /** Windows that each list has been asked for. */
  readonly #asked = new Map<string, readonly { readonly from: number; readonly until: number }[]>()
  /** Requests that arrived, all together. */
  requests = 0

  constructor(options: VenueOptions) {
    this.#options = options
    for (const record of options.records) this.#add(record)
  }

  #add(record: VenueRecord): VenueRecord[] {
    const key = `${record.account}/${record.feed}/${record.partition}`
    const list = this.#byList.get(key) ?? []
    this.#byList.set(key, list)
    list.push(record)
    this.#byId.set(record.id, record)
    return list
  }

  /** A request arrives; what the answer says is decided here, whatever becomes of it on its way. */
  receive(request: VenueRequest): VenueAnswer {
    this.requests += 1
    const { config, accounts, now, start } = this.#options
    const [path = '', query = ''] = request.path.split('?')
    const params = new Map(new URLSearchParams(query))
    const endpoint = [this.#options.settings, ...this.#options.feeds].find((one) => one.path === path)
    if (endpoint === undefined) return refusal(404, '40404', 'no such path')
    const key = request.headers['access-key'] ?? ''
    const account = accounts.find((one) => one[endpoint.credential === 'tax' ? 'tax' : 'api'].key === key)
    if (account === undefined) {
      this.#options.violation(`${endpoint.name} was asked with a key that it does not take`)
      return refusal(401, '40012', 'unknown key')
    }
    const breach = this.#count(account, endpoint)
    if (breach !== null) {
      if ((config.faults['rival books'] ?? 0) === 0) this.#options.violation(breach)
      return refusal(429, '429', 'too many requests')
    }
    const wrong = this.#checkSigned(
      request,
      account[endpoint.credential === 'tax' ? 'tax' : 'api'],
      start + now(),
    )
    if (wrong !== null) return wrong
    if (!appliesTo(endpoint, account.kind)) return refusal(400, '40084', 'classic account')
    return endpoint.window === null ? this.#settings(account) : this.#page(account, endpoint as Feed, params)
  }

  /** Counts an arrival; says what is wrong when there were too many within the interval, by a strict sliding window. */
  #count(account: VenueAccount, { name, rate }: Endpoint): string | null {
    const breaches = [
      this.#exceeds(`${name} of ${account.name}`, rate),
      this.#exceeds('the address', this.#options.addressRate),
    ]
    return breaches.find((breach) => breach !== null) ?? null
  }

  #exceeds(key: string, { count, perMs }: { count: number; perMs: number }): string | null {
    const now = this.#options.now()
    const recent = (this.#arrivals.get(key) ?? []).filter((at) => at > now - perMs)
    recent.push(now)
    this.#arrivals.set(key, recent)
    return recent.length <= count
      ? null
      : `${recent.length} requests for ${key} within ${perMs} ms, where ${count} are allowed (at ${recent.join(', ')})`
  }

  #checkSigned(request: VenueRequest, { secret, passphrase }: Credentials, now: number): VenueAnswer | null {
    const at = request.headers['access-timestamp'] ?? ''
    const text = `${at}${request.method}${decodeURIComponent(request.path)}`
    const sign = createHmac('sha256', secret).update(text).digest('base64')
    if (request.headers['access-sign'] !== sign || request.headers['access-passphrase'] !== passphrase) {
      this.#options.violation(`${request.path} is signed wrongly`)
      return refusal(401, '40009', 'sign signature error')
    }
    return Math.abs(Number(at) - now) > 30_000 ? refusal(400, '40008', 'Request timestamp expired') : null
  }

  #settings(account: VenueAccount): VenueAnswer {
    if (account.kind === 'classic') return refusal(400, '40084', 'classic account')
    const data = JSON.stringify({ uid: account.uid, accountMode: 'unified', assetMode: 'multi_assets' })
    return { status: 200, code: '00000', msg: 'success', data, headers: {}, told: 'settings' }
  }

  #page(account: VenueAccount, feed: Feed, params: ReadonlyMap<string, string>): VenueAnswer {
    const { config, now, start } = this.#options
    const from = Number(params.get('startTime'))
    const until = Number(params.get('endTime'))
    const partition = feed.partitions.find((one) =>
      Object.entries(one.params).every(([name, value]) => params.get(name) === value),
    )
    const size = Number(params.get('limit'))
    const illegal =
      partition === undefined ||
      !(until - from <= feed.window.spanMaxMs && from <= until) ||
      feed.page.kind === 'none' ||
      size !== feed.page.size
    if (illegal) {
      this.#options.violation(`${feed.name} was asked for what it does not serve: ${[...params].join(' ')}`)
      return refusal(400, '40017', 'parameter verification failed')
    }
    const edge = start + now() - retentionOfFeed(feed)
    if (from < edge) {
      // A client that knows the time asks for nothing that is forgotten, however long it has waited.
      const { faults } = config
      const excused = ['clock skew', 'clock steps', 'wrong requestTime', 'odd requestTime'] as const
      if (!excused.some((fault) => (faults[fault] ?? 0) > 0))
        this.#options.violation(
          `${feed.name} was asked from ${from}, where ${edge} is the oldest that is kept`,
        )
      return refusal(400, '00001', 'startTime is beyond the memory')
    }
    const cursor = params.get(feed.page.param) ?? null
    const key = `${account.name}/${feed.name}/${partition.label}`
    const list = this.#byList.get(key) ?? []
    const bad = this.#options.badInstant(key)
    if (bad !== null && from <= bad && bad <= until) {
      const odd = oddAnswer(bad, cursor)
      if (odd !== null) return odd
    }
    const way = this.#wayOf(feed)
    this.#inventOnEdges(account, feed, partition.label, way, { from, until, cursor })
    // What has vanished has no place in the order: rows that are out of it shall show it.
    const shown = list.flatMap((record) => {
      const version = record.ts >= from && record.ts <= until ? versionAt(record, now()) : null
      return version === null ? [] : [{ record, version }]
    })
    return this.#tell(feed, way, listed(shown, way), cursor, size)
  }

  /** Orders are paged by a cursor of the venue's own, which goes on as documented. */
  #wayOf(feed: Feed): Way {
    return isPagedAsDocumented(feed) ? 'newest first' : this.#options.config.way
  }

  /**
   * What appears on the edges of a window in the moment in which they are asked for, for the first time: an instant that has
   * been asked for may be claimed already. Of lists by id a literal cursor passes over what has a newer id than its time.
   */
  #inventOnEdges(
    account: VenueAccount,
    feed: Feed,
    partition: string,
    way: Way,
    asked: { from: number; until: number; cursor: string | null },
  ): void {
    const { invents, now, start, conditions, random, ids } = this.#options
    const key = `${account.name}/${feed.name}/${partition}`
    const known = this.#asked.get(key) ?? []
    if (asked.cursor === null) this.#asked.set(key, [...known, asked])
    if (isLiteral(way) && feed.window.proves === 'whole') return
    const isFresh = (ts: number): boolean => !known.some(({ from, until }) => from <= ts && ts <= until)
    // Behind the cursor nothing may appear in what has been passed already.
    const last = asked.cursor === null ? undefined : this.#byId.get(asked.cursor)
    const isAhead = (ts: number): boolean =>
      last !== undefined && !isLiteral(way) && (way === 'newest first' ? ts < last.ts : ts > last.ts)
    const edges = [asked.from, asked.until].filter((ts) =>
      asked.cursor === null ? isFresh(ts) : isAhead(ts),
    )
    for (const ts of edges) {
      // The present is no edge of the history: what happens in it is not late.
      if (!invents() || ts > start + now()) continue
      const delay = start + now() - ts
      const of = { account: account.name, feed, partition }
      const when = { appearsAt: now(), delay: Math.max(delay, feed.window.lookbackMs + 1) }
      this.#options.records.push(this.#last(this.#add(invent(of, ts, when, conditions, random, ids))))
    }
  }

  #last(list: readonly VenueRecord[]): VenueRecord {
    return list.at(-1)!
  }

  /** A cursor that once led to itself always does, as long as there are faults. */
  #isStuck(feed: Feed, cursor: string, strikes: () => boolean): boolean {
    const key = `${feed.name} ${cursor}`
    const known = this.#stuck.get(key) ?? strikes()
    this.#stuck.set(key, known)
    return known && !this.#options.isCalm()
  }

  #tell(
    feed: Feed,
    way: Way,
    all: readonly { record: VenueRecord; version: Version }[],
    cursor: string | null,
    size: number,
  ): VenueAnswer {
    const { strikes, disorders, random } = this.#options
    const named = cursor === null ? undefined : this.#byId.get(cursor)
    if (cursor !== null && named === undefined) {
      this.#options.violation(`${feed.name} was asked with the cursor ${cursor}, which was never given`)
      return refusal(400, '40017', 'unknown cursor')
    }
    const records = all.map(({ record }) => record)
    const isNext = named === undefined ? () => true : passes(way, records, named)
    const behind = all.filter(({ record }) => isNext(record))
    const before = all.filter(({ record }) => !isNext(record))
    let rows = behind.slice(0, size)
    const odd: string[] = []
    if (rows.length > 1 && allowsShortPages(way) && strikes('short page')) {
      rows = rows.slice(0, random.int(1, rows.length - 1))
      odd.push('cut short')
    }
    if (before.length > 0 && rows.length > 0 && strikes('overlapping page')) {
      const again = before.slice(-random.int(1, Math.min(before.length, size)))
      rows = [...again, ...rows].slice(0, size)
      // A page that holds nothing new would go round for ever.
      if (rows.length === again.length) rows = behind.slice(0, size)
      else odd.push('overlapping')
    }
    const lastListed = rows.at(-1)?.record
    if (new Set(rows.map(({ record }) => record.ts)).size > 2 && disorders()) {
      rows = disordered(rows, random)
      odd.push('out of order')
    }
    const last = feed.page.kind === 'cursor' && feed.page.names === 'row' ? smallest(rows) : lastListed?.id
    const hasMore = lastListed !== undefined && behind.at(-1)?.record !== lastListed
    let next = last !== undefined && (hasMore || random.chance(0.5)) ? last : null
    if (cursor !== null && rows.length > 0 && this.#isStuck(feed, cursor, () => strikes('repeated cursor'))) {
      next = cursor
      if (feed.page.kind === 'last-id') rows = before.slice(-1)
      odd.push('the same cursor again')
    } else if (before.length > size && rows.length > 0 && strikes('looping cursor')) {
      next = before[size - 1]!.record.id
      if (feed.page.kind === 'last-id') rows = before.slice(0, size)
      odd.push('an old cursor')
    }
    const texts = rows.map(({ version }) => version.text)
    return {
      status: 200,
      code: '00000',
      msg: 'success',
      data: dataOf(feed, texts, next, random),
      headers: {},
      told: `${texts.length} rows${odd.length === 0 ? '' : ` (${odd.join(', ')})`}`,
    }
  }
}

/** The smallest id, which the venue names as the cursor of P2P orders. */
function smallest(rows: readonly { record: VenueRecord }[]): string | undefined {
  return rows.map(({ record }) => record.id).toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))[0]
}

/** Rows of three instants or more in an order that shows as none: neither rising nor falling. */
function disordered<Row extends { record: VenueRecord }>(rows: readonly Row[], random: Random): Row[] {
  for (;;) {
    const mixed = shuffled(rows, random)
    const steps = mixed.slice(1).map(({ record }, place) => Math.sign(record.ts - mixed[place]!.record.ts))
    if (steps.includes(1) && steps.includes(-1)) return mixed
  }
}

function shuffled<T>(rows: readonly T[], random: Random): T[] {
  const left = [...rows]
  const taken: T[] = []
  while (left.length > 0) taken.push(...left.splice(random.int(0, left.length - 1), 1))
  return taken
}

/** `data` as the feed is documented to send it, empty lists in all their forms. */
function dataOf(feed: Feed, texts: readonly string[], cursor: string | null, random: Random): string {
  const list = `[${texts.join(',')}]`
  const { page } = feed
  if (page.kind !== 'cursor') {
    if (texts.length > 0) return list
    return random.pick(['[]', '{"list":null,"cursor":null}', '{"list":[],"cursor":""}'])
  }
  if (texts.length === 0)
    return random.pick([`{"${feed.rows}":null,"${page.from}":null}`, `{"${feed.rows}":[]}`, '[]'])
  const next = cursor === null ? random.pick(['null', '""']) : random.pick([`"${cursor}"`, cursor])
  return `{"${feed.rows}":${list},"${page.from}":${next}}`
}

/** Ids of the rows in a body, in their order, as digits. */
export function idsIn(body: string, feed: Feed): string[] {
  const { id } = shapeOf(feed)
  return [...body.matchAll(new RegExp(`"${id}":"?(\\d+)"?`, 'g'))].map((match) => match[1]!)
}
