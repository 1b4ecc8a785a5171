// The lossless reader: what it keeps that JSON.parse loses, what it refuses, and that it is JSON.parse otherwise.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DUPLICATES, JsonError, parseJson, parseJsonBytes } from '../../models/json.ts'

const errorOf = (text: string): JsonError => {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error(`accepted: ${text}`)
}

describe('a bare number', () => {
  it.each([
    ['12345678901234567890', 'a long integer'],
    ['9007199254740993', 'an integer past 2^53'],
    ['0.1234567890123456789', 'more digits than a float holds'],
    ['1.50', 'a trailing zero'],
    ['1e5', 'an exponent'],
    ['1E-9', 'a capital exponent'],
    ['-0', 'a negative zero'],
    ['1e400', 'beyond the range of a float'],
  ])('%s (%s) arrives as text with exactly these digits, and is reported', (lexeme) => {
    const { value, problems } = parseJson(`{"a":{"cursor": ${lexeme} },"b":[${lexeme}]}`)
    expect(value).toEqual({ a: { cursor: lexeme }, b: [lexeme] })
    expect(problems).toEqual([
      { kind: 'number', key: 'cursor', lexeme },
      { kind: 'number', key: 'b', lexeme },
    ])
  })

  it.each([
    '0',
    '-1',
    '1763688181556',
    '999999999999999',
    '0.1',
    '-42.5',
    '1e+21',
    '1e-7',
    '9007199254740991',
  ])('%s that a float holds and prints identically stays a number', (lexeme) => {
    expect(parseJson(`[${lexeme}]`)).toEqual({ value: [Number(lexeme)], problems: [] })
  })

  it('inside a string is left alone', () => {
    const text = '{"note":"pay 12345678901234567890, \\"1.50\\" or \\\\","n":1}'
    expect(parseJson(text)).toEqual({ value: JSON.parse(text), problems: [] })
  })

  it('after an inner object is reported with the key around it, not with the last key read', () => {
    const { problems } = parseJson('{"list":[{"inner":1},1.50]}')
    expect(problems).toEqual([{ kind: 'number', key: 'list', lexeme: '1.50' }])
  })

  it('alone is a complete text', () => {
    expect(parseJson('1.50').value).toBe('1.50')
    expect(parseJson(' 15 ').value).toBe(15)
    expect(parseJson('15').value).toBe(15)
  })
})

describe('a key that occurs twice', () => {
  it('with equal values is one member, and reported', () => {
    expect(parseJson('{"id":"1","x":[1,{"y":2}],"id":"1","x":[1,{"y":2}]}')).toEqual({
      value: { id: '1', x: [1, { y: 2 }] },
      problems: [
        { kind: 'duplicate key', key: 'id' },
        { kind: 'duplicate key', key: 'x' },
      ],
    })
  })

  it('with unequal values marks the object with the value that was replaced', () => {
    const { value, problems } = parseJson('{"data":[{"id":"1"},{"id":"2","fee":"0","id":"3"}]}')
    const [plain, marked] = (value as { data: Record<string | symbol, unknown>[] }).data
    expect(plain).toEqual({ id: '1' })
    expect(plain?.[DUPLICATES]).toBeUndefined()
    expect(marked?.[DUPLICATES]).toEqual([['id', '2']])
    expect(marked?.id).toBe('3')
    expect(problems).toEqual([{ kind: 'conflicting key', key: 'id' }])
  })

  it('is recognised through different spellings of the key and through exact numbers', () => {
    expect(parseJson('{"\\u0061":1,"a":2}').problems).toEqual([{ kind: 'conflicting key', key: 'a' }])
    expect(parseJson('{"a":9007199254740993,"a":9007199254740992}').problems).toContainEqual({
      kind: 'conflicting key',
      key: 'a',
    })
  })
})

