// The last line of a build.
import { expect, test } from 'vitest'
import { closingLine } from '../../pipeline/reports/summary.ts'

const closing = (breaks: { error: number; warning: number; notice: number }): string =>
  closingLine({ published: true, breaks })

test('it does not claim that nothing is open below a list of open notices', () => {
  const next = 'Next: `tieout status`, or `tieout report balances`.'
  expect(closing({ error: 0, warning: 0, notice: 0 })).toBe(`Published; nothing is open. ${next}`)
  expect(closing({ error: 0, warning: 0, notice: 39 })).toBe(`Published; only 39 notices open. ${next}`)
  expect(closing({ error: 0, warning: 2, notice: 39 })).toBe(
    'Published; 2 breaks open. Next: `tieout check` shows each break and what to do.',
  )
})
