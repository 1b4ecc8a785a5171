// The faults a sandbox can be started with, and how they are written: `name` or `name=value`, comma-separated, or an
// object with the same names. Nothing goes wrong unless it is requested here.

import { FEEDS, type FeedName } from '../core/lines.ts'
import type { Burst } from '../core/manners.ts'

export const RECORD_FAULTS = ['drop', 'double', 'change', 'rename-type', 'flip-fee'] as const
const RATE_FAULTS = [
  '429',
  '5xx',
  'reset',
  'truncate',
  'empty-body',
  'html',
  'null-data',
  'wrong-msg',
  'hang',
  'short-pages',
  'repeat-cursor',
] as const
const FLAGS = ['oddities', 'gzip', 'plain-accounts', 'documented-types'] as const
const RANGES = ['latency', 'outage'] as const
export const FAULT_NAMES = [...RECORD_FAULTS, 'burst', ...RATE_FAULTS, ...FLAGS, ...RANGES, 'skew'] as const

export type RecordFaultKind = (typeof RECORD_FAULTS)[number]
export type RateFault = (typeof RATE_FAULTS)[number]
type FaultName = (typeof FAULT_NAMES)[number]

/**
 * By name: `FEED:N` for faults of a record and for bursts (several as an array), a share from 0 to 1 for those that
 * happen now and then (`true` is always), `MIN-MAX` milliseconds of latency, `FROM-TO` seconds of outage, seconds of
 * skew.
 */
export type FaultOptions = Partial<Record<FaultName, string | number | boolean | string[]>>

export interface Faults {
  /** The number counts the feed's records from the oldest, starting with 1. */
  records: { kind: RecordFaultKind; feed: FeedName; place: number }[]
  bursts: Burst[]
  rates: Partial<Record<RateFault, number>>
  oddities: boolean
  gzip: boolean
  'plain-accounts': boolean
  'documented-types': boolean
  latencyMs: { from: number; to: number } | undefined
  outageMs: { from: number; to: number } | undefined
  skewMs: number
}

export function readFaults(options: string | FaultOptions = {}): Faults {
  const faults: Faults = {
    records: [],
    bursts: [],
    rates: {},
    oddities: false,
    gzip: false,
    'plain-accounts': false,
    'documented-types': false,
    latencyMs: undefined,
    outageMs: undefined,
    skewMs: 0,
  }
  for (const [name, value] of typeof options === 'string' ? split(options) : flatten(options)) {
    if (isOneOf(RECORD_FAULTS, name)) faults.records.push({ kind: name, ...place(name, value) })
    else if (name === 'burst') {
      const { feed, place: rows } = place(name, value)
      faults.bursts.push({ feed, rows })
    } else if (isOneOf(RATE_FAULTS, name)) faults.rates[name] = rate(name, value)
    else if (isOneOf(FLAGS, name)) faults[name] = true
    else if (name === 'latency') faults.latencyMs = range(name, value, 1)
    else if (name === 'outage') faults.outageMs = range(name, value, 1_000)
    else if (name === 'skew') faults.skewMs = Math.round(number(name, value) * 1_000)
    else throw new RangeError(`Unknown fault "${name}". Known faults: ${FAULT_NAMES.join(', ')}.`)
  }
  return faults
}

function split(text: string): [string, string][] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name, ...value] = part.split('=')
      return [name!, value.join('=')]
    })
}

function flatten(options: FaultOptions): [string, string][] {
  return Object.entries(options)
    .filter(([, value]) => value !== false && value !== undefined)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one] as const))
    .map(([name, value]) => [name, value === true ? '' : String(value)])
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name)
}

function place(name: string, value: string): { feed: FeedName; place: number } {
  const [feed = '', at = ''] = value.split(':')
  if (!isOneOf(FEEDS, feed) || !/^[1-9]\d*$/.test(at)) {
    throw new RangeError(`${name}=${value}: expected FEED:N, N from 1, FEED one of ${FEEDS.join(', ')}.`)
  }
  return { feed, place: Number(at) }
}

function rate(name: string, value: string): number {
  if (value === '') return 1
  const share = number(name, value)
  if (share < 0 || share > 1) throw new RangeError(`${name}=${value}: expected a share from 0 to 1.`)
  return share
}

function range(name: string, value: string, unitMs: number): { from: number; to: number } {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(value)
  if (match === null || Number(match[1]) > Number(match[2])) {
    throw new RangeError(`${name}=${value}: expected FROM-TO.`)
  }
  return { from: Number(match[1]) * unitMs, to: Number(match[2]) * unitMs }
}

function number(name: string, value: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(value)) throw new RangeError(`${name}=${value}: expected a number.`)
  return Number(value)
}
