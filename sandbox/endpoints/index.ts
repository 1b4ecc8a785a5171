// The registry: every endpoint of the interface document, by section.

import * as account from './account.ts'
import * as broker from './broker.ts'
import type { Endpoint } from './endpoint.ts'
import * as futures from './futures.ts'
import * as loan from './loan.ts'
import * as market from './market.ts'
import { batchModifyOrders } from './modify.ts'
import { cancelOrder, openOrders, orderHistory } from './orders.ts'
import * as p2p from './p2p.ts'
import { placeOrder } from './spot.ts'
import * as tax from './tax.ts'
import * as wallet from './wallet.ts'

const trade = { placeOrder, cancelOrder, batchModifyOrders, openOrders, orderHistory }

export const ENDPOINTS: readonly Endpoint[] = [
  account,
  broker,
  futures,
  loan,
  market,
  p2p,
  tax,
  trade,
  wallet,
]
  .flatMap((family): Endpoint[] => Object.values(family))
  .sort((a, b) => Number(a.section.slice(2)) - Number(b.section.slice(2)))
