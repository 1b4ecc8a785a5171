// The lots as a step of the build, on a real database: what it reads, what it writes, and in which order.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Method } from '../../pipeline/lots/engine.ts'
import type { EventId } from '../../pipeline/lots/event.ts'
import { readEvents } from '../../pipeline/lots/reader.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { lotTables } from '../../pipeline/lots/tables.ts'
import { RowWriter } from '../../pipeline/lots/writer.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'
import { at, borrow, buy, into, out, sell } from './books.ts'
import { inOrder } from './compute.ts'
import { insertEvents, makeLotEvents } from './database.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await makeLotEvents(connection)
})

afterEach(() => {
  connection.closeSync()
  instance.closeSync()
})

async function rows(sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

const run = (method: Method = 'fifo') => lotsStep({ method, scope: 'account' }).run(connection)

describe('the rows of a table that is filled by several threads', () => {
  it('are in the order of the engine, whatever order the database keeps', async () => {
    // More than two row groups of pieces, which threads write one each.
    await connection.run('set threads = 4; set preserve_insertion_order = false')
    await connection.run(`insert into lot_events
      select 'main', 'BTC', make_timestamptz(1700000000000000 + n * 1000000), n, 'event ' || n,
        case when n < 300000 then 'acquire' else 'dispose' end, 1, 1, 'USD', null
      from range(600000) as numbers(n)`)
    await run()
    expect(
      await rows(`select count(*)::integer as pieces, count_if(earlier > disposed_at)::integer as astray
        from (select disposed_at, lag(disposed_at) over (order by rowid) as earlier from disposals)`),
    ).toEqual([{ pieces: 300_000, astray: 0 }])
    // The first sale takes the first purchase, and so on.
    expect(
      await rows(`select count(*)::integer as wrong from disposals
        where split_part(disposal_id, ' ', 2)::integer - 300000 <> split_part(lot_id, ' ', 2)::integer`),
    ).toEqual([{ wrong: 0 }])
    expect(await rows("select current_setting('preserve_insertion_order') as keeps")).toEqual([
      { keeps: false },
    ])
  })
})

describe('the writer', () => {
  it('fills a single chunk again and again: no amount is left behind for a later row', async () => {
    const writer = await RowWriter.create(connection, 'filled', { row: 'whole', amount: 'amount' })
    const amounts = new Map([
      [5, 7n],
      [2_048 + 6, 11n],
    ])
    for (let row = 0; row < 5_000; row += 1) {
      writer.columns.row.set(writer.row, row)
      writer.columns.amount.set(writer.row, amounts.get(row) ?? 0n)
      writer.endRow()
    }
    expect(writer.close()).toBe(5_000)
    expect(await rows('select "row", amount::varchar as amount from temp.filled where amount <> 0')).toEqual([
      { row: 5, amount: '0.000000000000000007' },
      { row: 2_054, amount: '0.000000000000000011' },
    ])
    expect(
      await rows('select count(*)::integer as rows, sum("row")::integer as sum from temp.filled'),
    ).toEqual([{ rows: 5_000, sum: 12_497_500 }])
  })
})

describe('the step', () => {
  it('writes only the wanted tables, with the same rows, and leaves the others empty', async () => {
    await insertEvents(connection, [
      buy('b1', '2024-01-01', '3', '10'),
      sell('s1', '2024-01-03', '1', '4'),
      out('t1:out', '2024-01-04', '1', { account: 'main' }),
      into('t1:in', '2024-01-04', '1', { account: 'cold' }),
      sell('s2', '2024-01-05', '9', '4'),
    ])
    await run()
    const whole = await rows('select * from lots order by account')
    expect(whole).toHaveLength(1)
    await lotsStep({ method: 'fifo', scope: 'account', tables: ['lots'] }).run(connection)
    expect(await rows('select * from lots order by account')).toEqual(whole)
    for (const name of Object.keys(lotTables).filter((table) => table !== 'lots'))
      expect([name, ...(await rows(`select * from ${name}`))]).toEqual([name])
  })

  it('writes each piece of a disposal with exact decimals, dates and days held', async () => {
    await insertEvents(connection, [
      buy('b1', '2024-01-01T23:59:59.123Z', '3', '10'),
      sell('s1', '2024-01-03T00:00:00Z', '1', '4'),
    ])
    await run()
    expect(await rows("set timezone = 'UTC'; select * from disposals")).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'fifo',
        rules: 'generic',
        disposed_at: '2024-01-03 00:00:00+00',
        acquired_at: '2024-01-01 23:59:59.123+00',
        quantity: '1.000000000000000000',
        proceeds: '4.000000000000000000',
        cost_basis: '3.333333333333333333',
        denied_loss: null,
        gain: '0.666666666666666667',
        currency: 'USDT',
        holding_days: '2',
        term: null,
        disposal_id: 's1',
        lot_id: 'b1',
        fees: '0.000000000000000000',
      },
    ])
    expect(await rows('select * from lots')).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'fifo',
        acquired_at: '2024-01-01 23:59:59.123+00',
        quantity_left: '2.000000000000000000',
        cost_basis_left: '6.666666666666666667',
        currency: 'USDT',
        lot_id: 'b1',
      },
    ])
  })

  it('sums what has no known cost by account and coin', async () => {
    await insertEvents(connection, [
      buy('gift', '2024-01-01', '1', null),
      sell('s1', '2024-01-02', '3', '30'),
      sell('s2', '2024-01-03', '1', '10'),
      out('t1:out', '2024-01-04', '5', { account: 'main' }),
      into('t1:in', '2024-01-04', '5', { account: 'cold' }),
    ])
    await run()
    expect(await rows('select * from unknown_basis')).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        quantity: '8.000000000000000000',
        unvalued_quantity: '1.000000000000000000',
        disposals: '2',
      },
    ])
    expect(await rows('select account, quantity_left, cost_basis_left, lot_id from lots')).toEqual([
      { account: 'cold', quantity_left: '5.000000000000000000', cost_basis_left: null, lot_id: 't1:in' },
    ])
  })

  it('lots left − what is missing = what came in − what went out, for each account and coin', async () => {
    await insertEvents(connection, [
      buy('b1', '2024-01-01', '2', '20'),
      out('t1:out', '2024-01-02', '3', { account: 'main' }),
      into('t1:in', '2024-01-02', '2.9', { account: 'cold' }),
      sell('s1', '2024-01-03', '4', '40', { account: 'cold' }),
      buy('b2', '2024-01-04', '5', '50', { account: 'cold' }),
      out('t2:out', '2024-01-05', '1', { account: 'cold' }),
    ])
    await run()
    expect(
      await rows(`
        with
        balance as (
          select account, sum(case when kind in ('acquire', 'transfer_in') then quantity else -quantity end) as balance
          from lot_events group by account
        ),
        held as (select account, sum(quantity_left) as held from lots group by account),
        missing as (select account, sum(quantity) as missing from unknown_basis group by account)
        select
          balance.account,
          cast(balance as varchar) as balance,
          cast(coalesce(held, 0) - coalesce(missing, 0) as varchar) as of_lots
        from balance
        left join held on held.account = balance.account
        left join missing on missing.account = balance.account
        order by 1`),
    ).toEqual([
      { account: 'cold', balance: '2.900000000000000000', of_lots: '2.900000000000000000' },
      { account: 'main', balance: '-1.000000000000000000', of_lots: '-1.000000000000000000' },
    ])
  })

  it('keeps movements and inconsistencies for the checks', async () => {
    await insertEvents(connection, [
      buy('b1', '2024-01-01', '2', '20'),
      out('t1:out', '2024-01-02', '1', { account: 'main' }),
    ])
    await run()
    expect(
      await rows('select transfer_id, to_account, lot_id, cost_basis, basis from lot_transfers'),
    ).toEqual([
      {
        transfer_id: 't1:out',
        to_account: null,
        lot_id: 'b1',
        cost_basis: '10.000000000000000000',
        basis: 'known',
      },
    ])
    expect(await rows('select problem, event_id, quantity from lot_problems')).toEqual([
      { problem: 'transfer without its second leg', event_id: 't1:out', quantity: '1.000000000000000000' },
    ])
  })

  it('names the rules that were used: those of a country if the method has its name', async () => {
    await insertEvents(connection, [buy('b1', '2024-01-10', '1', '5'), sell('s1', '2024-01-05', '1', '9')])
    await lotsStep(matchingOf({ method: 'uk' }).options).run(connection)
    expect(await rows('select method, rules, gain, holding_days, lot_id from disposals')).toEqual([
      { method: 'uk', rules: 'uk', gain: '4.000000000000000000', holding_days: null, lot_id: 'b1' },
    ])
  })

  it('run again, replaces what it wrote, and leaves nothing else behind', async () => {
    await insertEvents(connection, [buy('b1', '2024-01-01', '1', '1')])
    await run()
    await run('average')
    expect(await rows('select method from lots')).toEqual([{ method: 'average' }])
    expect(await rows('select table_name from duckdb_tables() order by 1')).toEqual(
      ['lot_events', 'lot_matching', ...Object.keys(lotTables)].sort().map((table_name) => ({ table_name })),
    )
  })

  it('without events creates empty tables', async () => {
    await run()
    expect(await rows('select count(*) as n from disposals')).toEqual([{ n: '0' }])
  })

  it('supplies the meaning of every table and column that it writes', async () => {
    await run()
    const { docs, columns, writes } = lotsStep({ method: 'fifo', scope: 'account' })
    const written = await rows(
      "select table_name, column_name from duckdb_columns() where table_name <> 'lot_events' and not internal order by all",
    )
    const meanings = writes.flatMap((table_name) =>
      Object.keys(columns[table_name] ?? {}).map((column_name) => ({ table_name, column_name })),
    )
    const inOrder = (one: (typeof meanings)[number]): string => `${one.table_name}.${one.column_name}`
    expect(written.map((one) => inOrder(one as (typeof meanings)[number])).toSorted()).toEqual(
      meanings.map(inOrder).toSorted(),
    )
    expect(Object.values(columns).flatMap((each) => Object.values(each))).not.toContain('')
    expect(writes.filter((table) => !docs[table])).toEqual([])
  })

  it('works in an attached file that is in use, however the database orders inserted rows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tieout-lots-'))
    await connection.run(`attach '${folder}/ledger.duckdb' as ledger; use ledger`)
    await connection.run('set preserve_insertion_order = false')
    await makeLotEvents(connection)
    await insertEvents(connection, [sell('s1', '2024-01-02', '1', '9'), buy('b1', '2024-01-01', '1', '5')])
    await run()
    expect(await rows('select gain from ledger.main.disposals')).toEqual([{ gain: '4.000000000000000000' }])
    await connection.run('use memory; detach ledger')
    await rm(folder, { recursive: true })
  })
})

