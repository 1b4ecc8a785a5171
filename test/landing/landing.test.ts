// Landing: what each kind of frame becomes, all or nothing, and what the planner is answered.

import { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, it, vi } from 'vitest'
import { CorruptionError } from '../../models/error.ts'
import type { FrameMeta } from '../../pipeline/journal/frame.ts'
import { LandingError } from '../../pipeline/landing/errors.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { at, chainOf, feeds, frame, landingOptions, page, rawPage, taxRow } from './frames.ts'

const range = { start: 1_763_000_000_000, end: 1_763_600_000_000 }

describe('a page', () => {
  it('lands its rows with every digit, the page and their position', async () => {
    const landing = await landingIn(await emptyFolder())
    const rows = [
      taxRow('1375573238088888369', { amount: '-1.9998656', balance: '42.41856383400698' }),
      taxRow('1375573238088888368', { coin: 'BGB', amount: '-0.000455617873262812', fee: '' }),
    ]
    expect(await landing.land([page(1, rows, { window: range, covers: range, next: null })])).toEqual({
      frames: 1,
      pages: 1,
      rows: 2,
      quarantined: 0,
    })
    expect(await ask(landing, 'select * from landing.tax_records order by page_row')).toEqual([
      [
        ...['main', 'SPOT', '1', 0, '1375573238088888369', 'USDT', 'ORDER_DEALT_IN', '-1.999865600000000000'],
        ...['0.000000000000000000', '42.418563834006980000', '2025-11-21 01:22:17.552+00', null],
      ],
      [
        ...['main', 'SPOT', '1', 1, '1375573238088888368', 'BGB', 'ORDER_DEALT_IN', '-0.000455617873262812'],
        ...[null, '10.250000000000000000', '2025-11-21 01:22:17.552+00', null],
      ],
    ])
    expect(await ask(landing, 'select * exclude (path) from landing.pages')).toEqual([
      [
        ...['1', 'r1', 'main', 'tax.records', 'SPOT', 200, '2026-01-05 03:00:00+00'],
        ...['2025-11-13 02:13:20+00', '2025-11-20 00:53:20+00', null, null, 2, 0, null, false],
      ],
    ])
    expect(await ask(landing, 'select * from landing.covered')).toEqual([
      ['1', 'main', 'tax.records', 'SPOT', '2025-11-13 02:13:20+00', '2025-11-20 00:53:20+00', 2],
    ])
    expect(await ask(landing, 'select * from landing.state')).toEqual([[8, '1', chainOf(1), '4']])
  })

  it('seen twice is stored twice: landing looks nothing up', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([page(1, [taxRow('1')]), page(2, [taxRow('1')])])
    expect(await ask(landing, 'select id, page_id from landing.tax_records order by page_id')).toEqual([
      ['1', '1'],
      ['1', '2'],
    ])
  })

  it('of more rows than a data chunk holds lands completely and in order', async () => {
    const landing = await landingIn(await emptyFolder())
    const rows = Array.from({ length: 5_000 }, (_, index) => taxRow(`id-of-more-than-12-bytes-${index}`))
    await landing.land([page(1, rows), page(2, rows.slice(0, 10))])
    expect(
      await ask(
        landing,
        `select page_id, count(*), count(*) filter (id = 'id-of-more-than-12-bytes-' || page_row)
         from landing.tax_records group by page_id order by page_id`,
      ),
    ).toEqual([
      ['1', '5000', '5000'],
      ['2', '10', '10'],
    ])
  })

  it('whose body was erased remains, without rows', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([rawPage(1, null, { covers: range })])
    await landing.land([page(2, [], { next: 'c' }), page(3, [], { cursor: 'c', next: null })])
    expect(
      await ask(
        landing,
        'select page_id, row_count, quarantined, is_erased, ends_list from landing.pages order by 1',
      ),
    ).toEqual([
      ['1', 0, 0, true, null],
      ['2', 0, 0, false, false],
      ['3', 0, 0, false, true],
    ])
    expect(await ask(landing, 'select count(*) from landing.tax_records')).toEqual([['0']])
    expect(await landing.covered('main', 'tax.records', 'SPOT')).toEqual([{ ...range, readAt: range.end }])
  })

  it.each([
    ['[]', 0],
    ['{"list":null,"cursor":null}', 0],
    ['{"list":[],"cursor":""}', 0],
  ])('with data %s is empty', async (data, rows) => {
    const landing = await landingIn(await emptyFolder())
    const body = `{"code":"00000","msg":"success","data":${data}}`
    const landed = await landing.land([rawPage(1, body, { feed: 'trade.orderHistory' }), rawPage(2, body)])
    expect(landed).toMatchObject({ rows, quarantined: 0 })
  })

  it.each(['null', '{"orders":[{"orderId":"1"}]}', '"soon"'])(
    'with data %s, where a list is expected, is quarantined and never counts as empty',
    async (data) => {
      const landing = await landingIn(await emptyFolder())
      const body = `{"code":"00000","msg":"success","data":${data}}`
      await landing.land([rawPage(1, body, { feed: 'trade.orderHistory' })])
      expect(await ask(landing, 'select page_row, field, reason, raw from landing.quarantine')).toEqual([
        [0, 'list', 'expected a list of rows', data],
      ])
    },
  )

  it.each([
    ['data', 'tax.records', '{"data":[],"data":[{"id":"1"}]}'],
    ['list', 'trade.orderHistory', '{"data":{"list":1,"list":2}}'],
  ])(
    'that says two things of %s is none of them: it is damage, as it was never journaled so',
    async (key, feed, body) => {
      const landing = await landingIn(await emptyFolder())
      await expect(landing.land([rawPage(1, body, { feed })])).rejects.toMatchObject({
        name: 'CorruptionError',
        details: { expected: `one ${key}`, found: `two unequal members named ${key}` },
      })
    },
  )

  it('of a feed whose data is its only row lands that row', async () => {
    const landing = await landingIn(await emptyFolder())
    const data = { uid: 1111111111, accountMode: 'hybrid', coinConfigList: [{ coin: 'USDT', leverage: '6' }] }
    await landing.land([page(1, data, { feed: 'account.settings', partition: '' })])
    expect(
      await ask(landing, 'select uid, account_mode, coin_config_list from landing.account_settings'),
    ).toEqual([['1111111111', 'hybrid', '[{"coin":"USDT","leverage":"6"}]']])
  })
})

