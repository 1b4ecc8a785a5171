// Texts of others on their way to a terminal: what would move its cursor, ring, recolour or reverse it is shown as a
// code instead. The code is that of JSON, so that JSON stays the same JSON.

/** Control, format, surrogate and private characters, and Unicode's own line ends; a line break is none of them. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

/** The text with what a terminal would act upon as `\u001b`; line breaks stay. */
export function forTerminal(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** Spaces, what has no shape of its own, and the blank sign of braille. */
const UNSEEN = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Whether nothing of it can be seen. */
export const isBlank = (text: string): boolean => text.replace(UNSEEN, '') === ''

/** What nobody sees in a name; a plain space, and what joins letters and emoji or keeps them apart, belongs to some. */
const UNSEEN_IN_NAME = /(?![ \u200c\u200d])[\p{Z}\p{Cc}\p{Cf}]/u

/** Code of the first sign that nobody sees, so that two texts look the same and are not: `U+200B`; null for none. */
export function unseenIn(text: string, kind: 'code' | 'name'): string | null {
  const at = text.search(kind === 'code' ? UNSEEN : UNSEEN_IN_NAME)
  if (at < 0) return null
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** The beginning of a text that is too long to be read, and how long it was. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
}

/** `1 warning`, `2 warnings`; what has another plural is named with it. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** `a, b or c`. */
export function oneOfThese(names: readonly string[]): string {
  const [last = '', ...before] = [...names].reverse()
  return before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
}

/** A word of a command to be copied, as a shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
