// Which feed lands which record, in the order of the interface document.
import * as records from '../../models/records.ts'
import type { FeedRecord } from './records.ts'

export const feedRecords: readonly FeedRecord[] = [
  { feed: 'trade.openOrders', record: records.openOrder },
  { feed: 'trade.orderHistory', record: records.order },
  { feed: 'account.settings', record: records.accountSettings },
  { feed: 'tax.records', record: records.taxRecord },
  { feed: 'tax.futuresRecords', record: records.futuresRecord },
  { feed: 'tax.p2pRecords', record: records.p2pRecord },
  { feed: 'p2p.orders', record: records.p2pOrder },
]
