// The interface document restated for the tests, once, in words of its own and without a look at connectors/: what it says
// of a family of endpoints stands in the file of that family, what it says of one endpoint in one entry. The tests of the
// catalogue, of requests, of answers and of the sandbox read their facts here.
import type { RestClientV2, RestClientV3 } from 'bitget-api'

export const DAY = 86_400_000

/** The venue's time in these tests. */
export const NOW = Date.parse('2026-03-01T12:00:00Z')

/** The last so many days, and a little more. */
export const last = (days: number, moreMs = 0) => ({
  startTime: String(NOW - days * DAY - moreMs),
  endTime: String(NOW),
})

export const WEEK = { startTime: String(NOW - 6 * DAY), endTime: String(NOW + DAY) }

/** A request field that is taken away. */
export const gone = undefined

export type Params = Readonly<Record<string, unknown>>

/** The accounts of the sandbox in their order: two of the subs belong to the parent, one to the broker. */
export const CAST = ['parent', 'classic', 'broker', 'brokersSub', 'sub', 'otherSub'] as const
export type Who = (typeof CAST)[number]

/** What a request to the sandbox may need to know of it. */
export interface World {
  readonly uidOf: (who: Who) => string
  /** `data` of the answer to a request of the endpoint at this section. */
  readonly dataOf: (section: string, params: Params) => Promise<Record<string, string>>
  readonly venueNow: () => number
}

/** A public client of this API, by generation and key, and whom its broker asks about. */
export interface PublicClients {
  readonly v2: RestClientV2
  readonly v3: RestClientV3
  /** With the tax key. */
  readonly tax: RestClientV3
  /** Of the broker. */
  readonly house: RestClientV2
  readonly subUid: string
}

/** What the venue sends, and how the column reads as text. */
export interface Value {
  readonly sent: unknown
  readonly kept: string
}

/** A text, an amount, a time, a truth value, a nested list or object. */
export const t = (text: string): Value => ({ sent: text, kept: text })
export const n = (decimal: string): Value => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return { sent: decimal, kept: `${whole}.${fraction.padEnd(18, '0')}` }
}
export const ms = (millis: number): Value => ({
  sent: String(millis),
  kept: new Date(millis).toISOString().replace('T', ' ').replace('Z', '+00'),
})
export const b = (flag: boolean): Value => ({ sent: flag, kept: String(flag) })
export const j = (value: unknown): Value => ({ sent: value, kept: JSON.stringify(value) })

export const alone = (row: object): unknown => row
export const inList = (row: object): unknown => [row]
export const inPage = (row: object): unknown => ({ list: [row], cursor: '1' })

/** A row of the answer, by part 2. */
export interface StatedRecord {
  readonly table: string
  /** The row as the `data` of an answer. */
  readonly data: (row: object) => unknown
  /** Fields without which a record is none; all others are optional. */
  readonly required: readonly string[]
  /** Fields of part 2, with a value. */
  readonly fields: Readonly<Record<string, Value>>
  /** Fields that the venue sends beyond part 2. */
  readonly beyond?: Readonly<Record<string, Value>>
  /** Fields that name or reach a person. */
  readonly personal?: readonly string[]
  /** Other spellings that the document has of a field. */
  readonly spellings?: Readonly<Record<string, string>>
}

/** An endpoint by parts 2 to 8; what is absent the document does not give. */
export interface Stated {
  readonly section: string
  /** Method and path. */
  readonly request: string
  readonly writes?: true
  readonly permission?: string
  /** The API key where absent. */
  readonly credential?: 'tax' | 'none'
  readonly rate: { readonly count: number; readonly perMs: number; readonly scope: 'uid' | 'ip' }
  readonly spanMaxDays?: number
  readonly retentionDays?: number
  readonly pageSizeMax?: number
  readonly paging?: 'cursor' | 'last-id' | 'page-number'
  /** Labels of the ways in which it is asked, where there are several. */
  readonly partitions?: string
  /** A request that keeps every rule. */
  readonly good: Params
  /** One that the sandbox answers too, where `good` names what the sandbox does not have. */
  readonly goodAtVenue?: (world: World) => Params | Promise<Params>
  /** Who may call it, where that is not the parent. */
  readonly caller?: Who
  /** Accounts that it is refused to, and what kind of account it is for. */
  readonly excluded?: readonly (readonly [Who, string])[]
  /**
   * What is changed in a good request, and what is said of it. The venue refuses it too, unless the rule is told here
   * alone.
   */
  readonly broken?: readonly (readonly [change: Params, said: string, by?: 'here'])[]
  /** How a public client asks; absent where the test of the public clients needs other answers first. */
  readonly publicClient?: (clients: PublicClients) => Promise<unknown>
  /** Absent where nothing lands. */
  readonly record?: StatedRecord
}
