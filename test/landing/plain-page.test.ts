// The rows of a plain page are those that the exact way finds; every other page is left to it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../models/json.ts'
import { findRows, isObject } from '../../models/rows.ts'
import { plainRows } from '../../pipeline/landing/plain-page.ts'

/** What the exact way finds without a remark; null elsewhere. */
function exactRows(text: string, field: string) {
  try {
    const { value, problems } = parseJson(text)
    const found = problems.length === 0 && isObject(value) ? findRows(value.data, field) : ''
    return typeof found === 'string' ? null : found
  } catch {
    return null
  }
}

const row = '{"id":"1","coin":"BTC","ts":"17"}'
const page = (data: string): string => `{"code":"00000","requestTime":17,"data":${data}}`

describe('a plain page', () => {
  it('returns its rows, in a list or in a member of data', () => {
    const rows = [
      { id: '1', coin: 'BTC', ts: '17' },
      { id: '2', coin: '', ts: 'ünder } ] , :' },
    ]
    expect(plainRows(page(JSON.stringify(rows)), '')).toEqual({ rows, place: 'list' })
    const list = JSON.stringify({ minId: '1', orderList: rows, maxId: '2' })
    expect(plainRows(page(list), 'orderList')).toEqual({ rows, place: { member: 'orderList' } })
  })

  it.each([
    ['no rows', page('[]')],
    ['a number', page('[{"id":"1","ts":17}]')],
    ['a nested object', page('[{"id":"1","more":{"x":"y"}}]')],
    ['an escape', page('[{"id":"1","coin":"B\\u0054C"}]')],
    ['a control character', page('[{"id":"1","coin":"B\tC"}]')],
    ['white space', page('[{"id": "1"}]')],
    ['a key that stands twice', page('[{"id":"1","id":"2"}]')],
    ['a key of the prototype', page('[{"__proto__":"1"}]')],
    ['keys in another order', page(`[${row},{"coin":"BTC","id":"1","ts":"17"}]`)],
    ['a row that lacks a key', page(`[${row},{"id":"1","coin":"BTC"}]`)],
    ['a comma too many', page(`[${row},]`)],
    ['a list that is cut off', `{"data":[${row},{"id":"1"`],
    ['two lists', `{"data":[${row}],"data":[${row}]}`],
    ['a list inside something else', `{"more":{"data":[${row}]},"data":[]}`],
    ['a list that is not on the first level', `{"more":{"data":[${row}]}}`],
    ['a byte-order mark', `\ufeff${page(`[${row}]`)}`],
    ['text after its end', `${page(`[${row}]`)}x`],
  ])('is not one with %s', (_, text) => {
    expect(plainRows(text, '')).toBeNull()
  })

  it('never has other rows than the exact reader finds', () => {
    const plainWord = fc.constantFrom('', 'data', 'list', 'id', '0', ':', '{', '}', ']', ',', 'é')
    const oddWord = fc.oneof(fc.constantFrom('"', '\\', '\u0001', '__proto__'), fc.string({ maxLength: 4 }))
    const word = fc.oneof({ weight: 20, arbitrary: plainWord }, { weight: 1, arbitrary: oddWord })
    const flat = fc.dictionary(word, word, { minKeys: 1, maxKeys: 4 })
    const value = fc.oneof(word, fc.integer(), fc.constant(null), flat)
    const rows = fc.oneof(
      flat.chain((one) =>
        fc.array(fc.record(Object.fromEntries(Object.keys(one).map((key) => [key, word])))),
      ),
      fc.array(flat, { maxLength: 3 }),
      fc.array(fc.dictionary(word, value, { maxKeys: 3 }), { maxLength: 3 }),
    )
    const envelope = fc.tuple(
      fc.dictionary(word, value, { maxKeys: 3 }),
      rows,
      fc.constantFrom('data', 'list'),
    )
    let plain = 0
    fc.assert(
      fc.property(envelope, fc.nat(), fc.nat(), fc.boolean(), ([around, list, name], cut, put, isWhole) => {
        const data = name === 'data' ? list : { ...around, list }
        const whole = JSON.stringify({ ...around, data })
        const spoilt = `${whole.slice(0, cut % whole.length)}${whole.slice(put % whole.length)}`
        const text = isWhole ? whole : spoilt
        const field = name === 'data' ? '' : 'list'
        const found = plainRows(text, field)
        if (found === null) return
        plain += 1
        expect(found).toEqual(exactRows(text, field))
      }),
      { numRuns: 2_000 },
    )
    expect(plain).toBeGreaterThan(100)
  })
})