describe('what the step refuses', () => {
  it('values in two currencies', async () => {
    await insertEvents(connection, [buy('b1', '2024-01-01', '1', '1')])
    await insertEvents(connection, [buy('b2', '2024-01-01', '1', '1')], 'EUR')
    await expect(run()).rejects.toMatchObject({
      message: 'The lots engine needs all values in one currency.',
      details: { found: 'EUR, USDT', action: 'Value every event in the reporting currency.' },
    })
  })

  it('an event of an unknown kind', async () => {
    await insertEvents(connection, [buy('b1', '2024-01-01', '1', '1')])
    await connection.run("update lot_events set kind = 'stake'")
    await expect(run()).rejects.toMatchObject({
      message: 'An event for the lots is of an unknown kind.',
      details: { where: 'table lot_events, event b1', found: 'stake' },
    })
  })

  it('an amount that its column cannot hold', async () => {
    const half = '60000000000000000000'
    await insertEvents(connection, [buy('b1', '2024-01-01', half, half), buy('b2', '2024-01-01', half, half)])
    await expect(run('average')).rejects.toMatchObject({
      message: 'An amount of the lots does not fit its column.',
      details: { where: 'table lots, column quantity_left', found: '120000000000000000000' },
    })
    // Sold for less than nothing: each amount fits, and the loss does not.
    await connection.run("delete from lot_events where event_id = 'b2'")
    await insertEvents(connection, [sell('s1', '2024-01-02', half, `-${half}`)])
    await expect(run()).rejects.toMatchObject({
      message: 'An amount of the lots does not fit its column.',
      details: { where: 'table disposals, column gain', found: '-120000000000000000000' },
    })
    // The same of borrowed coins: sold for less than nothing, and bought again for as much.
    await connection.run('delete from lot_events')
    await insertEvents(connection, [
      borrow('l1', '2024-01-01', '1'),
      sell('s1', '2024-01-02', '1', `-${half}`),
      buy('b1', '2024-01-03', '1', half),
    ])
    await expect(run()).rejects.toMatchObject({
      message: 'An amount of the lots does not fit its column.',
      details: { where: 'table short_sales, column gain', found: '-120000000000000000000' },
    })
    // One of the two is replaced on the same day: half of the loss is denied, and what is left of it fits.
    await connection.run('delete from lot_events')
    await insertEvents(connection, [
      buy('b1', '2024-01-01', '2', half),
      sell('s1', '2024-01-02', '2', `-${half}`),
      buy('b2', '2024-01-02', '1', '1'),
    ])
    await run('ca')
    const denied = `${half}.000000000000000000`
    expect(await rows('select denied_loss, gain from disposals')).toEqual([
      { denied_loss: denied, gain: `-${denied}` },
    ])
  })
})

