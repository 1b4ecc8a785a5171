// What must hold, whatever happened: the invariants of the design, compared with the history that was invented.
// The questions are asked with code of the simulator's own where that is possible at all.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Books } from '../../pipeline/books.ts'
import { recordSelect } from '../../pipeline/build/records.ts'
import type { Frame, PageMeta, StatementMeta } from '../../pipeline/journal/frame.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { landJournal, openLanding } from '../../pipeline/landing/landing.ts'
import type { DiskHooks } from './disk.ts'
import { type Feed, retentionOfFeed } from './feeds.ts'
import { LOOKBACK_SLACK_MS, type VenueRecord, versionAt } from './history.ts'
import type { Machine } from './machine.ts'
import { FOLDER_IN_MEMORY } from './native.ts'
import { type Ledger, landingSettings } from './night.ts'
import { idsIn } from './venue.ts'
import { contentSql } from './wire.ts'
import { START, type World } from './world.ts'

/** What the moving edge of the venue's memory may take without a word. */
const EDGE_MS = 5 * 60_000

/** A disk that does as it is told. */
export const plain: DiskHooks = {
  before: async () => undefined,
  after: async () => undefined,
  cut: () => null,
}

export async function framesOf(world: World, machine: Machine): Promise<Frame[]> {
  const clock = { wall: () => START + world.scheduler.now, monotonic: () => 0, sleep: async () => undefined }
  const journal = await openJournal(machine.dir, { mode: 'read', clock, disk: machine.disk.for(plain) })
  const frames: Frame[] = []
  for await (const frame of journal.read()) frames.push(frame)
  await journal.close()
  return frames
}

const listOf = (of: { account: string; feed: string; partition: string }): string =>
  `${of.account}/${of.feed}/${of.partition}`

export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** After each process, dead or alive: nothing acknowledged is lost, nothing claimed is missing, no secret is kept. */
export async function checkJournal(world: World, machine: Machine, ledger: Ledger): Promise<void> {
  const frames = await framesOf(world, machine)
  const { seq, chain } = ledger.acknowledged
  const last = frames[seq - 1]
  if (seq > 0 && last?.chain !== chain)
    world.violation(`frame ${seq} was acknowledged, and the journal of ${frames.length} frames has lost it`)
  const lists = grouped(world.records, listOf)
  const had = new Map<string, Set<string>>()
  const begun = new Map<string, number>()
  for (const frame of frames) {
    checkSecrets(world, frame)
    const { meta } = frame
    if (meta.kind === 'statement' && meta.status === 'lost') checkLoss(world, ledger, frame, meta)
    if (meta.kind !== 'page') continue
    const feed = world.feeds.find((one) => one.name === meta.feed)
    if (feed === undefined) continue
    const key = listOf(meta)
    const ids = had.get(key) ?? new Set()
    had.set(key, ids)
    for (const id of idsIn(Buffer.from(frame.body ?? []).toString(), feed)) ids.add(id)
    // A window may be gone on with by a later run: what stood there when it was begun is what it proves.
    const window = `${key} ${meta.window?.start} ${meta.window?.end}`
    if (meta.cursor === undefined) begun.set(window, ledger.startedAt.get(meta.run) ?? 0)
    if (meta.covers !== undefined)
      checkClaim(world, ledger, frame, meta as Claim, feed, lists.get(key) ?? [], ids, begun.get(window) ?? 0)
  }
}

/** What is said to be lost is older than the venue remembers. A clock that is wrong may say otherwise for a while. */
function checkLoss(world: World, ledger: Ledger, frame: Frame, { feed, range, code }: StatementMeta): void {
  const statedAt = ledger.handedOverAt.get(frame.chain)
  const known = world.feeds.find((one) => one.name === feed)
  const { faults } = world.config
  const isClockWrong = (faults['clock skew'] ?? 0) + (faults['clock steps'] ?? 0) > 0
  if (statedAt === undefined || known === undefined || range === undefined) return
  if (code !== 'retention' || isClockWrong) return
  const edge = START + statedAt - retentionOfFeed(known) + EDGE_MS
  if (range.end > edge)
    world.violation(
      `${feed} is said to be lost from ${range.start} to ${range.end}, which the venue still has`,
    )
}

type Claim = PageMeta & { readonly covers: { readonly start: number; readonly end: number } }

