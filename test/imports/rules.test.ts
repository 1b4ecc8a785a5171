// What imported rows mean for gains, rule by rule of the contract's section "Import CSV of trades": small books whose
// every figure can be checked by hand, through the real journal, landing, models, engine and report.
import { describe, expect, it as itAlone } from 'vitest'
import { ImportedBooks } from '../support/imports.ts'
import { sharedImports } from '../support/many-imports.ts'

const { it, books } = sharedImports()

const plain = (decimal: string | null): string | null => decimal?.replace(/\.?0+$/, '') ?? null

const openBreaks = async (): Promise<string[]> =>
  (await books.build()).openBreaks.map(({ checkName, severity, account, coin, difference }) =>
    [severity, checkName, account, coin, plain(difference)].filter((part) => part !== null).join(' '),
  )

const openLots = async (): Promise<string[]> =>
  (
    await books.query(
      'select account, lot_id, quantity_left, cost_basis_left from lots order by account, lot_id',
    )
  ).map(([account, id, quantity, cost]) => `${account} ${id}: ${quantity} cost ${cost ?? '?'}`)

describe.concurrent('basis and proceeds', () => {
  it('fifo: a sale larger than the oldest lot continues into the next; fees add to the basis and reduce proceeds', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,1,USD',
      'b2,2026-01-02T00:00:00Z,main,buy,BTC,1,USD,200,1,USD',
      's1,2026-01-03T00:00:00Z,main,sell,BTC,1.5,USD,450,3,USD',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 1 for 298 cost 101 gain 197',
      's1 <- b2: 0.5 for 149 cost 100.5 gain 48.5',
    ])
    expect(await openLots()).toEqual(['main b2: 0.5 cost 100.5'])
    expect(await openBreaks()).toEqual([])
  })

  it('a rebate lowers the basis and raises the proceeds, and proceeds may be negative', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,2,USD,100,-2,USD',
      's1,2026-01-02T00:00:00Z,main,sell,BTC,1,USD,60,-0.5,USD',
      's2,2026-01-03T00:00:00Z,main,sell,BTC,1,USD,1,3,USD',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 1 for 60.5 cost 49 gain 11.5',
      's2 <- b1: 1 for -2 cost 49 gain -51',
    ])
  })

  it('income and gifts received have their value at that time as the basis', async () => {
    await books.trades(
      'i1,2026-01-01T00:00:00Z,main,income,ETH,1,USD,50,,',
      'g1,2026-01-02T00:00:00Z,main,gift_in,ETH,1,USD,70,0,USD',
      's1,2026-01-03T00:00:00Z,main,sell,ETH,2,USD,200,0,USD',
    )
    expect(await books.gains()).toEqual([
      's1 <- i1: 1 for 100 cost 50 gain 50',
      's1 <- g1: 1 for 100 cost 70 gain 30',
    ])
    expect(await books.read('income')).toMatchObject([{ entry_id: 'i1', kind: 'income', amount: '1' }])
  })

  it('a gift leaves with its basis and without a gain; under uk and ca it is a disposal at its value', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,2,GBP,100,0,',
      'g1,2026-02-01T00:00:00Z,main,gift_out,BTC,1,GBP,80,0,',
      's1,2026-03-01T00:00:00Z,main,sell,BTC,1,GBP,90,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 90 cost 50 gain 40'])
    expect(await books.query('select transfer_id, lot_id, quantity, cost_basis from lot_transfers')).toEqual([
      ['g1', 'b1', '1', '50'],
    ])
    expect(await books.gains({ rules: 'uk' })).toEqual([
      'g1 <- -: 1 for 80 cost 50 gain 30',
      's1 <- -: 1 for 90 cost 50 gain 40',
    ])
    expect(await books.gains({ rules: 'ca' })).toEqual(await books.gains({ rules: 'uk' }))
    expect(await openBreaks()).toEqual([])
  })

  it('a gift received whose value is not stated has an unknown basis, never zero', async () => {
    await books.trades(
      'g0,2026-01-01T00:00:00Z,main,gift_in,BTC,1,,,,',
      's1,2026-03-01T00:00:00Z,main,sell,BTC,0.5,USD,80,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- g0: 0.5 for 80 cost ? gain ?'])
    expect(await openBreaks()).toEqual(['warning valuation main', 'notice unknown_basis main BTC 0.5'])
  })

  it('with several years and accounts, a report shows the requested ones', async () => {
    await books.trades(
      'b1,2024-01-01T00:00:00Z,one,buy,BTC,1,USD,100,0,',
      'b2,2024-01-01T00:00:00Z,two,buy,BTC,1,USD,50,0,',
      's1,2024-12-31T23:59:59.999999999Z,one,sell,BTC,1,USD,150,0,',
      's2,2025-01-01T00:00:00Z,two,sell,BTC,1,USD,250,0,',
    )
    expect(await books.gains({ year: 2024 })).toEqual(['s1 <- b1: 1 for 150 cost 100 gain 50'])
    expect((await books.read('gains', { account: 'two' })).map((row) => row.disposal_id)).toEqual(['s2'])
    expect((await books.read('gains', { scope: 'universal', year: 2025 })).map((row) => row.lot_id)).toEqual([
      'b2',
    ])
  })
})

