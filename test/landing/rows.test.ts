// Rows as received: what fits lands exactly, what does not is quarantined with its reason and its own text, and what is
// merely unknown is kept and counted.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAmount } from '../../models/amount.ts'
import { parseJson } from '../../models/json.ts'
import type { Range } from '../../models/ranges.ts'
import {
  amount,
  defineRecord,
  type Field,
  flag,
  isAbsent,
  json,
  millis,
  type RecordType,
  spellingOf,
  text,
} from '../../models/record.ts'
import { order, p2pOrder, p2pRecord, taxRecord } from '../../models/records.ts'
import { landingFeeds, landingRecords } from '../../pipeline/books/books.ts'
import { Drift } from '../../pipeline/landing/drift.ts'
import { createRowReader, type Row, type RowTimes } from '../../pipeline/landing/row-reader.ts'
import { plainUnits } from '../support/plain-units.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { page, rawPage, taxRow } from './frames.ts'

const envelope = (rows: string): string => `{"code":"00000","msg":"success","requestTime":1,"data":${rows}}`

const quarantine = 'select page_row, field, reason, raw from landing.quarantine order by page_row'
const drift = 'select field, problem, example, row_count from landing.drift order by problem, field'

describe('a row with an invalid value', () => {
  it.each([
    [
      'amount',
      '"0.1234567890123456789"',
      'expected a decimal number that fits, found more than 18 decimal places',
    ],
    [
      'amount',
      '"123456789012345678901"',
      'expected a decimal number that fits, found beyond 20 integer digits',
    ],
    ['amount', '"1,5"', 'expected a decimal number that fits, found not a decimal number'],
    ['fee', '{"USDT":"1"}', 'expected a decimal number'],
    ['coin', 'null', 'expected a value'],
    ['coin', '["USDT"]', 'expected a text'],
    ['coin', '"\\ud800"', 'expected a text that UTF-8 can hold'],
    ['ts', '"2026-01-05"', 'expected Unix milliseconds'],
    ['ts', '[1763688137552]', 'expected Unix milliseconds'],
    ['ts', '{"toString":1}', 'expected Unix milliseconds'],
  ])('because of %s %s is quarantined, and the rest of the page lands', async (field, value, reason) => {
    const landing = await landingIn(await emptyFolder())
    const row = JSON.stringify(taxRow('2', { [field]: '@' })).replace('"@"', value)
    const body = envelope(`[${JSON.stringify(taxRow('1'))}, ${row},${JSON.stringify(taxRow('3'))}]`)
    expect(await landing.land([rawPage(1, body)])).toMatchObject({ rows: 3, quarantined: 1 })
    expect(await ask(landing, 'select id, page_row from landing.tax_records order by page_row')).toEqual([
      ['1', 0],
      ['3', 2],
    ])
    expect(await ask(landing, quarantine)).toEqual([[1, field, reason, row]])
    expect(await ask(landing, 'select row_count, quarantined from landing.pages')).toEqual([[3, 1]])
  })

  it('lands anyway if no figure depends on the field: null there, kept in `extra`, and reported', async () => {
    const landing = await landingIn(await emptyFolder(), { records: landingRecords, feeds: landingFeeds })
    const merchant = {
      merchantId: '7',
      totalTrades: '12',
      totalCompletionRate: '99.1%',
      avgPaymentTime: { min: 3 },
    }
    await landing.land([page(1, merchant, { feed: 'p2p.merchant', partition: '' })])
    expect(await ask(landing, quarantine)).toEqual([])
    const columns = 'total_trades, total_completion_rate, avg_payment_time, extra'
    expect(await ask(landing, `select ${columns} from landing.merchants`)).toEqual([
      ['12.000000000000000000', null, null, '{"avgPaymentTime":{"min":3},"totalCompletionRate":"99.1%"}'],
    ])
    expect(await ask(landing, drift)).toEqual([
      ['avgPaymentTime', 'value that does not fit', '{"min":3}', 1],
      ['totalCompletionRate', 'value that does not fit', '99.1%', 1],
    ])
  })

  it('has no time if the venue sends zero for one, nor one in 1970 for an optional time', async () => {
    const landing = await landingIn(await emptyFolder(), { records: landingRecords, feeds: landingFeeds })
    const order = { orderId: '7', coin: 'A', cTime: '1763688137552', utime: '0' }
    await landing.land([
      page(
        1,
        { orderList: [{ ...order, withdrawTime: '0', releaseTime: '1763688137' }] },
        { feed: 'p2p.orders' },
      ),
    ])
    expect(await ask(landing, quarantine)).toEqual([])
    expect(
      await ask(landing, 'select withdraw_time, release_time, u_time, extra from landing.p2p_orders'),
    ).toEqual([[null, null, null, '{"releaseTime":"1763688137","utime":"0","withdrawTime":"0"}']])
    expect((await ask(landing, drift)).map((line) => line.slice(0, 2))).toEqual([
      ['uTime', 'unknown value'],
      ['withdrawTime', 'unknown value'],
      ['releaseTime', 'value that does not fit'],
    ])
  })

  it.each([
    ['trade.orderHistory', 'list', { orderId: '7', createdTime: '1763688137552' }, 'cumExecQty'],
    ['futures.positions', '', { marginCoin: 'USDT', symbol: 'BTCUSDT', holdSide: 'long' }, 'total'],
    ['p2p.orders', 'orderList', { orderId: '7', coin: 'A', cTime: '1763688137552' }, 'count'],
  ])('of %s is quarantined as before if a figure depends on it', async (feed, list, row, field) => {
    const landing = await landingIn(await emptyFolder(), { records: landingRecords, feeds: landingFeeds })
    const rows = [{ ...row, [field]: '99.1%' }]
    await landing.land([page(1, list === '' ? rows : { [list]: rows }, { feed })])
    expect((await ask(landing, quarantine)).map((line) => line[1])).toEqual([field])
  })

  it('is quarantined too if it lacks a required field or is not an object', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([rawPage(1, envelope('[{"id":"1","coin":"A"}, 17 ,["x"],null]'))])
    expect(await ask(landing, quarantine)).toEqual([
      [0, 'type', 'expected a value', '{"id":"1","coin":"A"}'],
      [1, '', 'expected an object', '17'],
      [2, '', 'expected an object', '["x"]'],
      [3, '', 'expected an object', 'null'],
    ])
  })

  it('with two unequal values under one key keeps both in its text', async () => {
    const landing = await landingIn(await emptyFolder())
    const twice = '{"id":"1","coin":"A","type":"t","amount":1.50,"ts":"1","amount":"2"}'
    const nested = '{"id":"2","coin":"A","type":"t","amount":"1","ts":"1","more":[{"x":1,"x":2}]}'
    const equal = '{"id":"3","coin":"A","coin":"A","type":"t","amount":"1","ts":"1"}'
    await landing.land([rawPage(1, envelope(`[${twice},${nested},${equal}]`))])
    const reason = 'expected one value, found one key with unequal values'
    expect(await ask(landing, quarantine)).toEqual([
      [0, 'amount', reason, twice],
      [1, 'x', reason, nested],
    ])
    expect(await ask(landing, 'select id, coin from landing.tax_records')).toEqual([['3', 'A']])
    expect(
      await ask(
        landing,
        "select field, row_count from landing.drift where problem = 'duplicate key' order by field",
      ),
    ).toEqual([
      ['amount', 1],
      ['coin', 1],
      ['x', 1],
    ])
  })

  it('leaves no personal data in quarantine', async () => {
    const landing = await landingIn(await emptyFolder())
    const row =
      '{ "orderId":"1", "coin":"A", "buyerRealName":"Ann \\"A\\" Lee", "price":"x","paymentInfo":{"a":["secret"]} ,"phone":"123"}'
    const body = `{"data":{"minOrderId":"1","orderList":[ ${row} ,"Bob"]}}`
    await landing.land([rawPage(1, body, { feed: 'p2p.orders', partition: '' })])
    expect(await ask(landing, quarantine)).toEqual([
      [
        ...[0, 'price', 'expected a decimal number that fits, found not a decimal number'],
        '{ "orderId":"1", "coin":"A", "buyerRealName":null, "price":"x","paymentInfo":null ,"phone":null}',
      ],
      [1, '', 'expected an object', null],
    ])
  })
})

