// Exports of other services in the books: imported, landed, built, and told of on the command line.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ImportedBooks, TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'
import { KRAKEN } from './service-exports.ts'

describe('an export in the books', () => {
  let books: ImportedBooks

  beforeEach(() => {
    books = new ImportedBooks({}, { only: ['main.disposals', 'main.imports'] })
  })

  afterEach(() => {
    books.close()
  })

  const bought = [
    '"L1","T1","2024-03-01 09:30:15","trade","","currency","ZEUR","-1000","2","0"',
    '"L2","T1","2024-03-01 09:30:15","trade","","currency","XXBT","0.02","0","0.02"',
  ]
  const sold = [
    '"L3","T2","2025-03-02 10:00:00","trade","","currency","XXBT","-0.01","0","0.01"',
    '"L4","T2","2025-03-02 10:00:00","trade","","currency","ZEUR","600","1","600"',
  ]

  it('counts once in two overlapping files, and lands as before whatever the mapping says later', async () => {
    const mapping = books.file('mine.yaml', 'extends: kraken-ledgers\nname: mine\n')
    const options = { account: 'kraken', mapping }
    expect(await books.import('trades', [KRAKEN, ...bought].join('\n'), 'one.csv', options)).toMatchObject({
      added: 1,
    })
    expect(
      await books.import('trades', [KRAKEN, ...bought, ...sold].join('\n'), 'two.csv', options),
    ).toMatchObject({ rows: 2, added: 1 })
    const gains = ['mine-T2 <- mine-T1: 0.01 for 599 cost 501 gain 98']
    expect(await books.gains()).toEqual(gains)
    books.file('mine.yaml', 'extends: kraken-ledgers\nname: mine\nassets: { XXBT: LTC }\n')
    await books.rebuild()
    expect(await books.gains()).toEqual(gains)
    expect(await books.query('select file_name, layout, row_count from imports order by 1')).toEqual([
      ['one.csv', 'mine', 1],
      ['two.csv', 'mine', 2],
    ])
  }, 120_000)

  it('states on the command line what it was read as and which rows were left out; nothing of an invalid one is imported', async () => {
    const staked = '"L9","E1","2024-03-01 09:30:15","earn","allocation","currency","DOT","-3","0","0"'
    const file = books.file('ledgers.csv', [KRAKEN, ...bought, staked].join('\n'))
    const dir = `${books.dir}/fresh`
    const run = (...words: string[]) => command(['import', ...words, '--no-build', '--dir', dir])
    expect(await run('trades', file, '--account', 'kraken')).toMatchObject({
      code: 0,
      stdout: [
        `Imported 1 row of ${file}. To withdraw it: tieout import --undo 1 --dir ${dir}`,
        'Read as an export of Kraken, ledgers.',
        'These rows were not imported, because they move nothing between accounts:',
        '  1 row: earn/allocation (left over: DOT -3)',
        '',
      ].join('\n'),
    })
    const bad = books.file('bad.csv', [KRAKEN, ...sold, sold[0]?.replace('trade', 'margin')].join('\n'))
    expect(await run('trades', bad, '--account', 'kraken')).toMatchObject({ code: 2 })
    expect((await run('prices', file, '--account', 'kraken')).code).toBe(2)
    const listed = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(listed.stdout)).toHaveLength(1)
  }, 120_000)

  it('that ends within a cell is reported, as it may have been cut off there', async () => {
    const line = 'b1,2024-03-01T09:30:15Z,main,buy,BTC,1,EUR,100,1,EUR'
    const run = async (name: string, text: string) => {
      const file = books.file(name, `${TRADE_HEADER}\n${text}`)
      const dir = `${books.dir}/fresh`
      return (await command(['import', 'trades', file, '--no-build', '--dir', dir])).stdout
        .split('\n')
        .slice(1)
    }
    expect(await run('cut.csv', line)).toEqual([
      `The last line of ${books.dir}/cut.csv has no line end. If the file was cut off, its last cell is incomplete: compare it with the original.`,
      '',
    ])
    expect(await run('whole.csv', `${line.replace('b1', 'b2')}\r\n`)).toEqual([''])
    expect(await run('quoted.csv', line.replace('b1', 'b3').replace(/EUR$/, '"EUR"'))).toEqual([''])
    expect(
      await run('empty.csv', line.replace('b1', 'b4').replace('1,EUR,100,1,EUR', '1,EUR,100,,')),
    ).toEqual([''])
  }, 120_000)

  it('of an account that differs from another only in capitals is reported: they are two', async () => {
    const row = (id: string, account: string) =>
      `${id},2024-03-01T09:30:15Z,${account},buy,BTC,1,EUR,100,1,EUR`
    expect(await books.trades(row('b1', 'main'), row('b2', 'b\u00f6rse'))).not.toHaveProperty('alike')
    expect(await books.trades(row('b3', 'Main'), row('b4', 'main'))).toMatchObject({
      alike: [['Main', 'main']],
    })
    expect(await books.trades(row('b5', 'bo\u0308rse'), row('b6', 'cold'), row('b7', 'COLD'))).toMatchObject({
      alike: [
        ['bo\u0308rse', 'b\u00f6rse'],
        ['COLD', 'cold'],
      ],
    })
    const file = books.file('other.csv', `${TRADE_HEADER}\n${row('b8', 'MAIN')}\n`)
    const { stdout } = await command(['import', 'trades', file, '--no-build', '--dir', books.dir])
    expect(stdout).toContain('\nThe account MAIN is not the account ')
  }, 120_000)

  it('of two accounts under one id is refused, not counted twice', async () => {
    await books.import('trades', [KRAKEN, ...bought].join('\n'), 'one.csv', { account: 'kraken' })
    const again = books.import('trades', [KRAKEN, ...bought].join('\n'), 'one.csv', { account: 'kraken-2' })
    await expect(again).rejects.toMatchObject({
      message: 'The books have this row with a different account.',
    })
    await expect(books.import('trades', [KRAKEN, ...bought].join('\n'))).rejects.toMatchObject({
      details: { where: '--account' },
    })
  })
  describe('that has no ids', () => {
    const HEADER = '"Type","Buy","Cur.","Sell","Cur.","Fee","Cur.","Exchange","Group","Comment","Date"'
    const BOUGHT = '"Trade","1","BTC","40000","EUR","10","EUR","kr","","","01.03.2024 09:30:00"'
    const SOLD = '"Trade","45000","EUR","1","BTC","0","","kr","","","01.06.2024 09:30:00"'
    const of = (name: string, zone: string, ...lines: string[]) =>
      books.import('trades', [HEADER, ...lines, ''].join('\n'), name, { zone })

    it('is refused if the same file was read with the clocks of another zone: it would count twice', async () => {
      const { id } = await of('ct.csv', 'UTC', BOUGHT, SOLD)
      await expect(of('again.csv', 'Europe/Berlin', BOUGHT, SOLD)).rejects.toMatchObject({
        message: 'The books already have this very file, read differently.',
        details: {
          found: `2 rows that import ${id} (ct.csv), of the same bytes, does not have`,
          action: expect.stringContaining(`tieout import --undo ${id}`),
        },
      })
      await books.undo(id as number)
      expect(await of('again.csv', 'Europe/Berlin', BOUGHT, SOLD)).toMatchObject({ added: 2 })
      // The times of Berlin, of winter and of summer.
      expect(await books.gains()).toHaveLength(1)
    })

    it('states where rows of an earlier one are missing, as corrected rows count twice', async () => {
      const { id } = await of('march.csv', 'UTC', BOUGHT, SOLD)
      const other = BOUGHT.replace('"kr"', '"other"').replace('09:30', '10:30')
      expect(await of('more.csv', 'UTC', BOUGHT, SOLD, other)).not.toHaveProperty('gone')
      const corrected = BOUGHT.replace('"10"', '"12"')
      expect(await of('corrected.csv', 'UTC', corrected, SOLD)).toMatchObject({
        added: 1,
        gone: { count: 1, imports: [id] },
      })
    })

    it('states that on the command line, and how many fees are rebates', async () => {
      const dir = `${books.dir}/fresh`
      const run = (name: string, ...lines: string[]) => {
        const file = books.file(name, [HEADER, ...lines, ''].join('\n'))
        return command(['import', 'trades', file, '--zone', 'UTC', '--no-build', '--dir', dir])
      }
      await run('one.csv', BOUGHT, SOLD)
      const { stdout } = await run('two.csv', BOUGHT.replace('"10"', '"-10"'), SOLD)
      expect(stdout.split('\n').slice(1)).toEqual([
        '1 fee is below zero and counts as received; a paid fee is written without a sign.',
        `1 row from earlier exports of the service is missing from this file, although within its period, and still counts. If it was changed or removed at the service, the books now contain outdated rows beside this file: withdraw the earlier import (tieout import --undo 1 --dir ${dir}), and import the rest of it again.`,
        'Read as an export of CoinTracking, transactions.',
        '',
      ])
    }, 120_000)
  })
})
