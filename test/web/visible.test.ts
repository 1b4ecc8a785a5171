// How the page shows text with control characters: the same as the terminal.
import { expect, test } from 'vitest'
import { forTerminal } from '../../models/text.ts'
import { visible } from '../../web/words/visible.ts'

test('the page shows every character as the terminal does, except the tab', () => {
  const others = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => visible(character) !== forTerminal(character),
  )
  expect(others).toEqual(['\t'])
  expect(visible('BTC\u202eDSU\u2066\n')).toBe('BTC\\u202eDSU\\u2066\n')
})
