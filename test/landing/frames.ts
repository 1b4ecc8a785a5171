// Frames as the journal gives them: what the tests of landing begin with.
import type { RecordType } from '../../models/record.ts'
import {
  accountSettings,
  futuresRecord,
  openOrder,
  order,
  p2pOrder,
  p2pRecord,
  taxRecord,
} from '../../models/records.ts'
import type { Frame, FrameMeta, PageMeta } from '../../pipeline/journal/frame.ts'
import type { LandingOptions } from '../../pipeline/landing/landing.ts'
import type { LandingFeed } from '../../pipeline/landing/page.ts'

export const at = '2026-01-05T03:00:00.000Z'

const feed = (record: RecordType, rows = ''): LandingFeed => ({ record, rows })

export const feeds: ReadonlyMap<string, LandingFeed> = new Map([
  ['tax.records', feed(taxRecord)],
  ['tax.futuresRecords', feed(futuresRecord)],
  ['tax.p2pRecords', feed(p2pRecord)],
  ['trade.orderHistory', feed(order, 'list')],
  ['trade.openOrders', feed(openOrder, 'list')],
  ['p2p.orders', feed(p2pOrder, 'orderList')],
  ['account.settings', feed(accountSettings, 'object')],
])

export const landingOptions: LandingOptions = {
  records: [...feeds.values()].map(({ record }) => record),
  feeds,
}

export const chainOf = (seq: number): string => seq.toString(16).padStart(64, '0')

export const frame = (seq: number, meta: FrameMeta, body: Uint8Array | null = null): Frame => ({
  seq,
  meta,
  body,
  chain: chainOf(seq),
})

type PageParts = Partial<Omit<PageMeta, 'kind'>> & { readonly feed?: string }

/** A page of tax records of the account main, unless told otherwise; `data` becomes the envelope's. */
export function page(seq: number, data: unknown, parts: PageParts = {}): Frame {
  return rawPage(
    seq,
    JSON.stringify({ code: '00000', msg: 'success', requestTime: 1763688181556, data }),
    parts,
  )
}

/** The same with the body as it stands. */
export function rawPage(seq: number, body: string | null, parts: PageParts = {}): Frame {
  const meta: PageMeta = {
    kind: 'page',
    at,
    run: 'r1',
    account: 'main',
    feed: 'tax.records',
    partition: 'SPOT',
    request: { method: 'GET', path: '/api/v3/tax/records?bizType=SPOT' },
    status: 200,
    ...parts,
  }
  return frame(seq, meta, body === null ? null : Buffer.from(body))
}

export const taxRow = (
  id: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  id,
  coin: 'USDT',
  type: 'ORDER_DEALT_IN',
  amount: '1.5',
  fee: '0',
  balance: '10.25',
  ts: '1763688137552',
  ...more,
})
