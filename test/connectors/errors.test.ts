// Every class of refusal: which codes and statuses make it, what it tells, and what it asks its reader to do.
import { describe, expect, test } from 'vitest'
import { endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import { refusalOf } from '../../connectors/classify.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { OutcomeUnknown, type Refusal, RepeatedCursor } from '../../connectors/errors.ts'

const refused = (code: string, more: Partial<Refusal> = {}, endpoint = 'tax.records'): Refusal => {
  const declared = findEndpoint(endpoint) as Endpoint
  return {
    endpoint: declared,
    account: 'main',
    code,
    status: 400,
    message: 'as the venue says',
    request: { method: declared.method, path: `${declared.path}?limit=500` },
    body: null,
    ...more,
  }
}

describe('a code', () => {
  test.each([
    ['RateRefused', 5, true, '429 25003 25004'],
    ['ClockRefused', 5, false, '40004 40005 40008 40078'],
    ['CredentialRefused', 4, false, '40001 40002 40003 40006 40009 40011 40012 40036 40037'],
    ['IpRefused', 4, false, '40018 40038 22010'],
    ['PermissionRefused', 4, false, '40014 40025 40029 40061 40068 40301 25620'],
    ['NotApplicable', 4, false, '40084 40085 25245'],
    ['TimeRangeRefused', 1, false, '00001 20001 40704 40705 40707 42072 43111 43130'],
    ['TimeRangeRefused', 1, false, '40408 40902 70008 70103 70104'],
    ['ParameterRefused', 1, false, '40017 40019 40020 40034 400172 25200'],
    ['ParameterRefused', 1, false, '40053 40064 40402 40404 40409 40700 40811 40813 41002 41100 41101 41103'],
    ['ParameterRefused', 1, false, '43011 43058 43123 48001 48002 60001 60006 400171'],
    ['PassingFailure', 5, true, '40015 40725 45001 40808 25000 25001'],
    ['PassingFailure', 5, true, '40010 40200 40908 40909 40910 43059 43137'],
    // What an account is says nothing at an endpoint that asks nothing of it.
    ['UnknownRefusal', 5, true, '30007 12345 x 60039 40054 70102 70231'],
    ['UnknownRefusal', 5, true, '60005 60049 25559 25561 25566 40028 40048 40051 40066 70206 70207'],
  ])(
    'of the class %s ends with exit code %i and helps a later attempt: %s',
    (name, exitCode, retryable, codes) => {
      for (const code of codes.split(' ')) {
        // HTTP 200 with the code of a refusal is the same refusal.
        for (const status of [200, 400, 403]) {
          const error = refusalOf(refused(code, { status }), true)
          expect([error.name, error.exitCode, error.retryable, error.code]).toEqual([
            name,
            exitCode,
            retryable,
            code,
          ])
        }
      }
    },
  )

  const codesOfRoles = (
    '60039 40054 40029 70102 70231 40099 ' + '60005 60049 25559 25561 25566 40048 40051 70206'
  ).split(' ')
  const withRole = endpoints.filter(({ role }) => role !== undefined).map(({ name }) => name)

  test('about what an account is applies as such at every endpoint that requires a role, and at no other', () => {
    expect(withRole).toEqual([
      'broker.createApiKey',
      'broker.modifyApiKey',
      'broker.subaccountEmail',
      'broker.customers',
      'broker.customerKyc',
      'wallet.subaccountTransfer',
      'futures.subaccountAssets',
      'loan.ltv',
      'p2p.merchant',
      'p2p.orders',
    ])
    for (const code of codesOfRoles)
      for (const { name, role, opened } of endpoints) {
        const error = refusalOf(refused(code, {}, name), true)
        const isOpening =
          (opened === 'product line' && code === '40099') || (opened === 'P2P' && code === '60039')
        const elsewhere = code === '40029' ? 'PermissionRefused' : 'UnknownRefusal'
        expect([name, code, error.name]).toEqual([
          name,
          code,
          role !== undefined || isOpening ? 'NotApplicable' : elsewhere,
        ])
      }
  })

  test.each([
    ['40099', 'tax.futuresRecords', 'partition', 'an account that has opened this product line'],
    [
      '40099',
      'futures.subaccountAssets',
      'partition',
      'a parent account that is not an ND broker, and that has opened this product line',
    ],
    ['60039', 'tax.p2pRecords', 'partition', 'an account that uses P2P'],
    ['60039', 'p2p.orders', 'feed', 'a P2P merchant'],
    ['40029', 'futures.subaccountAssets', 'feed', 'a parent account that is not an ND broker'],
  ])('%s at %s concerns the %s, and expects %s', (code, endpoint, concerns, expected) => {
    const error = refusalOf(refused(code, {}, endpoint), true)
    expect(error).toMatchObject({ concerns, details: { expected } })
  })

  test.each(['40054', '40028', '40066', '70207'])(
    '%s means that one sub-account has none, if each is requested separately',
    (code) => {
      expect(refusalOf(refused(code, {}, 'broker.subaccountEmail'), true)).toMatchObject({
        name: 'NotApplicable',
        concerns: 'partition',
      })
    },
  )

  test.each([
    // A price with too many decimals; of a read nothing is recorded, so that is tried again.
    ['40808', 'spot.placeOrder', 'Parameter verification exception size', 'ParameterRefused'],
    ['40808', 'tax.records', 'Parameter verification exception', 'PassingFailure'],
    // "param error", of a time range where one is asked for.
    ['43111', 'tax.records', 'param error time range illegal', 'TimeRangeRefused'],
    ['43111', 'wallet.subaccountTransfer', 'param error', 'ParameterRefused'],
    ['43111', 'account.settings', 'param error', 'ParameterRefused'],
    // "validation error", of the field that it names.
    ['25200', 'trade.orderHistory', 'startTime validation error', 'TimeRangeRefused'],
    ['25200', 'trade.orderHistory', 'category validation error', 'ParameterRefused'],
  ])('%s at %s with the words “%s” is a %s', (code, endpoint, message, name) => {
    expect(refusalOf(refused(code, { message }, endpoint), true).name).toBe(name)
  })

  test('of another environment means that the key is one of demo trading, not what the account is', () => {
    const message = 'exchange environment is incorrect'
    for (const { name } of endpoints) {
      const error = refusalOf(refused('40099', { message }, name), true)
      expect([name, error.name, error.exitCode]).toEqual([name, 'CredentialRefused', 4])
    }
    expect(refusalOf(refused('40099', { message }), true).details.action).toBe(
      'Create the tax API key of account main again in the account itself, not in demo trading, then run again. What has landed is kept.',
    )
  })

  test('that is unknown is a temporary failure under a status that is one', () => {
    expect(refusalOf(refused('12345', { status: 502 }), true).name).toBe('PassingFailure')
  })

  test('of any kind is about the rate under HTTP 429', () => {
    expect(refusalOf(refused('40009', { status: 429 }), true).name).toBe('RateRefused')
  })
})

test.each([
  [200, 'UnknownRefusal'],
  [302, 'UnknownRefusal'],
  [400, 'ParameterRefused'],
  [401, 'CredentialRefused'],
  [403, 'IpRefused'],
  [404, 'ParameterRefused'],
  [405, 'ParameterRefused'],
  [408, 'PassingFailure'],
  [418, 'RateRefused'],
  [429, 'RateRefused'],
  [500, 'PassingFailure'],
  [503, 'PassingFailure'],
])('HTTP %i without a code, or with that of a success, is a %s', (status, name) => {
  expect(refusalOf(refused(`HTTP ${status}`, { status }), false).name).toBe(name)
  if (status !== 200) expect(refusalOf(refused('00000', { status }), true).name).toBe(name)
})

describe('an error', () => {
  test('states the place, what was found and what to do', () => {
    expect(refusalOf(refused('40014'), true).describe()).toBe(
      [
        'The venue refused the request for lack of a permission: tax.records for account main.',
        '  where:    GET /api/v3/tax/records?limit=500',
        '  expected: tax API key',
        '  found:    HTTP 400, code 40014, as the venue says',
        '  next:     Use a tax API key for account main, then run again. What has landed is kept.',
      ].join('\n'),
    )
  })

  test.each([
    [
      302,
      'The answer did not come from the venue: tax.records for account main.',
      'Check venue.base_url, and whether a proxy, a firewall or the network’s own page answered in the venue’s place, then run again. What has landed is kept.',
    ],
    [
      403,
      'The venue refused the address of this machine: tax.records for account main.',
      'First check whether a proxy, a firewall or the network’s own page answered in the venue’s place. Otherwise add this machine’s address to those that the tax API key of account main is bound to, then run again.',
    ],
    [
      503,
      'The venue did not answer properly: tax.records for account main.',
      'Run again; what has landed is kept. If it persists, check the network and venue.base_url.',
    ],
  ])(
    'of HTTP %i without a code names no code, and considers that something else may have answered',
    (status, message, action) => {
      const error = refusalOf(refused(`HTTP ${status}`, { status, message: 'a web page of 9 bytes' }), false)
      expect({ message: error.message, ...error.details }).toMatchObject({
        message,
        found: `HTTP ${status}, a web page of 9 bytes`,
        action,
      })
    },
  )

  test('for a write that needs an unnamed permission says whose it is', () => {
    const error = refusalOf(refused('40014', {}, 'wallet.subaccountTransfer'), true)
    expect(error.details.expected).toBe('a parent account, by a key that is bound to an address')
  })

  test.each([
    [
      '{"requestTime":"1","receiveWindow":"5000"}',
      'a time within 30 s of the venue’s clock, and a requestTime within receiveWindow of it',
      'Correct requestTime or lengthen receiveWindow. Otherwise synchronise this machine’s clock with a time server, then run again.',
    ],
    [
      '{"requestTime":"1"}',
      'a time within 30 s of the venue’s clock',
      'Synchronise this machine’s clock with a time server, then run again.',
    ],
  ])(
    'about the time of the order %s asks first for what the order states itself',
    (body, expected, action) => {
      const request = { method: 'POST', path: '/api/v2/spot/trade/place-order', body } as const
      expect(refusalOf(refused('40008', { request }, 'spot.placeOrder'), true).details).toMatchObject({
        expected,
        action,
      })
    },
  )

  test('keeps the received body for the journal, but not among what a logger lists', () => {
    const error = refusalOf(refused('40014', { body: Buffer.from('private') }), true)
    expect(error.body).toEqual(Buffer.from('private'))
    expect(Object.keys(error)).not.toContain('body')
  })

  test.each([
    [
      '429',
      'tax.records',
      'The venue refused because of too many requests',
      'Run again later; what has landed is kept. If this happens often, another program is using the same account or address: lower venue.budgets for tax.records.',
    ],
    [
      '40008',
      'tax.records',
      'The venue refused the time of the request',
      'Synchronise this machine’s clock with a time server, then run again.',
    ],
    [
      '40009',
      'tax.records',
      'The venue refused the credentials',
      'Check key, secret and passphrase of the tax API key of account main, then run again. What has landed is kept.',
    ],
    [
      '40018',
      'p2p.orders',
      'The venue refused the address of this machine',
      'Add this machine’s address to those that the API key of account main is bound to, then run again.',
    ],
    [
      '40014',
      'trade.orderHistory',
      'The venue refused the request for lack of a permission',
      'Give the API key of account main the permission UTA trade (read), then run again. What has landed is kept.',
    ],
    [
      '40014',
      'futures.positions',
      'The venue refused the request for lack of a permission',
      'Give the API key of account main permission to read this, or leave the endpoint out.',
    ],
    [
      '40014',
      'wallet.subaccountTransfer',
      'The venue refused the request for lack of a permission',
      'Give the API key of account main permission to do this, if an account of this kind can have it.',
    ],
    [
      '40029',
      'broker.modifyApiKey',
      'The endpoint does not apply to this account',
      'Nothing was done. Name an account that can do this with --account.',
    ],
    [
      '70102',
      'p2p.orders',
      'The endpoint does not apply to this account',
      'Nothing: the account has no such data. Leave the endpoint out if it was named.',
    ],
    [
      '40704',
      'tax.records',
      'The venue refused the time range',
      'If the venue now keeps less, lower venue.retention_days for tax.records; if it takes less at once, lower venue.span_days; otherwise report this request as a bug.',
    ],
    [
      '40034',
      'tax.records',
      'The venue refused a parameter',
      'Check the parameters and venue.base_url; if both are right, report this request as a bug.',
    ],
    [
      '40015',
      'tax.records',
      'The venue did not answer properly',
      'Run again; what has landed is kept. If it persists, check the network and venue.base_url.',
    ],
    [
      '77777',
      'tax.records',
      'The venue refused with an unknown code',
      'Look the code up in the venue’s documentation, then run again. What has landed is kept.',
    ],
  ])('of code %s at %s states what it is and what helps', (code, endpoint, message, action) => {
    const error = refusalOf(refused(code, {}, endpoint), true)
    expect(error.message).toBe(`${message}: ${endpoint} for account main.`)
    expect(error.details.action).toBe(action)
  })

  test.each([
    ['40085', 'p2p.orders', 'a P2P merchant'],
    ['40084', 'tax.records', 'a unified account'],
    ['40085', 'tax.futuresRecords', 'an account in another mode'],
  ])('of code %s at %s expects %s', (code, endpoint, expected) => {
    expect(refusalOf(refused(code, {}, endpoint), true).details.expected).toBe(expected)
  })

  test('that concerns no account names none', () => {
    const error = new RepeatedCursor(refused('repeated cursor', { account: '', status: null }))
    expect(error.message).toBe('The venue returned the same cursor twice: tax.records.')
    expect(error.details.found).toBe('code repeated cursor, as the venue says')
  })

  test('for a write whose answer was lost states how to find out, for each write of the catalogue', () => {
    const error = new OutcomeUnknown(refused('time-out', {}, 'account.repay'))
    expect(error.message).toBe(
      'It is unknown whether the venue carried this out: account.repay for account main.',
    )
    expect(error.details.action).toBe(
      'Sync tax.records and look for a repayment of these coins. Until then, do not send it again.',
    )
  })
})
