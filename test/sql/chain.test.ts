// The balance chain: which balances an account keeps, what stood there before, and where a step does not close.
import { describe, expect } from 'vitest'
import { balanced, LEDGER_CHECKS, type Move, TestBooks } from '../support/books.ts'
import { sharedBooks } from '../support/many-books.ts'

/** What these books are made of. */
const MADE = [
  'balance_chain',
  'balance_groupings',
  'balances',
  'entries',
  ...LEDGER_CHECKS,
  'checks.coverage',
]

const { it, books, state } = sharedBooks({ only: MADE }, (each) => each.account('main', 'unified'))

const clock = state(() => ({ minutes: 0 }))
const next = (): string => {
  clock().minutes += 1
  const { minutes } = clock()
  return `2026-01-01 ${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00+00`
}

/** A move of a coin; ids rise with time. */
const move = (coin: string, amount: string, fee = '0', type = 'TRANSFER_IN'): Move => {
  const ts = next()
  return { id: String(1000 + clock().minutes), coin, type, amount, fee, ts }
}

const chain = () =>
  books.query('select source_id, ledger, status, gap, opening, rounding from balance_chain order by place')

const breaks = (result: { openBreaks: readonly { severity: string; checkName: string }[] }): string[] =>
  result.openBreaks.map(({ severity, checkName }) => `${severity} ${checkName}`)

