// A public client of this API, which nobody here wrote, against the sandbox: it signs and asks in its own way, calls every
// endpoint, and reads a year of tax records, getting every record once.
import { RestClientV2, RestClientV3 } from 'bitget-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Credential, type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { stated } from '../document/index.ts'
import { DAY, NOW, WEEK } from '../document/stated.ts'

const YEAR_DAYS = 365

let sandbox: Sandbox

beforeAll(async () => {
  // Budgets refill faster than the client can spend them: it keeps none of its own.
  sandbox = await startSandbox({ now: new Date(NOW), days: YEAR_DAYS, speed: 1_000_000 })
})
afterAll(() => sandbox.close())

/** The client in its two generations, signing with one key. */
function clientsOf({ apiKey, secret, passphrase }: Credential) {
  const options = { apiKey, apiSecret: secret, apiPass: passphrase, baseUrl: sandbox.baseUrl }
  // The proxy of the surroundings, if there is one, is not for loopback.
  const network = { proxy: false } as const
  return { v2: new RestClientV2(options, network), v3: new RestClientV3(options, network) }
}

interface Answer {
  readonly code: string
  readonly data: unknown
}

test('every endpoint of the interface document answers', async () => {
  const [parent, , broker, brokersSub, sub] = sandbox.accounts
  const { v2, v3 } = clientsOf(parent!)
  const tax = clientsOf(parent!.taxKey).v3
  const house = clientsOf(broker!).v2
  const subUid = brokersSub!.uid
  const order = {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    force: 'gtc',
    price: '1000',
    size: '0.01',
  } as const
  const permissions = { permType: 'readonly', permList: ['spot_trade'] } as const
  const transfer = { fromType: 'spot', toType: 'p2p', amount: '5', coin: 'USDT' } as const
  const answers: Record<string, Answer> = {}

  const key = { subUid, passphrase: 'passphrase', label: 'public client', ipList: [], ...permissions }
  const created = await house.createSubaccountApiKey(key as never)
  const apiKey = (created.data as unknown as { apiKey: string }).apiKey
  answers['4.1'] = created
  answers['4.2'] = await house.modifySubaccountApiKey({ ...key, apiKey, label: 'renamed' } as never)
  answers['4.6'] = await v2.spotSubTransfer({
    ...transfer,
    fromUserId: parent!.uid,
    toUserId: sub!.uid,
  } as never)
  const placed = await v2.spotSubmitOrder({ ...order, clientOid: 'public-1' })
  const { orderId } = placed.data
  answers['4.7'] = placed
  answers['4.9'] = await v3.batchModifyOrders([{ orderId, price: '1001', category: 'SPOT' } as never])
  answers['4.10'] = await v3.getUnfilledOrders({ category: 'SPOT', limit: '100' })
  answers['4.8'] = await v3.cancelOrder({ orderId, category: 'SPOT' } as never)
  answers['4.11'] = await v3.getHistoryOrders({ category: 'SPOT', ...WEEK })

  for (const [, { section, publicClient }] of stated)
    if (publicClient !== undefined)
      answers[section] = (await publicClient({ v2, v3, tax, house, subUid })) as Answer

  const sections = stated.map(([, { section }]) => section)
  expect(Object.keys(answers).sort()).toEqual(sections.sort())
  expect(Object.entries(answers).filter(([, { code }]) => code !== '00000')).toEqual([])
  const list = (section: string) => (answers[section]!.data as { list: unknown[] }).list
  expect(list('4.10')[0]).toMatchObject({ orderId, clientOid: 'public-1', price: '1001' })
  expect(list('4.11')).toContainEqual(expect.objectContaining({ orderId, orderStatus: 'cancelled' }))
})

test('a year of tax records is read page by page, every record once', async () => {
  const parent = sandbox.accounts[0]!
  const { v3 } = clientsOf(parent.taxKey)
  const ids: string[] = []
  for (const partition of PARTITIONS) {
    for (let start = NOW - YEAR_DAYS * DAY; start <= NOW; start += 7 * DAY) {
      const window = { startTime: String(start), endTime: String(start + 7 * DAY - 1), limit: '500' }
      let cursor: string | undefined
      do {
        const more = cursor === undefined ? {} : { cursor }
        const { data } = await v3.getTaxRecords({ ...partition, ...window, ...more })
        ids.push(...data.map(({ id }) => id))
        cursor = data.length < 500 ? undefined : data.at(-1)?.id
      } while (cursor !== undefined)
    }
  }
  const truth = sandbox.truth().accounts.find(({ uid }) => uid === parent.uid)
  expect(ids.length).toBeGreaterThan(5_000)
  expect(ids.length).toBe(truth?.records['tax.records'])
  expect(new Set(ids).size).toBe(ids.length)
})

const PARTITIONS = [
  { bizType: 'SPOT' },
  { bizType: 'MARGIN', marginType: 'crossed' },
  { bizType: 'MARGIN', marginType: 'isolated' },
  { bizType: 'USDT-FUTURES' },
  { bizType: 'COIN-FUTURES' },
  { bizType: 'USDC-FUTURES' },
  { bizType: 'OTHER' },
] as const