describe('what the interface document does not describe', () => {
  it('unknown fields are kept in `extra` with sorted keys, and counted', async () => {
    const landing = await landingIn(await emptyFolder())
    const rows = [
      taxRow('1', { zeta: { b: 1, a: [1.5] }, alpha: null }),
      taxRow('2', { zeta: 2 }),
      taxRow('3'),
    ]
    await landing.land([page(1, rows)])
    expect(await ask(landing, 'select extra from landing.tax_records order by page_row')).toEqual([
      ['{"alpha":null,"zeta":{"a":[1.5],"b":1}}'],
      ['{"zeta":2}'],
      [null],
    ])
    expect(await ask(landing, drift)).toEqual([
      ['alpha', 'unknown field', 'null', 1],
      ['zeta', 'unknown field', '{"b":1,"a":[1.5]}', 2],
    ])
  })

  it('numbers where the document has strings land digit by digit, and are counted', async () => {
    const landing = await landingIn(await emptyFolder())
    const row =
      '{"id":1375573238088888369,"coin":"A","type":true,"amount":-0.000000000000000001,"balance":1e3,"fee":0.5,"ts":1763688137552}'
    await landing.land([rawPage(1, envelope(`[${row}]`))])
    expect(await ask(landing, 'select id, type, amount, fee, balance, ts from landing.tax_records')).toEqual([
      [
        ...['1375573238088888369', 'true', '-0.000000000000000001', '0.500000000000000000'],
        ...['1000.000000000000000000', '2025-11-21 01:22:17.552+00'],
      ],
    ])
    expect(await ask(landing, drift)).toEqual([
      ['type', 'boolean instead of text', 'true', 1],
      ['amount', 'number instead of text', '-0.000000000000000001', 1],
      ['balance', 'number instead of text', '1e3', 1],
      ['fee', 'number instead of text', '0.5', 1],
      ['id', 'number instead of text', '1375573238088888369', 1],
      ['ts', 'number instead of text', '1763688137552', 1],
    ])
  })

  it('unknown values of an enumeration and a byte-order mark are counted', async () => {
    const record = {
      ...taxRecord,
      fields: { ...taxRecord.fields, type: text('Type.', { required: true, values: ['IN'] }) },
    }
    const feeds = new Map([['tax.records', { record, rows: '' }]])
    const landing = await landingIn(await emptyFolder(), { records: [record], feeds })
    const rows = JSON.stringify([
      taxRow('1', { type: 'IN' }),
      taxRow('2', { type: 'SIDEWAYS' }),
      taxRow('3', { type: '' }),
    ])
    await landing.land([rawPage(1, `\ufeff${envelope(rows)}`)])
    expect(await ask(landing, drift)).toEqual([
      ['', 'byte-order mark', null, 1],
      ['type', 'unknown value', 'SIDEWAYS', 1],
    ])
    expect(await ask(landing, 'select type from landing.tax_records order by page_row')).toEqual([
      ['IN'],
      ['SIDEWAYS'],
      [''],
    ])
  })

  it('shows no example of what may be personal data', async () => {
    const landing = await landingIn(await emptyFolder())
    const list = [{ orderId: '1', coin: 'A', ctime: '5', buyerRealName: 17, phone: '123', count: 2 }]
    await landing.land([page(1, { orderList: list }, { feed: 'p2p.orders' })])
    expect(await ask(landing, drift)).toEqual([
      ['buyerRealName', 'number instead of text', null, 1],
      ['count', 'number instead of text', '2', 1],
      ['phone', 'unknown field', null, 1],
    ])
  })

  it('another spelling of a field is that field; beside the declared one it is an unknown field', async () => {
    const landing = await landingIn(await emptyFolder())
    const p2p = (id: string, more: object) => ({ id, coin: 'A', p2pTaxType: 'buy', ts: '1', ...more })
    const rows = [
      p2p('1', { total: '7' }),
      p2p('2', { balance: '', total: '8' }),
      p2p('3', { balance: '9', total: '1' }),
      p2p('4', { balance: '', total: '8', colour: 'red' }),
    ]
    await landing.land([page(1, rows, { feed: 'tax.p2pRecords' })])
    expect(await ask(landing, 'select balance, extra from landing.p2p_records order by page_row')).toEqual([
      ['7.000000000000000000', null],
      ['8.000000000000000000', null],
      ['9.000000000000000000', '{"total":"1"}'],
      ['8.000000000000000000', '{"colour":"red"}'],
    ])
  })
})

