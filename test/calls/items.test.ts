// 4.9 answers with a code of success also where it refused some of its items: those are failures in what is shown, in
// the exit code and in the books. The real command line over real HTTP.
import { describe, expect, test } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { failedItems, itemsRefused, notDone } from '../../pipeline/calls/items.ts'
import { type Outcome, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { TRADER, type TraderVenue, traderBooks, traderVenue } from '../support/trader-venue.ts'

const MODIFY = '/api/v3/trade/batch-modify-order'
const ORDERS = '[{"orderId":"11","qty":"1"},{"clientOid":"mine","price":"2"},{"orderId":"13","qty":"3"}]'

const done = (orderId: string) => ({ orderId, clientOid: `c-${orderId}` })
const refused = { orderId: '', clientOid: '', code: '25204', msg: 'Order does not exist' }
const late = { orderId: '13', clientOid: '', code: 25214, msg: 'Too many modifications' }

async function modify(answer: unknown): Promise<{ venue: TraderVenue; dir: string; run: Outcome }> {
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

/** `run`: as a process once, else in this one. */
async function writes(dir: string, run = command): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(['writes', '--json', '--dir', dir])
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
        '  next:     The other items were carried out. Correct what was refused and send only that.',
        '',
      ].join('\n'),
    )
    expect(venue.arrived.filter((path) => path === MODIFY)).toHaveLength(1)
    expect(await writes(dir, tieout)).toMatchObject([
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
      '  next:     Nothing was changed. Correct what was refused and send only that.',
    )
    expect(await writes(dir)).toMatchObject([{ outcome: 'refused', code: '25204 no id' }])
  }, 60_000)

  test('of which one is refused with a secret of ours is journaled without it', async () => {
    const repeated = { orderId: '', clientOid: '', code: 'api-phrase-01', msg: 'not api-phrase-01' }
    const { dir } = await modify([done('11'), repeated, done('13')])
    expect(await writes(dir)).toMatchObject([
      {
        ...{ outcome: 'partial', code: '*************' },
        message: '1 of 3 items refused: item 2 (clientOid mine): ************* not *************',
      },
    ])
  })

  test.each([
    ['no item', []],
    ['nothing at all', {}],
    ['one item alone', [done('11')]],
    ['another order in the place of one', [done('11'), done('12'), done('99')]],
  ])(
    'whose answer reports %s has an unknown outcome, and is not sent again',
    async (_what, answer) => {
      const { venue, dir, run } = await modify(answer)
      expect(run.code).toBe(4)
      expect(run.stderr).toContain('The answer does not state what became of')
      expect(run.stderr).toContain('(orderId 13): not told')
      expect(run.stderr).toContain('Until then, do not send it again.')
      expect(await writes(dir)).toMatchObject([{ outcome: 'unknown' }])
      const again = await command([
        ...['call', 'trade.batchModifyOrders', `orders=${ORDERS}`, '--write', '--dir', dir],
      ])
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('may have been carried out')])
      expect(venue.arrived.filter((path) => path === MODIFY)).toHaveLength(1)
    },
    60_000,
  )

  test('whose answer lists the failures separately is refused for these', async () => {
    const { dir, run } = await modify({
      successList: [done('11')],
      failureList: [
        { orderId: '', clientOid: 'mine', errorCode: '25204', errorMsg: 'Order does not exist' },
        { orderId: '13', clientOid: '', errorMsg: 'Too late' },
      ],
    })
    expect(run.code).toBe(4)
    expect(run.stderr).toContain('item 2 (clientOid mine): 25204 Order does not exist')
    expect(run.stderr).toContain('item 3 (orderId 13): failed Too late')
    expect(await writes(dir)).toMatchObject([{ outcome: 'partial' }])
  }, 60_000)

  test('none of which is refused is done', async () => {
    const { dir, run } = await modify([
      done('11'),
      { orderId: '12', clientOid: 'mine', code: '00000' },
      { ...done('13'), code: '', msg: '' },
    ])
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
    expect(await writes(dir)).toMatchObject([{ outcome: 'done', code: '00000', message: 'success' }])
  }, 60_000)
})

