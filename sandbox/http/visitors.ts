// Who may send requests at all: programs on this machine. A page in a browser can reach loopback too, even as its own
// origin with a name that resolves to 127.0.0.1; but it cannot hide the name it asked for, nor where it comes from.

import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** The host's name without its port; empty if it is not a host. */
function nameOf(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[^:[\]@/\\]+)(:\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? ''
}

/** What is wrong with a request's origin; null if it comes from this machine. */
export function strangerIn(headers: IncomingHttpHeaders): string | null {
  const { host = '', origin } = headers
  if (!LOOPBACK.test(nameOf(host))) return 'the Host is not this machine'
  if (origin === undefined) return null
  const from = /^https?:\/\/(.*)$/i.exec(origin)?.[1] ?? ''
  return LOOPBACK.test(nameOf(from)) ? null : 'the Origin is not this machine'
}
