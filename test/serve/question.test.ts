// Conditions of a view, as an address gives them.
import { expect, test } from 'vitest'
import { Conditions } from '../../pipeline/serve/question.ts'

const chosen = (given: string): unknown[] => Object.values(new Conditions().oneOf('account', given).values)

test('several names stand between commas, and a name with a comma in it is found as well', () => {
  expect(chosen('main')).toEqual(['main'])
  expect(chosen('main,sub')).toEqual(['main', 'sub', 'main,sub'])
  expect(chosen('Kraken, joint')).toEqual(['Kraken', 'joint', 'Kraken, joint'])
  expect(chosen(',')).toEqual([])
})