describe('of the items of a batch', () => {
  const endpoint = findEndpoint('trade.batchModifyOrders') as Endpoint
  const failed = (orders: unknown, data: unknown) => failedItems(endpoint, { orders }, data)

  test('those that the answer leaves out count even if it names two of them at once', () => {
    const twice = [{ clientOid: 'mine' }, { clientOid: 'mine' }]
    expect(failed(twice, [{ clientOid: 'mine', code: '25204', msg: 'Order does not exist' }])).toEqual([
      { place: 1, total: 2, name: 'clientOid mine', code: '25204', message: 'Order does not exist' },
    ])
  })

  test('one whose id is only white space was not done', () => {
    expect(failed([{ orderId: '11' }], [{ orderId: '  ' }])).toEqual([
      { place: 1, total: 1, name: 'orderId 11', code: 'no id', message: '' },
    ])
  })

  test('one in the place of another has no name of that, nor is either told, if the answer is of another length', () => {
    const two = [{ orderId: '11' }, { orderId: '12' }]
    expect(failed(two, [{ code: '25204', msg: 'Order does not exist' }])).toEqual([
      { place: 1, total: 3, name: '', code: '25204', message: 'Order does not exist' },
      { place: 1, total: 3, name: 'orderId 11', code: 'not told', message: '' },
      { place: 2, total: 3, name: 'orderId 12', code: 'not told', message: '' },
    ])
  })

  test('one in the place of what was sent is that, unless it has another id of the same kind', () => {
    expect(failed([{ clientOid: 'mine' }], [{ orderId: '77' }])).toEqual([])
    expect(
      failed([{ orderId: '11', clientOid: 'mine' }], [{ orderId: '99', clientOid: 'mine' }]),
    ).toMatchObject([{ name: 'orderId 11, clientOid mine', code: 'not told' }])
  })

  test('those in a list of failures have failed, whatever the list is called and whatever they say', () => {
    const failures = { orderFAILURES: [{ orderId: '11' }, { orderId: '12', code: '00000' }] }
    expect(failed([{ orderId: '11' }, { orderId: '12' }], failures)).toMatchObject([
      { place: 1, total: 2, name: 'orderId 11', code: 'failed' },
      { place: 2, total: 2, name: 'orderId 12', code: 'failed' },
    ])
  })

  test('those of a request that names none are what the answer has', () => {
    expect(failed(undefined, [{ orderId: '11' }, 'x'])).toEqual([
      { place: 2, total: 2, name: '', code: 'no id', message: '' },
    ])
  })

  test('the error says whether any is told of, and names none that is a secret', () => {
    const told = { access: { name: 'trader' }, secrets: ['hush-hush'] } as never
    const sent = [{ clientOid: 'hush-hush' }, { clientOid: 'other' }]
    const some = itemsRefused(endpoint, told, failed(sent, [{ orderId: '1', clientOid: 'other' }]))
    expect(some.message).toContain('what became of some of the items: ')
    expect(some.details.found).toBe(
      '1 of 2 items with unknown outcome: item 1 (clientOid *********): not told',
    )
    expect(itemsRefused(endpoint, told, failed(sent, [])).message).toContain('what became of any item: ')
    const refusal = failed(sent, [
      { clientOid: 'hush-hush', code: '1' },
      { orderId: '2', clientOid: 'other' },
    ])
    expect(itemsRefused(endpoint, told, refusal).details.found).toBe(
      '1 of 2 items refused: item 1 (clientOid *********): 1',
    )
  })

  test('one is told of by its id, whatever white space is around it', () => {
    expect(failed([{ orderId: '11' }, { orderId: '12' }], [{ orderId: ' 11' }])).toEqual([
      { place: 2, total: 2, name: 'orderId 12', code: 'not told', message: '' },
    ])
  })
})

