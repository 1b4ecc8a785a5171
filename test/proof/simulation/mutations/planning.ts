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
    'look-back counted only from the newest end',
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
    'unsettled orders in an unfinished window not read again',
    plan,
    '{ start: Number.NEGATIVE_INFINITY, end: unsettledFrom },',
    '{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY },',
    'changed records',
    'given up',
    'trade.orderHistory',
    'p2p.orders',
  ),
  of(
    'newest part of a resumed window not read again',
    plan,
    'end: Math.max(start, end - lookbackMs),',
    'end,',
    'late records',
    'given up',
    'trade.orderHistory',
  ),
  of(
    'lost ranges not recorded in coverage',
    'pipeline/sync/feed.ts',
    'for (const range of plan.lost) {',
    'for (const range of plan.lost.slice(1)) {',
    'long absence',
  ),
  of(
    'ranges that were never received not recorded as lost',
    plan,
    '    known.wanted?.from ?? start,\n',
    '',
    'long absence',
    'server error',
    'outage',
  ),
  of(
    'failed ranges not recorded in coverage',
    failure,
    'for (const range of about) {',
    'for (const range of about.slice(1)) {',
    'server error',
    'outage',
  ),
  of(
    'other partitions not recorded when a feed stops at one of them',
    'pipeline/sync/feed.ts',
    'for (const rest of plans.slice(index + 1))',
    'for (const rest of plans.slice(index + 2))',
    'outage',
  ),
  of(
    'feeds that do not apply to a classic account not recorded',
    'pipeline/sync/account.ts',
    "await state(context, whole, { status: 'not_applicable', code: identity.kind, reason })",
    'void reason',
  ),
  of(
    'skipped windows not divided',
    'pipeline/sync/passed-over.ts',
    'if (this.#walks.length === 0 || this.#skips.isInDoubt) this.#divide()',
    '',
    'bad instants',
  ),
]