describe.concurrent('order', () => {
  it('rows apply by time, not by position in the file', async () => {
    await books.trades(
      's1,2026-01-03T02:00:00+02:00,main,sell,BTC,1,USD,300,0,',
      'b2,2026-01-02T00:00:00Z,main,buy,BTC,1,USD,200,0,',
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,0,',
    )
    expect(await books.gains()).toEqual(['s1 <- b1: 1 for 300 cost 100 gain 200'])
  })

  it('at equal times the position in the file decides: lifo takes the later row first', async () => {
    await books.trades(
      'b2,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,200,0,',
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,0,',
      's1,2026-01-01T00:00:00Z,main,sell,BTC,1,USD,300,0,',
      'b3,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,400,0,',
    )
    expect(await books.gains({ method: 'lifo' })).toEqual(['s1 <- b1: 1 for 300 cost 100 gain 200'])
    expect((await books.read('gains', { method: 'fifo' })).map((row) => row.lot_id)).toEqual(['b2'])
  })

  it('times are distinguished to the nanosecond', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00.000000002Z,main,buy,BTC,1,USD,200,0,',
      'b2,2026-01-01T00:00:00.000000001Z,main,buy,BTC,1,USD,100,0,',
      's1,2026-01-01T00:00:00.000000003Z,main,sell,BTC,1,USD,300,0,',
      's0,2026-01-01T00:00:00Z,main,sell,BTC,1,USD,300,0,',
    )
    expect(await books.gains()).toEqual([
      's0 <- -: 1 for 300 cost ? gain ?',
      's1 <- b2: 1 for 300 cost 100 gain 200',
    ])
  })

  it('hifo and lofo compare unit costs including fees as fractions; ties go by time, then position', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,3,USD,100,0,',
      'b2,2026-01-02T00:00:00Z,main,buy,BTC,3,USD,99,1,USD',
      'b3,2026-01-03T00:00:00Z,main,buy,BTC,2,USD,66,0.666666666666666666,USD',
      's1,2026-01-04T00:00:00Z,main,sell,BTC,1,USD,50,0,',
    )
    const lotOf = async (method: string) => (await books.read('gains', { method })).map((row) => row.lot_id)
    await books.build()
    expect(await lotOf('hifo')).toEqual(['b1'])
    expect(await lotOf('lofo')).toEqual(['b3'])
  })

  it('average cost has neither lot nor date', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,1,USD',
      'b2,2026-01-02T00:00:00Z,main,buy,BTC,1,USD,200,1,USD',
      's1,2026-01-03T00:00:00Z,main,sell,BTC,1.5,USD,450,3,USD',
    )
    expect(await books.gains({ method: 'average' })).toEqual(['s1 <- -: 1.5 for 447 cost 226.5 gain 220.5'])
  })
})

