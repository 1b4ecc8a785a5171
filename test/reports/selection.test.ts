// Lots that their owner names, from files: followed in the report, or refused with the place of what is wrong.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAllocation, readSelection } from '../../pipeline/reports/selection.ts'
import { book, cells, show } from '../rules/books.ts'

function file(...lines: string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'selection-')), 'lots.csv')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const HEADER = 'disposal_id,lot_id,quantity'

describe('a selection', () => {
  const books = book('USD', [
    'main buy b1 2025-01-01 1 BTC 100',
    'main buy b2 2025-01-02 1 BTC 300',
    'main buy e1 2025-01-02 1 ETH 10',
    'main sell s1 2025-02-01 1.5 BTC 600',
    'main sell s1 2025-02-01 0.5 ETH 30',
    'main borrow l1 2025-03-01 1 BTC',
    'main borrow s1 2025-03-01 1 SOL',
  ])

  test('takes the named lots first and continues with the oldest', async () => {
    const selection = readSelection(file(HEADER, 's1,b2,1'))
    const gains = await show(await books, 'gains', { method: 'specific', rules: 'us', selection })
    expect(gains.notes.join()).not.toContain('not held')
    expect(cells(gains, 'method', 'coin', 'lot_id', 'quantity', 'cost_basis', 'gain')).toEqual([
      'specific BTC b1 0.5 50 150',
      'specific BTC b2 1 300 100',
      'specific ETH e1 0.5 5 25',
    ])
  })

  test('that names disposals that do not exist is reported as having no effect', async () => {
    const selection = readSelection(
      file(
        'disposal_id,coin,lot_id,quantity',
        's1,BTC,b2,1',
        's1-typo,BTC,b2,1',
        's1,SOL,b2,1',
        'b1,BTC,b2,1',
        'l1,BTC,b1,1',
      ),
    )
    const { notes } = await show(await books, 'gains', { method: 'specific', rules: 'us', selection })
    expect(notes.filter((note) => note.includes('selection'))).toEqual([
      'The selection names disposals that are not in the books; these lines had no effect: b1 of BTC, l1 of BTC, s1 of SOL, s1-typo of BTC.',
    ])
    const right = readSelection(file(HEADER, 's1,b2,1'))
    const fine = await show(await books, 'gains', { method: 'specific', rules: 'us', selection: right })
    expect(fine.notes.filter((note) => note.includes('selection'))).toEqual([])
  })

  test('of a lot of another coin, or of more than was disposed of, is reported as having no effect there', async () => {
    const of = async (...lines: string[]) => {
      const selection = readSelection(file(...lines))
      const { notes } = await show(await books, 'gains', { method: 'specific', selection })
      return notes.filter((note) => note.includes('selection'))
    }
    const one = await book('USD', [
      'main buy b1 2025-01-01 1 BTC 100',
      'main buy e1 2025-01-02 1 ETH 10',
      'main sell s1 2025-02-01 0.75 BTC 600',
    ])
    const selection = readSelection(file(HEADER, 's1,e1,0.5', 's1,b1,0.75'))
    const { notes } = await show(one, 'gains', { method: 'specific', selection })
    expect(notes.filter((note) => note.includes('selection'))).toEqual([
      'The selection names lots of a different coin from the disposal; these lines had no effect: e1 (ETH) for s1.',
    ])
    // 1.5 BTC and 0.5 ETH were sold: 0.75 and 1 of BTC are a quarter too much, 0.5 of ETH is all of it.
    expect(await of(HEADER, 's1,b1,0.75', 's1,b2,1', 's1,e1,0.5')).toEqual([
      'The selection names more than was disposed of; the excess had no effect: 1.75 for s1, which disposed of 1.5 BTC.',
    ])
    expect(await of('disposal_id,coin,lot_id,quantity', 's1,BTC,b1,0.5', 's1,BTC,b2,1')).toEqual([])
  })

  test('is shared by a sale and its fee in the same coin', async () => {
    const sale = await book('USD', [
      'main buy b1 2025-01-01 2 BTC 100',
      'main buy b2 2025-01-02 2 BTC 300',
      'main sell s1 2025-02-01 1 BTC 600',
      'main sell s1 2025-02-01 0.5 BTC 300',
    ])
    const selection = readSelection(file(HEADER, 's1,b2,1.25', 's1,b1,0.25'))
    const gains = await show(sale, 'gains', { method: 'specific', selection })
    expect(cells(gains, 'lot_id', 'quantity').sort()).toEqual(['b1 0.25', 'b2 0.25', 'b2 1'])
    expect(gains.notes.join()).not.toContain('not held')
  })

  test('may name the coin if one row disposed of several', async () => {
    const selection = readSelection(
      file('disposal_id,coin,lot_id,quantity', 's1,BTC,b2,0.5', 's1,ETH,e1,0.5'),
    )
    const gains = await show(await books, 'gains', { method: 'specific', selection })
    expect(cells(gains, 'lot_id', 'quantity')).toEqual(['b1 1', 'b2 0.5', 'e1 0.5'])
    expect(gains.notes.join()).not.toContain('not held')
  })

  test('of lots that are not held, or do not exist, is named in the report', async () => {
    const selection = readSelection(
      file('disposal_id,coin,lot_id,quantity', 's1,BTC,b2,1.25', 's1,BTC,b9,0.25'),
    )
    const { notes } = await show(await books, 'gains', { method: 'specific', selection })
    expect(notes).toContain(
      'Named lots that are not held; other lots were taken in the order of the rules: ' +
        '0.25 BTC of b2 for s1, 0.25 BTC of b9 for s1.',
    )
  })

  test('without the method specific is refused', async () => {
    const selection = readSelection(file(HEADER, 's1,b2,1'))
    await expect(show(await books, 'gains', { selection })).rejects.toMatchObject({
      message: '--selection requires the method specific.',
      details: { expected: '--method specific', found: 'method fifo' },
    })
  })

  test.each([
    ['disposal,lot,quantity', 's1,b2,1', 'lots.csv:1, column disposal_id', 'disposal,lot,quantity'],
    [HEADER, 's1,b2,-1', 'lots.csv:2, column quantity', '-1'],
    [HEADER, 's1,b2,0', 'lots.csv:2, column quantity', '0'],
    [HEADER, 's1,b2,1e3', 'lots.csv:2, column quantity', '1e3'],
    [HEADER, 's1,,1', 'lots.csv:2, column lot_id', 'an empty cell'],
    [HEADER, 's1,b2', 'lots.csv:2, column quantity', '2 cells'],
    [HEADER, 's1,b2,1\ns1,b2,1', 'lots.csv:3, column lot_id', 'b2 for s1, as in line 2'],
  ])('with header %s and row %j is refused at %s', (header, row, where, found) => {
    expect(() => readSelection(file(header, row))).toThrow(
      expect.objectContaining({
        exitCode: 2,
        details: expect.objectContaining({
          where,
          found,
          action: 'Correct the file and run the command again.',
        }),
      }),
    )
  })

  test('with semicolons, as a spreadsheet saves it, is refused with the correct form', () => {
    expect(() => readSelection(file('disposal_id;lot_id;quantity', 's1;b2;0,5'))).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          expected:
            'disposal_id,lot_id,quantity or disposal_id,coin,lot_id,quantity, ' +
            'with commas between the cells and points for decimals',
        }),
      }),
    )
  })

  test('that is not a file is refused', () => {
    expect(() => readSelection('/nowhere/lots.csv')).toThrow('The file cannot be read.')
  })
})

