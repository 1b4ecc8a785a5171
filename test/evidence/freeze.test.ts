// A report frozen as it was handed in, and held against what the books say later.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import type { Books } from '../../pipeline/books/books.ts'
import { compareWithFiling, freezeReport, inputsOf } from '../../pipeline/evidence/freeze.ts'
import { changesOf } from '../../pipeline/evidence/inputs.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import type { ReportDefaults, ReportName, ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { publish } from '../reports/books.ts'
import {
  journaledBooks,
  rows,
  taxPage,
  taxRow,
  tradedBooks,
  tradedPages,
  writeBooks,
} from './explain-books.ts'

const contextOf = (dir: string) => ({ dir, clock: systemClock, disk: nodeDisk })

async function freeze(
  dir: string,
  name: string,
  report: ReportName,
  options: ReportOptions = {},
): Promise<string> {
  const ledger = await openLedger(dir)
  try {
    return (await freezeReport(ledger, { name: report, options, defaults: {} }, name, contextOf(dir))).file
  } finally {
    ledger.close()
  }
}

/** Rows and notes of the comparison; the first note, which holds the time, left out. */
async function against(dir: string, name: string, report: ReportName, options: ReportOptions = {}) {
  const ledger = await openLedger(dir)
  try {
    const difference = await compareWithFiling(ledger, { name: report, options }, name, contextOf(dir))
    return { rows: await allRows(difference.rows), notes: difference.notes.slice(1) }
  } finally {
    ledger.close()
  }
}

/** What the reports of gains and of balances read, and what a filing has hashes of. */
const REPORTED = [
  'balances',
  'beginnings',
  'disposals',
  'entries',
  'lots',
  'net_worth',
  'prices',
  'valuations',
].map((name) => `main.${name}`)

/** Adds one more page of tax records, as a later night would. */
async function nextNight(dir: string, ...records: readonly string[]): Promise<void> {
  const { feed, partition = '', path, body } = taxPage(records)
  const page = async ({ journal }: Books): Promise<void> => {
    const of = { account: 'main', feed, partition, request: { method: 'GET', path }, status: 200 } as const
    await journal.append(
      { kind: 'page', at: '2026-02-02T03:00:00.000Z', run: 'r2', ...of },
      Buffer.from(body),
    )
  }
  await writeBooks(dir, page, REPORTED)
}

/** Shared by the tests that leave journal and ledger as they are; each has filings of its own names. */
let traded: string
beforeAll(async () => {
  traded = await tradedBooks()
})

