// A feed in words: its name, its state, and how long the venue will still remember it.
import type { FeedStatus } from '../../pipeline/serve/api.ts'
import type { Tone } from '../parts/marks.tsx'
import { count } from './plain.ts'
import { spanInWords } from './times.ts'

const DAY = 86_400_000

export function feedInWords({
  account,
  feed,
  partition,
}: Pick<FeedStatus, 'account' | 'feed' | 'partition'>): string {
  return [account, feed, ...(partition === '' ? [] : [partition])].join(' · ')
}

export function feedOnly({ feed, partition }: Pick<FeedStatus, 'feed' | 'partition'>): string {
  return partition === '' ? feed : `${feed} · ${partition}`
}

/** Gaps first: what is missing matters more than what is present. */
export function statusWord({ gaps, status, to }: FeedStatus): string {
  if (gaps.length > 0) return count(gaps.length, 'gap')
  return (status ?? (to === null ? 'not requested' : 'complete')).replaceAll('_', ' ')
}

export function statusTone({ gaps, status, to }: FeedStatus): Tone {
  if (gaps.some((gap) => gap.status === 'missing' || gap.status === 'failed')) return 'bad'
  if (gaps.length > 0) return 'warn'
  if (status === 'complete' || status === 'empty' || (status === null && to !== null)) return 'good'
  if (status === 'not_applicable' || status === null) return 'plain'
  return status === 'failed' ? 'bad' : 'warn'
}

export interface Memory {
  /** Share of the venue's retention that is left since the last fetch: 0 when it starts to forget. */
  readonly left: number
  readonly says: string
  readonly tone: 'good' | 'warn' | 'bad'
}

/** Null if the venue has no known retention limit. */
export function memoryOf({ forgetsAt, retentionDays }: FeedStatus, now: string): Memory | null {
  if (forgetsAt === null || retentionDays === null) return null
  const left = Date.parse(forgetsAt) - Date.parse(now)
  const whole = retentionDays * DAY
  if (left <= 0) return { left: 0, says: `forgetting for ${spanInWords(left)}`, tone: 'bad' }
  return {
    left: left / whole,
    says: `${spanInWords(left)} left`,
    // With a retention of only a few days, little is left even just after a fetch, and nothing is wrong.
    tone:
      left < Math.min(2 * DAY, whole / 3)
        ? 'bad'
        : left < Math.min(7 * DAY, (whole * 2) / 3)
          ? 'warn'
          : 'good',
  }
}