describe('an allocation', () => {
  const books = book('USD', [
    'main buy b1 2024-01-01 1 BTC 100',
    'cold buy c1 2024-01-02 1 BTC 300',
    'main sell s1 2025-02-01 1 BTC 600',
  ])

  test('decides which lot an account gets when the scope becomes the account', async () => {
    const gains = async (...rows: string[]) => {
      const allocation = rows.length === 0 ? undefined : readAllocation(file(...rows))
      return cells(await show(await books, 'gains', { rules: 'us', allocation }), 'account', 'lot_id', 'gain')
    }
    // Without it the oldest lot goes to the first account by name, which is cold.
    expect(await gains()).toEqual(['main c1 300'])
    expect(await gains('account,coin,lot_id,quantity', 'main,BTC,b1,1')).toEqual(['main b1 500'])
  })

  test('without a change of scope is refused', async () => {
    const allocation = readAllocation(file('account,coin,lot_id,quantity', 'main,BTC,b1,1'))
    await expect(show(await books, 'gains', { rules: 'de', allocation })).rejects.toMatchObject({
      message: '--allocation requires a change of scope from universal to account.',
    })
  })

  test('with an invalid account name is refused', () => {
    expect(() => readAllocation(file('account,coin,lot_id,quantity', ' main,BTC,b1,1'))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ where: 'lots.csv:2, column account' }) }),
    )
  })
})
