// 4.9 answers with a code of success also where it refused some of its items: those are failures in what is shown, in
// the exit code and in the books. Real processes over real HTTP.
import { describe, expect, test } from 'vitest'
import { tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { TRADER, type TraderVenue, traderBooks, traderVenue } from '../support/trader-venue.ts'

const MODIFY = '/api/v3/trade/batch-modify-order'
const ORDERS = '[{"orderId":"11","qty":"1"},{"clientOid":"mine","price":"2"},{"orderId":"13","qty":"3"}]'

const done = (orderId: string) => ({ orderId, clientOid: `c-${orderId}` })
const refused = { orderId: '', clientOid: '', code: '25204', msg: 'Order does not exist' }
const late = { orderId: '13', clientOid: '', code: 25214, msg: 'Too many modifications' }

async function modify(
  answer: unknown,
): Promise<{ venue: TraderVenue; dir: string; run: Awaited<ReturnType<typeof tieout>> }> {
  const venue = await traderVenue({ ...TRADER, [MODIFY]: () => answer })
  const dir = traderBooks(venue.baseUrl, '{}')
  const run = await command([
    'call',
    'trade.batchModifyOrders',
    `orders=${ORDERS}`,
    '--write',
    '--json',
    '--dir',
    dir,
  ])
  return { venue, dir, run }
}

async function writes(dir: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await tieout(['writes', '--json', '--dir', dir])
  return JSON.parse(stdout)
}

describe('a batch of changes', () => {
  test('of which some are refused ends with code 4, names each with code and message, and is journaled as partial', async () => {
    const { venue, dir, run } = await modify([done('11'), refused, late])
    expect(run.code).toBe(4)
    expect(JSON.parse(run.stdout)).toEqual([done('11'), refused, late])
    expect(run.stderr).toBe(
      [
        'tieout: The venue refused some of the items: trade.batchModifyOrders for account trader.',
        '  found:    2 of 3 items refused: item 2 (clientOid mine): 25204 Order does not exist; item 3 (orderId 13): 25214 Too many modifications',
        '  next:     The other items were carried out. Correct what was refused and send that alone.',
        '',
      ].join('\n'),
    )
    expect(venue.arrived.filter((path) => path === MODIFY)).toHaveLength(1)
    expect(await writes(dir)).toMatchObject([
      {
        endpoint: 'trade.batchModifyOrders',
        outcome: 'partial',
        code: '25204 25214',
        message:
          '2 of 3 items refused: item 2 (clientOid mine): 25204 Order does not exist; item 3 (orderId 13): 25214 Too many modifications',
      },
    ])
  }, 60_000)

  test('of which all are refused is journaled as refused, an item without code and id included', async () => {
    const { dir, run } = await modify([refused, { orderId: null, clientOid: null }, refused])
    expect(run.code).toBe(4)
    expect(run.stderr).toContain('The venue refused all items: trade.batchModifyOrders for account trader.')
    expect(run.stderr).toContain('item 2 (clientOid mine): no id;')
    expect(run.stderr).toContain(
      '  next:     Nothing was changed. Correct what was refused and send that alone.',
    )
    expect(await writes(dir)).toMatchObject([{ outcome: 'refused', code: '25204 no id' }])
  }, 60_000)

  test('of which none is refused is done', async () => {
    const { dir, run } = await modify([
      done('11'),
      { ...done('12'), code: '00000' },
      { ...done('13'), code: '', msg: '' },
    ])
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
    expect(await writes(dir)).toMatchObject([{ outcome: 'done', code: '00000', message: 'success' }])
  }, 60_000)
})

describe('a span that the configuration widens', () => {
  const DAY = 86_400_000
  const range = (days: number) => [`startTime=${Date.now() - days * DAY}`, `endTime=${Date.now() - 1_000}`]

  test('is that of a call too; without it the documented one holds', async () => {
    const venue = await traderVenue({ ...TRADER, '/api/v2/tax/p2p-record': () => [] })
    const ask = async (more: string, days: number) => {
      const dir = traderBooks(venue.baseUrl, '{}', more)
      const { code, stderr } = await command(['call', 'tax.p2pRecords', ...range(days), '--dir', dir])
      return { code, said: stderr.split('\n')[0] }
    }
    const tooLong = (days: number) => ({
      code: 2,
      said: `tieout: tax.p2pRecords: endTime must be at most ${days} days after startTime.`,
    })
    expect(await ask('', 80)).toEqual(tooLong(30))
    expect(await ask('  span_days: { tax.p2pRecords: 90 }', 80)).toEqual({ code: 0, said: '' })
    expect(await ask('  span_days: { tax.p2pRecords: 90 }', 91)).toEqual(tooLong(90))
  }, 60_000)

  test.each([
    ['367', 'bad value at venue.span_days.tax.p2pRecords', 'expected: 1 to 366 days'],
    ['0', 'bad value at venue.span_days.tax.p2pRecords', 'expected: 1 to 366 days'],
    ['1.5', 'bad value at venue.span_days.tax.p2pRecords', 'expected: whole days'],
  ])('to %s days is refused', async (days, message, expected) => {
    const dir = traderBooks('http://127.0.0.1:1', '{}', `  span_days: { tax.p2pRecords: ${days} }`)
    const { code, stderr } = await command(['plan', '--dir', dir])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain(expected)
  })

  test('of an endpoint without times, or of none that exists, is refused', async () => {
    const plan = (name: string) =>
      command(['plan', '--dir', traderBooks('http://127.0.0.1:1', '{}', `  span_days: { ${name}: 90 }`)])
    const open = await plan('trade.openOrders')
    expect({ code: open.code, said: open.stderr.split('\n')[0] }).toEqual({
      code: 2,
      said: 'tieout: trade.openOrders takes no span of time that could be longer.',
    })
    const typo = await plan('broker.customer')
    expect(typo.code).toBe(2)
    expect(typo.stderr).toContain('perhaps broker.customers')
  })
})