describe.concurrent('fees and trades in coins', () => {
  it('a fee in a third coin is a disposal of that coin at its value at the time', async () => {
    await books.trades(
      'n1,2026-01-01T08:00:00Z,main,buy,BNB,10,USD,100,0,',
      'n2,2026-01-01T09:00:00Z,main,buy,BNB,1,USD,20,0,',
      'b1,2026-01-01T10:00:00Z,main,buy,BTC,1,USD,1000,0.5,BNB',
      's1,2026-01-01T11:00:00Z,main,sell,BTC,1,USD,1100,0.5,BNB',
    )
    expect(await books.gains()).toEqual([
      'b1 <- n1: 0.5 for 10 cost 5 gain 5',
      's1 <- n1: 0.5 for 10 cost 5 gain 5',
      's1 <- b1: 1 for 1090 cost 1010 gain 80',
    ])
    expect(await openBreaks()).toEqual([])
  })

  it('a rebate in a third coin is an acquisition of it at its value at the time', async () => {
    await books.trades(
      'n1,2026-01-01T08:00:00Z,main,buy,BNB,1,USD,20,0,',
      'b1,2026-01-01T10:00:00Z,main,buy,BTC,1,USD,1000,-0.5,BNB',
      's1,2026-01-01T11:00:00Z,main,sell,BNB,1.5,USD,60,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- n1: 1 for 40 cost 20 gain 20',
      's1 <- b1: 0.5 for 20 cost 10 gain 10',
    ])
    expect(await openLots()).toEqual(['main b1: 1 cost 990'])
  })

  it('a fee without a price makes the basis unknown, never leaves it out', async () => {
    await books.trades(
      'n1,2026-01-01T08:00:00Z,main,buy,BNB,1,USD,20,0,',
      'b1,2026-03-01T10:00:00Z,main,buy,BTC,1,USD,1000,0.5,BNB',
      's1,2026-03-02T11:00:00Z,main,sell,BTC,1,USD,1100,0,',
    )
    expect(await books.gains()).toEqual([
      'b1 <- n1: 0.5 for ? cost 10 gain ?',
      's1 <- b1: 1 for 1100 cost ? gain ?',
    ])
    expect(await openBreaks()).toEqual(['warning valuation main', 'notice unknown_basis main BTC 1'])
  })

  it('a fee in the asset itself is taken off the quantity, which is gross', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,0.01,BTC',
      's1,2026-01-02T00:00:00Z,main,sell,BTC,0.98,USD,196,0.01,BTC',
    )
    expect(await books.gains()).toEqual([
      'b1 <- b1: 0.01 for 1 cost 1.01 gain -0.01',
      's1 <- b1: 0.98 for 194 cost 98.98 gain 95.02',
      's1 <- b1: 0.01 for 2 cost 1.01 gain 0.99',
    ])
    expect(await openLots()).toEqual([])
    expect(await openBreaks()).toEqual([])
  })

  it('a trade of two coins disposes of one and acquires the other, fee included', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,30000,0,',
      's1,2026-01-02T09:00:00Z,main,sell,BTC,0.1,USD,4000,0,',
      'c1,2026-01-02T10:00:00Z,main,buy,ETH,10,BTC,0.5,0.001,BTC',
      'c2,2026-01-02T11:00:00Z,main,sell,ETH,4,BTC,0.25,0.001,BTC',
      's2,2026-01-03T00:00:00Z,main,sell,ETH,6,USD,12600,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 0.1 for 4000 cost 3000 gain 1000',
      'c1 <- b1: 0.5 for 20000 cost 15000 gain 5000',
      'c1 <- b1: 0.001 for 40 cost 30 gain 10',
      'c2 <- b1: 0.001 for 40 cost 30 gain 10',
      'c2 <- c1: 4 for 9960 cost 8016 gain 1944',
      's2 <- c1: 6 for 12600 cost 12024 gain 576',
    ])
    expect(await openLots()).toEqual(['main b1: 0.398 cost 11940', 'main c2: 0.25 cost 10000'])
  })

  itAlone(
    'a trade of two coins that nothing values has no gain, and the break says what would cure it',
    async () => {
      const own = new ImportedBooks()
      try {
        await own.trades(
          'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,30000,0,',
          'c1,2026-02-01T00:00:00Z,main,buy,ETH,10,BTC,0.5,0,',
        )
        expect(await own.gains()).toEqual(['c1 <- b1: 0.5 for ? cost 15000 gain ?'])
        const [found] = (await own.build()).openBreaks
        expect(found?.explanation).toBe(
          '1 imported row has no price in USD for that time, so gains are unknown: ETH has prices in BTC; BTC has ' +
            'none in USD; the newest price of BTC before 2026-02-01 00:00 dates from 2026-01-01 00:00 and is no longer valid. Import ' +
            'what is missing (`tieout import prices`), or fetch it (`tieout prices fetch`).',
        )
        await own.import('prices', 'time,asset,currency,price\n2026-02-01,BTC,USD,40000\n')
        expect(await own.gains()).toEqual(['c1 <- b1: 0.5 for 20000 cost 15000 gain 5000'])
      } finally {
        own.close()
      }
    },
  )

  it('if all trades are in one coin, that coin is the money', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USDT,30000,30,USDT',
      's1,2026-02-01T00:00:00Z,main,sell,BTC,1,USDT,40000,40,USDT',
    )
    expect(await books.report('gains')).toMatchObject([{ coin: 'BTC', gain: '9930', currency: 'USDT' }])
  })
})