describe('progress', () => {
  const first = { window: range, next: 'c1' }

  it('of a window is replaced by each page and removed with the last', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([page(1, [], first)])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([{ window: range, cursor: 'c1' }])
    await landing.land([
      page(2, [], { ...first, cursor: 'c1', next: 'c2' }),
      page(3, [], { ...first, next: 'c3' }),
    ])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([{ window: range, cursor: 'c3' }])
    expect(await ask(landing, 'select cursor, page_id from landing.progress')).toEqual([['c3', '3']])
    // A page of a window whose answer has nothing of what follows, where nothing ever does, begins none.
    await landing.land([page(4, [], { ...first, next: null }), page(5, [], { window: range })])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([])
  })

  it('is begun again after its end', async () => {
    const landing = await landingIn(await emptyFolder())
    for (const [seq, next] of [
      [1, 'c1'],
      [2, null],
      [3, 'c3'],
    ] as const)
      await landing.land([page(seq, [], { ...first, next })])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([{ window: range, cursor: 'c3' }])
    await landing.land([page(4, [], { ...first, next: null })])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([])
  })

  it('survives closing, and is then replaced in the same way', async () => {
    const dir = await emptyFolder()
    const before = await landingIn(dir)
    await before.land([page(1, [], first), page(2, [], { ...first, partition: 'OTHER' })])
    await before.close()
    const landing = await landingIn(dir)
    expect([landing.landedSeq, landing.chain]).toEqual([2, chainOf(2)])
    await landing.land([page(3, [], { ...first, next: null })])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([])
    expect(await landing.unfinished('main', 'tax.records', 'OTHER')).toHaveLength(1)
  })

  it('of ranges that are not in whole milliseconds claims no more than it contains', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([page(1, [], { covers: { start: 10.2, end: 20.7 } })])
    expect(await landing.covered('main', 'tax.records', 'SPOT')).toEqual([{ start: 11, end: 20, readAt: 20 }])
  })
})

