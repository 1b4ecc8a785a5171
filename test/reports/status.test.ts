// The status of the books: what is covered, what will be lost and when, and which breaks are open.
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { CorruptionError } from '../../models/error.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { acquireLock } from '../../pipeline/journal/lock.ts'
import type { Break } from '../../pipeline/ledger/breaks.ts'
import { keepUnpublishedBreaks } from '../../pipeline/ledger/publish.ts'
import {
  type Asked,
  type FeedStatus,
  hasOpenBreaks,
  isStale,
  readStatus,
  type Status,
} from '../../pipeline/reports/status.ts'
import { describeStatus, duration, verdict } from '../../pipeline/reports/status-text.ts'
import { describeBreaks, printBreaks } from '../../pipeline/reports/summary.ts'
import { writeJournal } from '../support/journal.ts'
import { publish } from './books.ts'

const NOW = Date.parse('2026-01-10T12:00:00Z')

const interval = (feed: string, partition: string, from: string, to: string, status: string): string =>
  `insert into coverage values ('main', '${feed}', '${partition}', '${from}+00', '${to}+00', '${status}', null,
    ${status === 'complete' ? 'null' : "'why'"}, false, false)`

async function feeds(
  statements: string[],
  retentionDays = {},
  asked?: Asked,
): Promise<readonly FeedStatus[]> {
  const options = { now: NOW, retentionDays, ...(asked && { asked }) }
  return (await readStatus(await publish(statements), options)).feeds
}

const aBreak: Break = {
  breakId: '0123456789abcdef',
  checkName: 'double_entry',
  severity: 'error',
  account: 'main',
  ledger: null,
  coin: 'USDT',
  occurredAt: null,
  expected: '0',
  found: '-1.5',
  difference: '-1.5',
  explanation: 'The postings of t1 do not sum to zero.\u001b[2J',
  evidence: '["t1"]',
  firstSeenAt: '2026-01-10T00:00:00.000Z',
  status: 'open',
  note: null,
  notedAt: null,
  figuresHash: 'fedcba9876543210',
}

