// Why a connection to the venue failed or broke, in an operator's terms: which stage failed, and who can do something
// about it. This depends on the system's codes; no text is matched.

/** The stage of the connection that failed; `other` for a code that is none of these. */
export type ConnectionClass =
  | 'DNS'
  | 'refused'
  | 'no route'
  | 'TLS'
  | 'time-out'
  | 'reset'
  | 'address space'
  | 'other'

const CLASSES: Readonly<Record<string, ConnectionClass>> = {
  ENOTFOUND: 'DNS',
  EAI_AGAIN: 'DNS',
  EAI_FAIL: 'DNS',
  EAI_NODATA: 'DNS',
  EAI_NONAME: 'DNS',
  ENODATA: 'DNS',
  ESERVFAIL: 'DNS',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'no route',
  ENETUNREACH: 'no route',
  EHOSTDOWN: 'no route',
  ENETDOWN: 'no route',
  EADDRNOTAVAIL: 'no route',
  ETIMEDOUT: 'time-out',
  UND_ERR_CONNECT_TIMEOUT: 'time-out',
  UND_ERR_HEADERS_TIMEOUT: 'time-out',
  UND_ERR_BODY_TIMEOUT: 'time-out',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  EPROTO: 'TLS',
  ENOMEM: 'address space',
}

/** OpenSSL's codes for certificate problems (X509_V_ERR_…), as Node passes them on. */
const CERTIFICATES =
  /^(?:CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERROR_IN_CERT_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/

/** The class of a system's code, such as ECONNREFUSED. */
export function connectionClass(code: string): ConnectionClass {
  if (/^ERR_(?:TLS|SSL)_/.test(code) || CERTIFICATES.test(code)) return 'TLS'
  return CLASSES[code] ?? 'other'
}

/** Codes of connections that were never made. */
const NEVER_MADE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOMEM',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** System calls before a connection is established. */
const CONNECTING = new Set(['getaddrinfo', 'connect'])

/** System calls on an established connection: if the network fails during it, the codes are the same. */
const AFTER_CONNECTING = new Set(['read', 'write'])

/**
 * Whether no connection was established, so that nothing can have been sent; a certificate is checked before anything
 * is sent. For a host with several addresses, the cause lists how each one failed, and the code is that of the first.
 */
export function wasNeverMade(code: string, cause: unknown): boolean {
  if (cause instanceof AggregateError)
    return cause.errors.length > 0 && cause.errors.every((error) => wasNeverMade('', error))
  const { syscall = '' } = (cause ?? {}) as { readonly syscall?: string }
  if (AFTER_CONNECTING.has(syscall)) return false
  return CONNECTING.has(syscall) || NEVER_MADE.has(code) || CERTIFICATES.test(code)
}

interface Words {
  /** Follows the name of the host; without a full stop. */
  readonly what: (host: string, code: string) => string
  readonly action: string
}

const WORDS: Readonly<Record<ConnectionClass, Words>> = {
  DNS: {
    what: (host) => `The name ${host} could not be resolved (DNS)`,
    action: 'Check the network and the name servers of this machine, and the spelling of venue.base_url.',
  },
  refused: {
    what: (host) => `${host} refused the connection`,
    action: 'Check venue.base_url with its port, and whether a firewall or a proxy is in between.',
  },
  'no route': {
    what: (host) => `There is no route to ${host}`,
    action: 'Check the network of this machine: cable, VPN, gateway, firewall.',
  },
  TLS: {
    what: (host) => `No TLS connection to ${host} could be established`,
    action:
      'Check the date of this machine and venue.base_url. If a proxy here inspects encrypted traffic, name the file with ' +
      'its certificate in NODE_EXTRA_CA_CERTS.',
  },
  'time-out': {
    what: (host) => `${host} did not answer in time`,
    action: 'If it persists, check the network, or raise venue.timeout_ms.',
  },
  reset: {
    what: (host) => `${host} closed the connection`,
    action: 'If it persists, check the network, and whether a firewall or a proxy cuts connections.',
  },
  'address space': {
    what: (host) => `The limits of this process leave no address space for a connection to ${host}`,
    action:
      'Raise the limit on address space (`ulimit -v`, or LimitAS= of a service) to 16 GB, or remove it: most of that is ' +
      'only reserved. To limit memory, set engine.memory, or MemoryMax= of a service.',
  },
  other: {
    what: (host, code) => `The connection to ${host} failed (${code})`,
    action: 'If it persists, check the network and venue.base_url.',
  },
}

/** What failed (the sentence continues with the endpoint), and what to do about it. */
export function describeConnection(
  kind: ConnectionClass,
  host: string,
  code: string,
): { readonly what: string; readonly action: string } {
  const { what, action } = WORDS[kind]
  return { what: what(host, code), action: `${action} Then run again; what has landed is kept.` }
}
