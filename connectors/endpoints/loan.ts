// Institutional lending. Interface document, 4.16.
import { ltv } from '../../models/lending.ts'
import { defineEndpoint } from '../endpoint.ts'
import { fields, text } from '../params.ts'

/**
 * Risk rate of a lending unit: the caller's own, or that of riskUnitId for a primary account. Interface document, 4.16.
 */
export const loanToValue = defineEndpoint({
  section: '4.16',
  name: 'loan.ltv',
  method: 'GET',
  path: '/api/v3/ins-loan/ltv-convert',
  permission: 'UTA mgt. (read)',
  rate: { scope: 'uid', count: 3, perMs: 1_000 },
  params: fields({ riskUnitId: text.optional() }),
  item: ltv,
  rows: 'object',
  applies: 'unified',
  role: 'an institutional lending unit, or its primary account with riskUnitId',
  doc: 'Risk rate of an institutional lending unit, with debts and assets.',
})
