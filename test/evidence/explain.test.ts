// From an id of a report to the venue's own bytes: every kind of id, what is erased, what was changed, what is unknown.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { CorruptionError, UsageError } from '../../models/error.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { importInto, readImport, withdrawImport } from '../../pipeline/books/import.ts'
import { explain } from '../../pipeline/evidence/explain.ts'
import { describeExplanation, explanationJson } from '../../pipeline/evidence/print.ts'
import type { Step } from '../../pipeline/evidence/step.ts'
import { nodeDisk } from '../../pipeline/journal/disk.ts'
import { eraseFrames } from '../../pipeline/journal/erase.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import type { PeriodOptions } from '../../pipeline/reports/period.ts'
import { command } from '../support/in-process.ts'
import { explained, journaledBooks, rows, taxPage, tradedBooks, writeBooks } from './explain-books.ts'

/** `disposal x > event x > trade y > entry z > record 104` for each step that has none below it. */
function paths(steps: readonly Step[], above = ''): string[] {
  return steps.flatMap((one) => {
    const path = `${above}${one.what} ${one.id}`
    return one.steps.length === 0 ? [path] : paths(one.steps, `${path} > `)
  })
}

const shortened = (steps: readonly Step[]): string[] =>
  paths(steps).map((path) => path.replaceAll('main/tax.records/', ''))

/** Read by every test that changes nothing. */
let traded: string
beforeAll(async () => {
  traded = await tradedBooks()
})

