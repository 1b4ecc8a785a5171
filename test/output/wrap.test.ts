// Text wrapped to the width of a terminal: which lines it becomes, and that a long cell is not measured over and over.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { printTable } from '../../pipeline/output/table.ts'
import { beginning, wrapped } from '../../pipeline/output/wrap.ts'

const measured = vi.hoisted(() => ({ characters: 0 }))
vi.mock('string-width', async (original) => {
  const { default: stringWidth } = await original<{ default: (text: string) => number }>()
  return {
    default: (text: string) => {
      measured.characters += text.length
      return stringWidth(text)
    },
  }
})
beforeEach(() => {
  measured.characters = 0
})

describe('wrapped text', () => {
  for (const [text, lines] of [
    ['fits', ['fits']],
    ['one two three', ['one two', 'three']],
    ['abcdefghijk', ['abcdefgh', 'ijk']],
    ['ab abcdefghijk lm', ['ab', 'abcdefgh', 'ijk lm']],
    ['ab abcdefghijklmnop q', ['ab', 'abcdefgh', 'ijklmnop', 'q']],
    // Spaces of the text stay, except where a line ends.
    ['a  b        c', ['a  b    ', 'c']],
    // Two columns each, and never half of one.
    ['日本語日本語', ['日本語日', '本語']],
    ['a日本語日本語', ['a日本語', '日本語']],
    // A flag is two code points, and a family five: they stay whole.
    ['abcdefg🇩🇪🇫🇷', ['abcdefg', '🇩🇪🇫🇷']],
    ['abcdefg👨‍👩‍👧x', ['abcdefg', '👨‍👩‍👧x']],
    ['', ['']],
  ] as const)
    test(JSON.stringify(text), () => expect(wrapped(text, 8)).toEqual(lines))

  test('has at least one character in a line', () => {
    expect(wrapped('日本', 1)).toEqual(['日', '本'])
    expect(beginning('日本', 1)).toBe('日')
    expect(beginning('', 1)).toBe('')
  })
})

describe('the work for a cell twice as long is twice as much', () => {
  for (const [what, character] of [
    ['without spaces', 'x'],
    ['of words', 'words '],
    ['of wide characters', '語'],
  ] as const)
    test(what, () => {
      const columns = [{ name: 'id' }, { name: 'text', kind: 'text' as const }]
      const workOf = (length: number): number => {
        measured.characters = 0
        printTable(columns, [['1', character.repeat(length)]], { width: 80, lines: 6 })
        return measured.characters
      }
      const [once, twice] = [workOf(4_000), workOf(8_000)]
      expect(once).toBeGreaterThanOrEqual(4_000)
      expect(twice / once).toBeLessThan(2.1)
      expect(once).toBeLessThan(20 * 4_000 * character.length)
    })
})