describe.concurrent('transfers', () => {
  it('keep basis and date; what leaves and does not arrive is a network fee', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,hot,buy,BTC,1,USD,100,0,',
      'b2,2026-01-02T00:00:00Z,hot,buy,BTC,1,USD,200,0,',
      't1:out,2026-01-02T10:00:00Z,hot,transfer_out,BTC,1.5,,,,',
      't1:in,2026-01-02T10:20:00Z,cold,transfer_in,BTC,1.4,,,,',
      's1,2026-01-03T00:00:00Z,cold,sell,BTC,1.4,USD,420,0,',
    )
    expect(await books.gains()).toEqual([
      't1:out <- b2: 0.1 for 20 cost 20 gain 0',
      's1 <- b1: 1 for 300 cost 100 gain 200',
      's1 <- b2: 0.4 for 120 cost 80 gain 40',
    ])
    const dates = (await books.read('gains')).map((row) => String(row.acquired_at).slice(0, 10))
    expect(dates).toEqual(['2026-01-02', '2026-01-01', '2026-01-02'])
    expect(await openLots()).toEqual(['hot b2: 0.5 cost 100'])
    expect(await openBreaks()).toEqual([])
  })

  it('move the lots of the report’s method', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,hot,buy,BTC,1,USD,100,0,',
      'b2,2026-01-02T00:00:00Z,hot,buy,BTC,1,USD,200,0,',
      't1:out,2026-01-02T10:00:00Z,hot,transfer_out,BTC,1,,,,',
      't1:in,2026-01-02T10:20:00Z,cold,transfer_in,BTC,1,,,,',
      's1,2026-01-03T00:00:00Z,cold,sell,BTC,1,USD,300,0,',
    )
    expect(await books.gains({ method: 'lifo' })).toEqual(['s1 <- b2: 1 for 300 cost 200 gain 100'])
    expect((await books.read('gains', { method: 'fifo' })).map((row) => row.lot_id)).toEqual(['b1'])
  })

  it('a fee stated by the leg out is the network fee, counted once', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,hot,buy,BTC,1,USD,100,0,',
      't1:out,2026-01-01T10:00:00Z,hot,transfer_out,BTC,0.5,,,0.1,BTC',
      't1:in,2026-01-01T10:20:00Z,cold,transfer_in,BTC,0.4,,,,',
    )
    expect(await books.gains()).toEqual(['t1:out <- b1: 0.1 for 10 cost 10 gain 0'])
    expect(await openLots()).toEqual(['cold b1: 0.4 cost 40', 'hot b1: 0.5 cost 50'])
  })

  it('a leg without its counterpart is a break, and coins from nowhere have no known cost', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,hot,buy,BTC,1,USD,100,0,',
      't1:out,2026-01-02T00:00:00Z,hot,transfer_out,BTC,0.25,,,,',
      't2:in,2026-01-02T00:00:00Z,cold,transfer_in,BTC,0.5,,,,',
      's1,2026-01-03T00:00:00Z,cold,sell,BTC,0.5,USD,150,0,',
      's2,2026-01-03T00:00:00Z,hot,sell,BTC,0.75,USD,225,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- t2:in: 0.5 for 150 cost ? gain ?',
      's2 <- b1: 0.75 for 225 cost 75 gain 150',
    ])
    expect(await openBreaks()).toEqual([
      'warning imported_transfers cold BTC 0.5',
      'warning imported_transfers hot BTC -0.25',
      'notice unknown_basis cold BTC 0.5',
    ])
  })

  it('of money move no lots, and a deposit from a bank needs no second leg', async () => {
    await books.trades(
      'd1:in,2026-01-01T00:00:00Z,main,transfer_in,EUR,1000,,,,',
      'b1,2026-01-02T00:00:00Z,main,buy,BTC,1,EUR,100,0,',
    )
    expect(await openBreaks()).toEqual([])
    expect(await openLots()).toEqual(['main b1: 1 cost 100'])
  })

  it('more arriving than left is a break', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,hot,buy,BTC,1,USD,100,0,',
      't1:out,2026-01-02T00:00:00Z,hot,transfer_out,BTC,1,,,,',
      't1:in,2026-01-02T00:00:00Z,cold,transfer_in,BTC,1.5,,,,',
    )
    expect(await openBreaks()).toEqual(['warning imported_transfers cold BTC 0.5'])
    expect(await openLots()).toEqual(['cold b1: 1 cost 100', 'cold t1:in: 0.5 cost ?'])
  })
})

