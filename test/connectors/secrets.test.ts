// Secrets of ours leave a body without moving a byte of the rest.
import { describe, expect, onTestFinished, test } from 'vitest'
import { MultiSearch } from '../../connectors/multi-search.ts'
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

  test('is found in JSON within JSON, in every form in which the two may escape it, and the rest can still be read', () => {
    const secret = 'a/b"c\né🔑'
    const inner = [
      JSON.stringify(secret).slice(1, -1),
      'a\\/b\\"c\\n\\u00e9\\ud83d\\udd11',
      '\\u0061\\/b\\u0022c\\u000A\\u00E9🔑',
    ]
    const outer = (text: string): string[] => {
      const usual = JSON.stringify(`{"k":"${text}"}`)
      return [
        usual,
        usual.replaceAll('\\\\', '\\u005C'),
        usual.replaceAll('u00', '\\u007500').replaceAll('/', '\\/'),
      ]
    }
    for (const form of inner.flatMap(outer)) {
      expect(JSON.parse(JSON.parse(form))).toEqual({ k: secret })
      const { text, redacted, bytes } = redact(`{"msg":${form}}`, secret)
      expect([redacted, bytes]).toEqual([1, Buffer.byteLength(`{"msg":${form}}`)])
      expect(JSON.parse(JSON.parse(text).msg).k).toMatch(/^\*+$/)
    }
  })

  test('is not found in a text that only begins like an escape of it', () => {
    for (const text of ['\\\\u006', '\\\\u006g', '\\\\x61bc', '\\\\', '\\u005c'])
      expect(redact(`${text}bc`, 'abc').redacted).toBe(0)
  })

  test('of several lines, such as a key in PEM form, is found with escaped line ends', () => {
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

  test('of digits alone that is a bare number is replaced by a number, so that the body can still be read', () => {
    expect(redact('{"uid":123456}', '123456').text).toBe('{"uid":999999}')
  })

  test('of digits alone inside a longer number does not hide another one that ends there', () => {
    expect(redact('9123', '123', '23').text).toBe('9123')
    expect(redact('x9123', 'x9123', '123').text).toBe('*****')
    expect(redact('123.5 a123', 'a123', '123').text).toBe('123.5 ****')
  })

  test('that overlaps another is counted with it, and both are masked whatever their order', () => {
    expect(redact('abcdefgh', 'abcdef', 'efgh')).toEqual({ text: '********', redacted: 1, bytes: 8 })
    expect(redact('"\\u0061bc-1234" 1234', 'abc-1234', '1234')).toEqual({
      text: '"*************" 9999',
      redacted: 2,
      bytes: 20,
    })
  })

  test('of digits alone is not found inside an amount or an id', () => {
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

  test('keeps bytes that are not UTF-8 if another part is replaced', () => {
    const body = Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from('s3cret')])
    const clean = Buffer.concat([Buffer.from([0xff, 0x80]), Buffer.from('******')])
    expect(redactSecrets(body, ['s3cret']).body).toEqual(clean)
  })
})

test('a displayed text contains no secret either', () => {
  expect(redactText('sign of s3cret is wrong', ['s3cret'])).toBe('sign of ****** is wrong')
})

describe('the search', () => {
  test('takes at most three steps for each byte, however secret and body are constructed', () => {
    let steps = 0
    const push = MultiSearch.prototype.push
    MultiSearch.prototype.push = function (this: MultiSearch, byte: number) {
      steps += 1
      return push.call(this, byte)
    }
    onTestFinished(() => {
      MultiSearch.prototype.push = push
    })
    const bytes = 1 << 16
    const letter = 'a'.repeat(200)
    const almost = `${'a'.repeat(199)}b`
    const texts: [string, number][] = [
      ['a'.repeat(bytes), 1],
      [almost.repeat(bytes / 200), 0],
      [`\\\\${almost.repeat(bytes / 200)}`, 0],
      ['\\u0061'.repeat(bytes / 6), 1],
      [`${'\\u0061'.repeat(199)}b`.repeat(bytes / 1_200), 0],
      ['\\'.repeat(bytes), 0],
    ]
    for (const [text, redacted] of texts) {
      steps = 0
      expect(
        redactSecrets(Buffer.from(text), [letter, `b${letter}`, `${letter}b`, `c${letter}`]).redacted,
      ).toBe(redacted)
      expect(steps).toBeGreaterThan(0)
      expect(steps).toBeLessThanOrEqual(3 * text.length)
    }
  })

  test('finds the same as an expression that tries every position', () => {
    const random = seeded(7)
    for (let round = 0; round < 3_000; round += 1) {
      const letters = (most: number): string =>
        Array.from({ length: 1 + Math.floor(random() * most) }, () => 'xyzé'[Math.floor(random() * 4)]).join(
          '',
        )
      const text = letters(30)
      // One that may stand in it, and a longer one that does.
      const start = Math.floor(random() * text.length)
      const secrets = [letters(4), text.slice(start, start + 1 + Math.floor(random() * 14))]
      const escaped = [...text]
        .map((one) => (random() < 0.3 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one))
        .join('')
      const hidden = new Set<number>()
      for (const secret of secrets) {
        for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
          for (let place = at; place < at + secret.length; place += 1) hidden.add(place)
      }
      const clean = redactSecrets(Buffer.from(escaped), secrets).body.toString()
      const shown = [...text].filter((_, place) => !hidden.has(place)).join('')
      const read = clean.replace(/\\u([0-9a-f]{4})/g, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      expect(read.replaceAll('*', '')).toBe(shown)
    }
  })
})

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
