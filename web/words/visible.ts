// Makes text from other sources safe to show: characters that would be invisible or reverse the text are shown as codes, as on
// the terminal (models/text.ts).

/** As on the terminal, except for line breaks and tabs, which the page's own texts use and a browser does not act upon. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

export const visible = (text: string): string => text.replace(UNPRINTABLE, escaped)