/** Every record that stood in the range from before its window was begun has been journaled when it is claimed. */
function checkClaim(
  world: World,
  ledger: Ledger,
  frame: Frame,
  meta: Claim,
  feed: Feed,
  records: readonly VenueRecord[],
  ids: ReadonlySet<string>,
  startedAt: number,
): void {
  const asked = Number(/startTime=(\d+)/.exec(meta.request.path)?.[1])
  if (meta.covers.start < asked - EDGE_MS)
    world.violation(
      `frame ${frame.seq} claims ${listOf(meta)} from ${meta.covers.start}, and asked from ${asked} only`,
    )
  const claimedAt = ledger.handedOverAt.get(frame.chain)
  // A frame that was never acknowledged survived its process all the same: when it was made is not known.
  if (claimedAt === undefined) return
  const edge = START + claimedAt - retentionOfFeed(feed) + EDGE_MS
  const missing = records.find(
    (record) =>
      record.ts >= Math.max(meta.covers.start, edge) &&
      record.ts <= meta.covers.end &&
      record.appearsAt <= startedAt &&
      versionAt(record, claimedAt) !== null &&
      !ids.has(record.id),
  )
  if (missing !== undefined)
    world.violation(
      `frame ${frame.seq} claims ${listOf(meta)} from ${meta.covers.start} to ${meta.covers.end}, ` +
        `but record ${missing.id} of ${missing.ts} has never been journaled`,
    )
}

function secretsOf(world: World): string[] {
  return world.accounts.flatMap(({ api, tax }) =>
    [api, tax].flatMap(({ key, secret, passphrase }) => [key, secret, passphrase]),
  )
}