/** A record with every kind of field, required and not, with aliases. */
const everyKind = defineRecord({
  table: 'samples',
  nature: 'event',
  doc: 'Samples.',
  key: ['id'],
  fields: {
    id: text('Id.', { required: true, aliases: ['ID'] }),
    note: text('Note.'),
    size: amount('Size.', { required: true, aliases: ['sz', 'qty'] }),
    fee: amount('Fee.'),
    ts: millis('Time.', { required: true }),
    done: flag('Done.'),
    more: json('More.'),
  },
})

describe('the row reader', () => {
  /** What the reader gives, by wire name, or the field that it refuses. */
  function readRow(record: RecordType, row: Row): unknown {
    const values: unknown[] = []
    const sink = {
      set: (column: number, value: unknown) => {
        values[column] = value
      },
      setPlain: (column: number, text: string) => {
        const units = plainUnits(text)
        if (units !== null) values[column] = units
        return units !== null
      },
    }
    const problem = createRowReader(record).read(row, sink, new Drift(record), null)
    if (problem !== null) return problem
    const names = Object.keys(record.fields)
    const known = Object.fromEntries(names.map((name, index) => [name, values[4 + index]]))
    const extra = values[4 + names.length] as string | null
    const more = extra === null ? {} : (JSON.parse(extra) as Record<string, unknown>)
    // A value that is read as none is kept there too, as it was sent; the schema has nothing of it.
    for (const name of names) {
      const spelling = spellingOf(name, record.fields[name] as Field, row)
      const isUnread = known[name] === null && !isAbsent(row[spelling])
      expect([name, more[spelling]]).toEqual([name, isUnread ? row[spelling] : undefined])
      delete more[spelling]
    }
    return { ...more, ...known }
  }

  function validate(record: RecordType, row: Row): unknown {
    const result = record.schema.safeParse(row)
    const issue = result.error?.issues[0]
    if (issue !== undefined) return { field: issue.path[0], reason: issue.message }
    return result.data
  }

  const value = fc.oneof(
    fc.constantFrom(
      null,
      '',
      '0',
      '1.5',
      '-0.000000000000000001',
      '1e-7',
      ' 2 ',
      '12345678901234567890123',
      'yes',
    ),
    fc.constantFrom('1763688137552', '-1', true, false, 0, 17, 1.5, 'x', '\ud800', '+5', '.5', '5.', 'False'),
    fc.string(),
    fc.stringMatching(/^-?\d{1,25}(\.\d{1,22})?$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom([], [17], {}, { toString: 1 }, { valueOf: null }),
    fc.jsonValue({ maxDepth: 2 }),
  )

  it.each([everyKind, taxRecord, p2pRecord, order, p2pOrder])(
    'agrees with the zod schema of $table on any row',
    (record) => {
      const spellings = Object.entries(record.fields).flatMap(([name, field]) => [name, ...field.aliases])
      const row = fc.dictionary(
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...spellings) }, fc.string()),
        value,
      )
      const good = fc
        .record(
          Object.fromEntries(spellings.map((name) => [name, fc.constantFrom('1', '1763688137552', '')])),
          {
            requiredKeys: [],
          },
        )
        .chain((base) => row.map((more) => ({ ...base, ...more })))
      fc.assert(
        fc.property(fc.oneof(row, good), (generated) => {
          // As parsed: without -0, and with __proto__ as plain data.
          const received = parseJson(JSON.stringify(generated)).value as Row
          if (Object.hasOwn(received, '__proto__')) return
          expect(readRow(record, received)).toEqual(validate(record, received))
        }),
        { numRuns: 500 },
      )
    },
  )

  const timed = defineRecord({
    ...{ table: 'spans', nature: 'event', doc: 'Spans.', key: ['id'] },
    fields: {
      id: text('Id.'),
      begins: millis('Begin.', { required: true }),
      ends: millis('End.'),
      more: amount('Beyond the document.', { beyond: true }),
    },
  })
  const problemOf = (row: Row, times: RowTimes, asked: Range | null = null, drift = new Drift(timed)) =>
    createRowReader(timed, times).read(
      { id: '1', ...row },
      { set: () => undefined, setPlain: () => false },
      drift,
      asked,
    )

  it.each([
    ['ends a second before it', -2_000, -1_000, true],
    ['ended more than a second before it', -2_000, -1_001, false],
    ['begins a second after it', 101_000, 102_000, true],
    ['begins more than a second after it', 101_001, 102_000, false],
    ['lasts longer on both sides', -5_000, 105_000, true],
    ['begins within it and ends after it', 50_000, 200_000, true],
    ['has its times the other way round', 50_000, -5_000, true],
    ['has no end, and begins within it', 50_000, null, true],
    ['has no end, and began before it', -1_001, null, false],
  ])('of the window that was asked for, a row that %s is accepted or not', (_, begins, ends, isIn) => {
    const start = 1_700_000_000_000
    const row = { begins: String(start + begins), ends: ends === null ? '' : String(start + ends) }
    const touching = { time: 'begins', touches: ['begins', 'ends'] }
    const refusal = { field: 'begins', reason: 'expected a time within the window that was asked for' }
    expect(problemOf(row, touching, { start, end: start + 100_000 })).toEqual(isIn ? null : refusal)
    expect(problemOf(row, touching)).toBeNull()
  })

  it('refuses a row for a time by which it belongs to a window, if that cannot be read or is before 2009', () => {
    const begins = '1700000000000'
    expect(problemOf({ begins, ends: 'soon' }, { time: 'begins' })).toBeNull()
    const unread = { field: 'ends', reason: 'expected Unix milliseconds' }
    expect(problemOf({ begins, ends: 'soon' }, { time: 'ends' })).toEqual(unread)
    expect(problemOf({ begins, ends: 'soon' }, { time: 'begins', touches: ['ends'] })).toEqual(unread)
    expect(problemOf({ begins: String(Date.UTC(2009, 0, 3)) }, { time: 'begins' })).toBeNull()
    expect(problemOf({ begins: String(Date.UTC(2009, 0, 3) - 1) }, { time: 'begins' })).toEqual({
      ...{ field: 'begins', reason: 'expected Unix milliseconds, found a time before 2009' },
    })
  })

  it('reports a value that does not fit a field beyond the document once, as unknown', () => {
    const drift = new Drift(timed)
    expect(problemOf({ begins: '1700000000000', more: true }, {}, null, drift)).toBeNull()
    expect(drift.take()).toEqual([{ field: 'more', problem: 'unknown value', example: 'true', rows: 1 }])
  })

  it.each([
    { done: true, more: false },
    { done: false, more: 17 },
  ])('reports nothing of a flag and of JSON that are as they should be: %j', (row) => {
    const drift = new Drift(everyKind)
    const sink = { set: () => undefined, setPlain: () => false }
    const whole = { id: '1', size: '1', ts: '1763688137552', ...row }
    expect(createRowReader(everyKind).read(whole, sink, drift, null)).toBeNull()
    expect(drift.take()).toEqual([])
  })

  it('keeps a key named __proto__ as an unknown field', async () => {
    const landing = await landingIn(await emptyFolder())
    const row = JSON.stringify(taxRow('1')).replace('{', '{"__proto__":{"id":"9"},')
    await landing.land([rawPage(1, envelope(`[${row}]`))])
    expect(await ask(landing, 'select id, extra from landing.tax_records')).toEqual([
      ['1', '{"__proto__":{"id":"9"}}'],
    ])
  })
})

