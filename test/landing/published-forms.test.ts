// Answers as the venue's documentation forms them, those of the six published samples first. Each has every field that the
// venue shows and numbers of our own, and lands whole: field by field, with nothing kept aside, nothing beside its column and no drift.
import { describe, expect, it } from 'vitest'
import { findEndpoint } from '../../connectors/catalogue.ts'
import { columnName, type FieldKind } from '../../models/record.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { rawPage } from './frames.ts'

type Row = Readonly<Record<string, unknown>>

const order = {
  orderId: '730041889120564224',
  clientOid: 'desk-17',
  category: 'USDT-FUTURES',
  symbol: 'ETHUSDT',
  orderType: 'limit',
  side: 'buy',
  price: '3120.55',
  qty: '0.37',
  amount: '0',
  cumExecQty: '0.37',
  cumExecValue: '1154.603',
  avgPrice: '3120.549',
  timeInForce: 'gtc',
  orderStatus: 'filled',
  posSide: 'short',
  holdMode: 'hedge_mode',
  reduceOnly: 'NO',
  feeDetail: [{ feeCoin: 'USDT', fee: '0.6927618' }],
  createdTime: '1763600001234',
  updatedTime: '1763600005678',
}

const taxRow = (id: string, coin: string, type: string, amount: string, balance: string): Row => ({
  ...{ id, coin, type, amount, fee: '0', balance, ts: '1763600001234' },
})

/** Endpoint, and what the data of its answer is. */
const forms: readonly (readonly [feed: string, data: unknown])[] = [
  [
    'account.settings',
    {
      uid: '7001',
      accountMode: 'hybrid',
      assetMode: 'multi_assets',
      holdMode: 'one_way_mode',
      stpMode: 'none',
      symbolConfigList: [
        { category: 'USDT-FUTURES', symbol: 'ETHUSDT', marginMode: 'crossed', leverage: '15' },
      ],
      coinConfigList: [{ coin: 'ETH', leverage: '4' }],
    },
  ],
  [
    'trade.orderHistory',
    {
      list: [{ ...order, cancelReason: 'normal_cancel', execType: 'liquidation' }],
      cursor: '730041889120564224',
    },
  ],
  [
    'trade.openOrders',
    {
      list: [{ ...order, orderStatus: 'live', feeDetail: [{ feeCoin: null, fee: null }] }],
      cursor: '730041889120564224',
    },
  ],
  [
    'tax.records',
    [
      taxRow('88003', 'USDT', 'ORDER_DEALT_FROZEN_OUT', '-2.0000003', '17.30000000000461'),
      taxRow('88002', 'BGB', 'ORDER_PLF_FEE_OUT', '-0.0003002001000012', '4.0096997998999988'),
      taxRow('88001', 'BGB', 'ORDER_DEALT_IN', '0.4511', '4.01'),
    ],
  ],
  [
    'tax.futuresRecords',
    [
      {
        id: '9',
        symbol: 'ETHUSDT',
        marginCoin: 'USDT',
        futureTaxType: 'close_long',
        amount: '0.31077',
        fee: '-0.04120019',
        ts: '1763600001234',
      },
    ],
  ],
  [
    'tax.p2pRecords',
    [{ id: '640021', coin: 'USDT', p2pTaxType: 'transfer-in', balance: '3', ts: '1763600001234' }],
  ],
  // Small letters, as the venue's Chinese page has all states.
  ...['paid', 'appeal', 'completed', 'Completed'].map(
    (status) =>
      [
        'p2p.orders',
        {
          orderList: [
            { orderId: '31', side: 'sell', count: '40', coin: 'USDT', status, cTime: '1763600001234' },
          ],
          minOrderId: '31',
        },
      ] as const,
  ),
]

function rowsOf(data: unknown): readonly Row[] {
  if (Array.isArray(data)) return data as Row[]
  const { list, orderList } = data as { list?: Row[]; orderList?: Row[] }
  return list ?? orderList ?? [data as Row]
}

/** A value as its column tells it: an amount with eighteen decimals, a time in UTC, a list as it was written. */
function told(kind: FieldKind, value: unknown): string {
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'millis') return new Date(Number(value)).toISOString().replace('T', ' ').replace('Z', '+00')
  if (kind !== 'amount') return String(value)
  const [whole, decimals = ''] = String(value).split('.')
  return `${whole}.${decimals.padEnd(18, '0')}`
}

describe('an answer as published by the venue', () => {
  it.each(forms)('of %s lands field by field', async (feed, data) => {
    const rows = rowsOf(data)
    const landing = await landingIn(await emptyFolder())
    const body = `{"code":"00000","msg":"success","requestTime":1763600009999,"data":${JSON.stringify(data)}}`
    expect(await landing.land([rawPage(1, body, { feed })])).toMatchObject({
      rows: rows.length,
      quarantined: 0,
    })
    const { table, fields } = findEndpoint(feed)!.item!
    for (const [place, row] of rows.entries()) {
      const names = Object.keys(row)
      // Every field that the venue shows is declared: none is kept beside the columns.
      expect(names.filter((name) => fields[name] === undefined)).toEqual([])
      const columns = names.map((name) => `"${columnName(name)}"`).join(', ')
      expect(
        await ask(landing, `select ${columns}, extra from landing.${table} where page_row = ${place}`),
      ).toEqual([[...names.map((name) => told(fields[name]!.kind, row[name])), null]])
    }
    expect(await ask(landing, 'select feed, field, problem, example from landing.drift')).toEqual([])
  })
})
