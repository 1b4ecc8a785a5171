// Where rows of a file stand, and what may stand in their cells.
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { readMapped } from '../../pipeline/imports/mapped.ts'
import { type Mapping, shippedMappings } from '../../pipeline/imports/mapping.ts'

const mapping = shippedMappings().find(({ name }) => name === 'coinbase') as Mapping

const HEADER =
  'ID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Fees,Notes'

const read = (...lines: string[]) =>
  readMapped(
    { name: 'export.csv', bytes: Buffer.from([HEADER, ...lines, ''].join('\r\n')) },
    { mapping, account: 'coinbase', zone: 'UTC', quotes: ['EUR'] },
    'new',
  )

const cellsRefused = (...lines: string[]): string => {
  try {
    read(...lines)
  } catch (error) {
    if (error instanceof UsageError) return error.describe()
    throw error
  }
  return ''
}

describe('a note that people have written', () => {
  const NOTE =
    'a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,"For the flat\nin May,\r\n\tthanks ""Jo"""'

  it('may go over several lines', () => {
    const { rows } = read(NOTE, 'a2,2024-01-06 10:00:00 UTC,Receive,BTC,0.02,EUR,40000,800,0,')
    expect(rows.map(({ line, values }) => [line, values[0]])).toEqual([
      [2, 'coinbase-a1:out'],
      [5, 'coinbase-a2:in'],
    ])
  })

  it('and what is wrong behind it is named by the line where it stands', () => {
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,Receive,BTC,x,EUR,40000,800,0,')).toContain(
      'export.csv:6, column Quantity Transacted',
    )
    expect(cellsRefused(NOTE, 'a2,2024-01-06 10:00:00 UTC,"Rece')).toContain('export.csv:5')
    // A quote where none may stand: the note is on lines 2 to 4, and an empty line behind it.
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,Rec"eive')).toContain('export.csv:6,')
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,"Rece')).toContain('export.csv:6,')
  })

  it('has no other control character, nor has a cell of which something is made a line break', () => {
    expect(cellsRefused('a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,"For\u0000"')).toContain(
      'export.csv:2, column Notes',
    )
    expect(cellsRefused('"a\n1",2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,')).toContain(
      'export.csv:2, column ID',
    )
  })
})
