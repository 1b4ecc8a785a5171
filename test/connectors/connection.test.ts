// Which part of the way to the venue failed, by the codes that the system and OpenSSL give.
import { expect, test } from 'vitest'
import { connectionClass } from '../../connectors/connection.ts'

test.each([
  ['ENOTFOUND', 'DNS'],
  ['EAI_AGAIN', 'DNS'],
  ['ECONNREFUSED', 'refused'],
  ['ENETUNREACH', 'no route'],
  ['CERT_HAS_EXPIRED', 'TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'TLS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS'],
  ['ETIMEDOUT', 'time-out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'time-out'],
  ['ECONNRESET', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['ENOMEM', 'address space'],
  ['UND_ERR_HEADERS_OVERFLOW', 'other'],
])('the code %s is a failure of class %s', (code, kind) => {
  expect(connectionClass(code)).toBe(kind)
})
