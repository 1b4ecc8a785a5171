// Conditions of a view, as given in an address.
import { expect, test } from 'vitest'
import { Conditions } from '../../pipeline/serve/question.ts'

const chosen = (given: string): unknown[] => Object.values(new Conditions().oneOf('account', given).values)

test('several names are separated by commas, and a name that contains a comma is found too', () => {
  expect(chosen('main')).toEqual(['main'])
  expect(chosen('main,sub')).toEqual(['main', 'sub', 'main,sub'])
  expect(chosen('Kraken, joint')).toEqual(['Kraken', 'joint', 'Kraken, joint'])
  expect(chosen(',')).toEqual([])
})