describe('a transaction that can be neither committed nor rolled back', () => {
  it('ends all landing in this process: nothing more is accepted, and closing writes nothing', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    await landing.land([page(1, [taxRow('1')])])
    const run = DuckDBConnection.prototype.run
    const broken = vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(function (
      this: DuckDBConnection,
      ...given
    ) {
      const isEnd = given[0] === 'commit' || given[0] === 'rollback'
      return isEnd ? Promise.reject(new Error('no space')) : run.apply(this, given)
    })
    await expect(landing.land([page(2, [taxRow('2')])])).rejects.toThrow(LandingError)
    broken.mockRestore()
    await expect(landing.land([page(2, [taxRow('2')])])).rejects.toThrow(
      'The landing database failed and accepts nothing more in this process.',
    )
    const closing = vi.spyOn(DuckDBConnection.prototype, 'run')
    await landing.close()
    expect(closing).not.toHaveBeenCalled()
    closing.mockRestore()
    const again = await landingIn(dir)
    expect([again.landedSeq, await ask(again, 'select id from landing.tax_records')]).toEqual([1, [['1']]])
  })
})

describe('a repair', () => {
  const repair = (seq: number, reopens: readonly unknown[]) =>
    frame(seq, {
      ...{ kind: 'repair', at, run: 'r2', setAside: [], file: null, rechainedFrom: 1, oldChain: '', reopens },
    } as FrameMeta)
  const of = (partition: string, start: number, end: number) => ({
    ...{ account: 'main', feed: 'tax.records', partition, range: { start, end } },
  })

  it('removes what it reopens from the claims of earlier pages, whatever is left of them, and of no later one', async () => {
    const landing = await landingIn(await emptyFolder())
    const covering = (seq: number, partition: string, start: number, end: number) =>
      page(seq, [], { partition, covers: { start, end } })
    await landing.land([covering(1, 'SPOT', 1_000, 1_999), covering(2, 'SPOT', 5_000, 5_999)])
    await landing.land([
      covering(3, 'MARGIN', 1_000, 1_999),
      repair(4, [of('SPOT', 1_200, 1_299), of('SPOT', 1_250.5, 1_400.5), of('SPOT', 1_900, 5_099)]),
      covering(5, 'SPOT', 1_000, 1_999),
    ])
    expect(
      await ask(
        landing,
        'select page_id, epoch_ms(starts_at), epoch_ms(ends_at) from landing.covered order by page_id, starts_at',
      ),
    ).toEqual([
      ['1', '1000', '1199'],
      ['1', '1401', '1899'],
      ['2', '5100', '5999'],
      ['3', '1000', '1999'],
      ['5', '1000', '1999'],
    ])
    expect(await ask(landing, 'select row_total from landing.state')).toEqual([['9']])
  })

  it('leaves the last instant of a claim if that is all that it does not reopen', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      page(1, [], { covers: { start: 1_000, end: 1_999 } }),
      repair(2, [of('SPOT', 1_000, 1_998)]),
    ])
    expect(await landing.covered('main', 'tax.records', 'SPOT')).toEqual([
      { start: 1_999, end: 1_999, readAt: 1_999 },
    ])
  })

  it('takes the one instant that it shares with a claim, at either end, and claims nothing up to what is beyond it', async () => {
    const landing = await landingIn(await emptyFolder())
    const parts = ['OTHER', 'END', 'START', 'WITHIN', 'PART']
    await landing.land([
      ...parts.map((partition, nth) =>
        page(nth + 1, [taxRow('1')], { partition, covers: { start: 1_000, end: 1_999 } }),
      ),
      repair(6, [
        of('END', 1_999, 2_500),
        of('START', 500, 1_000),
        ...[of('WITHIN', 1_500, 1_599), of('WITHIN', 1_200, 1_299), of('WITHIN', 5_000, 5_999)],
        of('PART', 1_199.5, 1_300.5),
      ]),
    ])
    expect(
      await ask(
        landing,
        'select partition, epoch_us(starts_at), epoch_us(ends_at), row_count from landing.covered order by page_id, starts_at',
      ),
    ).toEqual([
      ['OTHER', '1000000', '1999000', 1],
      ['END', '1000000', '1998000', 1],
      ['START', '1001000', '1999000', 1],
      ['WITHIN', '1000000', '1199000', 1],
      ['WITHIN', '1300000', '1499000', 1],
      ['WITHIN', '1600000', '1999000', 1],
      ['PART', '1000000', '1199000', 1],
      ['PART', '1301000', '1999000', 1],
    ])
  })

  it('ends windows that were begun before it within what it reopens, and no others', async () => {
    const landing = await landingIn(await emptyFolder())
    const begins = (seq: number, start: number, end: number) =>
      page(seq, [], { window: { start, end }, next: `c${seq}` })
    await landing.land([
      ...[begins(1, 9_000, 9_999), begins(2, 1_000, 1_999), begins(3, 2_000, 2_999), begins(4, 4_000, 4_999)],
    ])
    await landing.land([
      page(5, [], { window: { start: 9_000, end: 9_999 }, next: null }),
      begins(6, 3_000, 3_999),
      repair(7, [of('SPOT', 2_999, 3_000), of('OTHER', 1_000, 1_999)]),
      begins(8, 2_500, 2_999),
    ])
    const left = await landing.unfinished('main', 'tax.records', 'SPOT')
    expect(left.map(({ cursor }) => cursor)).toEqual(['c2', 'c8', 'c4'])
  })

  it('of many ranges does not run a statement for each', async () => {
    const landing = await landingIn(await emptyFolder())
    const many = 500
    const pages = Array.from({ length: many }, (_, nth) =>
      page(nth + 1, [], { partition: `P${nth}`, covers: { start: 1_000, end: 1_999 } }),
    )
    await landing.land(pages)
    const asked = [
      vi.spyOn(DuckDBConnection.prototype, 'run'),
      vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll'),
    ]
    await landing.land([
      repair(
        many + 1,
        pages.map((_, nth) => of(`P${nth}`, 1_000, 1_999)),
      ),
    ])
    const statements = asked.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    for (const spy of asked) spy.mockRestore()
    expect(statements).toBeLessThan(20)
    expect(await ask(landing, 'select count(*) from landing.covered')).toEqual([['0']])
  })
})

