// Two versions of a report, of which the later one has a column more: only what stands in it is a difference.
import { expect, test } from 'vitest'
import { differenceOf } from '../../pipeline/evidence/difference.ts'
import { allRows } from '../../pipeline/output/column.ts'

test('a column that came with another version makes no difference of lines in which it is zero', async () => {
  const before = {
    columns: ['account', 'income'],
    rows: [
      ['main', '5'],
      ['spare', '7'],
      ['desk', '0'],
    ],
  }
  const after = {
    columns: ['account', 'income', 'liquidations'],
    rows: [
      ['main', '5', '0'],
      ['spare', '9', '-2'],
      ['desk', '', '0'],
    ],
  }
  const { summary, rows } = differenceOf('year', ['account'], before, after)
  expect(summary).toBe('2 lines changed.')
  expect(await allRows(rows)).toEqual([
    ['changed', 'spare', 'income', '7', '9'],
    ['changed', 'spare', 'liquidations', '', '-2'],
    ['changed', 'desk', 'income', '0', ''],
  ])
  expect(differenceOf('year', ['account'], after, before).summary).toBe('2 lines changed.')
})
