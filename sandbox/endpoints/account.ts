// The unified account itself: its settings. Interface document, 4.14.

import { CONTRACTS } from '../core/market.ts'
import { endpoint } from './endpoint.ts'

export const settings = endpoint({
  section: '4.14',
  name: 'account.settings',
  method: 'GET',
  path: '/api/v3/account/settings',
  rate: { count: 20, perMs: 1_000, scope: 'uid' },
  permissions: ['uta_mgt'],
  isUnifiedOnly: true,
  params: {},
  handle: ({ account }) => ({
    uid: account.uid,
    accountMode: 'unified',
    assetMode: 'multi_assets',
    holdMode: account.holdMode,
    stpMode: 'none',
    // Isolated margin mode is not available through the API at present.
    symbolConfigList: CONTRACTS.map(({ line, symbol }) => ({
      category: line,
      symbol,
      marginMode: 'crossed',
      leverage: '10',
    })),
    coinConfigList: [
      { coin: 'USDT', leverage: '6' },
      { coin: 'BTC', leverage: '3' },
      { coin: 'ETH', leverage: '3' },
    ],
  }),
})