describe('other frames', () => {
  it('have the venue’s words of a refusal only where its answer has any', async () => {
    const landing = await landingIn(await emptyFolder())
    const meta = {
      ...{ kind: 'refusal', at, run: 'r1', account: 'main', feed: 'tax.records', partition: '' },
      ...{ request: { method: 'GET', path: '/p' }, status: 400, code: 'c' },
    } as FrameMeta
    const bodies = ['<html>Bad gateway</html>', 'null', '{"code":"1"}', '{"msg":17}', '{"msg":"no"}']
    await landing.land(bodies.map((body, nth) => frame(nth + 1, meta, Buffer.from(body))))
    await landing.land([frame(6, meta)])
    expect((await ask(landing, 'select reason from landing.statements order by seq')).flat()).toEqual([
      ...[null, null, null, null, 'no', null],
    ])
  })

  it('become statements, accounts and runs', async () => {
    const landing = await landingIn(await emptyFolder())
    const who = { at, run: 'r1', account: 'main', feed: 'tax.p2pRecords', partition: '' }
    const refusal = Buffer.from('{"code":"40014","msg":"Incorrect permissions","data":null}')
    await landing.land([
      frame(1, {
        kind: 'run-start',
        at: '2026-01-05T02:59:00.000Z',
        run: 'r1',
        command: 'sync',
        now: at,
        feeds: ['fees', 'tax.records'],
      }),
      frame(2, {
        kind: 'account',
        at,
        run: 'r1',
        account: 'main',
        venue: 'v',
        uid: '7',
        accountKind: 'unified',
        accountMode: 'hybrid',
      }),
      frame(
        3,
        { kind: 'refusal', ...who, request: { method: 'GET', path: '/p' }, status: 400, code: '40014' },
        refusal,
      ),
      frame(4, {
        kind: 'statement',
        ...who,
        range,
        status: 'failed',
        code: '40014',
        reason: 'no permission',
        named: true,
      }),
      frame(5, {
        kind: 'run-end',
        at: '2026-01-05T03:01:00.000Z',
        run: 'r1',
        requests: 3,
        rows: 2,
        retries: 1,
        outcome: 'done',
      }),
      // A run by the time that it was told.
      frame(6, { kind: 'run-start', at, run: 'r2', command: 'build', now: '2026-02-01T00:00:00.000Z' }),
      frame(7, {
        ...{ kind: 'run-end', at, run: 'r2', requests: 0, rows: 0, retries: 0, outcome: 'failed' },
        now: '2026-02-01T00:01:00.000Z',
      }),
    ])
    expect(await ask(landing, 'select * from landing.statements')).toEqual([
      [
        '3',
        'r1',
        'main',
        'tax.p2pRecords',
        '',
        null,
        null,
        null,
        '40014',
        'Incorrect permissions',
        '2026-01-05 03:00:00+00',
        false,
      ],
      [
        '4',
        'r1',
        'main',
        'tax.p2pRecords',
        '',
        '2025-11-13 02:13:20+00',
        '2025-11-20 00:53:20+00',
        'failed',
        '40014',
        'no permission',
        '2026-01-05 03:00:00+00',
        true,
      ],
    ])
    expect(await ask(landing, 'select * from landing.accounts')).toEqual([
      ['main', 'v', '7', 'unified', 'hybrid', '2'],
    ])
    expect(await landing.account('main')).toEqual({ uid: '7', kind: 'unified', accountMode: 'hybrid' })
    expect(await landing.account('desk-2')).toBeNull()
    expect(await ask(landing, 'select * from landing.runs order by run_id')).toEqual([
      [
        'r1',
        '2026-01-05 03:00:00+00',
        '2026-01-05 03:01:00+00',
        'sync',
        '3',
        '2',
        '1',
        'done',
        '1',
        'fees, tax.records',
      ],
      [
        ...['r2', '2026-02-01 00:00:00+00', '2026-02-01 00:01:00+00', 'build', '0', '0', '0', 'failed'],
        ...['6', null],
      ],
    ])
  })
})

