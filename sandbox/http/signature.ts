// Verifies ACCESS-SIGN: base64 of HMAC-SHA256 over time stamp, method, path, query and body. Public clients differ in
// whether they sort the query and whether they sign it encoded, so all four forms are accepted.

import { createHmac } from 'node:crypto'

export interface SignedRequest {
  timestamp: string
  method: string
  path: string
  /** As it was in the URL, without the question mark. */
  query: string
  body: string
  signature: string
}

export function isSignedBy(request: SignedRequest, secret: string): boolean {
  return [...queryForms(request.query)].some((query) => {
    const question = query === '' ? '' : `?${query}`
    const prehash = request.timestamp + request.method + request.path + question + request.body
    return createHmac('sha256', secret).update(prehash).digest('base64') === request.signature
  })
}

function queryForms(query: string): Set<string> {
  const sorted = query.split('&').sort().join('&')
  const forms = [query, sorted]
  return new Set([...forms, ...forms.map(decoded)])
}

function decoded(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '))
  } catch {
    return query
  }
}
