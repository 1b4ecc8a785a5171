// Secrets of ours leave a body without moving a byte of the rest.
import { describe, expect, test } from 'vitest'
import { redactSecrets, redactText } from '../../connectors/secrets.ts'

const redact = (text: string, ...secrets: string[]) => {
  const { body, redacted } = redactSecrets(Buffer.from(text), secrets)
  return { text: body.toString(), redacted, bytes: body.length }
}

describe('a secret in a body', () => {
  test('is replaced by a marker of its length, each time it occurs', () => {
    const text = '{"msg":"key s3cret, again s3cret"}'
    expect(redact(text, 's3cret')).toEqual({
      text: '{"msg":"key ******, again ******"}',
      redacted: 2,
      bytes: text.length,
    })
  })

  test('is found in every form in which JSON may escape it', () => {
    const secret = 'a/b"cé'
    const forms = ['a\\/b\\"c\\u00e9', 'a/b\\"c\\u00E9', 'a\\/b\\u0022cé', '\\u0061/b\\"cé']
    for (const form of forms) {
      const found = redact(`{"msg":"<${form}>"}`, secret)
      expect(found.redacted).toBe(1)
      expect(found.text).toBe(`{"msg":"<${'*'.repeat(Buffer.byteLength(form))}>"}`)
    }
  })

  test('of several lines, such as a key in PEM form, is found with its line ends escaped', () => {
    const pem = '-----BEGIN KEY-----\nabc+/=\n-----END KEY-----\n'
    const body = JSON.stringify({ msg: pem })
    expect(redact(body, pem).text).toBe(`{"msg":"${'*'.repeat(body.length - 10)}"}`)
  })

  test('of characters beyond the basic plane is found raw and escaped', () => {
    expect(redact('x🔑y \\ud83d\\udd11', '🔑').text).toBe('x****y ************')
  })

  test('that contains another is replaced whole', () => {
    expect(redact('abcdef abc', 'abc', 'abcdef').text).toBe('****** ***')
  })

  test('of digits alone that stands as a bare number leaves a number, so that the body can still be read', () => {
    expect(redact('{"uid":123456}', '123456').text).toBe('{"uid":999999}')
  })

  test('of digits alone is not mistaken for a part of an amount or an id', () => {
    const text = '{"amount":"0.123456","id":"1234567","msg":"123456"}'
    expect(redact(text, '123456').text).toBe('{"amount":"0.123456","id":"1234567","msg":"999999"}')
  })
})

describe('a body without secrets', () => {
  test('is the very same buffer', () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x5c, 0x7d])
    expect(redactSecrets(body, ['s3cret', ''])).toEqual({ body, redacted: 0 })
    expect(redactSecrets(body, ['s3cret']).body).toBe(body)
  })

  test('keeps bytes that are not UTF-8 where another part is replaced', () => {
    const body = Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from('s3cret')])
    const clean = Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from('******')])
    expect(redactSecrets(body, ['s3cret']).body).toEqual(clean)
  })
})

test('a text that is shown holds no secret either', () => {
  expect(redactText('sign of s3cret is wrong', ['s3cret'])).toBe('sign of ****** is wrong')
})