describe('a transaction', () => {
  it('with a page that can no longer be parsed lands nothing, and the next one continues', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([page(1, [taxRow('1')], { window: range, next: 'c1' })])
    const frames = [page(2, [taxRow('2')], { window: range, next: null }), rawPage(3, '{"data":[{"id":"3"')]
    const error = await landing.land(frames).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CorruptionError)
    expect((error as CorruptionError).describe()).toBe(
      [
        'A page of the journal can no longer be read.',
        '  where:    frame 3: tax.records of main, SPOT',
        '  expected: the JSON text that was parsed when it was received',
        '  found:    a text that is cut off at character 18',
        '  next:     Run `tieout verify`. If the journal verifies, report this page: it should not have been journaled.',
      ].join('\n'),
    )
    expect(landing.landedSeq).toBe(1)
    expect(await ask(landing, 'select id from landing.tax_records')).toEqual([['1']])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toHaveLength(1)
    await landing.land([page(2, [taxRow('2')], { window: range, next: null })])
    expect(await ask(landing, 'select id from landing.tax_records order by id')).toEqual([['1'], ['2']])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([])
  })

  it('is not begun for frames with a gap or repeated frames', async () => {
    const landing = await landingIn(await emptyFolder())
    await expect(landing.land([page(2, [])])).rejects.toThrow(LandingError)
    await landing.land([page(1, [])])
    await expect(landing.land([page(1, [])])).rejects.toMatchObject({
      details: { expected: 'frame 2', found: 'frame 1' },
    })
    expect(await landing.land([])).toMatchObject({ frames: 0 })
  })

  it('waits for the one before it, and closing for the last', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    const landed = await Promise.all([1, 2, 3].map((seq) => landing.land([page(seq, [taxRow(String(seq))])])))
    expect(landed.map(({ rows }) => rows)).toEqual([1, 1, 1])
    expect(landing.landedSeq).toBe(3)
    const last = landing.land([page(4, [taxRow('4')])])
    await landing.close()
    expect((await last).rows).toBe(1)
    expect((await landingIn(dir)).landedSeq).toBe(4)
  })

  it('with a feed that is unknown to this version says to update', async () => {
    const landing = await landingIn(await emptyFolder())
    await expect(landing.land([page(1, [], { feed: 'earn.records' })])).rejects.toMatchObject({
      message: 'The journal has a page of a feed that this version of tieout does not know.',
      details: { where: 'frame 1', found: 'earn.records' },
    })
  })

  it('with a kind of frame that is unknown to this version says so too, and skips nothing', async () => {
    const landing = await landingIn(await emptyFolder())
    const newer = { kind: 'dream', at, run: 'r1' } as unknown as FrameMeta
    await expect(landing.land([frame(1, newer)])).rejects.toMatchObject({
      message: 'The journal has a frame of a kind that this version of tieout does not know.',
      details: { where: 'frame 1', found: 'dream' },
    })
    expect(landing.landedSeq).toBe(0)
  })
})