describe('explain', () => {
  test('a disposal leads to its trade, to its lots and their trades, and to the records of all of them', async () => {
    const { steps } = await explained(traded, 'main/tax.records/104/amount')
    expect(shortened(steps)).toEqual([
      'disposal 104/amount > event 104/amount > trade 103 > entry 103/amount > record 103',
      'disposal 104/amount > event 104/amount > trade 103 > entry 104/amount > record 104',
      'disposal 104/amount > piece of lot 101/amount > event 101/amount > trade 101 > entry 101/amount > record 101',
      'disposal 104/amount > piece of lot 101/amount > event 101/amount > trade 101 > entry 102/amount > record 102',
    ])
    expect(steps[0]?.steps[1]?.fields).toMatchObject({
      quantity: '0.5',
      proceeds: '80',
      cost_basis: '50',
      gain: '30',
    })
  })

  test('each record is shown with its row as received, byte for byte, and the verified frame around it', async () => {
    const dir = traded
    const { frames } = await explained(dir, 'main/tax.records/104/amount')
    const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
    for await (const { seq, body, chain } of journal.read(3)) {
      if (seq > 4 || body === null) break
      const frame = frames.get(seq)
      expect(frame).toMatchObject({ chain, bodySha256: createHash('sha256').update(body).digest('hex') })
      const { text, bytes } = frame?.rowAt(1) ?? {}
      expect(text).toBe(seq === 3 ? rows.bought : rows.sold)
      expect(Buffer.from(body.subarray(...(bytes as [number, number]))).toString()).toBe(text)
    }
    await journal.close()
    expect([...frames.keys()]).toEqual([3, 4])
  })

  test('an entry is printed with its record, its request and its bytes', async () => {
    const explanation = await explained(traded, 'main/tax.records/105/amount')
    const { chain, bodySha256 } = explanation.frames.get(4) ?? {}
    const shown = describeExplanation(explanation)
    expect(shown).toBe(`entry main/tax.records/105/amount
  account          main
  ledger           UNIFIED
  product_line     SPOT
  coin             USDT
  amount           1
  kind             unclassified
  occurred_at      2026-01-08T10:00:00.000Z
  source_feed      tax.records
  source_id        105
  part             amount
  type             MOON_GIFT
  counter_account  Equity:Suspense
  record 105
    feed           tax.records
    account        main
    partition      SPOT
    biz_type       SPOT
    id             105
    coin           USDT
    type           MOON_GIFT
    amount         1
    fee            0
    balance        981
    ts             2026-01-08T10:00:00.000Z
    extra          {"memo":"ö"}
    first_seen_at  2026-02-01T03:00:00.000Z
    last_seen_at   2026-02-01T03:00:00.000Z
    is_current     true
    journal frame 4, row 0
      request      GET /api/v3/tax/records?bizType=SPOT&limit=500
      received_at  2026-02-01T03:00:00.000Z
      kind         page
      run          r1
      account      main
      feed         tax.records
      partition    SPOT
      status       200
      covers       {"start":1767225600000,"end":1769817600000}
      chain        ${chain} (verified)
      body         453 bytes, SHA-256 ${bodySha256}
      bytes 69 to 187 of the body:
      ${rows.odd}`)
  })

  test.each([
    ['main/tax.records/101/amount', 'lot'],
    ['main/tax.records/101', 'trade'],
    ['main/tax.records/105', 'transaction'],
    ['main/tax.records/102/amount', 'entry'],
    ['main/tax.records/102/opening/counter', 'entry'],
    ['104', 'record'],
    ['main/UNIFIED/USDT', 'line'],
    ['main/UNIFIED/BTC/closing', 'line'],
    ['main/UNIFIED/USDT/movement/trade', 'line'],
    ['main/2026-01-01/LOTS/BTC/USDT', 'line'],
    ['4:1', 'frame'],
    ['3', 'frame'],
  ])('%s is found as a %s', async (id, what) => {
    const { steps } = await explained(traded, id)
    expect(steps[0]).toMatchObject({ what, id: id.replace('/counter', '') })
  })

  test('a line is the sum of what it is based on, and follows the newest entries, as many as requested', async () => {
    const { steps } = await explained(traded, 'main/UNIFIED/USDT', { limit: 2 })
    expect(steps[0]?.fields).toMatchObject({ entries: 4, amount: '981' })
    expect(steps[0]?.steps.map(({ id }) => id)).toEqual([
      'main/tax.records/105/amount',
      'main/tax.records/103/amount',
    ])
    expect(steps[0]?.omitted).toBe(2)
  })

  test('each line of a statement has the amount and the entries of the statement for its period', async () => {
    const ledger = await openLedger(traded)
    try {
      for (const period of [{}, { from: '2026-01-06', to: '2026-01-07' }, { year: 2025 }, { year: 2026 }]) {
        const { rows: batches } = await makeReport(ledger, 'statement', period)
        for (const [id, , , , , , amount, entries] of await allRows(batches)) {
          const { steps } = await explain(ledger, traded, String(id), { period })
          expect([id, steps.map(({ fields }) => [fields.amount, fields.entries])]).toEqual([
            id,
            [[amount, entries]],
          ])
        }
      }
    } finally {
      ledger.close()
    }
  })

  test.each<[string, PeriodOptions, object]>([
    [
      'main/UNIFIED/BTC/opening',
      { from: '2026-01-06' },
      { period: 'before 2026-01-06T00:00:00.000Z', amount: '1', last_at: '2026-01-05T10:00:00.000Z' },
    ],
    [
      'main/UNIFIED/BTC/opening',
      {},
      {
        period: 'before all of history: use --from or --year to set where a period begins',
        amount: '0',
        entries: 0,
      },
    ],
    [
      'main/UNIFIED/BTC/closing',
      { year: 2026 },
      { period: 'before 2027-01-01T00:00:00.000Z', amount: '0.5', entries: 2 },
    ],
    ['main/UNIFIED/BTC', {}, { period: 'all of history', amount: '0.5' }],
    [
      'main/UNIFIED/USDT/movement/trade',
      { from: '2026-01-06', to: '2026-01-07' },
      { period: 'from 2026-01-06T00:00:00.000Z, before 2026-01-08T00:00:00.000Z', amount: '80', entries: 1 },
    ],
    [
      'main/2026-01-01/LOTS/BTC/USDT',
      { to: '2026-01-06' },
      { period: 'before 2026-01-07T00:00:00.000Z', disposals: 0 },
    ],
  ])('%s of %j states the date of its figures', async (id, period, fields) => {
    const { steps } = await explained(traded, id, { period })
    expect(steps[0]?.fields).toMatchObject(fields)
  })

  test('a period can be given only for a line', async () => {
    await expect(
      explained(traded, 'main/tax.records/102/amount', { period: { year: 2026 } }),
    ).rejects.toMatchObject({
      message: 'Only a line of a report has a period.',
      details: { found: 'main/tax.records/102/amount, which is an entry' },
    })
    const id = 'main/UNIFIED/BTC/opening'
    const said = await command(['explain', id, '--from', '2026-01-06', '--dir', traded])
    expect(said.stdout.split('\n').slice(0, 4)).toEqual([
      `line ${id}`,
      '  period    before 2026-01-06T00:00:00.000Z',
      '  entries   1',
      '  amount    1',
    ])
  })

  test('a break leads to the records that it names', async () => {
    const id = await breakOf(traded, 'unknown_type')
    const { steps } = await explained(traded, id)
    expect(shortened(steps)).toEqual([`break ${id} > record 105`, `break ${id} > entry 105/amount`])
  })

  test('JSON holds the same steps, with the evidence beside each record', async () => {
    const explanation = await explained(traded, '104')
    expect(explanationJson(explanation)).toMatchObject({
      id: '104',
      steps: [
        {
          what: 'record',
          id: '104',
          fields: { amount: '-0.5', extra: '{"memo":"ö"}' },
          evidence: {
            frame: 4,
            row: 1,
            meta: {
              request: { method: 'GET', path: '/api/v3/tax/records?bizType=SPOT&limit=500' },
              status: 200,
            },
            erased: false,
            row_text: rows.sold,
          },
        },
        { what: 'entry', id: 'main/tax.records/104/amount' },
      ],
    })
  })
})