describe.concurrent('missing history', () => {
  it('is never a gain: what was sold beyond all lots is shown separately', async () => {
    await books.trades(
      'b1,2026-01-01T00:00:00Z,main,buy,BTC,1,USD,100,0,',
      's1,2026-01-02T00:00:00Z,main,sell,BTC,4,USD,400,0,',
    )
    expect(await books.gains()).toEqual([
      's1 <- b1: 1 for 100 cost 100 gain 0',
      's1 <- -: 3 for 300 cost ? gain ?',
    ])
    expect(await openBreaks()).toEqual(['warning unknown_basis main BTC 3'])
  })
})

describe.concurrent('the rules of countries', () => {
  it('uk: HMRC’s example of a pool (CRYPTO22251)', async () => {
    await books.trades(
      'b1,2018-01-01T12:00:00Z,main,buy,TOKA,100,GBP,1000,0,',
      'b2,2018-06-01T12:00:00Z,main,buy,TOKA,50,GBP,125000,0,',
      's1,2018-12-01T12:00:00Z,main,sell,TOKA,50,GBP,300000,0,',
    )
    expect(await books.gains({ method: 'uk' })).toEqual(['s1 <- -: 50 for 300000 cost 42000 gain 258000'])
  })

  it('uk: HMRC’s example of 30 days (CRYPTO22252): the later purchase is the lot, the rest comes from the pool', async () => {
    await books.trades(
      'b1,2018-01-01T12:00:00Z,main,buy,TOKB,14000,GBP,200000,0,',
      's1,2018-08-30T12:00:00Z,main,sell,TOKB,4000,GBP,160000,0,',
      'b2,2018-09-11T12:00:00Z,main,buy,TOKB,500,GBP,17500,0,',
    )
    expect(await books.gains({ rules: 'uk' })).toEqual([
      's1 <- b2: 500 for 20000 cost 17500 gain 2500',
      's1 <- -: 3500 for 140000 cost 50000 gain 90000',
    ])
  })

  it('uk: the sales of a London day are one, named by the first; summer time decides the day', async () => {
    await books.trades(
      'b1,2024-01-01T12:00:00Z,main,buy,BTC,10,GBP,1000,0,',
      's1,2024-06-01T23:30:00Z,main,sell,BTC,1,GBP,200,0,',
      's2,2024-06-02T12:00:00Z,main,sell,BTC,1,GBP,300,0,',
      's3,2024-06-02T23:30:00Z,main,sell,BTC,1,GBP,400,0,',
    )
    expect(await books.gains({ rules: 'uk' })).toEqual([
      's1 <- -: 2 for 500 cost 200 gain 300',
      's3 <- -: 1 for 400 cost 100 gain 300',
    ])
  })

  it('ca: a superficial loss is denied and joins the cost of what replaced it', async () => {
    await books.trades(
      'b1,2026-01-01T12:00:00Z,main,buy,BTC,100,CAD,1000,0,',
      's1,2026-03-01T12:00:00Z,main,sell,BTC,100,CAD,800,0,',
      'b2,2026-03-10T12:00:00Z,main,buy,BTC,100,CAD,900,0,',
      's2,2026-06-01T12:00:00Z,main,sell,BTC,50,CAD,700,0,',
    )
    expect(await books.gains({ method: 'ca' })).toEqual([
      's1 <- -: 100 for 800 cost 1000 denied 200 gain 0',
      's2 <- -: 50 for 700 cost 550 gain 150',
    ])
  })
})
