// What the interface document says of the endpoints account.*, in words of our own: see stated.ts.
import { alone, gone, j, type Stated, t } from './stated.ts'

export const account: Readonly<Record<string, Stated>> = {
  'account.settings': {
    section: '4.14',
    request: 'GET /api/v3/account/settings',
    permission: 'UTA mgt. (read)',
    rate: { count: 20, perMs: 1_000, scope: 'uid' },
    good: {},
    excluded: [['classic', 'a unified account']],
    broken: [[{ coin: 'BTC' }, 'coin is not a field of this endpoint', 'here']],
    publicClient: ({ v3 }) => v3.getAccountSettings(),
    record: {
      table: 'account_settings',
      data: alone,
      required: ['uid'],
      fields: {
        uid: t('1380523851'),
        accountMode: t('hybrid'),
        assetMode: t('multi_assets'),
        holdMode: t('one_way_mode'),
        stpMode: t('cancel_both'),
        symbolConfigList: j([
          { category: 'USDT-FUTURES', symbol: 'BTCUSDT', marginMode: 'crossed', leverage: '10' },
        ]),
        coinConfigList: j([{ coin: 'USDT', leverage: '6' }]),
      },
      beyond: { accountLevel: t('delta') },
    },
  },
  'account.repay': {
    section: '4.15',
    request: 'POST /api/v3/account/repay',
    writes: true,
    permission: 'UTA mgt. (read & write)',
    rate: { count: 5, perMs: 1_000, scope: 'uid' },
    good: { repayableCoinList: ['USDT'], paymentCoinList: ['ETH'] },
    goodAtVenue: () => ({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC'] }),
    broken: [
      [{ repayableCoinList: gone }, 'repayableCoinList is required'],
      [{ paymentCoinList: gone }, 'paymentCoinList is required'],
      [{ repayableCoinList: 'USDT' }, 'repayableCoinList must be a list'],
      [{ paymentCoinList: 'ETH' }, 'paymentCoinList must be a list', 'here'],
      [{ paymentCoinList: [] }, 'paymentCoinList must not be an empty list', 'here'],
    ],
    publicClient: ({ v3 }) => v3.submitRepay({ repayableCoinList: ['USDT'], paymentCoinList: ['BTC'] }),
  },
}
