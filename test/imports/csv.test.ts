// Where rows of a file stand, and what may stand in their cells.
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { readMapped } from '../../pipeline/imports/mapped.ts'
import { type Mapping, shippedMappings } from '../../pipeline/imports/mapping.ts'

const mapping = shippedMappings().find(({ name }) => name === 'coinbase') as Mapping

const HEADER =
  'ID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Fees,Notes'

const readText = (text: string, by: Mapping = mapping) =>
  readMapped(
    { name: 'export.csv', bytes: Buffer.from(text) },
    { mapping: by, account: 'coinbase', zone: 'UTC', quotes: ['EUR'] },
    'new',
  )

const read = (...lines: string[]) => readText([HEADER, ...lines, ''].join('\r\n'))

const refused = (reading: () => unknown): string => {
  try {
    reading()
  } catch (error) {
    if (error instanceof UsageError) return error.describe()
    throw error
  }
  return ''
}

const cellsRefused = (...lines: string[]): string => refused(() => read(...lines))

describe('a note written by people', () => {
  const NOTE =
    'a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,"For the flat\nin May,\r\n\tthanks ""Jo"""'

  it('may go over several lines', () => {
    const { rows } = read(NOTE, 'a2,2024-01-06 10:00:00 UTC,Receive,BTC,0.02,EUR,40000,800,0,')
    expect(rows.map(({ line, values }) => [line, values[0]])).toEqual([
      [2, 'coinbase-a1:out'],
      [5, 'coinbase-a2:in'],
    ])
  })

  it('and a problem after it is reported with the line where it is', () => {
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,Receive,BTC,x,EUR,40000,800,0,')).toContain(
      'export.csv:6, column Quantity Transacted',
    )
    expect(cellsRefused(NOTE, 'a2,2024-01-06 10:00:00 UTC,"Rece')).toContain('export.csv:5')
    // A quote where none may stand: the note is on lines 2 to 4, and an empty line behind it.
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,Rec"eive')).toContain('export.csv:6,')
    expect(cellsRefused(NOTE, '', 'a2,2024-01-06 10:00:00 UTC,"Rece')).toContain('export.csv:6,')
  })

  it('has no other control character, and neither has a cell in which something becomes a line break', () => {
    expect(cellsRefused('a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,"For\u0000"')).toContain(
      'export.csv:2, column Notes',
    )
    // As does the one behind all printable ones.
    expect(cellsRefused('a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,"For\u007f"')).toContain(
      'U+007F',
    )
    expect(cellsRefused('"a\n1",2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,')).toContain(
      'export.csv:2, column ID',
    )
  })
})

describe('a file that is not CSV as it is read here', () => {
  const BROKER: Mapping = { ...mapping, name: 'broker', delimiter: ';' }

  it('because its lines end with CR alone is reported as such', () => {
    const row = 'a1,2024-01-05 10:00:00 UTC,Send,BTC,0.01,EUR,40000,400,0,'
    expect(refused(() => readText(`${HEADER}\r${row}\r`))).toBe(
      [
        'The lines of the file end with a carriage return only.',
        '  where:    export.csv:1',
        '  expected: lines that end with LF or CRLF',
        '  found:    CR (U+000D) and no LF in the whole file, as in “CSV (Macintosh)”',
        '  next:     Save the file as CSV in UTF-8 and import it again; nothing of it has been imported.',
      ].join('\n'),
    )
  })

  it('is reported with the separator of its mapping', () => {
    const header = HEADER.replaceAll(',', ';')
    const row = 'a1;2024-01-05 10:00:00 UTC;Send;BTC;0.01;EUR;40000;400;0;a"b'
    expect(refused(() => readText(`${header}\n${row}\n`, BROKER))).toContain('cells separated by semicolons')
    expect(refused(() => readText(`${HEADER}\n${row.replaceAll(';', ',')}\n`))).toContain(
      'cells separated by commas',
    )
  })
})