describe('coverage in the status', () => {
  test('of a public feed, which one account reads for all, expires counting from the last reading by any of them', async () => {
    // Another account came first in the configuration since the second day.
    const list = (account: string, day: string): string =>
      interval(
        'market.liquidations',
        'USDT-FUTURES',
        `${day} 00:00:00`,
        `${day} 00:00:00`,
        'complete',
      ).replace("'main'", `'${account}'`)
    const all = await feeds([list('main', '2026-01-01'), list('other', '2026-01-09')])
    expect(all.map(({ account, forgetsAt }) => [account, forgetsAt])).toEqual([
      ['main', null],
      ['other', '2026-01-12T00:00:00.000Z'],
    ])
    // Who read it last is taken out again: the next run reads it by the account that is left, or by a new one.
    for (const accounts of [['main'], ['new']]) {
      const lists = [list('main', '2026-01-01'), list('other', '2026-01-09')]
      const left = await feeds(lists, {}, { accounts, feeds: undefined })
      expect(left.map(({ forgetsAt }) => forgetsAt)).toEqual([null, '2026-01-12T00:00:00.000Z'])
    }
    const none = { accounts: ['main'], feeds: ['tax.records'] }
    expect((await feeds([list('main', '2026-01-01')], {}, none)).map(({ forgetsAt }) => forgetsAt)).toEqual([
      null,
    ])
  })

  test('extends from the first covered instant to the last, and a later run is needed before the rest expires', async () => {
    const [feed] = await feeds([
      interval('tax.records', 'SPOT', '2025-01-09 12:00:00', '2026-01-10 00:00:00', 'complete'),
    ])
    expect(feed).toEqual({
      account: 'main',
      feed: 'tax.records',
      partition: 'SPOT',
      from: '2025-01-09T12:00:00.000Z',
      to: '2026-01-10T00:00:00.000Z',
      behindMs: 12 * 3_600_000,
      gaps: [],
      status: null,
      reason: null,
      retentionDays: 366,
      forgetsAt: '2027-01-11T00:00:00.000Z',
    })
  })

  test('treats ranges one millisecond apart as one, and what the table calls missing as at risk', async () => {
    const [feed] = await feeds([
      interval('tax.records', 'SPOT', '2025-06-01 00:00:00', '2025-06-30 23:59:59.999', 'complete'),
      interval('tax.records', 'SPOT', '2025-07-01 00:00:00', '2025-07-31 00:00:00', 'complete'),
      interval('tax.records', 'SPOT', '2025-07-31 00:00:00.001', '2025-08-01 23:59:59.999', 'missing'),
      interval('tax.records', 'SPOT', '2025-08-02 00:00:00', '2026-01-10 00:00:00', 'complete'),
    ])
    expect(feed?.gaps).toEqual([
      {
        from: '2025-07-31T00:00:00.001Z',
        to: '2025-08-01T23:59:59.999Z',
        status: 'missing',
        reason: 'why',
      },
    ])
    expect(feed?.forgetsAt).toBe('2026-08-01T00:00:00.001Z')
  })

  test('counts a pending range as at risk and a lost one as lost', async () => {
    const [feed] = await feeds([
      interval('tax.records', 'SPOT', '2024-12-01 00:00:00', '2024-12-31 23:59:59.999', 'lost'),
      interval('tax.records', 'SPOT', '2025-01-01 00:00:00', '2025-01-06 23:59:59.999', 'pending'),
      interval('tax.records', 'SPOT', '2025-01-07 00:00:00', '2026-01-10 00:00:00', 'complete'),
    ])
    expect(feed?.gaps.map((gap) => [gap.status, gap.reason])).toEqual([
      ['lost', 'why'],
      ['pending', 'why'],
    ])
    expect(feed?.forgetsAt).toBe('2026-01-02T00:00:00.000Z')
  })

  test('follows the configuration if it overrides the venue’s retention', async () => {
    const books = [interval('tax.p2pRecords', '', '2025-06-01 00:00:00', '2026-01-10 00:00:00', 'complete')]
    expect((await feeds(books))[0]).toMatchObject({ retentionDays: 730 })
    expect((await feeds(books, { 'tax.p2pRecords': 100 }))[0]).toMatchObject({
      retentionDays: 100,
      forgetsAt: '2026-04-20T00:00:00.000Z',
    })
  })

  test('states for a feed that does not apply why', async () => {
    const statement = `insert into coverage values ('main', 'p2p.orders', '', null, null, 'not_applicable', '70102',
      'not a merchant', false, false)`
    expect((await feeds([statement]))[0]).toMatchObject({
      from: null,
      behindMs: null,
      status: 'not_applicable',
      reason: 'not a merchant',
      forgetsAt: null,
    })
  })
})