describe('the fast reader of amounts', () => {
  it('gives what the exact parser gives, or leaves the text to it', () => {
    const plain = fc.stringMatching(/^-?\d{0,24}(\.\d{0,22})?$/)
    fc.assert(
      fc.property(fc.oneof(plain, fc.string({ maxLength: 8 })), (written) => {
        const quick = plainUnits(written)
        if (quick !== null) expect(parseAmount(written)).toEqual({ ok: true, units: quick })
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['0', 0n],
    ['-0.0', 0n],
    ['1.9998656', 1_999_865_600_000_000_000n],
    ['-42.41856383400698', -42_418_563_834_006_980_000n],
    ['999999999999999.999999999999999999', 10n ** 33n - 1n],
    ['-999999999999999.999999999999999999', 1n - 10n ** 33n],
    ['-0.000000000000000001', -1n],
    ['.5', 5n * 10n ** 17n],
  ])('reads %s itself', (written, units) => {
    expect(plainUnits(written)).toBe(units)
  })

  // The first is the smallest whole number that a JavaScript number does not hold.
  it.each(['9007199254740993', '1000000000000000.5', '0.0000000000000000001', '', '-', '.', '1e3', '1.2.3'])(
    'leaves %j to the exact parser',
    (written) => {
      expect(plainUnits(written)).toBeNull()
    },
  )
})
