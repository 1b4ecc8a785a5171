// What the page and its server say to each other: types only, one for each request and each answer. The page imports
// nothing else of the pipeline.
//
// Shapes: amounts are decimal text and never pass through a float; times are ISO-8601 text in UTC, days `YYYY-MM-DD`.
// Rows of the ledger bear its column names (snake_case), as in `--json` of the command line; all else is camelCase.
// What is unknown is null, never zero. A parameter that is absent or empty does not narrow anything.

/** Decimal text, at most 18 decimals: `-1.5`. */
export type Amount = string
/** ISO-8601 in UTC: `2026-01-31T12:00:00.000Z`. */
export type Time = string
/** `2026-01-31`, a day of UTC. */
export type Day = string

/** A value of a ledger column or a query: amounts, times and whole numbers beyond 2^53 are text. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell }
export type CellKind = 'amount' | 'number' | 'time' | 'date' | 'text'

export interface Column {
  readonly name: string
  readonly kind: CellKind
}

/** Which ledger an answer is from. Two answers of one page belong together only with the same `publication`. */
export interface Stamp {
  /** Names the published file: another file has another one. Cursors hold it too. Short hex text, to be shown. */
  readonly publication: string
  /** SHA-256 over what the ledger says, as filings keep it; null until it has been calculated (seconds in large books). */
  readonly ledgerHash: string | null
  readonly publishedAt: Time
  readonly openErrors: number
  readonly openWarnings: number
}

/** Every answer that is made of the ledger. */
export interface Stamped {
  readonly stamp: Stamp
}

/** Rows with the query that answers them, values written out: it can be opened and run in the console. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly sql: string
}

/** Rows in pages: the next page is asked for with `cursor=next`; null on the last. */
export interface Page<Row> extends Rows<Row> {
  readonly next: string | null
}

/** Body of every answer with a status of 400 and above. */
export interface Failure {
  readonly error: {
    /** UsageError, NoLedger, CorruptionError, Republished, Busy, Forbidden, … */
    readonly name: string
    readonly message: string
    readonly where?: string
    readonly expected?: string
    readonly found?: string
    /** What to do next. */
    readonly action: string
  }
}

// ---- What is served ----------------------------------------------------------------------------------------------

/** GET /api/about */
export interface About {
  readonly version: string
  /** Folder of the books. */
  readonly dir: string
  /** Notes cannot be made. */
  readonly isReadOnly: boolean
  /** What the server calls now. */
  readonly now: Time
  readonly stamp: Stamp
  /** For filters; sorted. */
  readonly accounts: readonly string[]
  readonly ledgers: readonly string[]
  readonly coins: readonly string[]
  /** Reporting currency of the published values; null where none is known. */
  readonly currency: string | null
}

/**
 * GET /api/events, server-sent events. Each event bears its kind as the name (`event: published`) and the object as JSON.
 * On connecting, `published`, `run` and, where one is under way, `note` come at once.
 */
export type ServerEvent =
  | { readonly kind: 'published'; readonly stamp: Stamp }
  | { readonly kind: 'run'; readonly run: LiveRun | null }
  | { readonly kind: 'note'; readonly note: NoteProgress }

// ---- Overview: GET /api/overview?account= --------------------------------------------------------------------------

export interface Overview extends Stamped {
  readonly netWorth: Rows<NetWorthRow>
  readonly pnl: Rows<PnlRow>
  readonly breaks: Rows<BreakCountRow>
  /** The worst; `feedCount` counts all of them. */
  readonly coverage: Rows<FeedStatus>
  readonly feedCount: number
  /** Feed that the venue begins to forget first; null where none is known to. In the past: it has begun. */
  readonly forgetsNext: FeedStatus | null
  readonly lastRun: Rows<RunRow>
  readonly lastGoodRunAt: Time | null
}

export interface NetWorthRow {
  readonly day: Day
  /** Null where nothing has a price. */
  readonly value: Amount | null
  readonly currency: string | null
  readonly unpriced_coins: number
}

export type PnlKind = 'gains' | 'futures' | 'fees' | 'funding' | 'interest' | 'liquidations'

export interface PnlRow {
  /** First day of the month. */
  readonly month: Day
  readonly kind: PnlKind
  /** Coin or currency of the amount: amounts of different coins are never added. */
  readonly coin: string | null
  /** Null where no gain is known. */
  readonly amount: Amount | null
  /** Pieces of disposals without a known gain, of kind gains. */
  readonly unknown_pieces: number
}