describe('the status', () => {
  const BOOKS = [
    interval('tax.records', 'SPOT', '2025-01-01 00:00:00', '2026-01-10 00:00:00', 'complete'),
    `insert into runs values ('r1', '2026-01-10 00:00:00+00', '2026-01-10 00:01:00+00', 'nightly', 12, 345, 1, 'done')`,
    `insert into breaks values ('k1', 'balance_chain', 'warning', 'main', 'UNIFIED', 'USDT', null, 3, 2, -1, 'x', '[]',
      '2026-01-10 00:00:00+00', 'open')`,
  ]

  test('in words names what expires first, the runs and the breaks', async () => {
    const dir = await publish(BOOKS)
    const status = await readStatus(dir, { now: NOW })
    const text = describeStatus({ ...status, dir: 'books', publishedAt: '2026-01-10T00:02:00.000Z' })
    expect(text).toBe(
      [
        '1 open break: 1 warning.',
        'Fresh: the last good run ended 2026-01-10T00:01:00.000Z, 11 h ago.',
        'Without another run, the venue forgets tax.records SPOT of main first, from 2027-01-11T00:00:00.000Z onwards (in 365 d).',
        '',
        'Open breaks: 0 errors, 1 warning, 0 notices.',
        '  warning  balance_chain (1)',
        '',
        'Coverage',
        'account  feed         partition  from                      to                        behind  gaps  forgotten from            state',
        '───────  ───────────  ─────────  ────────────────────────  ────────────────────────  ──────  ────  ────────────────────────  ─────',
        'main     tax.records  SPOT       2025-01-01T00:00:00.000Z  2026-01-10T00:00:00.000Z    12 h     0  2027-01-11T00:00:00.000Z',
        '',
        'Last runs',
        'started                   ended                     command  requests  rows  retries  outcome',
        '────────────────────────  ────────────────────────  ───────  ────────  ────  ───────  ───────',
        '2026-01-10T00:00:00.000Z  2026-01-10T00:01:00.000Z  nightly        12   345        1  done',
        '',
        'Books in books, at 2026-01-10T12:00:00.000Z; ledger published 2026-01-10T00:02:00.000Z.',
      ].join('\n'),
    )
    expect(hasOpenBreaks(status)).toBe(true)
  })

  test('takes the time of publication from the ledger, whatever the time of its file', async () => {
    const dir = await publish([
      `create table about as select 1 as format, '0.1.0' as version,
         cast('2026-01-10 00:02:00+00' as timestamptz) as published_at`,
    ])
    utimesSync(join(dir, 'ledger.duckdb'), 0, 0)
    expect((await readStatus(dir, { now: NOW })).publishedAt).toBe('2026-01-10T00:02:00.000Z')
  })

  test('knows the last good run: the newest that read everything wanted to its end', async () => {
    const run = (id: string, day: number, end: string, outcome: string): string =>
      `insert into runs values ('${id}', '2026-01-0${day} 00:00:00+00', ${end}, 'nightly', 1, 1, 0, ${outcome})`
    const at = (day: number): string => `'2026-01-0${day} 01:00:00+00'`
    const status = await readStatus(
      await publish([
        run('r1', 1, at(1), "'done'"),
        run('r2', 2, at(2), "'done'"),
        run('r3', 3, at(3), "'incomplete'"),
        run('r4', 4, at(4), "'refused'"),
        run('r5', 5, at(5), "'part done'"),
        run('r6', 6, 'null', 'null'),
        // By a clock that was wrong: it must not count until its time comes.
        run('r7', 7, at(7), "'done'"),
      ]),
      { now: Date.parse('2026-01-03T13:00:00Z') },
    )
    expect(status.lastGoodRunAt).toBe('2026-01-02T01:00:00.000Z')
    const hours = 3_600_000
    expect([isStale(status, 36 * hours), isStale(status, 36 * hours - 1)]).toEqual([false, true])
    expect(isStale({ ...status, lastGoodRunAt: null }, 1e12)).toBe(true)
  })

  test('lists the newest runs first, and trusts a clock that is at most five minutes ahead', async () => {
    const run = (day: number): string =>
      `insert into runs values ('r${day}', '2026-01-0${day} 00:00:00+00', '2026-01-0${day} 01:00:00+00', 'nightly', ${day}, 1, 0, 'done')`
    const dir = await publish([1, 2, 3, 4, 5, 6].map(run))
    const status = await readStatus(dir, { now: NOW })
    expect(status.runs.map(({ requests }) => requests)).toEqual([6, 5, 4, 3, 2])
    const lastGood = async (now: string) => (await readStatus(dir, { now: Date.parse(now) })).lastGoodRunAt
    expect(await lastGood('2026-01-06T00:55:00Z')).toBe('2026-01-06T01:00:00.000Z')
    expect(await lastGood('2026-01-06T00:54:59.999Z')).toBe('2026-01-05T01:00:00.000Z')
  })

  test('is behind by nothing where what is covered reaches past its own clock', async () => {
    const reaching = (to: string) =>
      feeds([interval('tax.records', 'SPOT', '2025-01-01 00:00:00', to, 'complete')])
    expect((await reaching('2026-01-10 12:01:00'))[0]?.behindMs).toBe(0)
    expect((await reaching('2026-01-10 11:59:00'))[0]?.behindMs).toBe(60_000)
  })

  test('begins with the verdict: ties out, or how many breaks are open; fresh, or stale', async () => {
    const read = await readStatus(await publish([BOOKS[0] as string, BOOKS[1] as string]), { now: NOW })
    const beginning = (status: Status, maxAgeMs?: number): string[] =>
      describeStatus(status, maxAgeMs === undefined ? {} : { maxAgeMs })
        .split('\n')
        .slice(0, 2)
    expect(beginning(read)).toEqual([
      'Ties out: no open breaks.',
      'Fresh: the last good run ended 2026-01-10T00:01:00.000Z, 11 h ago.',
    ])
    expect(beginning(read, 3_600_000)[1]).toBe(
      'Stale: the last good run ended 2026-01-10T00:01:00.000Z, 11 h ago. Run `tieout nightly`.',
    )
    const broken = { ...read, lastGoodRunAt: null, breaks: { error: 1, warning: 2, notice: 3, checks: [] } }
    expect(beginning(broken)).toEqual([
      '3 open breaks: 1 error, 2 warnings.',
      'Stale: no good run yet. Run `tieout nightly`.',
    ])
    expect(verdict(broken).meaning).toBe('bad')
    const early = { ...read, now: '2026-01-09T00:00:00.000Z', lastGoodRunAt: null }
    expect(beginning(early)[1]).toBe(
      'Stale: by this machine’s clock (2026-01-09T00:00:00.000Z) the last good run ends in the future, at 2026-01-10T00:01:00.000Z: one of the two times is wrong. Run `tieout nightly`.',
    )
    expect(beginning({ ...read, runs: [] })[0]).toBe(
      'No run has reached the venue; on its own, the ledger has no open breaks.',
    )
  })

  test('sums up many feeds by account on a terminal, each figure the worst of them, and is complete elsewhere', async () => {
    const intervals = ['a', 'b'].flatMap((account) =>
      Array.from(
        { length: 10 },
        (_, index) =>
          `insert into coverage values ('${account}', 'tax.records', 'P${index}', '2025-01-01', '2026-01-0${Math.max(1, index)}', 'complete', null, null, false, false)`,
      ),
    )
    const status = await readStatus(await publish(intervals), { now: NOW })
    const page = describeStatus(status, { width: 80 })
    expect(page).toContain('Coverage by account')
    expect(page.split('\n').filter((line) => /^[ab] +10 /.test(line))).toHaveLength(2)
    expect(page).toMatch(/^a +10 .* 9 d/m)
    for (const line of page.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(
      describeStatus(status)
        .split('\n')
        .filter((line) => /^[ab] +tax.records/.test(line)),
    ).toHaveLength(20)
  })

  test('shows the worst of many accounts, and how many are better', async () => {
    const complete = "'complete', null, null, false, false"
    const intervals = [
      `insert into coverage select 'account-' || n, 'tax.records', '', '2025-01-01', '2026-01-09', ${complete} from range(40) t(n)`,
      `insert into coverage values ('late', 'tax.records', '', '2025-01-01', '2025-12-01', ${complete}),
         ('holed', 'tax.records', '', '2025-01-01', '2025-06-01', 'pending', null, null, false, false),
         ('holed', 'tax.records', '', '2025-06-01', '2026-01-09', ${complete})`,
    ]
    const lines = describeStatus(await readStatus(await publish(intervals), { now: NOW }), {
      width: 80,
    }).split('\n')
    const first = lines.findIndex((line) => line.startsWith('Coverage by account, the worst first')) + 3
    expect(lines.slice(first, first + 3).map((line) => line.split(' ')[0])).toEqual([
      'holed',
      'late',
      'account-0',
    ])
    expect(lines[first + 25]).toBe('… 17 more accounts, none with more gaps or further behind.')
  })

  test('does not advise fetching what the configuration no longer names', async () => {
    const rest =
      "'SPOT', '2025-01-01 00:00:00+00', '2025-09-01 00:00:00+00', 'complete', null, null, false, false"
    const dir = await publish([
      interval('trade.orderHistory', 'SPOT', '2025-12-01 00:00:00', '2026-01-10 00:00:00', 'complete'),
      interval('tax.records', 'SPOT', '2025-01-01 00:00:00', '2025-02-01 00:00:00', 'complete'),
      `insert into coverage values ('old', 'trade.orderHistory', ${rest})`,
    ])
    const forgottenFirst = async (asked?: Asked) =>
      describeStatus(await readStatus(dir, { now: NOW, ...(asked && { asked }) }))
        .split('\n')
        .find((line) => line.includes('forget'))
    const old =
      'The venue is forgetting records of trade.orderHistory SPOT of old that were never fetched. Run `tieout nightly` now.'
    expect(await forgottenFirst()).toBe(old)
    expect(await forgottenFirst({ accounts: [], feeds: undefined })).toBe(old)
    expect(await forgottenFirst({ accounts: ['main'], feeds: undefined })).toBe(
      'Without another run, the venue forgets tax.records SPOT of main first, from 2026-02-02T00:00:00.000Z onwards (in 22 d).',
    )
    expect(await forgottenFirst({ accounts: ['main'], feeds: ['trade.orderHistory'] })).toBe(
      'Without another run, the venue forgets trade.orderHistory SPOT of main first, from 2026-04-10T00:00:00.000Z onwards (in 89 d).',
    )
  })

  test('without a ledger states what is missing', async () => {
    const status = await readStatus(mkdtempSync(join(tmpdir(), 'books-')), { now: NOW })
    expect(status).toMatchObject({
      publishedAt: null,
      feeds: [],
      unpublished: null,
    })
    expect(hasOpenBreaks(status)).toBe(false)
    expect(describeStatus({ ...status, dir: 'books' })).toBe(
      [
        'The books in books have not been built yet.',
        'There is no published ledger yet. Run `tieout nightly`, or `tieout build`.',
        '',
        'Books in books, at 2026-01-10T12:00:00.000Z.',
      ].join('\n'),
    )
  })

  test('of a damaged ledger is an error', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'books-'))
    writeFileSync(join(dir, 'ledger.duckdb'), 'x'.repeat(20_000))
    await expect(readStatus(dir, { now: NOW })).rejects.toBeInstanceOf(CorruptionError)
  })

  test('states that the journal contains what the ledger was not built from, unless a run is writing the books', async () => {
    const about = (seq: number): string =>
      `create table about as select 1 as format, '0.1.0' as version,
         cast('2026-01-10 00:02:00+00' as timestamptz) as published_at, cast(${seq} as bigint) as landed_seq`
    const run = BOOKS[1] as string
    const read = async (dir: string) => {
      const status = await readStatus(dir, { now: NOW })
      return [status.unbuilt, verdict(status).text]
    }
    const dir = await publish([run, about(2)])
    // A ledger alone, as it is given to others, knows nothing of its journal.
    expect(await read(dir)).toEqual([null, 'Ties out: no open breaks.'])
    await writeJournal(dir, ['one'])
    expect(await read(dir)).toEqual([null, 'Ties out: no open breaks.'])
    await writeJournal(dir, ['two'])
    expect(await read(dir)).toEqual([0, 'Ties out: no open breaks.'])
    // As of a repair or a `sync` without a build.
    await writeJournal(dir, ['three', 'four'])
    const older = 'The ledger is behind the journal by 2 frames; as built, it has no open breaks.'
    expect(await read(dir)).toEqual([2, older])
    const status = await readStatus(dir, { now: NOW })
    expect(verdict(status).meaning).toBe('doubtful')
    expect(describeStatus(status)).toContain(
      '\n\nThe ledger is missing 2 frames of the journal, as happens after a repair, a `tieout sync` or a run that could not build.' +
        '\nRun `tieout build` to build it from everything in the journal.\n\n',
    )
    const broken = { ...status, breaks: { error: 0, warning: 1, notice: 0, checks: [] } }
    expect(describeStatus(broken)).toMatch(
      /^1 open break: 1 warning\.\n(.*\n)+\nThe ledger is missing 2 frames /,
    )

    const lock = await acquireLock(dir, 'nightly', systemClock)
    expect(await read(dir)).toEqual([null, 'Ties out: no open breaks.'])
    await lock.release()
    // What cannot be read is a matter of `verify`.
    writeFileSync(join(dir, 'journal', '000001.journal'), 'x'.repeat(100))
    expect(await read(dir)).toEqual([null, 'Ties out: no open breaks.'])
  })

  test('shows the breaks of a build that was not published', async () => {
    const dir = await publish([])
    await keepUnpublishedBreaks(nodeDisk, dir, [aBreak, { ...aBreak, breakId: 'b' }])
    const status = await readStatus(dir, { now: NOW })
    expect(status.breaks).toMatchObject({ error: 0, warning: 0 })
    expect(status.unpublished).toEqual({
      error: 2,
      warning: 0,
      notice: 0,
      checks: [{ severity: 'error', check: 'double_entry', count: 2 }],
    })
    expect(hasOpenBreaks(status)).toBe(true)
    expect(describeStatus(status)).toContain(
      'The last build was not published: 2 errors, 0 warnings, 0 notices.',
    )
  })

  test('names the checks of the most severe breaks first: notices, which are many, are no reason to read further', async () => {
    const dir = await publish([])
    const of = (severity: Break['severity']): Break => ({ ...aBreak, severity, breakId: severity })
    await keepUnpublishedBreaks(nodeDisk, dir, [of('notice'), of('warning'), of('error')])
    const { unpublished } = await readStatus(dir, { now: NOW })
    expect(unpublished?.checks.map(({ severity }) => severity)).toEqual(['error', 'warning', 'notice'])
  })

  test.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [3_599_999, '59 min'],
    [90_000_000, '1 d'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})