describe.concurrent('a chain that closes', () => {
  it('has an opening entry for the earlier balance, so that entries add up to the balance', async () => {
    await books.tax('SPOT', balanced([move('USDT', '-10', '-0.5'), move('USDT', '5')], { USDT: '100' }))
    const result = await books.build()
    expect(breaks(result)).toEqual([])
    expect(await books.query('select entry_id, kind, amount from entries order by place, part')).toEqual([
      ['main/tax.records/1001/amount', 'transfer', '-10'],
      ['main/tax.records/1001/fee', 'fee', '-0.5'],
      ['main/tax.records/1001/opening', 'opening', '100'],
      ['main/tax.records/1002/amount', 'transfer', '5'],
    ])
    expect(await books.query('select quantity, venue_balance from balances')).toEqual([['94.5', '94.5']])
  })

  it('has no opening entry if there was no balance before', async () => {
    await books.tax('SPOT', balanced([move('USDT', '100'), move('USDT', '-100')]))
    await books.build()
    expect(await books.query("select count(*) from entries where kind = 'opening'")).toEqual([['0']])
    expect(await books.query('select quantity from balances')).toEqual([['0']])
  })

  it('orders records of one millisecond by their ids as numbers', async () => {
    const ts = next()
    await books.tax('SPOT', [
      { id: '9', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', balance: '1', ts },
      { id: '10', coin: 'USDT', type: 'TRANSFER_IN', amount: '2', balance: '3', ts },
      { id: '100', coin: 'USDT', type: 'TRANSFER_IN', amount: '4', balance: '7', ts },
    ])
    expect(breaks(await books.build())).toEqual([])
    expect((await chain()).map(([id]) => id)).toEqual(['9', '10', '100'])
  })

  it('orders records whose ids are not numbers by their position on the page, the oldest last', async () => {
    const ts = next()
    await books.tax('SPOT', [
      { id: 'z', coin: 'USDT', type: 'TRANSFER_IN', amount: '1', balance: '1', ts },
      { id: 'a', coin: 'USDT', type: 'TRANSFER_IN', amount: '2', balance: '3', ts },
      { id: 'm', coin: 'USDT', type: 'TRANSFER_IN', amount: '4', balance: '7', ts },
    ])
    expect(breaks(await books.build())).toEqual([])
    expect((await chain()).map(([id]) => id)).toEqual(['z', 'a', 'm'])
  })

  it('carries a record without a balance to the next one that has one', async () => {
    const rows = balanced([move('USDT', '10'), move('USDT', '-3'), move('USDT', '1'), move('USDT', '2')])
    await books.tax(
      'SPOT',
      rows.map((row, index) => (index === 1 || index === 2 ? { ...row, balance: null } : row)),
    )
    expect(breaks(await books.build())).toEqual([])
    expect(await books.query('select quantity from balances')).toEqual([['10']])
  })

  it('puts records without a balance that came last at the end', async () => {
    const rows = balanced([move('USDT', '10'), move('USDT', '-3', '-0.5'), move('USDT', '1')])
    await books.tax(
      'SPOT',
      rows.map((row, index) => (index === 0 ? row : { ...row, balance: null })),
    )
    expect(breaks(await books.build())).toEqual([])
    expect(await books.query('select quantity, venue_balance from balances')).toEqual([['7.5', '10']])
  })
})

describe.concurrent('digits that the venue keeps but does not print', () => {
  it('become a rounding entry of at most one unit of the last printed decimal', async () => {
    await books.tax('SPOT', [
      { ...move('USDT', '10.12'), balance: '10.123456' },
      { ...move('USDT', '1.11'), balance: '11.239999' },
    ])
    const result = await books.build()
    expect(breaks(result)).toEqual([])
    expect(await chain()).toEqual([
      ['1001', 'UNIFIED', 'start', null, '0.003456', '0'],
      ['1002', 'UNIFIED', 'closed', '0.006543', '0', '0.006543'],
    ])
    expect(await books.query('select quantity from balances')).toEqual([['11.239999']])
    expect(
      await books.query(
        'select unified_closed, unified_open, isolated_open, line_closed, line_open from balance_groupings',
      ),
    ).toEqual([['1', '0', '0', '1', '0']])
  })

  it.each([
    ['11.243456', 'closed', '0.01', '0.01'],
    ['11.243457', 'open', '0.010001', '0'],
  ])('may be a whole unit of that decimal, and no more: %s', async (balance, status, gap, rounding) => {
    await books.tax('SPOT', [
      { ...move('USDT', '10.12'), balance: '10.123456' },
      { ...move('USDT', '1.11'), balance },
    ])
    await books.build()
    expect((await chain()).at(-1)).toEqual(['1002', 'UNIFIED', status, gap, '0', rounding])
  })

  it('do not excuse a larger gap', async () => {
    await books.tax('SPOT', [
      { ...move('USDT', '10.12'), balance: '10.123456' },
      { ...move('USDT', '1.11'), balance: '11.244457' },
    ])
    expect(breaks(await books.build())).toEqual(['warning balance_chain', 'notice entries_match_balance'])
  })

  it('do not apply if balances have no more decimals than amounts', async () => {
    await books.tax('SPOT', [
      { ...move('USDT', '10.12'), balance: '10.12' },
      { ...move('USDT', '1.11'), balance: '11.24' },
    ])
    expect(breaks(await books.build())).toEqual(['warning balance_chain', 'notice entries_match_balance'])
  })
})

describe.concurrent('a missing record', () => {
  const history = (): Move[] => [
    move('USDT', '100'),
    move('BTC', '2'),
    move('USDT', '-20'),
    move('USDT', '-30'),
    move('BTC', '-1'),
    move('USDT', '7'),
  ]

  it('opens one step, names the two records around it, and changes no opening entry', async () => {
    await books.tax(
      'SPOT',
      balanced(history(), { USDT: '5' }).filter((row) => row.id !== '1003'),
    )
    const result = await books.build()
    expect(result.openBreaks).toMatchObject([
      {
        severity: 'warning',
        checkName: 'balance_chain',
        ledger: 'UNIFIED',
        coin: 'USDT',
        expected: '75.000000000000000000',
        found: '55.000000000000000000',
        difference: '-20.000000000000000000',
        evidence: '["1001","1004"]',
      },
      { severity: 'notice', checkName: 'entries_match_balance', coin: 'USDT' },
    ])
    expect(result.openBreaks[0]?.explanation).toContain('between 1001 and 1004')
    expect(await books.query("select amount from entries where kind = 'opening'")).toEqual([['5']])
    expect(result.published).toBe(true)
  })

  it('never determines how balances are kept, wherever it is missing', async ({ onTestFinished }) => {
    const books = await TestBooks.open({ only: MADE })
    onTestFinished(() => books.close())
    await books.account('main', 'unified')
    const lines = ['SPOT', 'SPOT', 'SPOT', 'USDT-FUTURES', 'SPOT', 'USDT-FUTURES']
    const rows = balanced(history()).map((row, index) => ({ row, line: lines[index] as string }))
    for (const missing of ['1003', '1004', '1006']) {
      await books.sql('delete from landing.main.tax_records')
      for (const { row, line } of rows) if (row.id !== missing) await books.tax(line, [row])
      await books.build()
      expect(await books.query('select chain_grouping from balance_groupings')).toEqual([['unified']])
    }
  })

  it('is a notice beside the gap in coverage that explains it', async () => {
    await books.tax(
      'SPOT',
      balanced(history()).filter((row) => row.id !== '1003'),
    )
    await books.statement({
      feed: 'tax.records',
      partition: 'SPOT',
      status: 'pending',
      starts_at: '2026-01-01 00:02:30+00',
      ends_at: '2026-01-01 00:03:30+00',
    })
    expect(breaks(await books.build())).toEqual([
      'warning coverage',
      'notice balance_chain',
      'notice entries_match_balance',
    ])
  })

  it.each([
    ['before it', 'tax.records', 'SPOT', '2026-01-01 00:00:10+00', '2026-01-01 00:00:59+00'],
    ['after it', 'tax.records', 'SPOT', '2026-01-01 00:04:01+00', '2026-01-01 00:05:30+00'],
    ['in a feed without balances', 'tax.p2pRecords', '', '2026-01-01 00:02:30+00', '2026-01-01 00:03:30+00'],
  ])('is a warning beside a gap in coverage %s', async (_where, feed, partition, starts_at, ends_at) => {
    await books.tax(
      'SPOT',
      balanced(history()).filter((row) => row.id !== '1003'),
    )
    await books.statement({ feed, partition, status: 'pending', starts_at, ends_at })
    expect(breaks(await books.build())).toEqual([
      'warning balance_chain',
      'warning coverage',
      'notice entries_match_balance',
    ])
  })
})

describe.concurrent('two open steps, one after the other', () => {
  /** 100 − 20 is not 70, and 70 + 5 is not 80: together, 5 too little. */
  const rows = () => [
    { ...move('USDT', '100'), balance: '100' },
    { ...move('USDT', '-20'), balance: '70' },
    { ...move('USDT', '5'), balance: '80' },
    { ...move('USDT', '1'), balance: '81' },
  ]

  it.each([
    ['none', '', 'warning'],
    ['the one before', '1001', 'notice'],
    ['the first that does not follow', '1002', 'notice'],
    ['the last that does not follow', '1003', 'notice'],
    ['the one after', '1004', 'warning'],
  ])('are one break, a notice if the venue changed a record of theirs: %s', async (_which, id, severity) => {
    const told = rows()
    const changed = told.filter((row) => row.id === id)
    if (changed.length > 0)
      await books.tax(
        'SPOT',
        changed.map((row) => ({ ...row, type: 'TRANSFER_OUT' })),
      )
    await books.tax('SPOT', told)
    const { openBreaks } = await books.build()
    expect(openBreaks.filter(({ checkName }) => checkName === 'balance_chain')).toMatchObject([
      {
        severity,
        expected: '80.000000000000000000',
        found: '70.000000000000000000',
        difference: '-5.000000000000000000',
        evidence: '["1001","1002","1003"]',
      },
    ])
  })

  it.each([
    ['of a feed without balances', 'main', 'tax.p2pRecords', { p2p_tax_type: 'transfer_in', balance: '3' }],
    [
      'of another account',
      'old',
      'tax.records',
      { type: 'TRANSFER_IN', amount: '3', fee: '0', balance: '3' },
    ],
  ])('are a warning if a record %s was changed that has the same id', async (_whose, account, feed, row) => {
    await books.tax('SPOT', rows())
    const record = { id: '1001', coin: 'USDT', ts: '2026-01-01 00:00:30+00', ...row }
    const partition = feed === 'tax.records' ? 'SPOT' : ''
    await books.page(feed, [record], { account, partition })
    await books.page(feed, [{ ...record, ts: '2026-01-01 00:00:31+00' }], { account, partition })
    const { openBreaks } = await books.build()
    expect(
      openBreaks
        .filter(({ checkName }) => checkName === 'balance_chain')
        .map((one) => `${one.account} ${one.severity}`),
    ).toEqual(['main warning'])
  })
})

describe.concurrent('how an account keeps its balances', () => {
  const perLine = (count: number) => {
    const spot: Move[] = []
    const futures: Move[] = []
    for (let nth = 0; nth < count; nth += 1) {
      spot.push(move('USDT', '10'))
      futures.push(move('USDT', '-1', '-0.1', 'CLOSE_LONG'))
    }
    return { spot: balanced(spot), futures: balanced(futures, { USDT: '50' }) }
  }

  it('is by business line if only those chains close', async () => {
    const { spot, futures } = perLine(5)
    await books.tax('SPOT', spot)
    await books.tax('USDT-FUTURES', futures)
    expect(breaks(await books.build())).toEqual([])
    // Of ten records one is the first of the coin, and two are the first of their line.
    expect(
      await books.query(
        'select chain_grouping, unified_closed, unified_open, isolated_closed, isolated_open, line_closed, line_open from balance_groupings',
      ),
    ).toEqual([['per-line', '0', '9', '0', '9', '8', '0']])
    expect(await books.query('select ledger, quantity from balances order by 1')).toEqual([
      ['SPOT', '50'],
      ['USDT-FUTURES', '44.5'],
    ])
  })

  it('is one balance per coin for a unified account with little data', async () => {
    await books.tax('SPOT', balanced([move('USDT', '10')]))
    await books.tax('USDT-FUTURES', balanced([move('USDT', '-1')], { USDT: '50' }))
    await books.build()
    expect(await books.query('select chain_grouping from balance_groupings')).toEqual([['unified']])
  })

  it.each([['classic'], ['unknown'], [null]] as const)(
    'is by business line for an account with little data that is not known to be unified: %s',
    async (kind) => {
      const account = 'old'
      if (kind !== null) await books.account(account, kind)
      await books.tax('SPOT', balanced([move('USDT', '10')]), { account })
      await books.tax('USDT-FUTURES', balanced([move('USDT', '-1')], { USDT: '50' }), { account })
      await books.build()
      expect(await books.query('select account, chain_grouping from balance_groupings')).toEqual([
        ['old', 'per-line'],
      ])
    },
  )

  it('is what the configuration states, whatever closes', async ({ onTestFinished }) => {
    const books = await TestBooks.open({ only: MADE })
    onTestFinished(() => books.close())
    await books.account('main', 'unified')
    const { spot, futures } = perLine(5)
    await books.tax('SPOT', spot)
    await books.tax('USDT-FUTURES', futures)
    await books.build({ accounts: [{ name: 'main' }], chainGrouping: { main: 'unified' } })
    expect(await books.query('select chain_grouping, is_configured from balance_groupings')).toEqual([
      ['unified', 'true'],
    ])
  })

  it('keeps isolated margin separate if it closes better so', async () => {
    const spot: Move[] = []
    const isolated: Move[] = []
    for (let nth = 0; nth < 4; nth += 1) {
      spot.push(move('USDT', '10'))
      isolated.push(move('USDT', '1', '0', 'FIXED_TRANSFER_IN'))
    }
    await books.tax('SPOT', balanced(spot))
    await books.tax('MARGIN-isolated', balanced(isolated))
    expect(breaks(await books.build())).toEqual([])
    expect(await books.query('select ledger, quantity from balances order by 1')).toEqual([
      ['MARGIN-isolated', '4'],
      ['UNIFIED', '40'],
    ])
  })
})

describe.concurrent('the first minutes of a history', () => {
  it('are no break if business lines are covered from different moments', async () => {
    const rows = balanced([move('USDT', '1'), move('USDT', '2'), move('USDT', '4'), move('USDT', '8')], {
      USDT: '100',
    })
    const [first, unseen, third, fourth] = rows as [TaxRowOf, TaxRowOf, TaxRowOf, TaxRowOf]
    expect(unseen.balance).toBe('103')
    const until = '2026-01-31 00:00:00+00'
    await books.tax('SPOT', [first], { covers: ['2026-01-01 00:00:30+00', until] })
    await books.tax('USDT-FUTURES', [third, fourth], { covers: ['2026-01-01 00:02:30+00', until] })
    expect(breaks(await books.build())).toEqual([])
    expect((await chain()).map(([id, , status, , opening]) => [id, status, opening])).toEqual([
      ['1001', 'start', '102'],
      ['1003', 'edge', '0'],
      ['1004', 'closed', '0'],
    ])
    expect(await books.query('select quantity, venue_balance from balances')).toEqual([['115', '115']])
  })
})

describe.concurrent('a step that reaches back to the moment from which all lines are covered', () => {
  /** The first record is of one minute past midnight, the second of two; the gap is 0.006543. */
  const from = async (settled: string) => {
    const until = '2026-01-31 00:00:00+00'
    const rows = [
      { ...move('USDT', '10.12'), balance: '10.123456' },
      { ...move('USDT', '1.11'), balance: '11.239999' },
      { ...move('USDT', '1'), balance: '13.239999' },
      { ...move('USDT', '1'), balance: '14.239999' },
      { ...move('BTC', '2'), balance: '2' },
      { ...move('BTC', '1'), balance: '3.5' },
    ]
    await books.tax('SPOT', rows, { covers: ['2026-01-01 00:00:30+00', until] })
    await books.tax('USDT-FUTURES', [], { covers: [settled, until] })
    await books.build()
    return (await chain()).map(
      ([id, , status, , opening, rounding]) => `${id} ${status} ${opening} ${rounding}`,
    )
  }

  it('is an edge before it, whose gap was held before the books, however small it is', async () => {
    expect(await from('2026-01-01 00:01:30+00')).toEqual([
      '1001 start 0.009999 0',
      '1002 edge 0 0',
      '1003 open 0 0',
      '1004 closed 0 0',
      '1005 start 0 0',
      '1006 open 0 0',
    ])
  })

  it('is no edge from that moment on', async () => {
    expect((await from('2026-01-01 00:01:00+00')).slice(0, 2)).toEqual([
      '1001 start 0.003456 0',
      '1002 closed 0 0.006543',
    ])
  })

  it('is closed if it closes; the gaps of several are held before the books together, each in its coin', async () => {
    expect(await from('2026-01-01 00:05:30+00')).toEqual([
      '1001 start 1.009999 0',
      '1002 edge 0 0',
      '1003 edge 0 0',
      '1004 closed 0 0',
      '1005 start 0.5 0',
      '1006 edge 0 0',
    ])
  })
})

type TaxRowOf = ReturnType<typeof balanced>[number]