describe('what the planner is answered', () => {
  const covering = (seq: number, partition: string, start: number, end: number) =>
    page(seq, [], { partition, covers: { start, end } })
  const word = (seq: number, status: 'lost' | 'pending', start: number, end: number) =>
    frame(seq, {
      ...{ kind: 'statement', at, run: 'r1', account: 'main', feed: 'tax.records', partition: 'SPOT' },
      ...{ status, code: 'c', reason: 'r', range: { start, end }, named: false },
    })

  it('is when a claim was read, by the newest end that its own partition had proven by then', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      covering(1, 'SPOT', 1_000, 2_000),
      covering(2, 'MARGIN', 1_000, 9_000),
      covering(3, 'SPOT', 100, 1_000),
      covering(4, 'SPOT', 2_000, 3_000),
    ])
    // Asked at the same time, so that one statement answers for both.
    const [spot] = await Promise.all(
      ['SPOT', 'MARGIN'].map((partition) => landing.covered('main', 'tax.records', partition)),
    )
    expect(spot).toEqual([
      { start: 100, end: 1_000, readAt: 2_000 },
      { start: 1_000, end: 2_000, readAt: 2_000 },
      { start: 2_000, end: 3_000, readAt: 3_000 },
    ])
  })

  it('is what was said to be lost, until something else is said of the partition', async () => {
    const landing = await landingIn(await emptyFolder())
    const lost = async () => (await landing.wanted('main', 'tax.records', 'SPOT')).lost
    await landing.land([word(1, 'lost', 1_000, 2_000)])
    expect(await lost()).toEqual([{ start: 1_000, end: 2_000 }])
    await landing.land([word(2, 'pending', 1_000, 2_000)])
    expect(await lost()).toEqual([])
    await landing.land([word(3, 'lost', 1_000, 1_500)])
    expect(await lost()).toEqual([{ start: 1_000, end: 1_500 }])
  })

  it('is the newest word on a feed as a whole, and what the newest frame says of an account', async () => {
    const landing = await landingIn(await emptyFolder())
    const whole = (seq: number, status: 'failed' | 'pending') =>
      frame(seq, {
        ...{ kind: 'statement', at, run: 'r1', account: 'main', feed: 'tax.records', partition: '' },
        ...{ status, code: 'c', reason: 'r', named: false },
      })
    const told = (seq: number, uid: string, accountKind: 'classic' | 'unified') =>
      frame(seq, {
        ...{ kind: 'account', at, run: 'r1', account: 'main', venue: 'bitget', uid, accountKind },
        accountMode: null,
      })
    await landing.land([
      whole(1, 'failed'),
      told(2, '1', 'classic'),
      whole(3, 'pending'),
      told(4, '2', 'unified'),
    ])
    expect(await landing.wordOnFeed('main', 'tax.records')).toBe('pending')
    expect(await landing.account('main')).toEqual({ uid: '2', kind: 'unified', accountMode: null })
    expect(await landing.uids()).toEqual(new Map([['main', '2']]))
  })
})

