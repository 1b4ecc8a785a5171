// Texts of others on their way to the page: what would turn its text round, or stand there unseen, is shown as a code instead,
// as on the terminal (models/text.ts).

/** As on the terminal; what the page itself sets texts in lines by stays: a browser acts upon neither. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

export const visible = (text: string): string => text.replace(UNPRINTABLE, escaped)
