// The unified account itself: its settings, and the repayment of its debt. Interface document, 4.14 and 4.15.
import { accountSettings } from '../../models/records.ts'
import { defineEndpoint } from '../endpoint.ts'
import { fields, listOf, text } from '../params.ts'

/** Account settings; only a unified account gets an answer. Interface document, 4.14. */
export const settings = defineEndpoint({
  section: '4.14',
  name: 'account.settings',
  method: 'GET',
  path: '/api/v3/account/settings',
  permission: 'UTA mgt. (read)',
  rate: { scope: 'uid', count: 20, perMs: 1_000 },
  params: fields({}),
  item: accountSettings,
  rows: 'object',
  applies: 'unified',
  doc: 'Settings of a unified account: its modes, and leverage per symbol and coin.',
})

/** Manual repayment; without a debt it returns `result: NO`. Interface document, 4.15. */
export const repay = defineEndpoint({
  section: '4.15',
  name: 'account.repay',
  doneWhen: { field: 'result', value: 'YES' },
  method: 'POST',
  path: '/api/v3/account/repay',
  writes: true,
  permission: 'UTA mgt. (read & write)',
  rate: { scope: 'uid', count: 5, perMs: 1_000 },
  params: fields({
    repayableCoinList: listOf(text, { min: 1 }),
    paymentCoinList: listOf(text, { min: 1 }),
  }),
  rows: 'object',
  applies: 'unified',
  outcome: 'Sync tax.records and look for a repayment of these coins.',
  doc: 'Repays debt of a unified account in the coins named, paying with the other coins named.',
})
