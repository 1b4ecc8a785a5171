// What an endpoint is: a declaration without logic, one for each endpoint of the interface document. Client, budgets,
// planner, pager and landing read nothing else, so every limit is next to its path.
import { milliseconds } from 'date-fns/milliseconds'
import type { z } from 'zod'
import type { RecordType } from '../models/record.ts'

export type Params = Readonly<Record<string, unknown>>

/**
 * How many calls a scope may make in a sliding interval. Interface document, part 8; "user" and "UID" mean one account.
 */
export interface Rate {
  readonly scope: 'uid' | 'ip'
  readonly count: number
  readonly perMs: number
  /** Endpoints that name the same group share one budget unless the configuration overrides it. */
  readonly group?: string
}

/**
 * cursor: the response contains the next cursor. last-id: the id of the last row is the next cursor. page-number: pages
 * are counted from 1. none: a single answer has everything.
 */
export type Paging =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'cursor'
      /** Request parameter, and path of the cursor in `data`. */
      readonly param: string
      readonly from: string
      /**
       * What the cursor identifies: a page of the venue's own, which according to the document leads on, or a row, by
       * its id; in that case its meaning has to be proven.
       */
      readonly names: 'page' | 'row'
      readonly sizeParam: string
      readonly size: number
      /** Largest documented size; null if the document gives none. */
      readonly sizeMax: number | null
    }
  | {
      readonly kind: 'last-id'
      readonly param: string
      readonly sizeParam: string
      readonly size: number
      readonly sizeMax: number | null
    }
  | {
      readonly kind: 'page-number'
      readonly param: string
      readonly sizeParam: string
      readonly size: number
      readonly sizeMax: number | null
    }

/** Which time ranges may be requested. Times are Unix milliseconds, both ends inclusive. */
export interface Window {
  /** Longest endTime − startTime. */
  readonly spanMaxMs: number
  /** Documented retention; null if the interface document gives none. */
  readonly retentionMs: number | null
  /** Known retention where the document gives none (a default that can be overridden). */
  readonly retentionAssumedMs?: number
  /** Wire name of the row field that the window filters by; empty if the rows carry no time. */
  readonly time: string
  /**
   * Wire names of a row's times. The row lasts from the first of them to the last and must touch the requested window,
   * whichever of them the venue filters by. `time` alone if absent; empty if this is not known at all.
   */
  readonly touches?: readonly string[]
  /**
   * rows: the times of a page's rows show which part of the window it proves. whole: only a window paged to its end is
   * proven (the filtering field is not documented).
   */
  readonly proves: 'rows' | 'whole'
  /** How much of covered ranges is read again for late and changed records. */
  readonly lookbackMs: number
}

/** One way of asking a feed: the label is the partition of its rows. */
export interface Partition {
  readonly label: string
  readonly params: Params
}

/** Something at the venue that an account may or may not have opened. */
export type Opening = 'product line' | 'P2P'

export interface Endpoint {
  /** Section of the interface document, e.g. `4.19`. */
  readonly section: string
  /** Contract name, e.g. `tax.records`. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly public: boolean
  readonly writes: boolean
  /** Permission as documented (part 5); null if the document names none. */
  readonly permission: string | null
  /** Which of an account's credentials signs it. */
  readonly credential: 'api' | 'tax' | 'none'
  readonly rate: Rate
  /** Request fields with their rules; a violation names the field, the rule and the section. */
  readonly params: z.ZodType
  /** The record that each row of the answer is; null if nothing lands. */
  readonly item: RecordType | null
  /** Where the rows are in `data`: '' if data is the array, a field name, or 'object' if data is the one row. */
  readonly rows: string
  readonly page: Paging
  readonly window: Window | null
  readonly partitions: readonly Partition[]
  /**
   * Rows in these states, or in an undocumented one, may still change: their windows are read again until they settle.
   */
  readonly unsettled?: { readonly field: string; readonly values: readonly string[] }
  /**
   * Another feed lists records in progress: a record that has left that list ended just now and is found here, however
   * old its own time is, so its window is read again. `partition` is the field that determines its partition here.
   */
  readonly endsOf?: { readonly feed: string; readonly partition: string }
  /** Which accounts it applies to; a refusal by the venue is recorded regardless. */
  readonly applies: 'all' | 'unified' | 'classic'
  /** What kind of account the interface requires besides the permission, in words; absent if any will do. */
  readonly role?: string
  /**
   * What an account may not have opened, so that the endpoint has no data for it: the product line that a partition
   * requests, or P2P as a whole. The codes of such a refusal, and of one for a missing role, are in `classify.ts`.
   */
  readonly opened?: Opening
  /** How far back an answer reaches if no time can be requested. */
  readonly retentionMs?: number
  /** The request field that is the whole body, if the interface requires a list instead of an object. */
  readonly bodyParam?: string
  /** Request fields that are secrets: never shown, logged or journaled. */
  readonly secretParams?: readonly string[]
  /** Fields of `data` that are secrets of ours: replaced in the body before it is journaled. */
  readonly secretFields?: readonly string[]
  /**
   * For requests whose items succeed or fail individually under one success code: the request field that lists them,
   * the fields by which an answer names one (the first that was sent applies), and the field that only a success has.
   */
  readonly itemsMayFail?: { readonly param: string; readonly names: readonly string[]; readonly id: string }
  /** The field of an answer that states whether it was done, and its value in that case, in capitals. */
  readonly doneWhen?: { readonly field: string; readonly value: string }
  /**
   * Fields of a write that do not change what it does: its own id, a documented default, anything without effect beside
   * the others. Two requests that differ only in these are the same.
   */
  readonly idleFields?: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  /** How to find out what became of a write whose answer was lost. */
  readonly outcome?: string
  /**
   * A request field whose values are a field of another feed's rows, or of what was sent to the endpoint `write` from
   * here: one request for each of them.
   */
  readonly paramFrom?: {
    readonly param: string
    readonly feed: string
    readonly field: string
    readonly write: string
  }
  readonly doc: string
}

/**
 * Whether to ask for an account of this kind. An account of unknown kind is asked, and the venue's answer settles it.
 */
export const appliesTo = ({ applies }: Endpoint, kind: string): boolean =>
  applies === 'all' || applies === kind || (kind !== 'unified' && kind !== 'classic')

/** Milliseconds in this many days, the unit of the interface document's spans. */
export const days = (count: number): number => milliseconds({ days: count })

/** Declares an endpoint; omitted properties get the most common value. */
export function defineEndpoint(
  declaration: Omit<
    Endpoint,
    | 'public'
    | 'writes'
    | 'permission'
    | 'credential'
    | 'item'
    | 'rows'
    | 'page'
    | 'window'
    | 'partitions'
    | 'applies'
  > &
    Partial<Endpoint>,
): Endpoint {
  return {
    public: false,
    writes: false,
    permission: null,
    credential: 'api',
    item: null,
    rows: '',
    page: { kind: 'none' },
    window: null,
    partitions: [{ label: '', params: {} }],
    applies: 'all',
    ...declaration,
  }
}

/**
 * How long the venue keeps a feed, in milliseconds; infinite if no limit is known. A list of the present state never
 * expires, whatever `override` says.
 */
export function retentionOf(
  { window, retentionMs }: Pick<Endpoint, 'window' | 'retentionMs'>,
  override?: number,
): number {
  const known = window === null ? retentionMs : (window.retentionMs ?? window.retentionAssumedMs)
  if (window === null && known === undefined) return Number.POSITIVE_INFINITY
  return override ?? known ?? Number.POSITIVE_INFINITY
}