describe('the breaks of a build', () => {
  const notice: Break = {
    ...aBreak,
    breakId: 'n1',
    checkName: 'drift',
    severity: 'notice',
    explanation: 'A new field.',
  }

  test('are summed up by check, the most severe first', () => {
    expect(
      describeBreaks({ breaks: { error: 1, warning: 0, notice: 1 }, openBreaks: [aBreak, notice] }),
    ).toBe(
      [
        'Open breaks: 1 error, 0 warnings, 1 notice.',
        '  error    double_entry (1): The postings of t1 do not sum to zero.\\u{1b}[2J',
        '  notice   drift (1): A new field.',
      ].join('\n'),
    )
    expect(describeBreaks({ breaks: { error: 0, warning: 0, notice: 0 }, openBreaks: [] })).toBe(
      'No open breaks.',
    )
  })

  test('are printed with what was expected and found, or as the columns of the table', () => {
    expect(printBreaks([aBreak], false)).toBe(
      [
        'error double_entry: main USDT',
        '  The postings of t1 do not sum to zero.\\u{1b}[2J',
        '  expected 0, found -1.5, difference -1.5',
        '  see ["t1"]',
        '  id 0123456789abcdef, first seen 2026-01-10T00:00:00.000Z',
      ].join('\n'),
    )
    const stored = { ...aBreak, expected: '100.000000000000000000', found: '0.400000000000000000' }
    expect(printBreaks([stored], false)).toContain('  expected 100, found 0.4, difference -1.5\n')
    expect(JSON.parse(printBreaks([stored], true))[0]).toMatchObject({ expected: '100', found: '0.4' })
    const later = Date.parse('2026-01-22T09:00:00Z')
    expect(printBreaks([aBreak], false, later)).toContain('first seen 2026-01-10T00:00:00.000Z, 12 d ago')
    expect(JSON.parse(printBreaks([aBreak], true))[0]).toMatchObject({
      break_id: '0123456789abcdef',
      check_name: 'double_entry',
      difference: '-1.5',
    })
  })
})
