// Transfers between a parent account, its sub-accounts and their wallets. Interface document, 4.6.
import { defineEndpoint } from '../endpoint.ts'
import { fields, oneOf, positive, type Report, text } from '../params.ts'

const wallet = oneOf(
  'spot',
  'p2p',
  'coin_futures',
  'usdt_futures',
  'usdc_futures',
  'crossed_margin',
  'isolated_margin',
)

type Transfer = Readonly<Record<string, unknown>>

/** Only isolated margin is kept by symbol. */
const usesIsolated = ({ fromType, toType }: Transfer): boolean =>
  fromType === 'isolated_margin' || toType === 'isolated_margin'

function symbolForIsolated(value: Transfer, report: Report): void {
  if (usesIsolated(value) && value.symbol === undefined)
    report('symbol', 'is required for a transfer from or to isolated_margin')
}

/** Within one account a transfer is between two of its wallets. */
function betweenWallets(value: Transfer, report: Report): void {
  const { fromUserId, toUserId, fromType, toType } = value
  if (fromUserId === toUserId && fromType === toType)
    report('toType', 'must differ from fromType within one account')
}

/** Parent to sub, sub to parent, sub to sub, or within one sub-account. Interface document, 4.6. */
export const subaccountTransfer = defineEndpoint({
  section: '4.6',
  name: 'wallet.subaccountTransfer',
  method: 'POST',
  path: '/api/v2/spot/wallet/subaccount-transfer',
  writes: true,
  rate: { scope: 'uid', count: 20, perMs: 1_000 },
  params: fields(
    {
      fromType: wallet,
      toType: wallet,
      amount: positive,
      coin: text,
      symbol: text.optional(),
      clientOid: text.optional(),
      fromUserId: text,
      toUserId: text,
    },
    symbolForIsolated,
    betweenWallets,
  ),
  rows: 'object',
  idleFields: (transfer) => ['clientOid', ...(usesIsolated(transfer) ? [] : ['symbol'])],
  role: 'a parent account, by a key that is bound to an address',
  outcome: 'Sync tax.records of both accounts and look for the transfer of this coin and amount.',
  doc: 'Transfers a coin between parent and sub-accounts, or between the wallets of one sub-account.',
})