describe('report --freeze', () => {
  test('keeps what makes the figures incomplete, before the notes', async () => {
    const ts = '2026-01-05T10:00:00Z'
    const received = taxPage([
      taxRow({ id: '101', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '25', balance: '25', ts }),
      taxRow({ id: '102', coin: 'ETH', type: 'ORDER_DEALT_FROZEN_OUT', amount: '-1', balance: '4', ts }),
    ])
    const dir = await journaledBooks([received], REPORTED)
    const { notes } = JSON.parse(readFileSync(await freeze(dir, 'unknown', 'gains'), 'utf8'))
    expect(notes[0]).toMatch(/^INCOMPLETE: 1 of 1 piece of disposals has no known gain/)
    expect(notes[1]).toMatch(/^As published: /)
  })

  test('refuses a report that is too large for one filing, and leaves nothing behind', async () => {
    const ledger = await openLedger(traded)
    const asked = { name: 'gains', options: {}, defaults: {} } as const
    const frozen = freezeReport(ledger, asked, 'too-large', { ...contextOf(traded), maxFilingBytes: 100 })
    await expect(frozen.finally(() => ledger.close())).rejects.toMatchObject({
      name: 'UsageError',
      message: 'The report is too large for one filing.',
      details: {
        where: expect.stringMatching(/^after \d+ lines$/),
        action: expect.stringContaining('--account'),
      },
    })
    await expect(against(traded, 'too-large', 'gains')).rejects.toThrow('There is no filing of this name.')
  })

  test('stores every line, the request, and hashes of ledger, prices, journal and lots', async () => {
    const dir = traded
    const file = await freeze(dir, 'gains-2026', 'gains', { year: 2026, method: 'lifo' })
    const filing = JSON.parse(readFileSync(file, 'utf8'))
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(file).toBe(join(dir, 'filings', 'gains-2026.json'))
    expect(filing).toMatchObject({
      sha256: hash,
      name: 'gains-2026',
      report: 'gains',
      options: { year: 2026, method: 'lifo' },
      title: 'Gains 2026, days of UTC',
      inputs: {
        ledger: hash,
        tables: { prices: hash, lot_events: hash, entries: hash },
        lots: [{ method: 'lifo', scope: 'account', rules: 'generic' }],
        journal: { seq: 4, chain: hash },
      },
      key: ['disposal_id', 'coin', 'lot_id', 'acquired_at'],
    })
    const line = Object.fromEntries(
      filing.columns.map((name: string, at: number) => [name, filing.rows[0][at]]),
    )
    expect(line).toMatchObject({ quantity: '0.5', proceeds: '80', cost_basis: '50', gain: '30' })
    expect(readdirSync(join(dir, 'filings')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('keeps the configured choice of lots, returns the lines that it stores, and counts their text to the byte', async () => {
    const ledger = await openLedger(traded)
    const asked = { name: 'gains', options: {}, defaults: { method: 'hifo' } } as const
    const { report, file } = await freezeReport(ledger, asked, 'configured', contextOf(traded))
    const filing = JSON.parse(readFileSync(file, 'utf8'))
    expect(filing.rows).toHaveLength(1)
    expect(await allRows(report.rows)).toEqual(filing.rows)
    // Each cell with quotes and a comma.
    const texts: string[] = filing.rows[0].map((cell: unknown) => String(cell ?? ''))
    const maxFilingBytes = texts.join('').length + 3 * texts.length
    await freezeReport(ledger, asked, 'fits', { ...contextOf(traded), maxFilingBytes })
    const larger = { ...contextOf(traded), maxFilingBytes: maxFilingBytes - 1 }
    await expect(freezeReport(ledger, asked, 'larger', larger)).rejects.toThrow('too large for one filing')
    ledger.close()
    expect(filing.inputs.lots).toEqual([{ method: 'hifo', scope: 'account', rules: 'generic' }])
    expect(await against(traded, 'configured', 'gains')).toEqual({
      rows: [],
      notes: ['No line differs.', 'Its inputs are the same.'],
    })
  })

  test('a name that is taken is refused, and the first filing stays unchanged to the byte', async () => {
    const dir = traded
    const file = await freeze(dir, 'q1', 'balances')
    const before = createHash('sha256').update(readFileSync(file)).digest('hex')
    const refusal = await freeze(dir, 'q1', 'gains').catch((error) => error)
    expect(refusal).toBeInstanceOf(UsageError)
    expect(refusal.describe()).toBe(`A filing of this name already exists.
  where:    ${file}
  expected: an unused name; a filing is never replaced
  next:     Choose another name, or compare with the filing (--against).`)
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(before)
  })

  test('if several freeze under one name at once, one is stored and the others are told so', async () => {
    const dir = traded
    const reports = ['balances', 'income', 'balances', 'income', 'balances', 'income'] as const
    const results = await Promise.allSettled(reports.map((report) => freeze(dir, 'race', report)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason.message).toBe('A filing of this name already exists.')
    expect(readdirSync(join(dir, 'filings')).filter((name) => name.includes('race'))).toEqual(['race.json'])
  })

  test.each(['../q1', '', '.hidden', 'a/b', 'x'.repeat(65)])('the name %j is refused', async (name) => {
    await expect(freeze(traded, name, 'balances')).rejects.toThrow('Invalid filing name.')
  })
})

describe('report --against', () => {
  test('states that nothing differs while nothing has changed', async () => {
    const dir = traded
    await freeze(dir, 'now', 'gains')
    expect(await against(dir, 'now', 'gains')).toEqual({
      rows: [],
      notes: ['No line differs.', 'Its inputs are the same.'],
    })
  })

  test('lists each line that a later record adds or changes, field by field, and which inputs changed', async () => {
    const dir = await journaledBooks([taxPage([rows.bought, rows.paid])], REPORTED)
    await freeze(dir, 'start', 'balances')
    await nextNight(dir, rows.received, rows.sold)
    const { rows: lines, notes } = await against(dir, 'start', 'balances')
    const time = ['2026-01-05T10:00:00.000Z', '2026-01-07T10:00:00.000Z']
    expect(lines).toEqual([
      ['changed', 'main | UNIFIED | BTC', 'quantity', '1', '0.5'],
      ['changed', 'main | UNIFIED | BTC', 'own', '1', '0.5'],
      ['changed', 'main | UNIFIED | BTC', 'venue_balance', '1', '0.5'],
      ['changed', 'main | UNIFIED | BTC', 'as_of', ...time],
      ['changed', 'main | UNIFIED | BTC', 'price', '100', '160'],
      ['changed', 'main | UNIFIED | BTC', 'value', '100', '80'],
      ['changed', 'main | UNIFIED | BTC', 'priced_at', ...time],
      ['changed', 'main | UNIFIED | USDT', 'quantity', '900', '980'],
      ['changed', 'main | UNIFIED | USDT', 'own', '900', '980'],
      ['changed', 'main | UNIFIED | USDT', 'venue_balance', '900', '980'],
      ['changed', 'main | UNIFIED | USDT', 'as_of', ...time],
      ['changed', 'main | UNIFIED | USDT', 'value', '900', '980'],
    ])
    expect(notes[0]).toBe('2 lines changed.')
    expect(notes[1]).toMatch(
      /^Changed since then: the ledger, in the tables .*\bentries\b.*; the prices; the journal: frame 3 was its last, now 4\.$/,
    )
  })

  test('a line that is new and one that is gone are shown completely', async () => {
    const dir = await journaledBooks([taxPage([rows.bought, rows.paid, rows.received, rows.sold])], REPORTED)
    await freeze(dir, 'year', 'gains', { year: 2026 })
    const ts = '2026-01-09T10:00:00Z'
    await nextNight(
      dir,
      taxRow({ id: '106', coin: 'USDT', type: 'ORDER_DEALT_IN', amount: '45', balance: '1025', ts }),
      taxRow({
        id: '107',
        coin: 'BTC',
        type: 'ORDER_DEALT_FROZEN_OUT',
        amount: '-0.25',
        balance: '0.25',
        ts,
      }),
    )
    const { rows: lines, notes } = await against(dir, 'year', 'gains')
    const id = 'main/tax.records/107/amount | BTC | main/tax.records/101/amount | 2026-01-05T10:00:00.000Z'
    expect(notes[0]).toBe('1 line added.')
    expect(lines).toContainEqual(['added', id, 'gain', '', '20'])
    expect(new Set(lines.map(([change, line]) => `${change} ${line}`))).toEqual(new Set([`added ${id}`]))
    await freeze(dir, 'later', 'gains', { year: 2026 })
    const before = JSON.parse(readFileSync(join(dir, 'filings', 'later.json'), 'utf8'))
    expect(before.rows).toHaveLength(2)
  })

  test('another journal in place of the frozen one is noticed', async () => {
    const dir = await tradedBooks()
    await freeze(dir, 'own', 'balances')
    const other = await journaledBooks(tradedPages, [])
    for (const name of readdirSync(join(dir, 'journal')))
      writeFileSync(join(dir, 'journal', name), readFileSync(join(other, 'journal', name)))
    const { notes } = await against(dir, 'own', 'balances')
    expect(notes.at(-1)).toBe(
      'The journal no longer holds what it held then: The journal is not the one that has landed.',
    )
  })

  test('a filing that was changed is refused', async () => {
    const dir = traded
    const file = await freeze(dir, 'spoilt', 'balances')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"981"', '"9810"'))
    await expect(against(dir, 'spoilt', 'balances')).rejects.toThrow(CorruptionError)
    writeFileSync(file, 'not JSON')
    await expect(against(dir, 'spoilt', 'balances')).rejects.toThrow(
      'The filing has changed since it was frozen.',
    )
  })

  test('a name without a filing is refused with the list of filings; so are another report and other options', async () => {
    const dir = traded
    await freeze(dir, 'gains-lifo', 'gains', { method: 'lifo' })
    await expect(against(dir, 'gains-q2', 'gains')).rejects.toMatchObject({
      details: { expected: expect.stringContaining('gains-lifo') },
    })
    await expect(against(dir, 'gains-lifo', 'balances')).rejects.toThrow('The filing is of another report.')
    await expect(against(dir, 'gains-lifo', 'gains', { method: 'hifo' })).rejects.toMatchObject({
      message: 'The filing was frozen with other options.',
      details: { expected: 'method "lifo"', found: 'method "hifo"' },
    })
    await expect(against(dir, 'gains-lifo', 'gains', { method: 'lifo', year: 2026 })).rejects.toMatchObject({
      details: { expected: 'year null', found: 'year 2026' },
    })
    expect((await against(dir, 'gains-lifo', 'gains', { method: 'lifo' })).rows).toEqual([])
  })

  test('lots that the owner named are stored with the filing and applied again', async () => {
    const dir = traded
    const selection = new Map([
      ['main/tax.records/104/amount', [{ lotId: 'main/tax.records/101/amount', quantity: 5n * 10n ** 17n }]],
    ])
    const file = await freeze(dir, 'own', 'gains', { method: 'specific', selection })
    expect(JSON.parse(readFileSync(file, 'utf8')).options.selection).toEqual([
      { disposal_id: 'main/tax.records/104/amount', lot_id: 'main/tax.records/101/amount', quantity: '0.5' },
    ])
    for (const given of [{}, { selection }])
      expect(await against(dir, 'own', 'gains', given)).toEqual({
        rows: [],
        notes: ['No line differs.', 'Its inputs are the same.'],
      })
  })
})

test('the lots of a filing are stated as published where nothing is asked of them, and else as asked', async () => {
  const matching = `'lifo' as method, 'universal' as scope, 'generic' as rules, 'UTC' as time_zone, 'net' as fees_in_kind`
  const published = await publish([`create table lot_matching as select ${matching}`])
  const older = await publish([])
  const stated = async (dir: string, options: ReportOptions = {}, defaults: ReportDefaults = {}) => {
    const ledger = await openLedger(dir)
    const asked = { name: 'gains', options, defaults } as const
    const { lots } = await inputsOf(ledger, asked, contextOf(dir), async () => new Map())
    ledger.close()
    return lots.map((one) => Object.values(one).join(' '))
  }
  expect(await stated(published)).toEqual(['lifo universal generic net'])
  // The days of which zone are counted says nothing of lots.
  expect(await stated(published, {}, { timeZone: 'Europe/Berlin' })).toEqual(['lifo universal generic net'])
  expect(await stated(published, { method: 'hifo' })).toEqual(['hifo account generic'])
  expect(await stated(published, {}, { feesInKind: 'net' })).toEqual(['fifo account generic net'])
  expect(await stated(published, { methods: 'fifo,lifo' })).toEqual([
    'fifo account generic',
    'lifo account generic',
  ])
  expect(await stated(older)).toEqual([])
})

test('what has changed since a filing is named input by input, tables that are new or gone among them', () => {
  const lots = (method: string) => [{ method, scope: 'account', rules: 'generic' }]
  const journal = { seq: 4, chain: 'a' }
  const before = {
    ...{
      tieout: '1',
      ledger: 'a',
      tables: { gone: 'a', prices: 'a', same: 'a' },
      lots: lots('fifo'),
      journal,
    },
  }
  expect(changesOf(before, before)).toEqual([])
  expect(
    changesOf(before, {
      ...{ tieout: '2', ledger: 'b', tables: { added: 'a', prices: 'b', same: 'a' } },
      ...{ lots: [...lots('lifo'), ...lots('hifo')], journal: { seq: 5, chain: 'b' } },
    }),
  ).toEqual([
    'tieout was 1 and is 2',
    'the ledger, in the tables added, gone, prices',
    'the prices',
    'the lots: method fifo, scope account, rules generic then, method lifo, scope account, rules generic; method hifo, scope account, rules generic now',
    'the journal: frame 4 was its last, now 5',
  ])
  // Prices that stay as they are are not named.
  const { prices, ...others } = before.tables
  expect(changesOf({ ...before, tables: others }, { ...before, ledger: 'b', tables: {} })).toEqual([
    'the ledger, in the tables gone, same',
  ])
})