describe('the oldest record that left a list', () => {
  const timed = { ...feeds.get('trade.orderHistory')!, time: 'createdTime' }
  const options = { ...landingOptions, feeds: new Map([...feeds, ['trade.orderHistory', timed]]) }
  const listed = (seq: number, run: string, ids: readonly number[], next: string | null, cursor?: string) =>
    page(
      seq,
      { list: ids.map((id) => ({ orderId: String(id), category: 'SPOT', createdTime: String(id * 1_000) })) },
      { feed: 'trade.openOrders', partition: '', run, next, ...(cursor === undefined ? {} : { cursor }) },
    )
  const read = (seq: number, run: string) =>
    page(seq, { list: [] }, { feed: 'trade.orderHistory', run, covers: { start: 0, end: 9_000 } })
  const list = { feed: 'trade.openOrders', partition: 'category', partitions: ['SPOT'] }

  it('left it with an answer that was read to its end: after a page that was not the last, it may still be listed', async () => {
    const landing = await landingIn(await emptyFolder(), options)
    const oldest = () => landing.oldestThatLeft('main', 'trade.orderHistory', 'SPOT', list)
    await landing.land([listed(1, 'r1', [3, 2], 'on'), listed(2, 'r1', [1], null, 'on')])
    expect(await oldest()).toBeNull()
    await landing.land([read(3, 'r1')])
    expect(await oldest()).toBeNull()
    // Of the next run's list only the first page came; its history has nothing of the order that still rests.
    await landing.land([listed(4, 'r2', [3, 2], 'on'), read(5, 'r2')])
    expect(await oldest()).toBeNull()
    await landing.land([listed(6, 'r3', [3, 2], null)])
    expect(await oldest()).toBe(1_000)
    await landing.land([read(7, 'r3')])
    expect(await oldest()).toBeNull()
  })

  it('is looked for again and again after a list that broke off: it may end on any day, until a complete list no longer has it', async () => {
    const landing = await landingIn(await emptyFolder(), options)
    const oldest = () => landing.oldestThatLeft('main', 'trade.orderHistory', 'SPOT', list)
    const unproven = (seq: number, run: string) =>
      frame(seq, {
        ...{ kind: 'statement', at, run, account: 'main', feed: 'trade.openOrders', partition: '' },
        ...{ status: 'unproven', code: 'no cursor', reason: 'broke off', named: false },
      })
    await landing.land([listed(1, 'r1', [3, 1], null), read(2, 'r1')])
    expect(await oldest()).toBeNull()
    await landing.land([listed(3, 'r2', [3], null), unproven(4, 'r2')])
    expect(await oldest()).toBe(1_000)
    // The history has nothing of an order that still rests, and the next list breaks off, too.
    await landing.land([read(5, 'r2'), listed(6, 'r3', [3], null), unproven(7, 'r3')])
    expect(await oldest()).toBe(1_000)
    await landing.land([read(8, 'r3'), listed(9, 'r4', [3], null)])
    expect(await oldest()).toBe(1_000)
    await landing.land([read(10, 'r4'), listed(11, 'r5', [3], null), unproven(12, 'r5')])
    expect(await oldest()).toBeNull()
  })
})

