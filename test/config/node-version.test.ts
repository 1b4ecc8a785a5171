import { expect, test } from 'vitest'
import { inWords, runsOn } from '../../pipeline/config/node-version.ts'

const NEEDED = '^20.19.0 || >=22.11.0'

test.each([
  ['18.20.8', false],
  ['20.9.0', false],
  ['20.19.0', true],
  ['20.100.0', true],
  ['21.7.3', false],
  ['22.0.0', false],
  ['22.11.0', true],
  ['24.0.0', true],
])('Node %s: %s', (version, runs) => {
  expect(runsOn(version, NEEDED)).toBe(runs)
})

test('the versions in words', () => {
  expect(inWords(NEEDED)).toBe('Node 20 (20.19 or later) or Node 22.11 or later')
})
