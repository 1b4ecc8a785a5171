// What the landing database answers the planner and the checks: whose figures, which partition's, and as of when.
import { describe, expect, it } from 'vitest'
import { emptyFolder, landingIn } from './folder.ts'
import { at, feeds, frame, landingOptions, page, rawPage, taxRow } from './frames.ts'

type Status = 'lost' | 'pending' | 'failed' | 'unproven'

/** A statement about a partition of the tax records of the account main, unless told otherwise. */
const word = (seq: number, status: Status, more: Readonly<Record<string, unknown>> = {}) =>
  frame(seq, {
    ...{ kind: 'statement', at, run: 'r1', account: 'main', feed: 'tax.records', partition: 'SPOT' },
    ...{ status, code: 'c', reason: 'r', named: false },
    ...more,
  } as never)

const within = (start: number, end: number) => ({ range: { start, end } })

const told = (seq: number, account: string, uid: string | null) =>
  frame(seq, {
    ...{ kind: 'account', at, run: 'r1', account, venue: 'bitget', uid, accountKind: 'unified' },
    accountMode: null,
  } as never)

describe('how far back a partition was ever wanted', () => {
  it('is the first window or statement of its own; null if it was never asked for with a time', async () => {
    const landing = await landingIn(await emptyFolder())
    const from = async (...[account, feed, partition]: [string, string, string]) =>
      (await landing.wanted(account, feed, partition)).from
    await landing.land([
      page(1, [], { window: { start: 5_000, end: 9_000 } }),
      page(2, [], { window: { start: 4_000, end: 5_000 } }),
      page(3, [], { window: { start: 1_000, end: 2_000 }, partition: 'MARGIN' }),
      page(4, [], { window: { start: 500, end: 600 }, account: 'desk' }),
      page(5, [], { partition: 'OTHER' }),
    ])
    expect(await from('main', 'tax.records', 'SPOT')).toBe(4_000)
    expect(await from('main', 'tax.records', 'OTHER')).toBeNull()
    expect(await from('main', 'trade.orderHistory', 'SPOT')).toBeNull()
    await landing.land([word(6, 'pending', within(3_000, 4_000)), word(7, 'lost', within(3_500, 4_000))])
    expect(await from('main', 'tax.records', 'SPOT')).toBe(3_000)
    await landing.land([word(8, 'lost', within(0, 10))])
    expect(await from('main', 'tax.records', 'SPOT')).toBe(0)
  })

  it('is lost as last stated: by a later word on the partition itself, and on a range', async () => {
    const landing = await landingIn(await emptyFolder())
    // Asked at the same time, so that one statement answers for both.
    const lost = () =>
      Promise.all(
        ['SPOT', 'MARGIN'].map(
          async (partition) => (await landing.wanted('main', 'tax.records', partition)).lost,
        ),
      )
    await landing.land([
      word(1, 'pending', within(100, 200)),
      word(2, 'lost', within(900, 1_000)),
      word(3, 'pending', within(900, 1_000)),
      word(4, 'lost', within(3_000, 4_000)),
      word(5, 'lost', within(1_000, 2_000)),
      word(6, 'lost', within(1_000, 2_000)),
      word(7, 'unproven', within(1_000, 2_000)),
      word(8, 'lost', within(7_000, 8_000)),
      word(9, 'lost', within(5_000, 6_000)),
      // None of these is about a range of this partition.
      word(10, 'pending', { ...within(5_000, 6_000), partition: 'MARGIN' }),
      word(11, 'pending', { ...within(5_000, 6_000), account: 'desk' }),
      word(12, 'failed'),
      word(13, 'lost'),
    ])
    expect(await lost()).toEqual([
      [
        { start: 5_000, end: 6_000 },
        { start: 7_000, end: 8_000 },
      ],
      [],
    ])
  })
})

it('windows that were begun come by time, each of its own partition', async () => {
  const landing = await landingIn(await emptyFolder())
  const begun = (seq: number, start: number, next: string, partition = 'SPOT') =>
    page(seq, [taxRow(String(seq))], { window: { start, end: start + 500 }, next, partition })
  await landing.land([begun(1, 2_000, 'b'), begun(2, 1_000, 'a'), begun(3, 1_500, 'm', 'MARGIN')])
  expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([
    { window: { start: 1_000, end: 1_500 }, cursor: 'a' },
    { window: { start: 2_000, end: 2_500 }, cursor: 'b' },
  ])
})

