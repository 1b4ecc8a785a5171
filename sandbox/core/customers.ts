// The broker's referred customers: who registered when, whether directly or through another customer, and the result of
// the identity check. Uids rise with registration, since a uid is also the cursor of 4.5. Interface document, 2.14.

import { DAY_MS, HOUR_MS } from './clock.ts'
import { Random } from './random.ts'

export interface Customer {
  uid: string
  registeredMs: number
  isDirect: boolean
  referralCode: string
  kycResult: 'passed' | 'not_passed'
  kycMs: number
}

const PAST_DAYS = 100
const MEAN_GAP_MS = 4 * HOUR_MS

/** Customers of the last months, oldest first. */
export function inventCustomers(seed: number, endMs: number): Customer[] {
  const random = new Random(seed, 'customers')
  const codes = ['SPRING24', 'DESK7', 'PARTNER']
  const customers: Customer[] = []
  let uid = 7_000_000_000
  let atMs = endMs - PAST_DAYS * DAY_MS
  for (;;) {
    atMs += random.int(60_000, 2 * MEAN_GAP_MS)
    uid += random.int(1, 90_000)
    const kycMs = atMs + random.int(60_000, 2 * DAY_MS)
    if (atMs > endMs) return customers
    customers.push({
      uid: String(uid),
      registeredMs: atMs,
      isDirect: random.chance(0.75),
      referralCode: random.pick(codes),
      kycResult: random.chance(0.85) ? 'passed' : 'not_passed',
      kycMs,
    })
  }
}
