// One history with mistakes in it, through the whole way: served over HTTP, fetched, journaled, landed, built and checked.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { endpoints } from '../../../connectors/catalogue.ts'
import { systemClock } from '../../../models/clock.ts'
import { openBooks } from '../../../pipeline/books/books.ts'
import { buildBooks, syncBooks } from '../../../pipeline/books/night.ts'
import { readConfig } from '../../../pipeline/config/config.ts'
import type { CommandContext } from '../../../pipeline/config/context.ts'
import type { Break } from '../../../pipeline/ledger/build.ts'
import { openLedger } from '../../../pipeline/ledger/ledger.ts'
import { Clock, DAY_MS } from '../../../sandbox/core/clock.ts'
import { Venue } from '../../../sandbox/core/venue.ts'
import { readFaults } from '../../../sandbox/faults/options.ts'
import { WireFaults } from '../../../sandbox/faults/wire.ts'
import { inventHistory } from '../../../sandbox/history/index.ts'
import { VenueServer } from '../../../sandbox/http/server.ts'
import { writeSandboxConfig } from '../../../sandbox/index.ts'
import type { Day, Expected, Mistake } from './mistake.ts'
import { plant } from './mistakes.ts'

const SPEED = 2_000
const END_MS = Date.parse('2026-06-30T00:00:00Z')
/** Accounts of the sandbox that the mistakes fall on, by their names in the configuration. */
const ACCOUNTS = ['parent', 'classic', 'sub-1', 'sub-2']

export interface PlantedRun {
  readonly planted: readonly { readonly mistake: Mistake; readonly expected: Expected }[]
  /** Mistakes for which the history has no fitting record. */
  readonly unfitting: readonly Mistake[]
  /** Open breaks of severity error and warning, with the uid of their account. */
  readonly found: readonly (Break & { readonly uid: string | null })[]
}

/** Runs a history of so many days with these mistakes, each on a day of its own. */
export async function runPlanted(
  seed: number,
  days: number,
  mistakes: readonly Mistake[],
): Promise<PlantedRun> {
  const venue = new Venue(seed, days, END_MS, new Clock(END_MS, () => performance.now(), 0))
  inventHistory(venue)
  const planted: { mistake: Mistake; expected: Expected }[] = []
  const unfitting: Mistake[] = []
  let free = daysOf(venue)
  for (const mistake of mistakes) {
    const done = plant(venue, mistake, free)
    if (done === null) {
      unfitting.push(mistake)
      continue
    }
    planted.push({ mistake, expected: done.expected })
    if (mistake.isOfAnyDay !== true) free = free.filter((day) => Math.abs(day.from - done.day.from) > DAY_MS)
  }
  const server = new VenueServer(venue, SPEED, new WireFaults(readFaults(), seed))
  const dir = await mkdtemp(join(tmpdir(), 'tieout-planted-'))
  try {
    const baseUrl = await server.listen(0)
    await writeSandboxConfig(dir, { baseUrl, accounts: venue.listed }, { speed: SPEED })
    return { planted, unfitting, found: await night(dir, venue) }
  } finally {
    await server.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Days in UTC, away from both ends, a day between two of them. */
function daysOf({ startMs, endMs }: Venue): Day[] {
  const first = Math.ceil(startMs / DAY_MS) * DAY_MS + 2 * DAY_MS
  const count = Math.floor((endMs - 3 * DAY_MS - first) / DAY_MS)
  return Array.from({ length: count }, (_, at) => ({
    from: first + at * DAY_MS,
    to: first + (at + 1) * DAY_MS,
  }))
}

async function night(dir: string, venue: Venue): Promise<PlantedRun['found']> {
  const started = performance.now()
  const context: CommandContext = {
    dir,
    run: 'planted',
    clock: systemClock,
    now: () => Math.floor(END_MS + performance.now() - started),
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    configFile: join(dir, 'tieout.yaml'),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    print: () => undefined,
    advise: () => undefined,
    tell: () => undefined,
  }
  const names = endpoints.map(({ name }) => name)
  const config = readConfig(context.configFile, names)
  if (config === null) throw new Error(`no configuration in ${dir}`)
  const books = await openBooks(dir, { clock: systemClock, command: 'planted' })
  try {
    const selection = { accounts: ACCOUNTS, since: venue.startMs - 3 * DAY_MS }
    await syncBooks(context, config, books, selection, 'planted', () => undefined)
    const { openBreaks } = await buildBooks(context, config, books, { publishAnyway: true })
    const uids = await uidsOf(dir)
    return openBreaks
      .filter(({ severity }) => severity !== 'notice')
      .map((one) => ({ ...one, uid: one.account === null ? null : (uids.get(one.account) ?? null) }))
  } finally {
    await books.close()
  }
}

async function uidsOf(dir: string): Promise<Map<string, string>> {
  const ledger = await openLedger(dir)
  try {
    const rows = await ledger.query('select account, uid from accounts')
    return new Map(rows.map(([account, uid]) => [String(account), String(uid)]))
  } finally {
    ledger.close()
  }
}

/** What a run shows that it must not, or does not show that it must, in words; none is the expected answer. */
export function faultsOf({ planted, found }: PlantedRun): string[] {
  const left = [...found]
  const missing = planted.flatMap(({ mistake, expected }) => {
    if (expected.check === '') return []
    const at = left.findIndex((one) => isOf(one, expected))
    if (at === -1)
      return [`${mistake.name}: no ${expected.check} of ${expected.uid} names ${expected.names.join(', ')}`]
    left.splice(at, 1)
    return []
  })
  const loud = left.map(
    ({ severity, checkName, account, evidence, explanation }) =>
      `${severity} ${checkName} of ${account} fires too: ${explanation} ${evidence}`,
  )
  return [...missing, ...loud]
}

/** Evidence of orders is a list of ids of which the culprit may not be among the first; its symbol is in the words. */
const isOf = (one: Break & { readonly uid: string | null }, { check, uid, names }: Expected): boolean =>
  one.checkName === check &&
  one.uid === uid &&
  names.every((name) => one.evidence.includes(`${name}"`) || one.explanation.includes(` ${name} `))