export interface BreakCountRow {
  readonly severity: Severity
  readonly age: 'day' | 'week' | 'month' | 'older'
  readonly count: number
}

// ---- Accounts ------------------------------------------------------------------------------------------------------

/** GET /api/accounts?account=&ledger=&coin=&from=&to= (days; they bound the trial balance; `to` is included) */
export interface Accounts extends Stamped {
  readonly accounts: Rows<AccountRow>
  readonly balances: Rows<BalanceRow>
  readonly trialBalance: Rows<TrialBalanceRow>
  /** Days of the trial balance, both included: as asked for, else the month of the last day of the books. */
  readonly period: { readonly from: Day | null; readonly to: Day | null }
}

export interface AccountRow {
  readonly account: string
  readonly venue: string | null
  readonly uid: string | null
  readonly kind: string | null
  readonly account_mode: string | null
}

export interface BalanceRow {
  readonly account: string
  readonly ledger: string
  readonly coin: string
  /** What the books say. */
  readonly quantity: Amount
  readonly borrowed: Amount
  readonly own: Amount
  /** What the venue said last; null where its feed has no balances. */
  readonly venue_balance: Amount | null
  /** quantity − venue_balance. */
  readonly difference: Amount | null
  readonly as_of: Time | null
  /** Value of what is own at the last day of the books; null without a price. */
  readonly own_value: Amount | null
  readonly currency: string | null
}

export interface TrialBalanceRow {
  readonly account: string
  readonly ledger: string
  readonly coin: string
  readonly opening: Amount
  readonly incoming: Amount
  /** Negative or zero. */
  readonly outgoing: Amount
  /** opening + incoming + outgoing. */
  readonly closing: Amount
}

/** GET /api/accounts/history?account=&ledger=&coin= (all three required; from=&to= as days) */
export interface BalanceHistory extends Stamped {
  readonly history: Rows<BalanceDay>
}

export interface BalanceDay {
  readonly day: Day
  readonly change: Amount
  readonly quantity: Amount
  readonly borrowed: Amount
  readonly value: Amount | null
  readonly currency: string | null
}

// ---- Ledger --------------------------------------------------------------------------------------------------------

/**
 * Filters of GET /api/entries, /api/entries/facets and /api/csv/entries. Several values of one name with commas.
 * `from` and `to` are days (both included) or times; `id` is an entry_id, a transaction_id or the venue's own id.
 */
export interface EntryFilter {
  readonly account?: string
  readonly ledger?: string
  readonly coin?: string
  readonly kind?: string
  readonly symbol?: string
  readonly from?: string
  readonly to?: string
  readonly id?: string
}

/** GET /api/entries?…filters&cursor=: newest first, 100 rows a page. */
export interface Entries extends Stamped {
  readonly entries: Page<EntryRow>
}

export interface EntryRow {
  readonly entry_id: string
  readonly transaction_id: string
  readonly account: string
  readonly ledger: string
  readonly product_line: string | null
  readonly coin: string
  readonly amount: Amount
  readonly kind: string
  readonly occurred_at: Time
  readonly symbol: string | null
  readonly type: string | null
  readonly source_feed: string
  readonly source_id: string
  /** Order of the record among all of the account. */
  readonly place: number
  /** Balance of account, ledger and coin after this entry, whatever the filters. */
  readonly balance: Amount
}

/** GET /api/entries/facets?…filters: each facet is counted under the other filters, without its own. */
export interface EntryFacets extends Stamped {
  /** Exact count under all filters. */
  readonly count: Rows<{ readonly count: number }>
  readonly facets: Rows<FacetRow>
}

export interface FacetRow {
  readonly facet: 'account' | 'ledger' | 'coin' | 'kind' | 'symbol'
  readonly value: string | null
  readonly count: number
}

// ---- Proof ---------------------------------------------------------------------------------------------------------

/**
 * GET /api/proof?id=&limit=&method=&scope=&rules=&currency=: what an id means, down to the bytes that the venue sent. The
 * same as `tieout explain ID --json`. 400 with near matches in `error.found` or `error.expected` for an unknown id.
 */
export interface Proof extends Stamped {
  readonly id: string
  /** Every meaning of the id. */
  readonly steps: readonly ProofStep[]
  /** The command that prints the same. */
  readonly command: string
}

