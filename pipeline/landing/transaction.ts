// One transaction of landing: frames in, rows and progress out, all or nothing. The table in docs/architecture.md lists
// what each kind of frame becomes. Nothing else is looked up, so the rows depend on the frames alone.
import { type DuckDBConnection, DuckDBTimestampTZValue, type DuckDBValue, listValue } from '@duckdb/node-api'
import type { UsageError } from '../../models/error.ts'
import { groupBy } from '../../models/group-by.ts'
import { JsonError, parseJsonBytes } from '../../models/json.ts'
import { type Range, union } from '../../models/ranges.ts'
import type { FieldValue } from '../../models/record.ts'
import type { Table } from '../engine/table.ts'
import type {
  Frame,
  ImportMeta,
  NoteMeta,
  PageMeta,
  PricesMeta,
  RefusalMeta,
  Reopened,
  RunEndMeta,
  StatementMeta,
  WriteIntentMeta,
  WriteOutcomeMeta,
} from '../journal/frame.ts'
import { fromNewerVersion } from './errors.ts'
import { layoutOf, readJournaledImport, readJournaledPrices } from './import.ts'
import type { LandingFeed, PageFrame, PageLander } from './page.ts'
import { TableWriter } from './table-writer.ts'
import { countedTables, coveredTable } from './tables.ts'

/** The result of landing frames. */
export interface LandedSummary {
  readonly frames: number
  readonly pages: number
  /** Rows received on the pages, quarantined ones included. */
  readonly rows: number
  readonly quarantined: number
}

/** A window that was begun and not finished. */
export interface Unfinished {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly window: Range
  readonly cursor: string
  readonly pageId: number
}

export const progressKey = (
  { account, feed, partition }: PageMeta | Unfinished,
  { start, end }: Range,
): string => JSON.stringify([account, feed, partition, start, end])

/** A range that is not in whole milliseconds claims no more than it contains. */
const wholeOf = ({ start, end }: Range): Range => ({ start: Math.ceil(start), end: Math.floor(end) })
const whole = (range: Range | undefined): Range | undefined => range && wholeOf(range)

/** What a repair reopened, with the number of its frame: pages before it no longer cover that. */
type ReopenedBy = Reopened & { readonly seq: number }

const partitionOf = ({
  account,
  feed,
  partition,
}: Pick<PageMeta, 'account' | 'feed' | 'partition'>): string => JSON.stringify([account, feed, partition])

/** What is left of a claim; null if nothing of it was reopened. */
function without(claim: Range, reopened: readonly ReopenedBy[]): Range[] | null {
  const gone = reopened.map(({ range }) => wholeOf(range ?? ALWAYS))
  return gone.some(({ start, end }) => start <= claim.end && end >= claim.start) ? outside(claim, gone) : null
}

/** The parts of a claim that are in none of the ranges. */
function outside(claim: Range, ranges: readonly Range[]): Range[] {
  const rest: Range[] = []
  let { start } = claim
  for (const gone of union(ranges)) {
    if (gone.end < start || gone.start > claim.end) continue
    if (start < gone.start) rest.push({ start, end: gone.start - 1 })
    start = gone.end + 1
  }
  if (start <= claim.end) rest.push({ start, end: claim.end })
  return rest
}

const ALWAYS: Range = { start: Number.MIN_SAFE_INTEGER / 1000, end: Number.MAX_SAFE_INTEGER / 1000 }

const time = (iso: string): number => Date.parse(iso)

const micros = (ms: number): DuckDBTimestampTZValue => new DuckDBTimestampTZValue(BigInt(ms) * 1000n)

export class LandingTransaction {
  readonly #connection: DuckDBConnection
  readonly #tables: ReadonlyMap<string, Table>
  readonly #landers: ReadonlyMap<string, PageLander>
  readonly #feeds: ReadonlyMap<string, LandingFeed>
  readonly #writers = new Map<string, TableWriter>()
  readonly #runEnds: RunEndMeta[] = []
  readonly #writeOutcomes: (readonly [WriteOutcomeMeta, Frame['body']])[] = []
  readonly #reopened: ReopenedBy[] = []
  readonly #counts = { frames: 0, pages: 0, rows: 0, quarantined: 0 }
  /** Windows that this transaction changes: what is left of them, or null once they are finished. */
  readonly progress = new Map<string, Unfinished | null>()

