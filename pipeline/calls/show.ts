// What a call prints: JSON with every digit as received. Characters that a terminal would act upon are written as
// escapes, which in JSON mean the same.
import type { RequestMeta } from '../../connectors/errors.ts'

/** Everything that could move the cursor, ring, recolour or reverse the text of a terminal, but the line break. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Indented for people, or on one line for a script. */
export function showJson(value: unknown, forScript: boolean): string {
  const text = JSON.stringify(value ?? null, null, forScript ? undefined : 2)
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** A request that has not been sent; `body` as it will be, without secrets. */
export function showRequest({ method, path, body }: RequestMeta, forScript: boolean): string {
  const fields: unknown = body === undefined ? undefined : JSON.parse(body)
  if (forScript) return showJson({ method, path, ...(fields === undefined ? {} : { body: fields }) }, true)
  return [`${method} ${path}`, ...(fields === undefined ? [] : [showJson(fields, false)])].join('\n')
}