export interface ProofStep {
  /** disposal, piece, lot, event, trade, transaction, entry, record, imported row, deal, valuation, price, break, line or frame. */
  readonly what: string
  readonly id: string
  readonly fields: Readonly<Record<string, Cell>>
  /** For a record: where it stands in the journal, its hash checked while this answer was made. */
  readonly evidence?: ProofEvidence
  readonly steps: readonly ProofStep[]
  /** Further steps that are not shown; ask with a larger limit. */
  readonly omitted?: number
}

export interface ProofEvidence {
  readonly frame: number
  /** From 0; null for the whole frame. */
  readonly row: number | null
  /** How the frame describes itself: kind, account, feed, at, request {method, path}, … */
  readonly meta: Readonly<Record<string, Cell>>
  /** Chain hash that ends with this frame, in hex; verified now. */
  readonly chain: string
  /** SHA-256 of the body as received; null when it was erased. */
  readonly body_sha256: string | null
  readonly body_bytes: number | null
  /** The body is gone on purpose; the chain holds. */
  readonly erased: boolean
  /** Place of the row in the body, the end not included. */
  readonly row_bytes: readonly [number, number] | null
  readonly row_text: string | null
  /** Data about people stand as null in row_text. */
  readonly without_personal_data: boolean
}

// ---- Lots and gains ------------------------------------------------------------------------------------------------

/** GET /api/lots?account=&coin=&cursor=: open lots, oldest acquisition first within account and coin; 100 rows a page. */
export interface Lots extends Stamped {
  readonly lots: Page<LotRow>
  /** By account and coin, over all pages. */
  readonly holdings: Rows<HoldingRow>
  /** Disposals without a known basis, and what of lots has none. */
  readonly unknownBasis: Rows<UnknownBasisRow>
  readonly matching: Matching | null
}

export interface Matching {
  readonly method: string
  readonly scope: string
  readonly rules: string
  readonly time_zone: string
}

export interface LotRow {
  readonly account: string
  readonly coin: string
  readonly method: string
  readonly acquired_at: Time | null
  readonly quantity_left: Amount
  readonly cost_basis_left: Amount | null
  readonly currency: string | null
  /** Null for a pool. */
  readonly lot_id: string | null
  /** Tells the row from others of this ledger; means nothing else. */
  readonly rowid: number
}

export interface HoldingRow {
  readonly account: string
  readonly coin: string
  readonly lots: number
  readonly quantity_left: Amount
  /** Of the lots whose basis is known. */
  readonly cost_basis_left: Amount | null
  readonly currency: string | null
  /** Quantity in lots without a known basis. */
  readonly quantity_without_basis: Amount
}

export interface UnknownBasisRow {
  readonly account: string
  readonly coin: string
  readonly quantity: Amount
  readonly unvalued_quantity: Amount
  readonly disposals: number
}

/**
 * Filters of gains. `from`, `to` (days or times, included) or `year` (the tax year of the published rules); `term` as the
 * column; `known`: `no` keeps pieces without a known gain alone.
 */
export interface GainFilter {
  readonly account?: string
  readonly coin?: string
  readonly from?: string
  readonly to?: string
  readonly year?: string
  readonly term?: string
  readonly known?: 'yes' | 'no'
}

/** GET /api/gains?…filters&cursor=: pieces of disposals as published, newest first; 100 rows a page. */
export interface Gains extends Stamped {
  readonly pieces: Page<DisposalRow>
  /** By coin and term; what has no known gain is a row of its own. */
  readonly totals: Rows<GainTotalRow>
  /** Tax years in which something was disposed of, newest first. */
  readonly years: readonly number[]
}

export interface DisposalRow {
  readonly account: string
  readonly coin: string
  readonly method: string
  readonly rules: string
  readonly disposed_at: Time
  readonly acquired_at: Time | null
  readonly quantity: Amount
  readonly proceeds: Amount | null
  readonly cost_basis: Amount | null
  readonly denied_loss: Amount | null
  readonly gain: Amount | null
  readonly currency: string | null
  readonly holding_days: number | null
  readonly term: string | null
  readonly disposal_id: string
  readonly lot_id: string | null
  /** Tells the row from others of this ledger; means nothing else. */
  readonly rowid: number
}