describe('reading events', () => {
  it('returns them in the same order and with the same counterparts as the order in memory, by their rows', async () => {
    const events = [
      buy('b1', '2024-01-02', '1', '100'),
      sell('s0', '2024-01-01', '1', null, { coin: 'ETH' }),
      into('t1:in', '2024-02-01T12:00:00Z', '1', { account: 'cold' }),
      out('t1:out', '2024-02-01T12:00:02Z', '1', { account: 'main' }),
      sell('s1', '2024-02-01T12:00:01Z', '1', '150', { account: 'cold' }),
      into('t1:in2', '2024-02-04', '2', { account: 'cold' }),
      out('t1:out2', '2024-02-03', '2', { account: 'main' }),
      out('t2:out', '2024-02-03', '2', { account: 'main', coin: 'ETH' }),
      into('t2:in', '2024-02-03', '2', { account: 'cold' }),
      { ...into('t3:in', '2024-02-05', '2', { account: 'cold' }), place: -1n },
      out('t3:out', '2024-02-05', '2', { account: 'main' }),
    ]
    await insertEvents(connection, events)
    const read = []
    for await (const slice of readEvents(connection)) read.push(...slice)
    const rowOf = (id: EventId) => events.findIndex((event) => event.id === id)
    const expected = inOrder(events).map(({ transferId: _, twin, ...event }) => ({
      ...event,
      id: rowOf(event.id),
      place: 0n,
      ...(twin === undefined ? {} : { twin: { ...twin, id: rowOf(twin.id) } }),
    }))
    expect(read).toEqual(expected)
    expect(read.at(-1)?.happenedAtUs).toBe(at('2024-02-03'))
  })
})

