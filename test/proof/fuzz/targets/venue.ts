// What the venue sends: the envelope and its judgement, and the pages of every feed on their way into typed rows.
// Whatever the client accepts, landing takes: each row lands or is quarantined, and none is lost.
import { rmSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type AttemptContext, judge } from '../../../../connectors/attempt.ts'
import { endpoints } from '../../../../connectors/catalogue.ts'
import type { Endpoint } from '../../../../connectors/endpoint.ts'
import { readEnvelope, readPage } from '../../../../connectors/envelope.ts'
import { VenueError } from '../../../../connectors/errors.ts'
import { redactSecrets } from '../../../../connectors/secrets.ts'
import { parseJsonBytes } from '../../../../models/json.ts'
import { landingFeeds, landingRecords } from '../../../../pipeline/books/books.ts'
import type { PageMeta } from '../../../../pipeline/journal/frame.ts'
import { openLanding } from '../../../../pipeline/landing/database.ts'
import { type LandingFeed, type PageFrame, PageLander } from '../../../../pipeline/landing/page.ts'
import type { TableWriter } from '../../../../pipeline/landing/table-writer.ts'
import { recordTable } from '../../../../pipeline/landing/tables.ts'
import { plainUnits } from '../../../support/plain-units.ts'
import { BOUND_MS, byName, must, newFolder, type Target } from '../target.ts'

const SECRETS = ['bg_5ecr3tApiKeyOfOurs', 'hush-hush-0123456789', 'p@ss "phrase"\\n']

const STATUSES = [200, 200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 405, 408, 418, 429, 500, 502, 503]

const WIRE_TOKENS = [
  ...[
    'code',
    'msg',
    'data',
    'requestTime',
    '00000',
    '40014',
    '40037',
    '429',
    'success',
    'list',
    'orderList',
    'endId',
  ],
  ...['id', 'ts', 'cTime', 'amount', 'true', 'yes', '"00000"', '1763688137552', ...SECRETS],
]

const caseOf = (endpoint: Endpoint): AttemptContext => ({
  endpoint,
  account: 'main',
  request: { method: endpoint.method, path: endpoint.path },
  secrets: SECRETS,
  wallNow: 1_763_688_181_556,
})

export const envelopeTarget: Target = {
  name: 'envelope',
  shape: { kind: 'json', tokens: WIRE_TOKENS },
  boundMs: BOUND_MS,
  secrets: SECRETS,
  open: () => ({
    run: (input) => {
      // Endpoint and status follow from the input, so that a find needs nothing beside it.
      const chance = crc32(input)
      const endpoint = byName(endpoints, input)
      const status = STATUSES[(chance >>> 8) % STATUSES.length] as number
      const envelope = readEnvelope(input)
      for (const one of endpoints) if (envelope !== null) readPage(one, envelope.data)
      const cleaned = redactSecrets(input, SECRETS).body
      must(cleaned.length === input.length, 'a secret is replaced by as many bytes')
      for (const secret of SECRETS) must(!cleaned.includes(secret), 'no secret of ours is journaled')
      const headers = { 'retry-after': input.subarray(0, 30).toString('latin1') }
      try {
        const judged = judge(caseOf(endpoint), { status, headers, body: input }, envelope)
        return `accepted ${endpoint.writes} ${typeof judged.data}`
      } catch (error) {
        if (!(error instanceof VenueError)) throw error
        must(error.retryAfterMs === null || error.retryAfterMs >= 0, 'a pause is not negative')
        must(!JSON.stringify(error).includes(SECRETS[1] as string), 'no secret in what a logger lists')
        throw error
      }
    },
  }),
}

/** The body of a page that the client would have taken, and how many rows it has; null for any other. */
function acceptedRows(endpoint: Endpoint, body: Buffer): number | null {
  const envelope = readEnvelope(body)
  if (envelope?.code !== '00000' || envelope.message.toLowerCase() !== 'success') return null
  const page = readPage(endpoint, envelope.data)
  return typeof page === 'string' ? null : page.rows.length
}

const metaOf = (feed: string): PageMeta => ({
  kind: 'page',
  at: '2026-01-05T03:00:00.000Z',
  run: 'r1',
  account: 'main',
  feed,
  partition: '',
  request: { method: 'GET', path: '/' },
  status: 200,
})

const frameOf = (seq: number, feed: string, body: Buffer): PageFrame => ({
  seq,
  meta: metaOf(feed),
  body,
  chain: seq.toString(16).padStart(64, '0'),
})

