// What a call prints: JSON with every digit as received. Characters that a terminal would act on are written as
// escapes, which mean the same in JSON.
import type { RequestMeta } from '../../connectors/errors.ts'
import { forTerminal } from '../../models/text.ts'

/** Indented for people, or on one line for a script. */
export function showJson(value: unknown, forScript: boolean): string {
  const text = JSON.stringify(value ?? null, null, forScript ? undefined : 2)
  return forTerminal(text)
}

/** A request that has not been sent, with `body` as it will be sent, without secrets. */
export function showRequest({ method, path, body }: RequestMeta, forScript: boolean): string {
  const fields: unknown = body === undefined ? undefined : JSON.parse(body)
  if (forScript) return showJson({ method, path, ...(fields === undefined ? {} : { body: fields }) }, true)
  return [`${method} ${path}`, ...(fields === undefined ? [] : [showJson(fields, false)])].join('\n')
}
