// Conversion of small balances into the platform's own coin. Interface document, 4.24.
import { defineEndpoint } from '../endpoint.ts'
import { fields, text, textOrListOf } from '../params.ts'

/**
 * The document's table calls coinList a string, its sample sends a list: both are accepted. Interface document, 4.24.
 */
export const convertSmallBalances = defineEndpoint({
  section: '4.24',
  name: 'convert.smallBalances',
  method: 'POST',
  path: '/api/v2/convert/{platform-coin}-convert',
  writes: true,
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields({
    coinList: textOrListOf(text),
  }),
  rows: 'orderList',
  itemsMayFail: { param: 'coinList', names: ['coin'], id: 'orderId' },
  outcome: 'Sync tax.records and look for conversions of these coins.',
  doc: 'Converts small balances of the coins named into the platform coin.',
})
