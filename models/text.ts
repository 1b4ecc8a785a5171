// Foreign text on its way to a terminal: anything that would move the cursor, ring the bell, recolour or reverse it is
// shown as a code instead. The code is JSON's, so that JSON stays the same JSON.

/** Control, format, surrogate and private characters, and Unicode's own line ends; a line break is none of them. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

/** The text with anything that a terminal would act on as `\u001b`; line breaks stay. */
export function forTerminal(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** Spaces, characters without a shape, and the blank braille pattern. */
const UNSEEN = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Whether the text is invisible. */
export const isBlank = (text: string): boolean => text.replace(UNSEEN, '') === ''

/** Invisible characters in a name; plain spaces and the joiners and non-joiners of letters and emoji are allowed. */
const UNSEEN_IN_NAME = /(?![ \u200c\u200d])[\p{Z}\p{Cc}\p{Cf}]/u

/** Code of the first invisible character, which makes two texts look the same when they are not: `U+200B`; null for none. */
export function unseenIn(text: string, kind: 'code' | 'name'): string | null {
  const at = text.search(kind === 'code' ? UNSEEN : UNSEEN_IN_NAME)
  if (at < 0) return null
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** The beginning of a text that is too long to be read, and its length. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
}

/** `1 warning`, `2 warnings`; an irregular plural is passed in. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** `a, b or c`. */
export function oneOfThese(names: readonly string[]): string {
  const [last = '', ...before] = [...names].reverse()
  return before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`
}

/** A word of a command to be copied, quoted for a shell. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
