// Signatures against vectors that two public clients of the API agree on (venue-facts, Signing), and the venue's clock.
import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { prepare } from '../../connectors/attempt.ts'
import { convertSmallBalances } from '../../connectors/endpoints/convert.ts'
import { ClockOffset, plausibleTime } from '../../connectors/offset.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import { signature, wireOf } from '../../connectors/sign.ts'

const SECRET = 'test-secret-0123456789abcdef'
const AT = 1684814440729

describe('a signature', () => {
  test('of a request without parameters equals that of the published clients', () => {
    const wire = wireOf('GET', '/api/v3/account/settings', {})
    expect(signature(wire, AT, SECRET)).toBe('NCHekc7P6gja2z+kRBSxbh2buXafJD1Lz9Zc97nFhgc=')
  })

  test('takes the query with its keys in ascending order, in whatever order they were given', () => {
    const wire = wireOf('GET', '/api/v3/tax/records', {
      startTime: '1763402983000',
      limit: '500',
      bizType: 'USDT-FUTURES',
      endTime: '1763662183573',
      cursor: '1375573238088888367',
      coin: undefined,
    })
    expect(wire.path).toBe(
      '/api/v3/tax/records?bizType=USDT-FUTURES&cursor=1375573238088888367&endTime=1763662183573&limit=500&startTime=1763402983000',
    )
    expect(signature(wire, AT, SECRET)).toBe('zEZZEMAQMc+0dDv3bc6Qsmn+hIjX/fdIugkGWEXSh7I=')
  })

  test('takes the body exactly as it is sent', () => {
    const wire = wireOf('POST', '/api/v3/account/repay', {
      repayableCoinList: ['USDT'],
      paymentCoinList: ['ETH'],
    })
    expect(wire.body).toBe('{"repayableCoinList":["USDT"],"paymentCoinList":["ETH"]}')
    expect(signature(wire, AT, SECRET)).toBe('tiiHo5cVksD/FCjChvv/aLC6EX5mMqSvVZ8fKY36vn0=')
  })

  test('takes the query decoded, while it is sent encoded', () => {
    const wire = wireOf('GET', '/p', { coin: 'a b:c+é' })
    expect(wire.path).toBe('/p?coin=a%20b%3Ac%2B%C3%A9')
    expect(wire.signedPath).toBe('/p?coin=a b:c+é')
  })

  test('by an RSA key is SHA256withRSA over the same text', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const made = signature(wireOf('GET', '/api/v3/account/settings', {}), AT, pem)
    const prehash = Buffer.from(`${AT}GET/api/v3/account/settings`)
    expect(verify('RSA-SHA256', prehash, publicKey, Buffer.from(made, 'base64'))).toBe(true)
    // As a YAML block may have it.
    expect(signature(wireOf('GET', '/api/v3/account/settings', {}), AT, `\n${pem}`)).toBe(made)
  })
})

describe('a request', () => {
  test('has the list itself as its body if the interface requires it', () => {
    const orders = [{ orderId: '1', qty: '2' }]
    expect(wireOf('POST', '/p', { orders }, 'orders').body).toBe('[{"orderId":"1","qty":"2"}]')
  })

  test('has the profile’s coin in the path of the conversion', () => {
    const wire = prepare(convertSmallBalances, defaultProfile, { coinList: ['SHIB'] })
    expect(wire.path).toBe('/api/v2/convert/bgb-convert')
  })
})

describe('the venue’s clock', () => {
  test('is taken half-way between sending and receiving', () => {
    const offset = new ClockOffset()
    offset.measure(1_700_000_005_000, 1_700_000_000_000, 1_700_000_002_000)
    expect(offset.at(1_700_000_002_000)).toBe(1_700_000_006_000)
  })

  test('is unknown until an answer has given it, and after a refusal for the time', () => {
    const offset = new ClockOffset()
    expect(offset.at(0)).toBeNull()
    offset.measure(1_700_000_000_000, 0, 0)
    offset.forget()
    expect(offset.at(0)).toBeNull()
  })

  test('is not moved by one answer with a wrong time', () => {
    const offset = new ClockOffset()
    for (const time of [1_000, 1_002, 3_600_000, 1_001]) offset.measure(time, 0, 0)
    expect(offset.at(0)).toBe(1_001)
  })

  test('is not moved by the second answer either, nor by two of three, if the machine’s clock agrees with the rest', () => {
    const offset = new ClockOffset(1_004)
    for (const time of [1_000, -3_600_000, -3_600_001]) offset.measure(time, 0, 0)
    expect(offset.at(0)).toBe(1_000)
    const ahead = new ClockOffset(1_004)
    for (const time of [1_000, 3_600_000, 3_600_001]) ahead.measure(time, 0, 0)
    expect(ahead.at(0)).toBe(1_004)
  })

  test('is the median of the last five answers', () => {
    const offset = new ClockOffset()
    for (const measured of [900_000, 900_000, 900_000, 0, 0]) offset.measure(measured, 0, 0)
    expect(offset.at(0)).toBe(900_000)
    offset.measure(0, 0, 0)
    expect(offset.at(0)).toBe(0)
  })

  test('of answers that agree within a minute is the lower one, whatever the wall clock shows', () => {
    const offset = new ClockOffset(45_000)
    for (const measured of [0, 10_000, 50_000]) offset.measure(measured, 0, 0)
    expect(offset.at(0)).toBe(10_000)
  })

  test('ignores the machine’s clock once its time was refused', () => {
    const offset = new ClockOffset(7_200_000)
    offset.forget()
    for (const time of [1_000, 1_001]) offset.measure(time, 0, 0)
    expect(offset.at(0)).toBe(1_000)
  })

  test.each([
    [1763688181556, 1763688181556],
    ['1763688181556', 1763688181556],
    [176368818155, null],
    [17636881815560, null],
    ['0763688181556', null],
    [1763688181556.5, null],
    [null, null],
    [{}, null],
  ])('reads requestTime %j as %j', (value, expected) => {
    expect(plausibleTime(value)).toBe(expected)
  })
})
