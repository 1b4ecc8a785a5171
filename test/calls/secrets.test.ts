// Secrets that the venue hands out once, in answers of every shape: shown as asterisks, kept out of the journal.
import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../connectors/endpoints/broker.ts'
import { cleanBody, maskSecrets } from '../../pipeline/calls/secrets.ts'

const stars = (length: number): string => '*'.repeat(length)

describe('an answer that is shown', () => {
  test.each([
    ['a text', { secretKey: 'abcdef' }, { secretKey: stars(6) }],
    ['a text in any spelling of its name', { SECRETKEY: 'abcdef' }, { SECRETKEY: stars(6) }],
    ['a text in a list', [{ secretKey: 'abc', label: 'one' }], [{ secretKey: stars(3), label: 'one' }]],
    ['a number', { secretKey: 1234 }, { secretKey: stars(4) }],
    ['an object', { secretKey: { value: 'abc' } }, { secretKey: stars('{"value":"abc"}'.length) }],
    ['an object without a text of its own', { secretKey: Object.create(null) }, { secretKey: stars(2) }],
    ['nothing', { secretKey: null }, { secretKey: stars(4) }],
  ])('has asterisks for %s', (_, data, shown) => {
    expect(maskSecrets(createApiKey, data)).toEqual(shown)
  })
})

describe('an answer that is journaled', () => {
  test.each([
    ['a text', '{"secretKey":"s3cr3t-value"}'],
    ['an escaped text', '{"secretKey":"s3cr3t\\u002dvalue"}'],
    ['an object', '{"secretKey":{"value":"s3cr3t-value"}}'],
    ['a list of objects', '{"secretKey":[{"value":["s3cr3t-value"]}]}'],
  ])('contains nothing of %s, and keeps its length', (_, data) => {
    const body = Buffer.from(`{"code":"00000","data":${data}}`)

    const cleaned = cleanBody(createApiKey, body, [])

    expect(cleaned.redacted).toBeGreaterThan(0)
    expect(cleaned.body).toHaveLength(body.length)
    expect(cleaned.body.toString()).toContain('"code":"00000"')
    expect(cleaned.body.toString()).not.toContain('s3cr3t')
  })

  test.each([
    ['is no JSON', '{"code":"00000","data":{"secretKey":"s3cr3t-value"'],
    [
      'gives one name two values',
      '{"code":"00000","data":{"secretKey":"s3cr3t-value","secretKey":"s3cr3t-other"}}',
    ],
  ])('is journaled without its body if it %s, because the secret could be anywhere', (_, body) => {
    expect(cleanBody(createApiKey, Buffer.from(body), [])).toEqual({ body: Buffer.alloc(0), redacted: 1 })
  })
})
