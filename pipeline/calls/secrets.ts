// Secrets that the venue hands out in an answer (4.1). They are found by field name, at any depth and in any spelling,
// so that they can be stored where they belong and masked everywhere else.
import type { Endpoint } from '../../connectors/endpoint.ts'
import { redactSecrets } from '../../connectors/secrets.ts'
import { parseJsonBytes } from '../../models/json.ts'

/** An answer as it may be journaled: its secrets are replaced by asterisks of equal length. */
export function cleanBody(
  endpoint: Endpoint,
  body: Buffer,
  ours: readonly string[],
): { body: Buffer; redacted: number } {
  if (endpoint.secretFields === undefined || body.length === 0) return redactSecrets(body, ours)
  const readable = readWhole(body)
  // In a body that cannot be parsed, the secret could be anywhere, so nothing of it is kept.
  if (readable === null) return { body: Buffer.alloc(0), redacted: 1 }
  const issued = textsUnder(readable.value, [...endpoint.secretFields, 'apiKey'])
  return redactSecrets(body, [...ours, ...issued])
}

/** The value of a body; null if it is not JSON, or if a key with two values hides one of them. */
function readWhole(body: Buffer): { value: unknown } | null {
  try {
    const { value, problems } = parseJsonBytes(body)
    return problems.some(({ kind }) => kind === 'conflicting key') ? null : { value }
  } catch {
    return null
  }
}

/** The data of an answer as it may be shown. */
export function maskSecrets(endpoint: Endpoint, data: unknown): unknown {
  const secret = new Set(endpoint.secretFields?.map((name) => name.toLowerCase()))
  if (secret.size === 0) return data
  const mask = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mask)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        secret.has(name.toLowerCase()) ? stars(member) : mask(member),
      ]),
    )
  }
  return mask(data)
}

const stars = (secret: unknown): string =>
  '*'.repeat((typeof secret === 'string' ? secret : (JSON.stringify(secret) ?? '')).length)

/** Strings under one of these names, in any capitalisation and at any depth, whatever is in between. */
export function textsUnder(value: unknown, names: readonly string[]): string[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const search = (one: unknown, isWanted: boolean): string[] => {
    if (typeof one !== 'object' || one === null)
      return isWanted && one !== null && one !== undefined && one !== '' ? [String(one)] : []
    return Object.entries(one).flatMap(([key, member]) =>
      search(member, isWanted || (!Array.isArray(one) && wanted.has(key.toLowerCase()))),
    )
  }
  return search(value, false)
}
