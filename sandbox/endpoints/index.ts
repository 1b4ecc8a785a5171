// The registry: every endpoint of the interface document, by section.

import * as account from './account.ts'
import type { Endpoint } from './endpoint.ts'
import * as orders from './orders.ts'
import * as p2p from './p2p.ts'
import * as tax from './tax.ts'

export const ENDPOINTS: readonly Endpoint[] = [account, orders, p2p, tax]
  .flatMap((family) => Object.values(family))
  .sort((a, b) => Number(a.section.slice(2)) - Number(b.section.slice(2)))