async function breakOf(dir: string, check: string): Promise<string> {
  const ledger = await openLedger(dir)
  const [row] = await ledger.query('select break_id from breaks where check_name = $check', { check })
  ledger.close()
  return String(row?.[0])
}

describe('explain, when something is wrong', () => {
  test('an id that is not in the books is refused, with similar ones', async () => {
    const refusal = await explained(traded, 'main/tax.records/109/amount').catch((error) => error)
    expect(refusal).toBeInstanceOf(UsageError)
    expect(refusal.describe()).toBe(`The books do not contain this id.
  where:    main/tax.records/109/amount
  expected: one of the closest ids: main/tax.records/101/amount, main/tax.records/102/amount, main/tax.records/103/amount, main/tax.records/104/amount, main/tax.records/105/amount
  next:     Copy the id from the column disposal_id, lot_id, entry_id, line_id or break_id of a report.`)
  })

  test.each(['4:9', '99', "'; drop table entries --"])('%s is neither an id nor a place', async (id) => {
    await expect(explained(traded, id)).rejects.toThrow('The books do not contain this id.')
  })

  test('an erased body is reported as such, and the chain still verifies', async () => {
    const dir = await tradedBooks()
    await eraseFrames(dir, [4], systemClock)
    const explanation = await explained(dir, '104')
    const shown = describeExplanation(explanation)
    expect(shown).toContain('body         erased: its bytes were removed on purpose; the chain is intact')
    expect(shown).not.toContain(rows.sold)
    expect(explanation.frames.get(4)).toMatchObject({ bodySha256: null, bodyBytes: null })
    expect(explanationJson(explanation)).toMatchObject({
      steps: [{ evidence: { erased: true, row_text: null } }, {}],
    })
  })

  test('an erased frame states when it was erased, and an id that it contained is not just unknown', async () => {
    const dir = await tradedBooks()
    const wall = () => Date.parse('2026-03-04T05:06:07Z')
    await writeBooks(dir, () => eraseFrames(dir, [4], { ...systemClock, wall }))
    const explanation = await explained(dir, '4:1')
    expect(describeExplanation(explanation)).toContain('erased_at    2026-03-04T05:06:07.000Z\n')
    expect(explanationJson(explanation)).toMatchObject({
      steps: [{ evidence: { erased: true, erased_at: '2026-03-04T05:06:07.000Z' } }],
    })
    await expect(explained(dir, '999')).rejects.toMatchObject({
      details: {
        found: '1 frame of the journal (4) was erased; their contents are no longer in the books.',
      },
    })
  })

  test('a row of a withdrawn import is reported as such, with its line; its frame states it too', async () => {
    const dir = await tradedBooks()
    const file = join(dir, 'old.csv')
    const line = 'k1,2025-05-01T00:00:00Z,kraken,buy,BTC,1,USDT,50,0,USDT'
    writeFileSync(file, `id,time,account,type,asset,quantity,currency,total,fee,fee_currency\n${line}\n`)
    const run = { id: 'r2', clock: { ...systemClock, wall: () => Date.parse('2026-03-04T05:06:07Z') } }
    await writeBooks(dir, async (books) => {
      const { id } = await importInto(books, await readImport(nodeDisk, 'trades', file, { dir }), run)
      await withdrawImport(books, Number(id), run)
    })
    for (const id of ['k1', 'import/k1/total', 'k1/asset']) {
      const { steps, frames } = await explained(dir, id)
      expect(steps).toMatchObject([
        {
          what: 'withdrawn row',
          id: 'k1',
          fields: { import_id: 5, file_name: 'old.csv', withdrawn_at: '2026-03-04T05:06:07.000Z' },
          place: { frame: 5, row: 0 },
        },
      ])
      expect(frames.get(5)?.rowAt(0)).toMatchObject({ text: line })
    }
    expect((await explained(dir, '5')).steps[0]?.fields).toEqual({ withdrawn_at: '2026-03-04T05:06:07.000Z' })
    await expect(explained(dir, 'k')).rejects.toThrow('The books do not contain this id.')
  })

  test('the venue’s id of a quarantined row leads to the row and to its problem', async () => {
    const wrong = rows.sold.replace('"amount":"-0.5"', '"amount":"much"')
    const number = wrong.replace('"id": "104"', '"id": 106')
    const dir = await journaledBooks(
      [taxPage([rows.bought, rows.paid, wrong, number])],
      ['main.entries', 'main.tax_records', 'main.quarantine'],
    )
    for (const [id, row, text] of [
      ['104', 1, wrong],
      ['106', 0, number],
    ] as const) {
      const { steps, frames } = await explained(dir, id)
      expect(steps).toMatchObject([
        {
          what: 'quarantined row',
          id: `3:${row}`,
          fields: { feed: 'tax.records', field: 'amount' },
          place: { frame: 3, row },
        },
      ])
      expect(frames.get(3)?.rowAt(row)).toMatchObject({ text })
    }
    await expect(explained(dir, '10')).rejects.toThrow('The books do not contain this id.')
  })

  test('an id that is only in a filing is reported as such', async () => {
    const dir = await tradedBooks()
    mkdirSync(join(dir, 'filings'))
    writeFileSync(join(dir, 'filings', 'gains-2025.json'), '{"rows":[["old/1", "2"]]}')
    await expect(explained(dir, 'old/1')).rejects.toMatchObject({
      details: {
        found:
          'It appears in the filing gains-2025: `tieout report … --against` shows what has changed since.',
      },
    })
  })

  test('a journal with a changed byte is refused by name, not shown', async () => {
    const dir = await tradedBooks()
    const segment = join(dir, 'journal', readdirSync(join(dir, 'journal'))[0] as string)
    const bytes = readFileSync(segment)
    const at = bytes.length - 100
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    writeFileSync(segment, bytes)
    await expect(explained(dir, '104')).rejects.toThrow(CorruptionError)
  })

  test('a row that is not in the journal is damage, whatever the ledger says', async () => {
    const dir = await journaledBooks([taxPage([rows.bought])], ['main.entries'])
    const other = await tradedBooks()
    writeFileSync(join(dir, 'ledger.duckdb'), readFileSync(join(other, 'ledger.duckdb')))
    await expect(explained(dir, '104')).rejects.toThrow(
      'The journal does not hold the row that the ledger names.',
    )
  })

  test('it reads while another process writes, and takes no lock', async () => {
    const dir = await tradedBooks()
    const writer = await openBooks(dir, { clock: systemClock, command: 'sync' })
    try {
      expect((await explained(dir, '104')).steps).toHaveLength(2)
    } finally {
      await writer.close()
    }
  })
})

