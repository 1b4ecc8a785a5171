// Institutional lending: the state of an exclusive lending unit. Interface document, 2.16.
import { amount, defineRecord, json, text } from './record.ts'

export const ltv = defineRecord({
  table: 'ltv',
  nature: 'snapshot',
  doc: 'Risk rate of the institutional lending unit with its debts and assets, as sent. Interface document, 4.16.',
  key: [],
  fields: {
    ltv: amount('Risk rate: debt divided by assets.'),
    subAccountUids: json('Uids of the accounts in the risk unit.', {
      items: {
        table: 'ltv_accounts',
        doc: 'Accounts of an institutional lending unit, as sent with its risk rate.',
        form: 'values',
        fields: { uid: text('Uid of the account.') },
      },
    }),
    usdtBalance: amount('Total assets, converted to USDT.'),
    unpaidUsdtAmount: amount('Total debt, converted to USDT.'),
    unpaidInfo: json('Per coin: unpaid principal and interest.', {
      items: {
        table: 'ltv_debts',
        doc: 'Debt of an institutional lending unit in one coin, as sent with its risk rate.',
        form: 'objects',
        fields: {
          coin: text('Coin owed.'),
          unpaidQty: amount('Unpaid principal.'),
          unpaidInterest: amount('Unpaid interest.'),
        },
      },
    }),
    balanceInfo: json('Per margin coin: price, equity, and its value in USDT.', {
      items: {
        table: 'ltv_balances',
        doc: 'Holding of an institutional lending unit in one margin coin, as sent with its risk rate.',
        form: 'objects',
        fields: {
          coin: text('Margin coin.'),
          price: amount('Price of one coin in USDT.', { decimals: true }),
          amount: amount('Equity in the margin coin.'),
          convertedUsdtAmount: amount('Equity, converted to USDT.', { decimals: true }),
        },
      },
    }),
  },
})
