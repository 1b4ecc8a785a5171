// What an endpoint is: a declaration without logic, one for each that the interface document has.
// Client, budgets, planner, pager and landing read nothing else, so every limit stands beside its path.
import { milliseconds } from 'date-fns/milliseconds'
import type { z } from 'zod'
import type { RecordType } from '../models/record.ts'

export type Params = Readonly<Record<string, unknown>>

/** How many calls a scope may make in a sliding interval. Interface document, part 8; "user" and "UID" are one account. */
export interface Rate {
  readonly scope: 'uid' | 'ip'
  readonly count: number
  readonly perMs: number
  /** Endpoints that name the same group share one budget unless the configuration says otherwise. */
  readonly group?: string
}

/**
 * cursor: the response carries the next cursor. last-id: the id of the last row is the next cursor.
 * page-number: pages are counted from 1. none: one answer is all.
 */
export type Paging =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'cursor'
      /** Request parameter, and path of the cursor in `data`. */
      readonly param: string
      readonly from: string
      /**
       * What the cursor names: a page of the venue's own, which leads on by the document, or a row, by its id; then what
       * it means is to be proven.
       */
      readonly names: 'page' | 'row'
      readonly sizeParam: string
      readonly size: number
      /** Largest documented size; null where the document gives none. */
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

/** Which time ranges may be asked for. Times are Unix milliseconds, both ends inclusive. */
export interface Window {
  /** Longest endTime − startTime. */
  readonly spanMaxMs: number
  /** How far back the venue remembers by the interface document; null where it gives none. */
  readonly retentionMs: number | null
  /** How far back it is known to remember where the document is silent (an overridable default). */
  readonly retentionAssumedMs?: number
  /** Wire name of the row field that the window filters by; empty where the rows carry no time. */
  readonly time: string
  /**
   * Wire names of times of a row: from the first of them to the last a row lasts, and it must touch the window that was
   * asked for, whichever of them the venue filters by. `time` alone when absent; empty where that is not known at all.
   */
  readonly touches?: readonly string[]
  /**
   * rows: the times of a page's rows tell which part of the window it proves.
   * whole: only a window paged to its end is proven (the filtering field is not documented).
   */
  readonly proves: 'rows' | 'whole'
  /** How far back covered ranges are read again for late and changed records. */
  readonly lookbackMs: number
}

/** One way of asking a feed: the label is the partition of its rows. */
export interface Partition {
  readonly label: string
  readonly params: Params
}

/** Something of the venue that an account opens, or does not. */
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
  /** Permission as documented (part 5); null where the document names none. */
  readonly permission: string | null
  /** Which of an account's credentials signs it. */
  readonly credential: 'api' | 'tax' | 'none'
  readonly rate: Rate
  /** Request fields with their rules; a violation names the field, the rule and the section. */
  readonly params: z.ZodType
  /** The record that each row of the answer is; null where nothing lands. */
  readonly item: RecordType | null
  /** Where the rows stand in `data`: '' when data is the array, a field name, or 'object' when data is the one row. */
  readonly rows: string
  readonly page: Paging
  readonly window: Window | null
  readonly partitions: readonly Partition[]
  /** Rows of these states, or of one that is not documented, may still change: their windows are read again until they settle. */
  readonly unsettled?: { readonly field: string; readonly values: readonly string[] }
  /**
   * Another feed lists what is under way: what has left that list ended just now and stands here, however long ago its own
   * time is, so its window is read again. `partition` is the field that says in which partition it stands.
   */
  readonly endsOf?: { readonly feed: string; readonly partition: string }
  /** Which accounts it applies to; what the venue refuses is recorded, whatever stands here. */
  readonly applies: 'all' | 'unified' | 'classic'
  /** What kind of account the interface asks for beside the permission, in words; absent where any will do. */
  readonly role?: string
  /**
   * What an account may not have opened, so that the endpoint has nothing of it: the product line that a partition
   * asks for, or P2P at all. The codes of such a refusal, and of one for want of the role, stand in `classify.ts`.
   */
  readonly opened?: Opening
  /** How far back an answer reaches where no time can be asked for. */
  readonly retentionMs?: number
  /** The request field that is the whole body, where the interface wants a list instead of an object. */
  readonly bodyParam?: string
  /** Request fields that are secrets: never shown, logged or journaled. */
  readonly secretParams?: readonly string[]
  /** Fields of `data` that are secrets of ours: replaced in the body before it is journaled. */
  readonly secretFields?: readonly string[]
  /**
   * Each of several things that are asked for succeeds or fails by itself, under a code of success for the whole: the request
   * field that lists them, the fields by which an answer names one, the first that was sent counting, and the field that
   * only a success has.
   */
  readonly itemsMayFail?: { readonly param: string; readonly names: readonly string[]; readonly id: string }
  /** The field of an answer that says whether it was done, and what it says then, in capitals. */
  readonly doneWhen?: { readonly field: string; readonly value: string }
  /**
   * Fields of a write that change nothing of what it does: its own id, a documented default, what has no effect beside the
   * others. Two requests that differ in nothing else are the same.
   */
  readonly idleFields?: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  /** How to find out what became of a write whose answer was lost. */
  readonly outcome?: string
  /**
   * A request field whose values are a field of another feed's rows, or of what was sent to the endpoint `write` from here:
   * one request for each of them.
   */
  readonly paramFrom?: {
    readonly param: string
    readonly feed: string
    readonly field: string
    readonly write: string
  }
  readonly doc: string
}

/** Whether an account of this kind is asked; one of unknown kind is, and the venue's answer tells. */
export const appliesTo = ({ applies }: Endpoint, kind: string): boolean =>
  applies === 'all' || applies === kind || (kind !== 'unified' && kind !== 'classic')

/** Milliseconds of so many days, the unit of the interface document's spans. */
export const days = (count: number): number => milliseconds({ days: count })

/** Declares an endpoint; what is left out has the commonest value. */
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
 * How long the venue remembers a feed, in milliseconds; without end where it is not known to forget. A list of what is now
 * has nothing to forget, whatever `override` says.
 */
export function retentionOf(
  { window, retentionMs }: Pick<Endpoint, 'window' | 'retentionMs'>,
  override?: number,
): number {
  const known = window === null ? retentionMs : (window.retentionMs ?? window.retentionAssumedMs)
  if (window === null && known === undefined) return Number.POSITIVE_INFINITY
  return override ?? known ?? Number.POSITIVE_INFINITY
}