describe('explain, beyond the tax records', () => {
  const merchant = {
    feed: 'p2p.merchant',
    path: '/api/v2/p2p/merchantInfo',
    body: '{"code":"00000","msg":"success","data":{"merchantId":"777","nickName":"Alice","totalTrades":"5"}}',
  }

  test('personal data is null, unless the configuration publishes it', async () => {
    const dir = await journaledBooks([merchant], ['main.entries', 'main.merchants'])
    const row = (await explained(dir, '777')).frames.get(3)?.rowAt(0)
    expect(row?.text).toBe('{"merchantId":"777","nickName":null,"totalTrades":"5"}')
    const shown = (await explained(dir, '777', { showPersonalData: true })).frames.get(3)?.rowAt(0)
    expect(shown?.text).toBe('{"merchantId":"777","nickName":"Alice","totalTrades":"5"}')
  })

  describe('with files that do not disturb each other', () => {
    const header = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
    const exported = 'L3,T2,2024-03-02 10:00:00,trade,,currency,ZEUR,-100,1,0'
    const line = 'k1,2025-05-01T00:00:00Z,own,buy,BTC,1,USDT,50,0,USDT'
    const several = (id: string, day: string, type: string, rest: string): string =>
      `${id},2025-05-${day}T00:00:00Z,several,${type},${rest}`
    const files: readonly (readonly [name: string, lines: string, account?: string])[] = [
      [
        'ledgers.csv',
        [
          'txid,refid,time,type,subtype,aclass,asset,amount,fee,balance',
          'L1,E1,2024-03-01 10:00:00,earn,allocation,currency,DOT,-1,0,0',
          'L2,D1,2024-03-01 11:00:00,deposit,,currency,XXBT,1,0,1',
          exported,
          'L4,T2,2024-03-02 10:00:00,trade,,currency,XXBT,0.5,0,1.5',
        ].join('\n'),
        'kraken',
      ],
      ['old.csv', `${header}\r\n\r\n${line}\r\nk2,2025-06-01T00:00:00Z,own,sell,BTC,1,USDT,90,0,USDT\r\n`],
      [
        'several.csv',
        [
          header,
          several('m1', '01', 'buy', 'BTC,1,USDT,50,0,'),
          several('m2', '02', 'buy', 'BNB,1,USDT,5,0,'),
          several('m3', '03', 'sell', 'BTC,0.5,USDT,90,0.1,BNB'),
        ].join('\n'),
      ],
    ]
    let dir: string

    beforeAll(async () => {
      dir = await tradedBooks()
      await writeBooks(dir, async (books) => {
        for (const [name, lines, account] of files) {
          const file = join(dir, name)
          writeFileSync(file, lines)
          const read = await readImport(nodeDisk, 'trades', file, {
            dir,
            ...(account === undefined ? {} : { account }),
          })
          await importInto(books, read, { id: 'r2', clock: systemClock })
        }
      })
    })

    test('a row of another service’s export leads to the line it was read from, a balance to its rows', async () => {
      const { frames } = await explained(dir, 'kraken-ledgers-T2')
      expect(frames.get(5)?.rowAt(1)).toMatchObject({ text: exported })
      const { steps } = await explained(dir, 'kraken/IMPORT/BTC')
      expect(paths(steps)).toEqual([
        'line kraken/IMPORT/BTC > imported row kraken-ledgers-T2 > valuation import/kraken-ledgers-T2/total',
        'line kraken/IMPORT/BTC > imported row kraken-ledgers-T2 > valuation import/kraken-ledgers-T2/asset',
        'line kraken/IMPORT/BTC > imported row kraken-ledgers-T2 > valuation import/kraken-ledgers-T2/fee',
        'line kraken/IMPORT/BTC > imported row kraken-ledgers-L2:in',
      ])
      expect(steps[0]?.fields).toMatchObject({ amount: '1.5' })
    })

    test('an imported row leads to its line in the user’s file', async () => {
      const { steps, frames } = await explained(dir, 'k2')
      expect(paths(steps)).toEqual([
        'disposal k2 > event k2 > imported row k2',
        'disposal k2 > piece of lot k1 > event k1 > imported row k1',
        'trade k2',
      ])
      expect(frames.get(6)?.rowAt(0)).toMatchObject({ text: line, bytes: [71, 71 + line.length] })
    })

    test('a disposal of several coins names the coin of each piece, and no single one for all of them', async () => {
      const [disposal] = (await explained(dir, 'm3')).steps
      expect(disposal?.fields).toMatchObject({ account: 'several', currency: 'USDT', pieces: 2 })
      expect(disposal?.fields).not.toHaveProperty('coin')
      const pieces = disposal?.steps.filter(({ what }) => what === 'piece of lot')
      expect(pieces?.map(({ id, fields }) => [id, fields.coin, fields.quantity])).toEqual([
        ['m2', 'BNB', '0.1'],
        ['m1', 'BTC', '0.5'],
      ])
      const [of] = (await explained(dir, 'main/tax.records/104/amount')).steps
      expect([of?.fields.coin, of?.steps[1]?.fields.coin]).toEqual(['BTC', 'BTC'])
    })
  })

  test('an id of a user’s file that is also one of the venue’s is followed as both, and each part of its row to the row', async () => {
    const dir = await tradedBooks()
    const file = join(dir, 'old.csv')
    const header = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
    const line = '104,2024-05-01T00:00:00Z,kraken,transfer_out,BTC,0.5,,,0.1,BTC'
    const bought = '2024-04-01T00:00:00Z,kraken,buy,BTC,1'
    writeFileSync(file, `${header}\r\n${line}\r\n"é/""'",${bought},USDT,50,,\r\nx2,${bought},EUR,50,,\r\n`)
    await writeBooks(dir, async (books) => {
      const read = await readImport(nodeDisk, 'trades', file, { dir })
      await importInto(books, read, { id: 'r2', clock: systemClock })
    })
    const both = (await explained(dir, '104')).steps.map(({ what, id }) => `${what} ${id}`)
    expect(both).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(disposal|imported row|lot) 104/), 'record 104']),
    )
    const { steps, frames } = await explained(dir, '104/asset')
    expect(steps).toMatchObject([
      { what: 'entry', id: '104/asset', fields: { account: 'kraken', coin: 'BTC', amount: '-0.5' } },
    ])
    expect(steps[0]?.steps).toMatchObject([{ what: 'imported row', id: '104' }])
    expect(frames.get(5)?.rowAt(0)).toMatchObject({ text: line })
    expect((await explained(dir, `import/é/"'/total`)).steps).toMatchObject([
      { what: 'entry', id: `é/"'/total`, fields: { amount: '-50' } },
    ])
    // Money has a value and no entry.
    expect((await explained(dir, 'import/x2/total')).steps).toMatchObject([
      { what: 'imported row', id: 'x2' },
    ])
    await expect(explained(dir, 'import/x2/price')).rejects.toThrow('The books do not contain this id.')
  })

  test('an amount valued over several prices leads to each of them, with source, age and the line of its file', async () => {
    const dir = await tradedBooks()
    const rates = join(dir, 'eurofxref-hist.csv')
    writeFileSync(rates, 'Date,USD,CAD,\n2026-01-09,1.1,1.5,\n2026-01-08,1.2,1.6,\n')
    const coins = join(dir, 'coins.csv')
    writeFileSync(coins, 'time,asset,currency,price,source\n2026-01-09T06:00:00Z,USD,USDT,1.25,index\n')
    const file = join(dir, 'old.csv')
    const header = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
    writeFileSync(file, `${header}\nk1,2026-01-09T12:00:00Z,kraken,buy,BTC,1,CAD,300,0,\n`)
    await writeBooks(dir, async (books) => {
      const add = async (kind: 'prices' | 'trades', name: string): Promise<void> => {
        await importInto(books, await readImport(nodeDisk, kind, name, { dir }), {
          id: 'r2',
          clock: systemClock,
        })
      }
      await add('prices', rates)
      await add('prices', coins)
      await add('trades', file)
    })
    const { steps, frames } = await explained(dir, 'k1')
    const valuation = steps[0]?.steps[0]?.steps[0]?.steps[0]
    // 300 / 1.5 * 1.1 * 1.25
    expect(valuation).toMatchObject({
      what: 'valuation',
      id: 'import/k1/total',
      fields: { coin: 'CAD', value: '275', path: 'CAD > EUR > USD > USDT' },
      steps: [
        {
          id: 'CAD > EUR',
          fields: { coin: 'EUR', currency: 'CAD', price: '1.5', source: 'ecb', age: '12:00:00' },
        },
        { id: 'EUR > USD', fields: { price: '1.1', source: 'ecb', age: '12:00:00' } },
        { id: 'USD > USDT', fields: { price: '1.25', source: 'index', age: '06:00:00' } },
      ],
    })
    for (const one of valuation?.steps.slice(0, 2) ?? [])
      expect(frames.get(one.place?.frame ?? 0)?.rowAt(one.place?.row ?? 0)?.text).toBe('2026-01-09,1.1,1.5,')
    expect(await explained(dir, 'k1').then(describeExplanation)).toContain('price USD > USDT')
  })

  test('a P2P deal leads to the merchant order that states what was paid', async () => {
    const at = (time: string): string => `${Date.parse(`2026-01-05T${time}Z`)}`
    const record = `{"id":"201","coin":"BTC","p2pTaxType":"buy","total":"0.1","ts":"${at('12:00:00')}"}`
    const order = `{"orderId":"77","orderNo":"N77","advNo":"1","side":"buy","coin":"BTC","count":"0.1","fiat":"CAD","amount":"281.33","price":"2813.3","status":"Completed","cTime":"${at('11:50:00')}","releaseTime":"${at('12:00:00')}"}`
    const page = (list: string): string =>
      `{"code":"00000","msg":"success","requestTime":1769914800000,"data":${list}}`
    const dir = await journaledBooks(
      [
        { feed: 'tax.p2pRecords', path: '/api/v2/tax/p2p-record', body: page(`[${record}]`) },
        { feed: 'p2p.orders', path: '/api/v2/p2p/orderList', body: page(`{"orderList":[${order}]}`) },
      ],
      ['lots', 'lot_events', 'valuations', 'p2p_trades', 'p2p_records', 'p2p_orders'].map(
        (name) => `main.${name}`,
      ),
    )
    const { steps } = await explained(dir, 'main/tax.p2pRecords/201/amount')
    expect(paths(steps)[1]).toMatch(/ > entry main\/tax.p2pRecords\/201\/amount > deal 77 > record 77$/)
    expect(steps[0]?.steps[0]?.steps[0]?.steps[0]?.steps[1]?.fields).toMatchObject({
      fiat: 'CAD',
      fiat_amount: '281.33',
    })
  })
})