describe('a write whose answer states its own outcome', () => {
  const PATH: Readonly<Record<string, string>> = {
    'account.repay': '/api/v3/account/repay',
    'convert.smallBalances': '/api/v2/convert/bgb-convert',
  }
  const send = async (name: string, words: string[], answer: unknown) => {
    const venue = await traderVenue({ ...TRADER, [PATH[name] ?? '']: () => answer })
    const dir = traderBooks(venue.baseUrl, '{}')
    const run = await command(['call', name, ...words, '--write', '--json', '--dir', dir])
    return { run, writes: await writes(dir) }
  }
  const REPAY = ['repayableCoinList=["USDT"]', 'paymentCoinList=["BTC"]']

  test.each([
    ['YES', 0, 'done'],
    ['NO', 0, 'refused'],
    [undefined, 4, 'unknown'],
    ['', 4, 'unknown'],
  ])('a repayment that answers %s ends with code %i and is %s', async (result, code, outcome) => {
    const { run, writes } = await send('account.repay', REPAY, { result, repayAmount: '0' })
    expect([run.code, writes]).toMatchObject([code, [{ outcome }]])
    expect(run.stderr.includes('nothing was done: result NO.')).toBe(outcome === 'refused')
  })

  test('a repayment is done in any spelling of the word for it', () => {
    const repay = findEndpoint('account.repay') as Endpoint
    expect(['yes', ' Yes '].map((result) => notDone(repay, { result }))).toEqual([null, null])
  })

  test('a secret in the place of that word is not kept', async () => {
    const { run, writes } = await send('account.repay', REPAY, { result: 'api-phrase-01' })
    expect([run.code, writes]).toMatchObject([0, [{ outcome: 'refused', code: 'result *************' }]])
  })

  test('a conversion whose coins were sent as one text is checked for each of them', async () => {
    const { run, writes } = await send('convert.smallBalances', ['coinList="DOT,ADA"'], {
      orderList: [
        { coin: 'ADA', orderId: '2' },
        { coin: 'DOT', orderId: '1' },
      ],
    })
    expect(run.code).toBe(0)
    expect(writes).toMatchObject([{ outcome: 'done' }])
  })

  test('a conversion whose answer omits a coin is not done', async () => {
    const { run, writes } = await send('convert.smallBalances', ['coinList=["DOT","ADA"]'], {
      orderList: [{ coin: 'DOT', orderId: '1' }],
    })
    expect(run.code).toBe(4)
    expect(run.stderr).toContain('(coin ADA): not told')
    expect(writes).toMatchObject([{ outcome: 'unknown' }])
  })
})

describe('a span that the configuration widens', () => {
  const DAY = 86_400_000
  const range = (days: number) => [`startTime=${Date.now() - days * DAY}`, `endTime=${Date.now() - 1_000}`]

  test('also applies to a call; without it the documented span applies', async () => {
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

  test('applies to a call together with the reach that the configuration states', async () => {
    const venue = await traderVenue({ ...TRADER, '/api/v2/broker/customer-list': () => [] })
    const ask = async (more: string, days: number) => {
      const dir = traderBooks(venue.baseUrl, '{}', more)
      const { code, stderr } = await command(['call', 'broker.customers', ...range(days), '--dir', dir])
      return { code, said: stderr.split('\n')[0] }
    }
    const both = '  span_days: { broker.customers: 90 }\n  retention_days: { broker.customers: 90 }'
    expect(await ask('  span_days: { broker.customers: 90 }', 80)).toEqual({
      code: 2,
      said: 'tieout: broker.customers: startTime must be within the last 30 days.',
    })
    expect(await ask(both, 80)).toEqual({ code: 0, said: '' })
    expect(await ask(both.replace('90', '100'), 91)).toEqual({
      code: 2,
      said: 'tieout: broker.customers: startTime must be within the last 90 days.',
    })
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

  test('of an endpoint without times, or one that does not exist, is refused', async () => {
    const plan = (name: string) =>
      command(['plan', '--dir', traderBooks('http://127.0.0.1:1', '{}', `  span_days: { ${name}: 90 }`)])
    const open = await plan('trade.openOrders')
    expect({ code: open.code, said: open.stderr.split('\n')[0] }).toEqual({
      code: 2,
      said: 'tieout: trade.openOrders takes no time span that could be longer.',
    })
    const typo = await plan('broker.customer')
    expect(typo.code).toBe(2)
    expect(typo.stderr).toContain('perhaps broker.customers')
  })
})
