// What must hold of the journal and the logs, whatever happened: the invariants of the design, compared with the
// history that was invented.
import type { Frame, PageMeta, StatementMeta } from '../../../pipeline/journal/frame.ts'
import { openJournal } from '../../../pipeline/journal/journal.ts'
import type { DiskHooks } from './disk.ts'
import { type Feed, retentionOfFeed } from './feeds.ts'
import { type VenueRecord, versionAt } from './history.ts'
import type { Machine } from './machine.ts'
import type { Ledger } from './night.ts'
import { idsIn } from './venue.ts'
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
  /** From when on each run had asked for a list. */
  const oldest = new Map<string, number>()
  for (const frame of frames) {
    checkSecrets(world, frame)
    const { meta } = frame
    if (meta.kind === 'statement' && meta.status === 'lost') checkLoss(world, ledger, frame, meta)
    if (meta.kind === 'statement' && meta.status === 'unproven')
      checkUnproven(world, meta, lists.get(listOf(meta)) ?? [])
    if (meta.kind !== 'page') continue
    const feed = world.feeds.find((one) => one.name === meta.feed)
    if (feed === undefined) continue
    const key = listOf(meta)
    const ids = had.get(key) ?? new Set()
    had.set(key, ids)
    for (const id of idsIn(Buffer.from(frame.body ?? []).toString(), feed)) ids.add(id)
    // A window may be gone on with by a later run: what stood there when it was begun is what it proves.
    const window = `${key} ${meta.window?.start} ${meta.window?.end}`
    const startedAt = ledger.startedAt.get(meta.run) ?? 0
    if (meta.cursor === undefined) begun.set(window, startedAt)
    const asked = Number(/startTime=(\d+)/.exec(meta.request.path)?.[1])
    const inRun = `${key} ${meta.run}`
    oldest.set(inRun, Math.min(asked, oldest.get(inRun) ?? asked))
    if (meta.covers !== undefined)
      checkClaim(world, ledger, frame, meta as Claim, feed, {
        records: lists.get(key) ?? [],
        ids,
        startedAt: begun.get(window) ?? startedAt,
        oldest: oldest.get(inRun) ?? asked,
      })
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

/** Only what no page can hold may be left without a proof. */
function checkUnproven(
  world: World,
  { feed, partition, range }: StatementMeta,
  records: readonly VenueRecord[],
): void {
  const crowd = records.filter(({ ts }) => range !== undefined && range.start <= ts && ts <= range.end)
  if (crowd.length < world.config.pageSize)
    world.violation(
      `${feed} ${partition} is said to be unproven from ${range?.start} to ${range?.end}, where ${crowd.length} rows stand`,
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
  known: {
    readonly records: readonly VenueRecord[]
    readonly ids: ReadonlySet<string>
    readonly startedAt: number
    readonly oldest: number
  },
): void {
  const { records, ids, startedAt, oldest } = known
  if (meta.covers.start < oldest - EDGE_MS)
    world.violation(
      `frame ${frame.seq} claims ${listOf(meta)} from ${meta.covers.start}, and its run asked from ${oldest} only`,
    )
  const claimedAt = ledger.handedOverAt.get(frame.chain)
  // A frame that was never acknowledged survived its process all the same: when it was made is not known.
  if (claimedAt === undefined) return
  checkMoment(world, frame, meta, claimedAt)
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

/** The venue's clock is known from answers that took their time. */
const MISJUDGED_MS = 5_000

/** Nothing is claimed that had not happened by then, whatever the machine's clock says. */
function checkMoment(world: World, { seq }: Frame, meta: Claim, claimedAt: number): void {
  const tellsWrongTimes = ['wrong requestTime', 'odd requestTime'] as const
  if (tellsWrongTimes.some((fault) => (world.config.faults[fault] ?? 0) > 0)) return
  if (meta.covers.end > START + claimedAt + MISJUDGED_MS)
    world.violation(`frame ${seq} claims ${listOf(meta)} up to ${meta.covers.end}, which was still to come`)
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
