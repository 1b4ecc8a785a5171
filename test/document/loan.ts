// What the interface document says of the endpoints loan.*, in words of our own: see stated.ts.
import { alone, j, n, type Stated } from './stated.ts'

export const loan: Readonly<Record<string, Stated>> = {
  'loan.ltv': {
    section: '4.16',
    request: 'GET /api/v3/ins-loan/ltv-convert',
    permission: 'UTA mgt. (read)',
    rate: { count: 3, perMs: 1_000, scope: 'uid' },
    good: { riskUnitId: '1' },
    goodAtVenue: () => ({}),
    excluded: [['sub', 'an institutional lending unit, or its primary account with riskUnitId']],
    broken: [[{ riskUnitId: '' }, 'riskUnitId must not be empty', 'here']],
    publicClient: ({ v3 }) => v3.getLoanLTVConvert(),
    record: {
      table: 'ltv',
      data: alone,
      required: [],
      fields: {
        ltv: n('0.314159265358979323'),
        subAccountUids: j(['4723899278', '4723899279']),
        usdtBalance: n('12345678901234567890.123456789012345678'),
        unpaidUsdtAmount: n('7'),
        unpaidInfo: j([{ coin: 'USDT', unpaidQty: '6.5', unpaidInterest: '0.5' }]),
        balanceInfo: j([{ coin: 'BTC', price: '60000', amount: '0.5', convertedUsdtAmount: '30000' }]),
      },
    },
  },
}
