// Identifies the caller: checks the ACCESS headers against the keys of the sandbox. Interface document, part 5; the
// thirty seconds of a time stamp are a public fact of the venue, counted from its clock or from the machine's.

import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKey } from '../core/accounts.ts'
import type { Clock } from '../core/clock.ts'
import { Refusal } from './refusals.ts'
import { isSignedBy } from './signature.ts'

export interface Incoming {
  method: string
  path: string
  query: string
  body: string
  headers: IncomingHttpHeaders
  address: string
}

const VALID_MS = 30_000

export function authenticate(request: Incoming, keys: ReadonlyMap<string, ApiKey>, clock: Clock): ApiKey {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const apiKey = header('access-key')
  const signature = header('access-sign')
  const timestamp = header('access-timestamp')
  const passphrase = header('access-passphrase')
  if (apiKey === '') throw new Refusal('40001', 'ACCESS_KEY cannot be empty')
  if (signature === '') throw new Refusal('40002', 'ACCESS_SIGN cannot be empty')
  if (passphrase === '') throw new Refusal('40011', 'ACCESS_PASSPHRASE cannot be empty')
  if (!/^\d{1,15}$/.test(timestamp)) throw new Refusal('40005', 'Invalid ACCESS_TIMESTAMP')
  if (request.method === 'POST' && !header('content-type').startsWith('application/json')) {
    throw new Refusal('40007', 'Invalid Content_Type, please use "application/json" format')
  }
  const machineMs = Date.now() + clock.skewMs
  const distanceMs = Math.min(
    ...[clock.nowMs(), machineMs].map((nowMs) => Math.abs(Number(timestamp) - nowMs)),
  )
  if (distanceMs > VALID_MS) throw new Refusal('40008', 'Request timestamp expired')

  const key = keys.get(apiKey)
  if (key === undefined) throw new Refusal('40037', 'Apikey does not exist')
  if (!isSignedBy({ ...request, timestamp, signature }, key.secret)) {
    throw new Refusal('40009', 'sign signature error')
  }
  if (passphrase !== key.passphrase) throw new Refusal('40012', 'apikey/password is incorrect')
  if (key.ipList.length > 0 && !key.ipList.includes(request.address)) throw new Refusal('40018', 'Invalid IP')
  return key
}
