// Signatures: base64 of HMAC-SHA256 over time + method + path + query + body, or of SHA256withRSA for an RSA key.
// The query is signed decoded, with its keys in ascending order. Source: venue-facts, Signing.
import { createHmac, sign as signWithKey } from 'node:crypto'

/** What is sent, and which parts of it are signed. */
export interface Wire {
  readonly method: 'GET' | 'POST'
  /** Path with the encoded query, as sent. */
  readonly path: string
  /** Path with the decoded query, as signed. */
  readonly signedPath: string
  /** Exactly the bytes sent; empty for GET. */
  readonly body: string
}

/** Builds the request of an endpoint: a GET has its parameters in the query, a POST in a JSON body. */
export function wireOf(
  method: 'GET' | 'POST',
  path: string,
  params: Readonly<Record<string, unknown>>,
  bodyParam?: string,
): Wire {
  if (method === 'POST') {
    const body = JSON.stringify(bodyParam === undefined ? params : params[bodyParam])
    return { method, path, signedPath: path, body }
  }
  const pairs = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, String(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const query = (write: (text: string) => string): string =>
    pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${write(key)}=${write(value)}`).join('&')}`
  return {
    method,
    path: path + query(encodeURIComponent),
    signedPath: path + query((text) => text),
    body: '',
  }
}

/** Signature of a request at a time (Unix milliseconds by the venue's clock). A secret in PEM form is an RSA key. */
export function signature(wire: Wire, timestampMs: number, secret: string): string {
  const prehash = `${timestampMs}${wire.method}${wire.signedPath}${wire.body}`
  return secret.includes('-----BEGIN')
    ? signWithKey('RSA-SHA256', Buffer.from(prehash), secret).toString('base64')
    : createHmac('sha256', secret).update(prehash).digest('base64')
}
