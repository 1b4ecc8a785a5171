// `reports: losses:` in the configuration: amounts never pass through a float.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { readConfig } from '../../pipeline/config/config.ts'

function written(losses: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'losses-')), 'tieout.yaml')
  writeFileSync(file, `reports: { losses: ${losses} }\n`)
  return () => readConfig(file, [])
}

test('amounts are in quotes, or whole numbers', () => {
  const read = written('{ into: 2025, amount: "1250.10", long_term: 300 }')
  expect(read()?.reports.losses).toEqual({ into: 2025, amount: '1250.10', long_term: '300' })
})

test.each([
  '{ into: 2025, amount: 1250.10 }',
  '{ into: 2025, amount: "-1" }',
  '{ into: 2025, amount: "1,250" }',
  '{ into: 25, amount: "1" }',
  '{ amount: "1" }',
])('%s is refused', (losses) => {
  expect(written(losses)).toThrow(UsageError)
})
