// The records as the venue sends them: the document's field names, every quantity a string. Parts 2.9 to 2.12.

export interface TaxRecord {
  id: string
  coin: string
  type: string
  amount: string
  fee: string
  balance: string
  ts: string
}

export interface FuturesRecord {
  id: string
  symbol: string
  marginCoin: string
  futureTaxType: string
  amount: string
  fee: string
  ts: string
}

export type P2pType = 'transfer_in' | 'transfer_out' | 'buy' | 'sell'

export interface P2pRecord {
  id: string
  coin: string
  p2pTaxType: P2pType
  /** The quantity moved, without a sign: the type shows the direction. */
  balance: string
  ts: string
}

export const P2P_STATUSES = ['pending_pay', 'Paid', 'Appeal', 'Completed', 'cancelled'] as const
export type P2pStatus = (typeof P2P_STATUSES)[number]

export interface P2pOrder {
  orderId: string
  orderNo: string
  advNo: string
  side: 'buy' | 'sell'
  count: string
  coin: string
  price: string
  fiat: string
  withdrawTime: string
  representTime: string
  releaseTime: string
  paymentTime: string
  amount: string
  status: P2pStatus
  buyerRealName: string
  sellerRealName: string
  ctime: string
  utime: string
  paymentInfo: {
    paymethodName: string
    paymethodId: string
    paymethodInfo: { name: string; required: 'yes' | 'no'; type: 'number' | 'file'; value: string }[]
  }
}

export interface Liquidation {
  symbol: string
  /** `buy` if a long position was liquidated, `sell` if a short one was. */
  side: 'buy' | 'sell'
  price: string
  amount: string
  ts: string
  /** The position of the record in the feed; not sent with it. */
  cursor: string
}
