// Takes secrets of ours out of what the venue sent, before it is journaled. Nothing else of the bytes changes:
// each occurrence is replaced by asterisks (nines for digits) of the same byte length, so that every offset stays.

/** A secret of digits alone may be part of an amount or an id: only a whole run of digits counts as the secret. */
const inDigits = (pattern: string): string => `(?<![0-9.])${pattern}(?![0-9.])`

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** `\u00e9` in either case of its hex digits. */
function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
  return units
    .map((unit) => {
      const hex = unit.toString(16).padStart(4, '0')
      return `\\\\u${[...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('')}`
    })
    .join('')
}

/** Every way in which JSON may write a text, over its UTF-8 bytes as Latin-1. */
function patternOf(secret: string): string {
  const pattern = [...secret]
    .map((character) => {
      const short = shortEscapes[character]
      const ways = [literal(Buffer.from(character, 'utf8').toString('latin1')), unicodeEscape(character)]
      if (short !== undefined) ways.unshift(literal(`\\${short}`))
      return `(?:${ways.join('|')})`
    })
    .join('')
  return /^\d+$/.test(secret) ? inDigits(pattern) : pattern
}

/** Without a backslash nothing is escaped, so a plain search clears nearly every body at memory speed. */
function mayHold(body: Buffer, secrets: readonly string[]): boolean {
  return body.includes(0x5c) || secrets.some((secret) => body.includes(secret))
}

/** Of equal length. Digits may stand as a bare number, which must stay one for the body to be read. */
const marker = (found: string): string => (/^\d+$/.test(found) ? '9' : '*').repeat(found.length)

/** Replaces every occurrence of a secret, also in its JSON-escaped forms; says how many there were. */
export function redactSecrets(body: Buffer, secrets: readonly string[]): { body: Buffer; redacted: number } {
  const longestFirst = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
  if (longestFirst.length === 0 || !mayHold(body, longestFirst)) return { body, redacted: 0 }
  const expression = new RegExp(longestFirst.map(patternOf).join('|'), 'g')
  let redacted = 0
  const clean = body.toString('latin1').replace(expression, (found) => {
    redacted += 1
    return marker(found)
  })
  return redacted === 0 ? { body, redacted } : { body: Buffer.from(clean, 'latin1'), redacted }
}

/** The same for a text that is shown. */
export function redactText(text: string, secrets: readonly string[]): string {
  return redactSecrets(Buffer.from(text), secrets).body.toString('utf8')
}