/** Keeps the rows that are ended, as a table would. */
class Rows {
  readonly ended: unknown[][] = []
  #open: unknown[] = []
  set(column: number, value: unknown): void {
    this.#open[column] = value
  }
  setPlain(column: number, text: string): boolean {
    const units = plainUnits(text)
    if (units !== null) this.set(column, units)
    return units !== null
  }
  endRow(): void {
    this.ended.push([...this.#open])
  }
  append(values: readonly unknown[]): void {
    this.ended.push([...values])
  }
}

function landPage(lander: PageLander, feed: string, { record, rows: at }: LandingFeed, body: Buffer): string {
  const [rows, quarantine, drift] = [new Rows(), new Rows(), new Rows()]
  const tables = { rows, quarantine, drift } as unknown as Record<
    'rows' | 'quarantine' | 'drift',
    TableWriter
  >
  const counts = lander.land(frameOf(1, feed, body), tables)
  must(counts.rows === rows.ended.length + quarantine.ended.length, 'rows in = landed + quarantined')
  must(counts.quarantined === quarantine.ended.length, 'what is quarantined is counted')
  for (const row of rows.ended)
    must(row.length === recordTable(record).columns.length, 'a row has every column')
  for (const [, , , , , field, reason] of quarantine.ended)
    must(typeof field === 'string' && String(reason).startsWith('expected'), 'what is quarantined says why')
  landedAsDeclared(record, listOf(body, at), rows.ended)
  const reasons = new Set(quarantine.ended.map((line) => `${line[5]} ${line[6]}`.slice(0, 60)))
  const drifts = new Set(drift.ended.map((line) => `${line[4]}`))
  return `${Math.sign(rows.ended.length)} ${[...reasons].sort().join('|')} ${[...drifts].sort().join('|')}`.slice(
    0,
    300,
  )
}

/** The rows of a page as parsed, or none where they do not stand where they are documented to. */
function listOf(body: Buffer, at: string): readonly unknown[] {
  const { data } = parseJsonBytes(body).value as { data?: unknown }
  const list = at === 'object' ? [data] : at === '' ? data : (data as Record<string, unknown> | null)?.[at]
  return Array.isArray(list) ? list : []
}

/** The zod schema of the record is the second reading: what it accepts has landed, with its values. */
function landedAsDeclared(
  record: LandingFeed['record'],
  received: readonly unknown[],
  landed: unknown[][],
): void {
  for (const row of landed) {
    const raw = received[row[3] as number]
    if (raw === undefined) return
    const checked = record.schema.safeParse(raw)
    must(checked.success, 'what lands is what the declaration takes')
    for (const [place, name] of Object.keys(record.fields).entries())
      must(Object.is(row[4 + place] ?? null, checked.data[name] ?? null), 'a value lands as it was sent')
  }
}

const feedTokens = ({ record }: LandingFeed): string[] =>
  Object.entries(record.fields).flatMap(([name, field]) => [name, ...field.aliases, ...(field.values ?? [])])

/** One target for each feed: its record's reader and the landing of a page, without the database. */
export const pageTargets: readonly Target[] = [...landingFeeds].map(([feed, landing]) => ({
  name: `page-${feed}`,
  shape: { kind: 'json', tokens: [...WIRE_TOKENS, ...feedTokens(landing)] },
  boundMs: BOUND_MS,
  open: () => {
    const endpoint = endpoints.find(({ name }) => name === feed) as Endpoint
    const lander = new PageLander(landing)
    return {
      run: (input) => {
        const rows = acceptedRows(endpoint, input)
        return rows === null ? 'not accepted' : landPage(lander, feed, landing, input)
      },
    }
  },
}))

const feedNames = [...landingFeeds.keys()]

/** The same pages into a real database: the feed follows from the input. */
export const landingTarget: Target = {
  name: 'landing',
  shape: { kind: 'json', tokens: [...WIRE_TOKENS, ...[...landingFeeds.values()].flatMap(feedTokens)] },
  boundMs: BOUND_MS,
  short: 40,
  open: async () => {
    const dir = newFolder()
    const landing = await openLanding(dir, { records: landingRecords, feeds: landingFeeds })
    return {
      run: async (input) => {
        const fits = feedNames.filter((name) =>
          acceptedRows(endpoints.find((one) => one.name === name) as Endpoint, input),
        )
        if (fits.length === 0) return 'not accepted'
        const { name: feed } = byName(
          fits.map((name) => ({ name })),
          input,
        )
        const { table } = (landingFeeds.get(feed) as LandingFeed).record
        const seq = landing.landedSeq + 1
        const counts = await landing.land([frameOf(seq, feed, input)])
        const [found] = (
          await landing.connection.runAndReadAll(`select
            (select count(*) from landing.${table} where page_id = ${seq}) as landed,
            (select count(*) from landing.quarantine where page_id = ${seq}) as quarantined`)
        ).getRowsJson() as [string, string][]
        must(Number(found?.[0]) + Number(found?.[1]) === counts.rows, 'rows in = rows in the tables')
        return `${feed} ${Math.sign(counts.rows)} ${Math.sign(counts.quarantined)}`
      },
      close: async () => {
        await landing.close()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  },
}
