// Colours and links: only where they are wanted, and never those of a text.
import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import { afterEach, expect, test, vi } from 'vitest'
import { inkFor } from '../../pipeline/output/ink.ts'

afterEach(() => vi.unstubAllEnvs())

/** As Node's own terminals do, it asks the environment how many colours it has. */
const terminal = () => {
  const { getColorDepth } = WriteStream.prototype
  return Object.assign(new PassThrough(), { isTTY: true, getColorDepth })
}

test('ink: a pipe has neither colours nor links', () => {
  vi.stubEnv('FORCE_COLOR', undefined)
  const ink = inkFor(new PassThrough())
  expect([ink.mark('good', 'Ties out'), ink.file('/tmp/a b.csv')]).toEqual(['Ties out', '/tmp/a b.csv'])
})

test('ink: FORCE_COLOR and FORCE_HYPERLINK enable them, and characters that would control a terminal are shown as codes', () => {
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('FORCE_COLOR', '1')
  vi.stubEnv('FORCE_HYPERLINK', '1')
  const ink = inkFor(terminal())
  expect(ink.mark('bad', '2 open\u001b[2J')).toBe('\u001b[31m2 open\\u001b[2J\u001b[39m')
  expect(ink.file('/tmp/a b.csv')).toBe(
    '\u001b]8;;file:///tmp/a%20b.csv\u001b\\/tmp/a b.csv\u001b]8;;\u001b\\',
  )
})

test('ink: NO_COLOR disables the colours of a terminal', () => {
  vi.stubEnv('FORCE_COLOR', undefined)
  vi.stubEnv('NO_COLOR', '1')
  expect(inkFor(terminal()).mark('good', 'Ties out')).toBe('Ties out')
})