describe('what is known of an account', () => {
  it('are the values that its own records have, each once', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      page(1, [taxRow('1', { coin: 'ETH' }), taxRow('2', { coin: 'BTC' }), taxRow('3', { coin: 'ETH' })]),
      page(2, [taxRow('4', { coin: 'BTC' })]),
      page(3, [taxRow('5', { coin: 'SOL' })], { account: 'desk' }),
    ])
    expect(await landing.distinctValues('main', 'tax.records', 'coin')).toEqual(['BTC', 'ETH'])
    const orders = [
      { orderId: '1', createdTime: '1000', orderStatus: 'live' },
      { orderId: '2', createdTime: '1000' },
    ]
    await landing.land([page(4, { list: orders }, { feed: 'trade.orderHistory' })])
    expect(await landing.distinctValues('main', 'trade.orderHistory', 'orderStatus')).toEqual(['live'])
    expect(await landing.distinctValues('main', 'unknown.feed', 'orderStatus')).toEqual([])
  })

  it('are the values that were sent to an endpoint for it, whatever became of them', async () => {
    const landing = await landingIn(await emptyFolder())
    const sent = (seq: number, body: unknown, account = 'main', endpoint = 'user.create') =>
      frame(
        seq,
        {
          ...{ kind: 'write-intent', at, run: 'r1', account, endpoint },
          request: { method: 'POST', path: '/api/v3/x' },
        } as never,
        Buffer.from(JSON.stringify(body)),
      )
    await landing.land([
      sent(1, { name: 'b' }),
      sent(2, { name: 'a' }),
      sent(3, { name: 'b', note: 'again' }),
      sent(4, { note: 'no name' }),
      sent(5, { name: 'c' }, 'desk'),
      sent(6, { name: 'd' }, 'main', 'user.remove'),
    ])
    expect(await landing.writtenValues('main', 'user.create', 'name')).toEqual(['a', 'b'])
  })

  it('is the newest word on the feed as a whole, and neither that on a partition nor that on a range', async () => {
    const landing = await landingIn(await emptyFolder())
    const whole = { partition: '' }
    await landing.land([
      word(1, 'failed', whole),
      word(2, 'pending', whole),
      word(3, 'failed'),
      word(4, 'failed', { ...whole, ...within(1_000, 2_000) }),
      word(5, 'failed', { ...whole, feed: 'tax.p2pRecords' }),
      word(6, 'failed', { ...whole, account: 'desk' }),
      // The venue's own words have no status.
      frame(7, {
        ...{ kind: 'refusal', at, run: 'r1', account: 'main', feed: 'tax.records', ...whole },
        ...{ request: { method: 'GET', path: '/p' }, status: 400, code: '40014' },
      } as never),
    ])
    expect(await landing.wordOnFeed('main', 'tax.records')).toBe('pending')
    expect(await landing.wordOnFeed('desk', 'tax.p2pRecords')).toBeNull()
  })

  it('is the uid that it last told, if it told any', async () => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([
      told(1, 'main', '1'),
      told(2, 'desk', '3'),
      told(3, 'main', '2'),
      told(4, 'old', null),
    ])
    expect(await landing.uids()).toEqual(
      new Map([
        ['main', '2'],
        ['desk', '3'],
      ]),
    )
    await landing.land([told(5, 'desk', null)])
    expect(await landing.uids()).toEqual(new Map([['main', '2']]))
  })

  it('is the uid of the newest run that proved a part of its history, whoever answered in others', async () => {
    const landing = await landingIn(await emptyFolder())
    const settings = (seq: number, run: string, account: string, uid: string) =>
      page(seq, { uid }, { feed: 'account.settings', partition: '', run, account })
    const history = (seq: number, run: string, account: string) =>
      page(seq, [], { run, account, covers: { start: 1_000, end: 2_000 } })
    const uids = () => landing.uidsOfHistory('account.settings')
    await landing.land([
      ...[settings(1, 'r1', 'main', '7'), history(2, 'r1', 'main')],
      ...[settings(3, 'r1', 'desk', '8'), page(4, [], { run: 'r1', account: 'desk' })],
    ])
    expect(await uids()).toEqual(new Map([['main', '7']]))
    // A run that read nothing says nothing of what the books have; nor does the history of another account.
    await landing.land([
      settings(5, 'r2', 'main', '9'),
      settings(6, 'r2', 'desk', '8'),
      history(7, 'r2', 'desk'),
    ])
    expect(await uids()).toEqual(
      new Map([
        ['main', '7'],
        ['desk', '8'],
      ]),
    )
    await landing.land([settings(8, 'r3', 'main', '9'), history(9, 'r3', 'main')])
    expect((await uids()).get('main')).toBe('9')
    // Its answer was erased; the account frame after it has the uid, and not one before it.
    await landing.land([
      told(10, 'main', '9'),
      rawPage(11, null, { feed: 'account.settings', partition: '', run: 'r4' }),
      told(12, 'main', '6'),
      history(13, 'r4', 'main'),
      told(14, 'main', '5'),
    ])
    expect((await uids()).get('main')).toBe('6')
  })
})