describe('matching many events', () => {
  const MANY = `insert into lot_events
    select 'main', 'BTC', timestamptz '2026-01-01' + to_seconds(n), n, 'e' || n, if(n % 2 = 0, 'acquire', 'dispose'),
      1, 100, 'USDT', null from range(100_000) as numbers(n)`

  it('ends between two batches when it is stopped, and leaves no tables behind', async () => {
    await connection.run(MANY)
    const stop = new AbortController()
    const asked = vi.spyOn(stop.signal, 'throwIfAborted').mockImplementation(() => {
      if (asked.mock.calls.length === 3) stop.abort(new Error('left'))
      if (stop.signal.aborted) throw stop.signal.reason
    })
    await expect(
      lotsStep({ method: 'fifo', scope: 'account', signal: stop.signal }).run(connection),
    ).rejects.toThrow('left')
    expect(asked).toHaveBeenCalledTimes(3)
    expect(await rows("select 1 from duckdb_tables() where table_name = 'disposals'")).toEqual([])
  })

  it('yields between two batches', async () => {
    await connection.run(MANY)
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns += 1) await immediate()
    })()
    const asked: number[] = []
    const stop = new AbortController()
    vi.spyOn(stop.signal, 'throwIfAborted').mockImplementation(() => void asked.push(turns))
    await lotsStep({ method: 'fifo', scope: 'account', signal: stop.signal }).run(connection)
    isOver = true
    await others
    expect(asked.length).toBeGreaterThan(40)
    expect(new Set(asked).size).toBe(asked.length)
  })
})