export interface GainTotalRow {
  readonly coin: string
  readonly currency: string | null
  readonly term: string | null
  readonly is_known: boolean
  readonly pieces: number
  readonly quantity: Amount
  readonly proceeds: Amount | null
  readonly cost_basis: Amount | null
  readonly denied_loss: Amount | null
  readonly gain: Amount | null
}

/**
 * GET /api/gains/methods?methods=fifo,lifo,hifo&account=&from=&to=&year=: NDJSON, a MethodLine a line. Leaving (abort the
 * fetch) cancels it. Its figures are those of `tieout report gains --methods`.
 */
export type MethodLine =
  | { readonly kind: 'progress'; readonly method: string; readonly done: number; readonly of: number }
  | {
      readonly kind: 'complete'
      readonly stamp: Stamp
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
      readonly totals: readonly (readonly Cell[])[]
      readonly notes: readonly string[]
    }
  | ({ readonly kind: 'failed' } & Failure)

// ---- Breaks --------------------------------------------------------------------------------------------------------

export type Severity = 'error' | 'warning' | 'notice'
export type BreakStatus = 'open' | 'explained' | 'resolved'

/** Filters of breaks. Several values with commas; status is `open` when absent, `all` for every status. */
export interface BreakFilter {
  readonly status?: string
  readonly severity?: string
  readonly check?: string
  readonly account?: string
  readonly coin?: string
  readonly from?: string
  readonly to?: string
}

/** GET /api/breaks?…filters&cursor=: by severity, then newest first; 100 rows a page. */
export interface Breaks extends Stamped {
  readonly breaks: Page<BreakRow>
  /** Counts under the filters, by severity, check and status. */
  readonly counts: Rows<BreakGroupRow>
  /** Breaks of the last build where it was not published; null when the published ledger is the last build. */
  readonly unpublished: { readonly error: number; readonly warning: number; readonly notice: number } | null
}

export interface BreakRow {
  readonly break_id: string
  readonly check_name: string
  readonly severity: Severity
  readonly account: string | null
  readonly ledger: string | null
  readonly coin: string | null
  readonly occurred_at: Time | null
  readonly expected: Amount | null
  readonly found: Amount | null
  /** found − expected. */
  readonly difference: Amount | null
  readonly explanation: string
  /** JSON list of ids, each of which the proof takes. */
  readonly evidence: string
  readonly first_seen_at: Time
  readonly status: BreakStatus
  readonly note: string | null
  readonly noted_at: Time | null
  /** A note holds as long as this stays. */
  readonly figures_hash: string
}

export interface BreakGroupRow {
  readonly severity: Severity
  readonly check_name: string
  readonly status: BreakStatus
  readonly count: number
}

/** GET /api/breaks/BREAK_ID */
export interface OneBreak extends Stamped {
  readonly break: Rows<BreakRow>
  /** What was said of it before and now, oldest first. */
  readonly notes: Rows<NoteRow>
  /** Why a note cannot be made now; null when it can. */
  readonly noNote: string | null
  /** The command that makes the note. */
  readonly command: string
}

export interface NoteRow {
  readonly noted_at: Time
  /** Null when it was taken back, or erased. */
  readonly note: string | null
  readonly is_withdrawn: boolean
  /** Whether it is of the figures as they stand now. */
  readonly is_of_these_figures: boolean
}

/** POST /api/breaks/BREAK_ID/note; null takes the note back. Answers 202 with NoteProgress, or 409 with who holds the lock. */
export interface NoteRequest {
  readonly note: string | null
}

/** GET /api/notes/current (null when none was made since the start), and the event `note`. */
export interface NoteProgress {
  readonly breakId: string
  readonly note: string | null
  /** building, noted (journaled, publishing), published, unpublished (errors stopped it), failed. */
  readonly state: 'building' | 'noted' | 'published' | 'unpublished' | 'failed'
  readonly since: Time
  readonly error: Failure['error'] | null
}

// ---- Coverage: GET /api/coverage?account=&feed=&from=&to= (days) -----------------------------------------------------

export interface Coverage extends Stamped {
  /** Intervals that touch the days; the grid of days is cut from them. */
  readonly intervals: Rows<CoverageRow>
  /** One for each account, feed and partition. */
  readonly feeds: Rows<FeedStatus>
  /** What the server calls now, for days and hours left. */
  readonly now: Time
}

