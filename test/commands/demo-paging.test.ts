// The whole house in the other ways in which the venue has been reported to page: every figure equals the sandbox's truth.
import { expect, test } from 'vitest'
import { temporaryFolder, tieout } from '../support/cli.ts'

test.each([
  'newest-first',
  'tax.records=oldest-first-literal,tax.futuresRecords=oldest-first-literal,tax.p2pRecords=unordered-forward',
])(
  'the demo equals the truth with the tax feeds paged %s',
  async (paging) => {
    const demo = await tieout([
      'demo',
      '--dir',
      temporaryFolder(),
      '--seed',
      '3',
      '--days',
      '30',
      '--paging',
      paging,
    ])
    expect(demo.stdout).toContain('equals the sandbox’s truth exactly')
    expect(demo.stdout).toMatch(/Open breaks: 0 errors, 0 warnings/)
    expect(demo.code).toBe(0)
  },
  120_000,
)

test('an unknown way of paging is refused by name, with the ways that there are', async () => {
  const refused = await tieout(['sandbox', '--paging', 'sideways'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('Unknown way of paging "sideways". Known ways: newest-first')
})