  constructor(
    connection: DuckDBConnection,
    tables: ReadonlyMap<string, Table>,
    feeds: ReadonlyMap<string, LandingFeed>,
    landers: ReadonlyMap<string, PageLander>,
  ) {
    this.#connection = connection
    this.#tables = tables
    this.#feeds = feeds
    this.#landers = landers
  }

  async begin(): Promise<void> {
    await this.#connection.run('begin')
  }

  async land(frame: Frame): Promise<void> {
    const { meta } = frame
    this.#counts.frames += 1
    switch (meta.kind) {
      case 'page':
        return this.#landPage({ ...frame, meta })
      case 'refusal':
        return this.#landRefusal(frame, meta)
      case 'statement':
        return this.#landStatement(frame, meta)
      case 'account':
        return this.#append('accounts', [
          meta.account,
          meta.venue,
          meta.uid,
          meta.accountKind,
          meta.accountMode,
          frame.seq,
        ])
      case 'run-start':
        return this.#append('runs', [
          ...[meta.run, time(meta.now), null, meta.command],
          ...[null, null, null, null, frame.seq, meta.feeds?.join(', ') ?? null],
        ])
      case 'run-end':
        this.#runEnds.push(meta)
        return
      case 'write-intent':
        return this.#landIntent(frame, meta)
      case 'write-outcome':
        this.#writeOutcomes.push([meta, frame.body])
        return
      case 'import':
        return this.#landImport(frame, meta)
      case 'import-withdrawal':
        return this.#append('import_withdrawals', [frame.seq, meta.withdraws, time(meta.at)])
      case 'note':
        return this.#landNote(frame, meta)
      case 'set-aside':
        return
      case 'repair':
        this.#reopened.push(...meta.reopens.map((one) => ({ ...one, seq: frame.seq })))
        return
      case 'prices':
        return this.#landPrices(frame, meta)
      default:
        throw unknownKind(frame.seq, meta satisfies never)
    }
  }

  /** Commits with the state of the last frame; `begun` are the windows that the file holds as unfinished. */
  async commit(last: Frame, begun: ReadonlyMap<string, Unfinished>): Promise<LandedSummary> {
    this.#dropProgress(begun)
    for (const [key, unfinished] of this.progress) {
      const before = begun.get(key)
      if (before !== undefined) await this.#deleteProgress(before)
      if (unfinished === null) continue
      const { account, feed, partition, window, cursor, pageId } = unfinished
      await this.#append('progress', [account, feed, partition, window.start, window.end, cursor, pageId])
    }
    for (const writer of this.#writers.values()) writer.close()
    let counted = this.#countedRows()
    this.#writers.clear()
    counted += await this.#reopen()
    for (const { run, at, now = at, requests, rows, retries, outcome } of this.#runEnds)
      await this.#run(
        `update landing.main.runs set ended_at = $1, requests = $2, row_count = $3, retries = $4, outcome = $5
         where run_id = $6`,
        [micros(time(now)), BigInt(requests), BigInt(rows), BigInt(retries), outcome, run],
      )
    for (const [{ intent, at, outcome, code, reason }, body] of this.#writeOutcomes)
      await this.#run(
        `update landing.main.writes set outcome = $1, code = $2, message = $3, settled_at = $4 where seq = $5`,
        [outcome, code, reason ?? refusalText(body), micros(time(at)), BigInt(intent)],
      )
    await this.#run('update landing.main.state set landed_seq = $1, chain = $2, row_total = row_total + $3', [
      BigInt(last.seq),
      last.chain,
      BigInt(counted),
    ])
    await this.#connection.run('commit')
    return this.#counts
  }

  /** Windows begun before a repair are not continued if it reopened their range: their first pages may be lost. */
  #dropProgress(begun: ReadonlyMap<string, Unfinished>): void {
    const reopened = groupBy(this.#reopened, partitionOf)
    if (reopened.size === 0) return
    for (const [key, one] of new Map([...begun, ...this.progress])) {
      if (one === null) continue
      const isReopened = reopened
        .get(partitionOf(one))
        ?.some(
          ({ seq, range }) =>
            one.pageId <= seq &&
            (range === null || (one.window.start <= range.end && one.window.end >= range.start)),
        )
      if (isReopened === true) this.progress.set(key, null)
    }
  }

  /** Removes ranges from what pages before a repair had covered; returns the change in the number of rows. */
  async #reopen(): Promise<number> {
    if (this.#reopened.length === 0) return 0
    const reopened = groupBy(this.#reopened, partitionOf)
    const gone: bigint[] = []
    const writer = await TableWriter.open(this.#connection, coveredTable)
    // Read completely before anything is written, because writing changes the rows being read.
    const rests: (readonly FieldValue[])[] = []
    const claims = await this.#connection.stream(
      `select rowid, page_id, account, feed, partition, epoch_ms(starts_at), epoch_ms(ends_at), row_count
       from landing.main.covered`,
    )
    for await (const chunk of claims)
      for (const row of chunk.getRows() as [
        bigint,
        bigint,
        string,
        string,
        string,
        bigint,
        bigint,
        number,
      ][]) {
        const [rowid, page, account, feed, partition, start, end, rows] = row
        const of =
          reopened.get(partitionOf({ account, feed, partition }))?.filter(({ seq }) => page < seq) ?? []
        const claim = { start: Number(start), end: Number(end) }
        const rest = without(claim, of)
        if (rest === null) continue
        gone.push(rowid)
        for (const { start: from, end: to } of rest)
          rests.push([page, account, feed, partition, from, to, rows])
      }
    for (const rest of rests) writer.append(rest)
    // A list without an item has no type that it could be bound as.
    if (gone.length > 0)
      await this.#run('delete from landing.main.covered where rowid in (select unnest($1::bigint[]))', [
        listValue(gone),
      ])
    writer.close()
    return rests.length - gone.length
  }

  #countedRows(): number {
    const counted = countedTables(this.#tables.values()).map(({ name }) => this.#writers.get(name)?.rows ?? 0)
    return counted.reduce((sum, count) => sum + count, 0)
  }

  async rollback(): Promise<void> {
    for (const writer of this.#writers.values()) writer.discard()
    this.#writers.clear()
    await this.#connection.run('rollback')
  }

  async #landPage(frame: PageFrame): Promise<void> {
    const { seq, meta } = frame
    const lander = this.#landers.get(meta.feed)
    const feed = this.#feeds.get(meta.feed)
    if (lander === undefined || feed === undefined) throw unknownFeed(frame)
    const counts = lander.land(frame, {
      rows: await this.#writer(feed.record.table),
      quarantine: await this.#writer('quarantine'),
      drift: await this.#writer('drift'),
    })
    this.#counts.pages += 1
    this.#counts.rows += counts.rows
    this.#counts.quarantined += counts.quarantined
    const { run, account, feed: name, partition, request, status, at, answeredAt, cursor, next } = meta
    const window = whole(meta.window)
    const covers = whole(meta.covers)
    const endsList = window !== undefined || next === undefined ? null : next === null
    const asked = [window?.start ?? null, window?.end ?? null, cursor ?? null, endsList]
    await this.#append('pages', [
      ...[seq, run, account, name, partition, request.path, status, time(at)],
      ...asked,
      ...[counts.rows, counts.quarantined, answeredAt === undefined ? null : time(answeredAt)],
      frame.body === null,
    ])
    if (covers !== undefined)
      await this.#append('covered', [seq, account, name, partition, covers.start, covers.end, counts.rows])
    if (window === undefined || next === undefined) return
    this.progress.set(
      progressKey(meta, window),
      next === null ? null : { account, feed: name, partition, window, cursor: next, pageId: seq },
    )
  }

  /** The venue's own words have no status: the statements that follow record what they mean for a range. */
  #landRefusal({ seq, body }: Frame, meta: RefusalMeta): Promise<void> {
    const { run, account, feed, partition, code, at } = meta
    const who = [seq, run, account, feed, partition]
    return this.#append('statements', [...who, null, null, null, code, refusalText(body), time(at), false])
  }

  #landStatement({ seq }: Frame, meta: StatementMeta): Promise<void> {
    const { run, account, feed, partition, status, code, reason, at, named } = meta
    const range = whole(meta.range)
    const who = [seq, run, account, feed, partition]
    const ends = [range?.start ?? null, range?.end ?? null]
    return this.#append('statements', [...who, ...ends, status, code, reason, time(at), named])
  }

  #landIntent({ seq, body }: Frame, { account, endpoint, request, at }: WriteIntentMeta): Promise<void> {
    const text = body === null ? null : Buffer.from(body).toString('utf8')
    return this.#append('writes', [
      ...[seq, account, endpoint, request.path, text, time(at)],
      ...[null, null, null, null],
    ])
  }

  /**
   * Rows as in the file; a row that is in two files is here twice. An erased body has none, but the frame still has their
   * number.
   */
  async #landImport({ seq, body }: Frame, meta: ImportMeta): Promise<void> {
    const { table, rows } = readJournaledImport(seq, meta, body)
    const { imports, file, sha256, at } = meta
    await this.#append('imports', [seq, imports, file, meta.rows, sha256, time(at), layoutOf(meta)])
    const writer = await this.#writer(table)
    for (const [row, { values }] of rows.entries()) writer.append([seq, row, ...values])
  }

  async #landPrices({ seq, body }: Frame, meta: PricesMeta): Promise<void> {
    const { run, source, asset, currency, unit, request, status, at, problem, lacks = [] } = meta
    const { prices, none } = readJournaledPrices(seq, meta, body)
    const of = [seq, run, source, asset, currency, unit, request.path, status, time(at)]
    const covers = whole(meta.covers)
    const rest = covers === undefined ? [] : outside(covers, lacks)
    const pages = await this.#writer('price_pages')
    for (const { start, end } of rest)
      pages.append([
        ...of,
        start,
        end,
        prices.filter(({ pricedAt }) => start <= pricedAt && pricedAt <= end).length,
        null,
      ])
    for (const { start, end } of lacks) pages.append([...of, start, end, 0, problem])
    if (covers === undefined) pages.append([...of, null, null, 0, problem])
    const writer = await this.#writer('fetched_prices')
    for (const { place, pricedAt, price } of prices)
      writer.append([seq, place, BigInt(pricedAt) * 1000n, asset, currency, price, source, unit])
    if (none.length === 0) return
    const quarantine = await this.#writer('quarantine')
    const series = [null, `prices.${source}`, `${asset}/${currency} ${unit}`]
    for (const { place, field, reason, raw } of none)
      quarantine.append([...series, seq, place, field, reason, raw, time(at)])
  }

  /** An erased note still explains its break, without a text. */
  #landNote({ seq, body }: Frame, { breakId, figures, isWithdrawn, at }: NoteMeta): Promise<void> {
    const text = body === null ? null : Buffer.from(body).toString('utf8')
    return this.#append('notes', [seq, breakId, figures, isWithdrawn, text, time(at)])
  }

  #deleteProgress({ account, feed, partition, window }: Unfinished): Promise<void> {
    return this.#run(
      `delete from landing.main.progress
       where account = $1 and feed = $2 and partition = $3 and window_start = $4 and window_end = $5`,
      [account, feed, partition, micros(window.start), micros(window.end)],
    )
  }

  async #run(sql: string, values: DuckDBValue[]): Promise<void> {
    await this.#connection.run(sql, values)
  }

  async #append(table: string, values: readonly FieldValue[]): Promise<void> {
    const writer = await this.#writer(table)
    writer.append(values)
  }

  async #writer(name: string): Promise<TableWriter> {
    const open = this.#writers.get(name)
    if (open !== undefined) return open
    const writer = await TableWriter.open(this.#connection, this.#tables.get(name)!)
    this.#writers.set(name, writer)
    return writer
  }
}

/** The venue's message, if its answer can be read. */
function refusalText(body: Uint8Array | null): string | null {
  if (body === null) return null
  try {
    const { value } = parseJsonBytes(body)
    const message = typeof value === 'object' && value !== null && 'msg' in value ? value.msg : null
    return typeof message === 'string' ? message : null
  } catch (error) {
    if (error instanceof JsonError) return null // An HTML page, for instance; the journal keeps it.
    throw error
  }
}

const unknownFeed = ({ seq, meta }: PageFrame): UsageError =>
  fromNewerVersion(
    'The journal has a page of a feed that this version of tieout does not know.',
    seq,
    meta.feed,
  )

const unknownKind = (seq: number, { kind }: { readonly kind: string }): UsageError =>
  fromNewerVersion('The journal has a frame of a kind that this version of tieout does not know.', seq, kind)