function checkSecrets(world: World, { seq, meta, body }: Frame): void {
  const text = JSON.stringify(meta) + Buffer.from(body ?? []).toString()
  const plainText = text.replace(/\\u00([0-9a-fA-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  for (const secret of secretsOf(world))
    if (plainText.includes(secret)) world.violation(`frame ${seq} holds a secret`)
}

export function checkLogs(world: World, ledger: Ledger): void {
  for (const line of ledger.logs)
    for (const secret of secretsOf(world))
      if (line.includes(secret)) world.violation(`a log line holds a secret: ${line}`)
}

type Ask = (sql: string) => Promise<Record<string, string>[]>

export function asking(books: Pick<Books, 'landing'>): Ask {
  return async (sql) => {
    const reader = await books.landing.connection.runAndReadAll(sql)
    return reader.getRowObjectsJson() as Record<string, string>[]
  }
}

/** Every page landed once, whole: each of its rows stands in its table or in quarantine. */
export async function checkPages(world: World, machine: Machine, books: Books): Promise<void> {
  const ask = asking(books)
  const frames = await framesOf(world, machine)
  const tables = new Map(world.feeds.map((feed) => [feed.item!.table, feed]))
  const landed = new Map<string, number>()
  const count = (rows: Record<string, string>[]): void => {
    for (const { page_id: page, rows: found } of rows)
      landed.set(String(page), (landed.get(String(page)) ?? 0) + Number(found))
  }
  for (const table of tables.keys())
    count(await ask(`select page_id, count(*) as rows from landing.main.${table} group by page_id`))
  count(await ask('select page_id, count(*) as rows from landing.main.quarantine group by page_id'))
  for (const { seq, meta, body } of frames) {
    const feed = meta.kind === 'page' ? world.feeds.find((one) => one.name === meta.feed) : undefined
    if (feed === undefined) continue
    const rows = idsIn(Buffer.from(body ?? []).toString(), feed).length
    if (rows !== (landed.get(String(seq)) ?? 0))
      world.violation(`page ${seq} has ${rows} rows, and ${landed.get(String(seq)) ?? 0} of them landed`)
  }
  const [state] = await ask('select landed_seq from landing.main.state')
  if (Number(state?.landed_seq) !== frames.length)
    world.violation(`${frames.length} frames are journaled, and landing stands at ${state?.landed_seq}`)
}

/** Records and versions that must have been had: all that the venue told before the last run, and still does. */
function isDue(world: World, feed: Feed, record: VenueRecord, beganAt: number): boolean {
  const { now } = world.scheduler
  const edge = START + now - retentionOfFeed(feed) + EDGE_MS
  const version = versionAt(record, now)
  if (record.ts < edge || version === null || version !== versionAt(record, beganAt)) return false
  return record.isOnEdge || record.appearsAt + START - record.ts <= feed.window.lookbackMs - LOOKBACK_SLACK_MS
}

/** The landed records are the venue's, version by version and digit by digit, and each is published once. */
export async function checkTruth(world: World, books: Books, beganAt: number): Promise<void> {
  const ask = asking(books)
  const kept = await ask('select account, feed, raw from landing.main.quarantine')
  for (const feed of world.feeds) {
    const record = feed.item!
    const key = `"${record.key.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))[0]}"`
    const published = await ask(
      `select account, partition, ${key} as id, ${contentSql(record)} as content, is_current
       from (${recordSelect(record, true).replaceAll('landing.', 'landing.main.')})`,
    )
    const quarantined = kept.filter((row) => row.feed === feed.name)
    const partitions = new Set(feed.partitions.map(({ label }) => label))
    const asked = world.accounts.filter(({ kind }) => feed.applies === 'all' || kind === 'unified')
    const names = new Set(asked.map(({ name }) => name))
    const own = world.records.filter(
      (one) => one.feed === feed.name && partitions.has(one.partition) && names.has(one.account),
    )
    const [landed] = await ask(
      `select count(*) as versions from (select distinct account, ${key}, ${contentSql(record)} from landing.main.${record.table})`,
    )
    if (Number(landed?.versions) !== published.length)
      world.violation(
        `${feed.name}: ${landed?.versions} versions have landed, ${published.length} are published`,
      )
    checkFeed(world, feed, own, published, quarantined, beganAt)
  }
}

function checkFeed(
  world: World,
  feed: Feed,
  own: readonly VenueRecord[],
  published: readonly Record<string, unknown>[],
  quarantined: readonly Record<string, string>[],
  beganAt: number,
): void {
  const byId = grouped(published, (row) => `${row.account}/${row.id}`)
  const known = new Map(own.map((record) => [`${record.account}/${record.id}`, record]))
  for (const [id, rows] of byId) {
    const record = known.get(id)
    for (const row of rows) {
      const isTrue = record?.versions.some(({ content }) => content === row.content)
      if (!isTrue)
        world.violation(`${feed.name} ${id} is published as ${row.content}, which the venue never said`)
      if (record !== undefined && row.partition !== record.partition)
        world.violation(`${feed.name} ${id} of ${record.partition} is published under ${row.partition}`)
    }
    if (new Set(rows.map((row) => row.content)).size !== rows.length)
      world.violation(`${feed.name} ${id} is published twice with the same content`)
    if (rows.filter((row) => row.is_current === true).length !== 1)
      world.violation(
        `${feed.name} ${id} has ${rows.filter((row) => row.is_current === true).length} current versions`,
      )
  }
  const asides = quarantined.map(({ account, raw }) => ({ account, ids: idsIn(raw ?? '', feed) }))
  const isAside = (record: VenueRecord): boolean =>
    asides.some(({ account, ids }) => account === record.account && ids.includes(record.id))
  for (const record of own.filter((one) => isDue(world, feed, one, beganAt))) {
    const version = versionAt(record, world.scheduler.now)!
    const rows = byId.get(`${record.account}/${record.id}`) ?? []
    const what = `${feed.name} ${record.account}/${record.id} of ${record.ts} (appeared at ${record.appearsAt})`
    if (version.content === null) {
      if (!isAside(record)) world.violation(`${what} cannot be read, and is not kept aside`)
      continue
    }
    const row = rows.find(({ content }) => content === version.content)
    if (row === undefined) {
      const lacks =
        rows.length === 0
          ? 'is missing'
          : `is only known as ${rows.map(({ content }) => content).join(' and ')}`
      world.violation(`${what} ${lacks}`)
    } else if (row.is_current !== true) world.violation(`${what} is not published as it is now`)
  }
}

/** The same landing comes of the journal alone. */
export async function checkRebuild(world: World, machine: Machine, books: Books): Promise<void> {
  const dir = join(machine.dir, FOLDER_IN_MEMORY)
  mkdirSync(dir)
  const clock = { wall: () => START, monotonic: () => 0, sleep: async () => undefined }
  const journal = await openJournal(machine.dir, { mode: 'read', clock, disk: machine.disk.for(plain) })
  const fresh = await openLanding(dir, {
    ...(landingSettings(world) as { records: []; feeds: Map<never, never> }),
  })
  try {
    await landJournal(journal, fresh)
    const again = await fresh.contentHashes()
    for (const [table, { rows, hash }] of await books.landing.contentHashes()) {
      const other = again.get(table)
      if (other?.hash !== hash)
        world.violation(
          `table ${table} has ${rows} rows, and ${other?.rows} others when the journal is landed again`,
        )
    }
  } finally {
    await fresh.close()
    await journal.close()
  }
}