export type CoverageStatus =
  | 'complete'
  | 'empty'
  | 'lost'
  | 'failed'
  | 'pending'
  | 'unproven'
  | 'missing'
  | 'not_applicable'

export interface CoverageRow {
  readonly account: string
  readonly feed: string
  readonly partition: string
  /** Null where the status is of the whole feed. */
  readonly starts_at: Time | null
  readonly ends_at: Time | null
  readonly status: CoverageStatus
  readonly code: string | null
  readonly reason: string | null
}

// ---- Coverage: GET /api/coverage/runs?account=&feed=&partition=&from=&to= (days) -------------------------------------

/** Which runs received what lies in the days, of one feed; the newest first. */
export interface CoverageRuns extends Stamped {
  readonly runs: Rows<CoverageRun>
}

export interface CoverageRun {
  readonly run_id: string
  readonly started_at: Time | null
  readonly command: string | null
  readonly outcome: string | null
  /** How far the ranges that it proved reach, not only in these days. */
  readonly starts_at: Time
  readonly ends_at: Time
  readonly pages: number
  readonly rows: number
}

/** As `tieout status --json` has it. */
export interface FeedStatus {
  readonly account: string
  readonly feed: string
  readonly partition: string
  readonly from: Time | null
  readonly to: Time | null
  readonly behindMs: number | null
  readonly gaps: readonly {
    readonly from: Time
    readonly to: Time
    readonly status: string
    readonly reason: string | null
  }[]
  readonly status: string | null
  readonly reason: string | null
  /** How long the venue remembers the feed; null where it is not known to forget. */
  readonly retentionDays: number | null
  /** When the venue begins to forget what has not been fetched; in the past when it has begun. */
  readonly forgetsAt: Time | null
}

// ---- Runs: GET /api/runs?cursor= ---------------------------------------------------------------------------------------

export interface Runs extends Stamped {
  readonly runs: Page<RunRow>
}

export interface RunRow {
  readonly run_id: string | null
  readonly started_at: Time | null
  /** Null for a run that did not end. */
  readonly ended_at: Time | null
  readonly command: string | null
  readonly requests: number
  readonly rows: number
  readonly retries: number
  readonly outcome: string | null
}

/** GET /api/runs/live (null where none is running), and the event `run`. */
export interface LiveRun {
  readonly run: string
  readonly command: string
  readonly pid: number
  readonly startedAt: Time
  readonly updatedAt: Time
  /** fetching, building; died: the process is gone and did not end its run. */
  readonly phase: 'fetching' | 'building' | 'died'
  readonly requestsDone: number
  /** Planned so far; feeds are planned one after the other, so it grows. */
  readonly requestsPlanned: number
  readonly rows: number
  /** Requests a minute since the start of fetching; null before the first. */
  readonly perMinute: number | null
  /** When what is planned will have been fetched, at the pace so far; null where that cannot be known. */
  readonly endsAbout: Time | null
  readonly feeds: readonly LiveFeed[]
  /** What the run said last, newest last. */
  readonly notes: readonly string[]
}

export interface LiveFeed {
  readonly account: string
  readonly feed: string
  readonly requestsDone: number
  readonly requestsPlanned: number
  readonly rows: number
  /** Requests a minute that the venue's budget allows; null where none is known. */
  readonly budgetPerMinute: number | null
  /** Null while it is being fetched. */
  readonly status: string | null
}

// ---- Filings -----------------------------------------------------------------------------------------------------------

/** GET /api/filings */
export interface Filings {
  readonly filings: readonly FilingRow[]
}

export interface FilingRow {
  readonly name: string
  readonly frozenAt: Time
  readonly report: string
  readonly title: string
  readonly lines: number
  /** As given to `tieout report`, by name. */
  readonly options: Readonly<Record<string, unknown>>
  readonly ledgerHash: string
  readonly version: string
  /** Why it cannot be read; the other fields are then empty. */
  readonly problem: string | null
}

/** GET /api/filings/NAME: the same report made again now, held against it. */
export interface FilingDifference extends Stamped {
  readonly filing: FilingRow
  /** Columns change (added, removed, changed), line, field, before, after. */
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** What differs in short, which inputs changed, whether the journal still holds. */
  readonly notes: readonly string[]
  /** The command that prints the same. */
  readonly command: string
}

// ---- Console -----------------------------------------------------------------------------------------------------------

