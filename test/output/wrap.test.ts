// Text wrapped to the width of a terminal: which lines it becomes, and that a long cell is not measured over and over.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { printTable } from '../../pipeline/output/table.ts'
import { beginning, setIn, wrapped } from '../../pipeline/output/wrap.ts'

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

describe('sentences set in a width', () => {
  for (const [text, lines] of [
    ['one two three four', ['one two', '  three four']],
    ['  one two three', ['  one two', '    three']],
    // What is copied: a command that fits in a line, and a word that does not.
    ['run `tieout a` to see', ['run', '  `tieout a`', '  to see']],
    ['run `tieout report --wide` now', ['run', '  `tieout', '  report', '  --wide`', '  now']],
    ['run `tieout --dir /books/of/mine`', ['run', '  `tieout', '  --dir', '  /books/of/mine`']],
    ['see /books/of/mine/ledger.duckdb', ['see', '  /books/of/mine/ledger.duckdb']],
    ['a ` stays alone here', ['a ` stays', '  alone here']],
  ] as const)
    test(text, () => expect(setIn(text, 12).split('\n')).toEqual(lines))
})

describe('the work for a cell twice as long is twice as much', () => {
  for (const [what, text] of [
    ['without spaces', 'é'],
    ['of words', 'wörd '],
    ['of wide characters', '語'],
  ] as const)
    test(what, () => {
      let segmented = 0
      const { segment } = Intl.Segmenter.prototype
      // Whatever is not plain ASCII is measured by its characters.
      const spy = vi.spyOn(Intl.Segmenter.prototype, 'segment').mockImplementation(function (
        this: Intl.Segmenter,
        input,
      ) {
        segmented += input.length
        return segment.call(this, input)
      })
      onTestFinished(() => spy.mockRestore())
      const workOf = (length: number): number => {
        segmented = 0
        const columns = [{ name: 'id' }, { name: 'text', kind: 'text' as const }]
        printTable(columns, [['1', text.repeat(length)]], { width: 80, lines: 6 })
        return segmented
      }
      const [once, twice] = [workOf(2_000), workOf(4_000)]
      expect(once).toBeGreaterThanOrEqual(2_000)
      expect(twice / once).toBeLessThan(2.1)
    })
})