describe('the text', () => {
  it('loses a leading byte-order mark, which is reported', () => {
    expect(parseJson('\ufeff{"a":1}')).toEqual({
      value: { a: 1 },
      problems: [{ kind: 'byte-order mark', key: '' }],
    })
    expect(parseJsonBytes(Buffer.from('\ufeff[]')).problems).toHaveLength(1)
  })

  it('nested 64 deep is read, one deeper is refused', () => {
    expect(parseJson('['.repeat(64) + ']'.repeat(64)).problems).toEqual([])
    expect(errorOf('['.repeat(65) + ']'.repeat(65))).toMatchObject({
      offset: 64,
      what: 'nesting that is too deep',
    })
    expect(errorOf('{"a":'.repeat(100_000))).toMatchObject({ what: 'nesting that is too deep' })
  })

  it('keeps a key named __proto__ as plain data', () => {
    for (const text of ['{"__proto__":{"id":"1"}}', '{"__proto__":{"id":"1"},"a":1,"a":2}']) {
      const value = parseJson(text).value as object
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.entries(value)[0]).toEqual(['__proto__', { id: '1' }])
    }
  })

  it.each([
    ['', 0, 'a text that is cut off'],
    ['{"code":"00000","data":[{"id":"1"', 33, 'a text that is cut off'],
    ['{"code":"000', 8, 'a string that is not closed'],
    ['<html>', 0, 'something that is no value'],
    ['{"a":1}}', 7, 'text after the end of the value'],
    ['{"a":01.50}', 6, 'an object without a comma or an end'],
    ['{1.50:2}', 1, 'an object without a quoted key'],
    ['[1,]', 3, 'something that is no value'],
    ['["\u0007"]', 1, 'a string with a control character or a wrong escape'],
    ['\ufeff[1 2]', 4, 'a list without a comma or an end'],
  ])('%j is refused, with the place', (text, offset, what) => {
    expect(errorOf(text)).toMatchObject({ offset, what })
  })

  it('that is not UTF-8 is refused, never silently repaired', () => {
    expect(() => parseJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow(JsonError)
  })

  it('is described without being repeated', () => {
    expect(errorOf('{"email":"a@b.c",').describe()).toBe(
      [
        'Not readable as JSON: a text that is cut off.',
        '  where:    character 17',
        '  expected: JSON text in UTF-8, nested at most 64 deep',
        '  next:     Get the text again from its source; nothing was read from it.',
      ].join('\n'),
    )
  })
})

describe('against JSON.parse', () => {
  it('any value that JavaScript writes is read as the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(text)).toEqual({ value: JSON.parse(text), problems: [] })
      }),
    )
  })

  it('any text with numbers in any spelling keeps each as its float or, if that differs, as its lexeme', () => {
    const digits = fc.stringMatching(/^[0-9]{1,25}$/)
    const lexeme = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.constantFrom('', 'e5', 'E-12', 'e+400'))
      .map(
        ([sign, whole, part, power]) =>
          `${sign}${whole.replace(/^0+(?=.)/, '')}${part === null ? '' : `.${part}`}${power}`,
      )
    const { tree } = fc.letrec<{ tree: { text: string; value: unknown } }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        lexeme.map((text) => ({ text, value: String(Number(text)) === text ? Number(text) : text })),
        fc.string({ unit: 'grapheme' }).map((value) => ({ text: JSON.stringify(value), value })),
        fc.array(tie('tree')).map((items) => ({
          text: `[ ${items.map((item) => item.text).join(' ,\n')}]`,
          value: items.map((item) => item.value),
        })),
        fc.dictionary(fc.string(), tie('tree')).map((members) => ({
          text: `{${Object.entries(members).map(([key, item]) => `\t${JSON.stringify(key)} : ${item.text}`)}}`,
          value: Object.fromEntries(Object.entries(members).map(([key, item]) => [key, item.value])),
        })),
      ),
    }))
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        expect(parseJson(text).value).toEqual(value)
      }),
      { numRuns: 300 },
    )
  })

  it('a text is refused exactly when JSON.parse refuses it', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b\\n',
      '"',
      '1',
      '1.50',
      '-',
      'e',
      'true',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (list) => {
        const text = list.join('')
        let accepted = true
        try {
          JSON.parse(text)
        } catch {
          accepted = false
        }
        if (accepted) parseJson(text)
        else expect(errorOf(text).offset).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 5_000 },
    )
  })
})
