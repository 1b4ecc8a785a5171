// The shape of an endpoint's declaration: where it is, how often and by whom it may be called, what it accepts, and the
// function that answers. Everything common to all endpoints is done before `handle` is called.

import type { Account, ApiKey, Permission } from '../core/accounts.ts'
import { DAY_MS, HOUR_MS } from '../core/clock.ts'
import type { Role } from '../core/lines.ts'
import type { Venue } from '../core/venue.ts'
import type { Shape, Values } from '../http/params.ts'
import { type NotForThisAccount, Refusal, refusals } from '../http/refusals.ts'

export interface Call<S extends Shape> {
  venue: Venue
  params: Values<S>
  /** The parsed body, for the one endpoint whose body is an array. */
  body: unknown
  /** The venue's clock when the request arrived. */
  nowMs: number
}

export interface SignedCall<S extends Shape> extends Call<S> {
  account: Account
  key: ApiKey
}

/**
 * How an answer's rows continue: by which parameter, and under which names the answer holds the rows and the next
 * cursor.
 */
export interface Paging {
  param: 'cursor' | 'idLessThan'
  /** Null if the data is the list of rows itself. */
  rows: string | null
  /** Null if the answer has no cursor and the last row's id is the next one. */
  next: string | null
  /** Which row's id that cursor is; the last one's by default. */
  isNext?: 'smallest'
  /** Null if rows have no id and only the venue can create a cursor. */
  id: string | null
}

interface Declaration<S extends Shape> {
  /** Of the interface document. */
  section: string
  name: string
  method: 'GET' | 'POST'
  path: string
  rate: { count: number; perMs: number; scope: 'uid' | 'ip' }
  /** Endpoints of one group share one budget, with the rate that each of them has. */
  budgetGroup?: string
  params: S
  /** Time parameters of the request; checked before the handler sees them. */
  window?: TimeWindow
  paging?: Paging
}

export interface PublicEndpoint<S extends Shape> extends Declaration<S> {
  isPublic: true
  handle(call: Call<S>): unknown
}

export interface SignedEndpoint<S extends Shape> extends Declaration<S> {
  isPublic?: false
  /** A key needs one of these; none means any key, including the tax key. */
  permissions: readonly Permission[]
  /** Refused to a read-only key. */
  writes?: true
  /** A v3 endpoint serves only unified accounts. */
  isUnifiedOnly?: true
  /** The account needs one of these roles; others are refused with the code. */
  onlyFor?: { roles: readonly Role[]; code: NotForThisAccount | ((account: Account) => NotForThisAccount) }
  handle(call: SignedCall<S>): unknown
}

/** An endpoint of any shape, as the registry holds it. */
export type Endpoint = PublicEndpoint<Shape> | SignedEndpoint<Shape>

export function publicEndpoint<S extends Shape>(endpoint: Omit<PublicEndpoint<S>, 'isPublic'>): Endpoint {
  return { ...endpoint, isPublic: true }
}

export function endpoint<S extends Shape>(endpoint: SignedEndpoint<S>): Endpoint {
  return endpoint
}

export interface TimeWindow {
  spanDays: number
  /** How far back a start may lie; null if the document gives no limit. */
  retentionDays: number | null
  /** Either both bounds are given or neither is. */
  bothOrNeither?: true
}

const RETENTION_GRACE_MS = HOUR_MS

/** Refuses a window that ends before it starts, is too long, or starts more than an hour before retention. */
export function checkWindow(
  { spanDays, retentionDays, bothOrNeither }: TimeWindow,
  params: Record<string, unknown>,
  nowMs: number,
): void {
  const [startTime, endTime] = [params.startTime, params.endTime].map((bound) =>
    typeof bound === 'number' ? bound : undefined,
  )
  if (bothOrNeither && (startTime === undefined) !== (endTime === undefined)) {
    throw refusals.missing(startTime === undefined ? 'startTime' : 'endTime')
  }
  if (startTime !== undefined && endTime !== undefined) {
    if (endTime < startTime) throw new Refusal('40707', 'Start time is greater than end time')
    if (endTime - startTime > spanDays * DAY_MS) {
      throw new Refusal('40705', `The start and end time cannot exceed ${spanDays} days`)
    }
  }
  if (startTime !== undefined && retentionDays !== null) {
    if (startTime < nowMs - retentionDays * DAY_MS - RETENTION_GRACE_MS) {
      throw new Refusal('40704', `Can only check the data of the last ${retentionDays} days`)
    }
  }
}

/** The oldest time that a feed still returns, given what was requested. */
export function retained(retentionDays: number, nowMs: number, fromMs: number | undefined): number {
  return Math.max(fromMs ?? 0, nowMs - retentionDays * DAY_MS)
}