describe('the oldest record that left a list', () => {
  const timed = { ...feeds.get('trade.orderHistory')!, time: 'createdTime' }
  const options = { ...landingOptions, feeds: new Map([...feeds, ['trade.orderHistory', timed]]) }
  /** Orders such as `SPOT 3`, made at second 3. */
  const listed = (seq: number, run: string, orders: readonly string[], more = {}) =>
    page(
      seq,
      {
        list: orders.map((order) => {
          const [category = '', id = ''] = order.split(' ')
          return { orderId: order, category, createdTime: `${id}000` }
        }),
      },
      { feed: 'trade.openOrders', partition: '', run, next: null, ...more },
    )
  const read = (seq: number, run: string, start: number, end: number, more = {}) =>
    page(seq, { list: [] }, { feed: 'trade.orderHistory', run, covers: { start, end }, ...more })
  const list = { feed: 'trade.openOrders', partition: 'category', partitions: ['SPOT', 'MARGIN'] }
  const opened = () => emptyFolder().then((folder) => landingIn(folder, options))
  const oldestIn = (landing: Awaited<ReturnType<typeof opened>>, account = 'main') =>
    Promise.all(
      ['SPOT', 'MARGIN'].map((partition) =>
        landing.oldestThatLeft(account, 'trade.orderHistory', partition, list),
      ),
    )

  it('belongs to its own partition in any spelling; one of an unknown partition may end in each', async () => {
    const landing = await opened()
    await landing.land([
      listed(1, 'r1', ['spot 5', 'SPOT 6', 'MARGIN 7', 'MARGIN 8']),
      listed(2, 'r1', ['SPOT 1'], { account: 'desk' }),
    ])
    expect(await oldestIn(landing)).toEqual([null, null])
    await landing.land([listed(3, 'r2', ['MARGIN 7'])])
    // Asked at the same time, so that one statement answers for both.
    expect(await Promise.all([oldestIn(landing), oldestIn(landing, 'desk')])).toEqual([
      [5_000, 8_000],
      [null, null],
    ])
    await landing.land([listed(4, 'r3', ['LATER 3', ' 4']), listed(5, 'r4', [' 4'])])
    expect(await oldestIn(landing)).toEqual([3_000, 3_000])
    await landing.land([listed(6, 'r5', []), read(7, 'r5', 2_000, 3_500)])
    expect(await oldestIn(landing)).toEqual([4_000, 3_000])
  })

  it('is looked for until its own time has been read in its partition and account after it left', async () => {
    const landing = await opened()
    await landing.land([
      listed(1, 'r1', ['SPOT 5']),
      read(2, 'r1', 0, 9_000),
      listed(3, 'r2', []),
      // None of these says how it ended.
      read(4, 'r2', 5_001, 9_000),
      read(5, 'r2', 0, 4_999),
      read(6, 'r2', 0, 9_000, { partition: 'MARGIN' }),
      read(7, 'r2', 0, 9_000, { account: 'desk' }),
      page(8, [], { run: 'r2', covers: { start: 0, end: 9_000 } }),
    ])
    expect(await oldestIn(landing)).toEqual([5_000, null])
    await landing.land([read(9, 'r3', 5_000, 5_000)])
    expect(await oldestIn(landing)).toEqual([null, null])
    // It is not looked for again after every list that does not have it either.
    await landing.land([listed(10, 'r4', [])])
    expect(await oldestIn(landing)).toEqual([null, null])
  })

  it('left with a list whose page does not say whether it was the last, as pages once did not', async () => {
    const landing = await opened()
    await landing.land([
      listed(1, 'r1', ['SPOT 5'], { next: undefined }),
      listed(2, 'r2', [], { next: undefined }),
    ])
    expect(await oldestIn(landing)).toEqual([5_000, null])
  })

  it('left with a later complete list of its own account: not with one of another, nor with another feed', async () => {
    const landing = await opened()
    await landing.land([
      listed(1, 'r1', ['SPOT 5']),
      listed(2, 'r2', [], { account: 'desk' }),
      page(3, [], { run: 'r2' }),
    ])
    expect(await oldestIn(landing)).toEqual([null, null])
    // What was stated of another account, another feed or a range does not break off this list.
    const unproven = { feed: 'trade.openOrders', partition: '', run: 'r3' }
    await landing.land([
      listed(4, 'r3', []),
      word(5, 'unproven', { ...unproven, account: 'desk' }),
      word(6, 'unproven', { ...unproven, feed: 'tax.records' }),
      word(7, 'unproven', { ...unproven, ...within(1_000, 2_000) }),
      word(8, 'pending', unproven),
      word(9, 'unproven', { ...unproven, partition: 'SPOT' }),
      read(10, 'r3', 0, 9_000),
    ])
    expect(await oldestIn(landing)).toEqual([null, null])
  })
})

it('content that differs in a digit has another hash, and an empty table none', async () => {
  const hashOf = async (rows: readonly unknown[]) => {
    const landing = await landingIn(await emptyFolder())
    await landing.land([page(1, rows)])
    return (await landing.contentHashes()).get('tax_records')
  }
  const [one, other] = [taxRow('1'), taxRow('2')]
  const both = await hashOf([one, other])
  expect(both).toMatchObject({ rows: 2 })
  expect(await hashOf([one, other])).toEqual(both)
  expect((await hashOf([one, { ...other, amount: '1.500000000000000001' }]))?.hash).not.toBe(both?.hash)
  expect((await hashOf([]))?.hash).toBe('0')
})
