// Institutional lending: how an exclusive lending unit stands. Interface document, 2.16.
import { amount, defineRecord, json } from './record.ts'

export const ltv = defineRecord({
  table: 'ltv',
  nature: 'snapshot',
  doc: 'Risk rate of the institutional lending unit with its debts and assets, as sent. Interface document, 4.16.',
  key: [],
  fields: {
    ltv: amount('Risk rate: debt to assets.'),
    subAccountUids: json('Uids of the accounts in the risk unit.'),
    usdtBalance: amount('All assets, converted to USDT.'),
    unpaidUsdtAmount: amount('All debt, converted to USDT.'),
    unpaidInfo: json('Per coin: unpaid principal and interest.'),
    balanceInfo: json('Per margin coin: price, equity, and its value in USDT.'),
  },
})