/** POST /api/console/run. One query at a time and four waiting; a fifth is refused with 429. */
export interface ConsoleRequest {
  /** Chosen by the page, unique: what cancel names. */
  readonly id: string
  readonly sql: string
  /** Seconds until the last row, at most 600; 30 when absent. */
  readonly timeout?: number
}

/** Answer of run: NDJSON, a line an object. The last line is always `end`; a stream without one was broken off. */
export type ConsoleLine =
  | { readonly kind: 'waiting'; readonly ahead: number }
  | { readonly kind: 'begun'; readonly stamp: Stamp }
  | { readonly kind: 'columns'; readonly columns: readonly Column[] }
  /** `total`: rows so far, these included. */
  | { readonly kind: 'rows'; readonly total: number; readonly rows: readonly (readonly Cell[])[] }
  | ConsoleEnd

export interface ConsoleEnd {
  readonly kind: 'end'
  /** complete: every row is here; cut: a limit was reached, there is more; stopped: cancelled or out of time; failed. */
  readonly how: 'complete' | 'cut' | 'stopped' | 'failed'
  readonly rows: number
  readonly elapsedMs: number
  /** Which limit cut it: `10000 rows` or `16 MB`. */
  readonly limit?: string
  readonly error?: Failure['error']
}

/** POST /api/console/cancel; answers 204, also when there is no such query any more. */
export interface ConsoleCancel {
  readonly id: string
}

/** POST /api/console/download; answers ConsoleTicket. */
export interface ConsoleDownload {
  readonly sql: string
  readonly format: 'csv' | 'parquet'
}

/** A GET of `url` brings the file, once and within 60 s; a failure half-way breaks the connection. */
export interface ConsoleTicket {
  readonly url: string
}

/** POST /api/console/complete */
export interface CompleteRequest {
  readonly sql: string
  /** Offset of the cursor in sql, in UTF-16 units. */
  readonly position: number
}

export interface Completion {
  readonly suggestions: readonly {
    readonly text: string
    /** Offset in sql from which `text` replaces what stands before the cursor. */
    readonly from: number
  }[]
}

/** GET /api/console/schema */
export interface ConsoleSchema extends Stamped {
  readonly tables: readonly SchemaTable[]
  /** Words of the dialect, for highlighting. */
  readonly keywords: readonly string[]
  readonly functions: readonly string[]
  readonly types: readonly string[]
}

export interface SchemaTable {
  readonly name: string
  readonly says: string
  readonly grain: string
  readonly keys: string
  readonly rows: number
  readonly columns: readonly SchemaColumn[]
}

export interface SchemaColumn {
  readonly name: string
  readonly type: string
  readonly kind: CellKind
  readonly says: string
}

/** GET /api/console/examples */
export interface ConsoleExamples {
  readonly examples: readonly { readonly title: string; readonly sql: string }[]
}

// ---- Dictionary: GET /api/dictionary --------------------------------------------------------------------------------------

export interface Dictionary extends Stamped {
  readonly tables: readonly DictionaryTable[]
}

export interface DictionaryTable extends SchemaTable {
  /** What it is made from, as the lines of a tree. */
  readonly madeFrom: readonly LineageLine[]
  /** Feeds, files and configuration at the bottom. */
  readonly sources: readonly string[]
  /** Published tables that are made from it, by name. */
  readonly usedBy: readonly string[]
}

export interface LineageLine {
  readonly depth: number
  readonly name: string
  readonly says: string
  readonly kind: 'table' | 'step' | 'source'
}

// ---- CSV -------------------------------------------------------------------------------------------------------------------

/**
 * GET /api/csv/VIEW?…filters of the view: all rows under the filters, streamed, with Content-Disposition. VIEW is the name of
 * the rows: net-worth, pnl, break-counts, accounts, balances, trial-balance, history, entries, entry-facets, lots, holdings,
 * unknown-basis, gains, gain-totals, breaks, coverage, runs, filing (with name=).
 */
export type CsvView =
  | 'net-worth'
  | 'pnl'
  | 'break-counts'
  | 'accounts'
  | 'balances'
  | 'trial-balance'
  | 'history'
  | 'entries'
  | 'entry-facets'
  | 'lots'
  | 'holdings'
  | 'unknown-basis'
  | 'gains'
  | 'gain-totals'
  | 'breaks'
  | 'coverage'
  | 'runs'
  | 'filing'
