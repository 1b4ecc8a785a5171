// The client against a venue on loopback: what counts as an answer.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { p2pOrders } from '../../connectors/endpoints/p2p.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { openOrders, orderHistory } from '../../connectors/endpoints/trade.ts'
import { readEnvelope } from '../../connectors/envelope.ts'
import { MalformedAnswer } from '../../connectors/errors.ts'
import { extractPage } from '../../connectors/pages.ts'
import { access, caught, envelope, loopback, reply, START, turns } from '../support/venue.ts'

const query = { bizType: 'SPOT', startTime: String(START - 1_000), endTime: String(START) }

/** Packed three times, each of which could be undone. */
const packed = gzipSync(gzipSync(gzipSync(envelope([]))))

describe('an answer', () => {
  test('comes with the decoded body as received, and the times of the exchange', async () => {
    const body = envelope([{ id: '1' }], { requestTime: START + 250 })
    const { venue, settle } = await loopback(reply(200, body))
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer).toEqual({
      request: { method: 'GET', path: expect.stringContaining('/api/v3/tax/records?') },
      status: 200,
      body: Buffer.from(body),
      envelope: { data: [{ id: '1' }], requestTime: START + 250 },
      sentAt: 0,
    })
  })

  test('needs no requestTime', async () => {
    const { venue, settle } = await loopback(reply(200, '{"code":"00000","msg":"success","data":[]}'))
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.envelope).toEqual({ data: [], requestTime: null })
  })

  test('of the same host uses the existing connection', async () => {
    const ports = new Set<number | undefined>()
    const { venue, settle } = await loopback((request, response, count) => {
      ports.add(response.socket?.remotePort)
      reply(200, envelope({ uid: '1' }))(request, response, count)
    })
    for (let time = 0; time < 3; time += 1) {
      await settle(venue.account(access).request(settings, {}))
      await turns()
    }
    expect(ports.size).toBe(1)
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('in %s, which was not requested, is decoded', async (encoding, encode) => {
    const body = envelope([{ id: '1' }])
    const { venue, settle, received } = await loopback(
      reply(200, encode(Buffer.from(body)), { 'content-encoding': encoding }),
    )
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.body.toString()).toBe(body)
    expect(received[0]!.headers['accept-encoding']).toBeUndefined()
  })

  test('keeps digits of numbers beyond 2^53, ids and cursors alike', async () => {
    const body = `{"code":"00000","msg":"success","requestTime":${START},"data":{"orderList":[{"orderId":1375573238088888367}],"minOrderId":1375573238088888367}}`
    const { venue, settle } = await loopback(reply(200, body))
    const { envelope: read } = await settle(venue.account(access).request(p2pOrders, {}))
    expect(extractPage(p2pOrders, read.data)).toEqual({
      rows: [{ orderId: '1375573238088888367' }],
      cursor: '1375573238088888367',
    })
  })

  test.each([
    ['a bare empty list', orderHistory, []],
    ['a list of null', orderHistory, { list: null, cursor: null }],
    ['an empty list with an empty cursor', orderHistory, { list: [], cursor: '' }],
    ['an empty list without a cursor', orderHistory, { list: [] }],
    ['an empty list where rows stand bare', taxRecords, []],
    ['a wrapped list of null where rows stand bare', taxRecords, { list: null, cursor: null }],
  ])('of %s is an empty page', async (_, endpoint, data) => {
    const { venue, settle } = await loopback(reply(200, envelope(data)))
    const params = endpoint === taxRecords ? query : { category: 'SPOT' }
    const answer = await settle(venue.account(access).request(endpoint, params))
    expect(extractPage(endpoint, answer.envelope.data)).toEqual({ rows: [], cursor: null })
  })

  test.each([
    ['cut-off JSON', '{"code":"00000","msg":"success","data":[{"id":"1"'],
    ['an empty body', ''],
    ['a web page', '<html>maintenance</html>'],
    ['JSON that is no envelope', '[1,2]'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['data that is null', envelope(null)],
    ['data that is absent', JSON.stringify({ code: '00000', msg: 'success' })],
    ['data of another shape', envelope({ rows: [] })],
    ['data that is a wrapped list of rows', envelope({ list: [{ id: '1' }] })],
    ['data that is a text', envelope('none')],
    ['data that stands twice', '{"code":"00000","msg":"success","data":[{"id":"1"}],"data":[]}'],
    ['a msg that is no success', envelope([], { msg: 'system busy' })],
    ['a msg that is absent', JSON.stringify({ code: '00000', data: [] })],
  ])('of %s is never an empty page', async (_, body) => {
    const { venue, settle, received } = await loopback(reply(200, body))
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect(error).toBeInstanceOf(MalformedAnswer)
    expect(error.retryable).toBe(true)
    expect(error.body).toEqual(Buffer.from(body))
    expect(received.length).toBe(5)
  })

  test('cut off anywhere is never an envelope', () => {
    const whole = Buffer.from(envelope([{ id: '1', coin: 'é' }]))
    for (let length = 0; length < whole.length; length += 1)
      expect(readEnvelope(whole.subarray(0, length))).toBeNull()
    expect(readEnvelope(whole)).not.toBeNull()
  })

  test.each([
    ['without the list', { cursor: '1' }],
    ['whose list is an object', { list: {} }],
    ['that is a bare list of rows', [{ orderId: '1' }]],
  ])('to a list request %s is never an empty page', async (_, data) => {
    const { venue, settle } = await loopback(reply(200, envelope(data)))
    const promise = settle(venue.account(access).request(openOrders, {}))
    expect(await caught(promise)).toBeInstanceOf(MalformedAnswer)
  })

  test('to a list request with two unequal lists is never one of them', async () => {
    const body = '{"code":"00000","msg":"success","data":{"list":[],"cursor":null,"list":[{"orderId":"1"}]}}'
    const { venue, settle } = await loopback(reply(200, body))
    const error = await caught(settle(venue.account(access).request(openOrders, {})))
    expect(error.venueMessage).toBe('data has a field twice, with unequal values')
  })

  test('without fields is not account settings', async () => {
    const { venue, settle } = await loopback(reply(200, envelope({})))
    expect(await caught(settle(venue.account(access).request(settings, {})))).toBeInstanceOf(MalformedAnswer)
  })

  test.each([
    ['another status of success', reply(201, envelope([]))],
    ['a success in capitals', reply(200, envelope([], { msg: 'SUCCESS' }))],
    [
      'two encodings',
      reply(200, brotliCompressSync(gzipSync(envelope([]))), { 'content-encoding': 'gzip, br' }),
    ],
  ])('with %s is read', async (_, handler) => {
    const { venue, settle } = await loopback(handler)
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.envelope.data).toEqual([])
  })

  test('without a body is judged by its status, whatever it is encoded in', async () => {
    const { venue, settle } = await loopback(reply(403, '', { 'content-encoding': 'gzip' }))
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.name, error.code]).toEqual(['IpRefused', 'HTTP 403'])
  })

  test.each([
    ['in three encodings', reply(200, packed, { 'content-encoding': 'gzip, gzip, gzip' })],
    ['not gzip at all', reply(200, 'plain', { 'content-encoding': 'gzip' })],
    ['in an encoding that is not known', reply(200, 'plain', { 'content-encoding': 'zstd' })],
  ])('%s cannot be read', async (_, handler) => {
    const { venue, settle } = await loopback(handler)
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.name, error.code]).toEqual(['PassingFailure', 'body not decodable'])
  })

  test.each([
    ['as sent', reply(200, envelope([{ id: 'x'.repeat(5_000) }]))],
    [
      'once decompressed',
      reply(200, gzipSync(envelope([{ id: 'x'.repeat(5_000) }])), { 'content-encoding': 'gzip' }),
    ],
  ])('larger than the limit %s is not read', async (_, handler) => {
    const { venue, settle } = await loopback(handler, { maxBodyBytes: 4_096 })
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.code, error.venueMessage]).toEqual([
      'body too large',
      'the answer is larger than 4096 bytes',
    ])
  })

  test('as large as the limit is read', async () => {
    const body = envelope([{ id: '1' }])
    const { venue, settle } = await loopback(reply(200, body), { maxBodyBytes: Buffer.byteLength(body) })
    const answer = await settle(venue.account(access).request(taxRecords, query))
    expect(answer.envelope.data).toEqual([{ id: '1' }])
  })

  test('that redirects is not followed', async () => {
    const { venue, settle, received } = await loopback(
      reply(302, '', { location: 'http://127.0.0.1:1/elsewhere' }),
    )
    const error = await caught(settle(venue.account(access).request(taxRecords, query)))
    expect([error.name, error.code, error.status]).toEqual(['UnknownRefusal', 'HTTP 302', 302])
    expect(received.length).toBe(3)
  })
})
