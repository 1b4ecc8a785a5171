// No country: lots by account, whole UTC days, calendar years, no terms and no return.
import type { Law } from './law.ts'

export const generic: Law = {
  name: 'generic',
  methods: ['fifo', 'lifo', 'hifo', 'lofo', 'average', 'specific'],
  scope: [{ value: 'account', fromYear: null }],
  scopeBindsFrom: null,
  gifts: 'leave',
  giverCounts: null,
  shortSales: 'when closed',
  feesInKind: ['disposal', 'net'],
  exchangeFeesGivenFrom: null,
  lookAheadDays: 0,
  lookAhead: null,
  takesDayAsOne: false,
  timeZone: 'UTC',
  yearStart: { month: 1, day: 1 },
  currency: null,
  termOf: null,
  longIsFree: false,
  roundsPieces: false,
  futures: {
    rule: 'no country, no rule',
    source: '–',
    fromYear: null,
  },
  rateChange: null,
  carriedLosses: null,
  carryBack: null,
  income: null,
  incomeBelongs: null,
  figures: null,
}