describe('the oldest unsettled record', () => {
  const JANUARY = Date.UTC(2026, 0, 1)
  const orderRow = (orderId: string, createdTime: number, orderStatus: string, updatedTime?: number) => ({
    ...{ orderId, createdTime: String(createdTime), orderStatus },
    ...(updatedTime === undefined ? {} : { updatedTime: String(JANUARY + updatedTime) }),
  })
  const oldest = (landing: Awaited<ReturnType<typeof landingIn>>) =>
    landing.oldestUnsettled('main', 'trade.orderHistory', 'SPOT', 'orderStatus', ['live', 'partially_filled'])
  const orders = (seq: number, list: unknown[], partition = 'SPOT') =>
    page(seq, { list }, { feed: 'trade.orderHistory', partition })

  it('is judged by the current version of each record', async () => {
    const landing = await landingIn(await emptyFolder())
    expect(await oldest(landing)).toBeNull()
    await landing.land([
      orders(1, [orderRow('1', 1_000, 'live', 1_000), orderRow('2', 2_000, 'live', 2_000)]),
      orders(2, [orderRow('0', 500, 'live', 500)], 'MARGIN'),
    ])
    expect(await oldest(landing)).toBe(1_000)
    // The first is filled; a page that comes later with an older version changes nothing.
    await landing.land([
      orders(3, [orderRow('1', 1_000, 'filled', 3_000)]),
      orders(4, [orderRow('1', 1_000, 'live', 1_500)]),
    ])
    expect(await oldest(landing)).toBe(2_000)
    await landing.land([orders(5, [orderRow('2', 2_000, 'cancelled', 2_500)])])
    expect(await oldest(landing)).toBeNull()
  })

  it('may be in a state with another spelling, or an unknown one; a settled one may not', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([orders(1, [orderRow('1', 4_000, 'Filled'), orderRow('2', 3_000, 'CANCELLED')])])
    expect(await oldest(landing)).toBeNull()
    await landing.land([orders(2, [orderRow('3', 2_000, 'Partially_Filled')])])
    expect(await oldest(landing)).toBe(2_000)
    await landing.land([orders(3, [orderRow('4', 1_000, 'frozen')])])
    expect(await oldest(landing)).toBe(1_000)
    // The venue has said nothing of it.
    await landing.land([orders(4, [{ orderId: '5', createdTime: '900' }])])
    expect(await oldest(landing)).toBe(900)
  })

  it('is in a state that was asked for, in any spelling, where the document names none', async () => {
    const landing = await landingIn(await emptyFolder())
    const ofCoin = (id: string, time: number, state: string, symbol: string) => ({
      ...orderRow(id, time, state),
      symbol,
    })
    await landing.land([
      orders(1, [ofCoin('1', 1_000, 'live', 'ETH'), ofCoin('2', 2_000, 'filled', 'BTC')]),
      orders(2, [ofCoin('3', 500, 'filled', 'ETH')]),
    ])
    const oldestOf = (field: string, value: string) =>
      landing.oldestUnsettled('main', 'trade.orderHistory', 'SPOT', field, [value])
    expect(await oldestOf('orderStatus', 'Live')).toBe(1_000)
    expect(await oldestOf('symbol', 'Btc')).toBe(2_000)
  })

  it('is judged by the first of equal versions on a page, where the newest comes first', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([orders(1, [orderRow('1', 1_000, 'filled', 500), orderRow('1', 1_000, 'live', 500)])])
    expect(await oldest(landing)).toBeNull()
  })

  it('is judged by a version that states its time before one that does not', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      orders(1, [orderRow('1', 1_000, 'live', 1_000)]),
      orders(2, [orderRow('1', 1_000, 'filled')]),
    ])
    expect(await oldest(landing)).toBe(1_000)
  })

  it('is one of the account itself', async () => {
    const landing = await landingIn(await emptyFolder())
    const other = { feed: 'trade.orderHistory', account: 'desk' }
    await landing.land([page(1, { list: [orderRow('1', 1_000, 'live', 1_000)] }, other)])
    expect(await oldest(landing)).toBeNull()
  })

  it('without a version field is judged by the newest page', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      orders(1, [orderRow('1', 1_000, 'live')]),
      orders(2, [orderRow('1', 1_000, 'filled')]),
    ])
    expect(await oldest(landing)).toBeNull()
  })
})
