// Mistakes about what is read again, and what is said of what was not had.
import { of } from './mutation.ts'

const plan = 'pipeline/sync/plan.ts'
const failure = 'pipeline/sync/failure.ts'

export const planning = [
  of(
    'look-back removed',
    plan,
    'readAt - lookbackMs, oldestUnsettled',
    'readAt, oldestUnsettled',
    'late records',
  ),
  of(
    'look-back counted from the newest end alone',
    plan,
    '({ start, end, readAt = newest }) => {',
    '({ start, end }) => {\n    const readAt = newest',
    'late records',
    'given up',
    'tax.records',
    'newest first',
  ),
  of(
    'unsettled orders not read again',
    plan,
    'known.oldestUnsettled ?? Number.POSITIVE_INFINITY',
    'Number.POSITIVE_INFINITY',
    'changed records',
  ),
  of(
    'unsettled orders on a begun window not read again',
    plan,
    '{ start: Number.NEGATIVE_INFINITY, end: unsettledFrom },',
    '{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY },',
    'changed records',
    'given up',
    'trade.orderHistory',
    'p2p.orders',
  ),
  of(
    'resumed window not read again in its newest part',
    plan,
    'end: Math.max(start, end - lookbackMs),',
    'end,',
    'late records',
    'given up',
    'trade.orderHistory',
  ),
  of(
    'lost ranges not stated',
    'pipeline/sync/feed.ts',
    'for (const range of plan.lost) {',
    'for (const range of plan.lost.slice(1)) {',
    'long absence',
  ),
  of(
    'what was never had is not lost',
    plan,
    '    known.wanted?.from ?? start,\n',
    '',
    'long absence',
    'server error',
    'outage',
  ),
  of(
    'what failed is not stated',
    failure,
    'for (const range of about) {',
    'for (const range of about.slice(1)) {',
    'server error',
    'outage',
  ),
  of(
    'neighbours of a stopped partition not stated',
    'pipeline/sync/feed.ts',
    'for (const rest of plans.slice(index + 1))',
    'for (const rest of plans.slice(index + 2))',
    'outage',
  ),
  of(
    'a classic account is not told of',
    'pipeline/sync/account.ts',
    "await state(context, whole, { status: 'not_applicable', code: identity.kind, reason })",
    'void reason',
  ),
  of(
    'what was passed over is not divided',
    'pipeline/sync/passed-over.ts',
    'if (this.#walks.length === 0 || this.#skips.isInDoubt) this.#divide()',
    '',
    'bad instants',
  ),
]
