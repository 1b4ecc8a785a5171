// The table `breaks`: what every check found, with a stable id, since when it is known, and what has been
// resolved. A check is a model of the layer `checks`; each of its rows is one disagreement.
import type { DuckDBConnection } from '@duckdb/node-api'
import { literal } from '../engine/quote.ts'
import { type Documented, type Model, ModelError } from './models.ts'
import { PREVIOUS } from './workspace.ts'

export type Severity = 'error' | 'warning' | 'notice'

/** The most severe first. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'notice']

/** The condition for breaks that concern an account, from the condition for its own: those of no account concern every account. */
export const concerning = (isOwn: string): string => `(account is null or ${isOwn})`

/** One disagreement, as in the table `breaks`; times are ISO-8601, amounts decimal text. */
export interface Break {
  readonly breakId: string
  readonly checkName: string
  readonly severity: Severity
  readonly account: string | null
  readonly ledger: string | null
  readonly coin: string | null
  readonly occurredAt: string | null
  readonly expected: string | null
  readonly found: string | null
  readonly difference: string | null
  readonly explanation: string
  /** JSON list of the ids of the evidence. */
  readonly evidence: string
  readonly firstSeenAt: string
  readonly status: 'open' | 'explained' | 'resolved'
  /** The user's explanation, if a note applies; otherwise null, and also if the note has been erased. */
  readonly note: string | null
  readonly notedAt: string | null
  /**
   * Over severity, amounts, evidence and every number of the explanation: a note applies as long as it is
   * unchanged.
   */
  readonly figuresHash: string
}

const COLUMNS: Readonly<Record<string, string>> = {
  break_id: 'Stable id: the same disagreement has the same id in every build.',
  check_name: 'Check that found it.',
  severity: 'error: our own books contradict themselves; warning: books and venue disagree; notice.',
  account: 'Account affected; null if none in particular.',
  ledger: 'Ledger affected; null if none in particular.',
  coin: 'Coin affected; null if none in particular.',
  occurred_at: 'When the disagreement arose; null if it has no point in time.',
  expected: 'What was expected, in units of the coin; null if it is not an amount.',
  found: 'What was found, in units of the coin; null if it is not an amount.',
  difference: 'found − expected; null if either is null.',
  explanation: 'What it means and how to resolve it.',
  evidence: 'Ids of the evidence, as a JSON list.',
  first_seen_at: 'When a build first found it.',
  status: 'open, explained by a note of the user, or resolved.',
  note: 'The user’s explanation; null if no note applies or the note has been erased.',
  noted_at: 'When the note was made; null if no note applies.',
  figures_hash:
    'Hash of severity, amounts, evidence and the numbers of the explanation: once they change, a note no longer applies.',
}

export const breakColumns: readonly string[] = Object.keys(COLUMNS)

/** Columns that ledgers of earlier versions do not have; their breaks are carried forward all the same. */
const ADDED_LATER: ReadonlySet<string> = new Set(['note', 'noted_at', 'figures_hash'])

/** The columns that the breaks of a published ledger need to be carried forward. */
export const carriedColumns: readonly string[] = breakColumns.filter((name) => !ADDED_LATER.has(name))

/** What a build adds to a break beyond what the check has found. */
const ADDED_BY_BUILD: ReadonlySet<string> = new Set(['first_seen_at', 'status', 'note', 'noted_at'])

/** What `breaks` is built from, besides the checks. */
export const BREAKS_READ: readonly string[] = ['landing.notes', 'staging.previous_breaks']

/** The columns of a check; `culprit` distinguishes disagreements of the same account, ledger and coin. */
const CHECK_COLUMNS = [
  'severity',
  'account',
  'ledger',
  'coin',
  'occurred_at',
  'expected',
  'found',
  'difference',
  'explanation',
  'evidence',
  'culprit',
]

/** Refuses a check whose table is missing a column that `breaks` needs. */
export async function mustBeChecks(connection: DuckDBConnection, models: readonly Model[]): Promise<void> {
  const reader = await connection.runAndReadAll(
    "select table_name, list(column_name) from duckdb_columns() where 'checks' in (database_name, schema_name) group by table_name",
  )
  const columnsOf = new Map(
    reader.getRowsJson().map(([name, columns]) => [`checks.${name}`, columns as string[]]),
  )
  for (const { table, file } of models.filter((model) => model.table.startsWith('checks.'))) {
    // One that was put off has the columns of an earlier build, which were right.
    const columns = columnsOf.get(table)
    if (columns === undefined) continue
    const missing = CHECK_COLUMNS.filter((name) => !columns.includes(name))
    if (missing.length === 0) continue
    throw new ModelError('A check is missing a column.', {
      where: file,
      expected: CHECK_COLUMNS.join(', '),
      found: `no ${missing.join(', no ')}`,
      action: 'Add it to the select; cast(null as …) if it does not apply.',
    })
  }
}

/**
 * Creates `staging.previous_breaks` from the ledger attached as `before`, whose breaks have these columns, or
 * empty; then detaches it.
 */
export async function loadPreviousBreaks(
  connection: DuckDBConnection,
  columns: readonly string[] | null,
): Promise<void> {
  await connection.run(
    `create or replace table staging.previous_breaks (break_id varchar, check_name varchar, severity varchar, account varchar,
       ledger varchar, coin varchar, occurred_at timestamptz, expected decimal(38, 18), found decimal(38, 18),
       difference decimal(38, 18), explanation varchar, evidence varchar, first_seen_at timestamptz,
       status varchar, note varchar, noted_at timestamptz, figures_hash varchar)`,
  )
  if (columns === null) return
  const known = breakColumns.filter((name) => columns.includes(name)).join(', ')
  try {
    await connection.run(
      `insert into staging.previous_breaks (${known}) select ${known} from ${PREVIOUS}.main.breaks`,
    )
  } catch {
    // A damaged ledger has nothing to carry forward: it is about to be replaced.
  }
  // Otherwise a query for the existing columns would list all of its columns too.
  await connection.run(`detach ${PREVIOUS}`)
}

/** The numbers of an explanation are figures; its words are not, so that they can be improved. */
const FIGURES_HASH = `substr(sha256(concat_ws('|', severity, coalesce(cast(expected as varchar), ''),
         coalesce(cast(found as varchar), ''), coalesce(cast(difference as varchar), ''), evidence,
         array_to_string(regexp_extract_all(explanation, '[0-9][0-9.:-]*'), ' '))), 1, 16)`

/** The columns of a check, without rows. */
const NO_CHECK = `select '' as check_name, '' as severity, '' as account, '' as ledger, '' as coin,
  cast(null as timestamptz) as occurred_at, cast(0 as decimal(38, 18)) as expected, cast(0 as decimal(38, 18)) as found,
  cast(0 as decimal(38, 18)) as difference, '' as explanation, '' as evidence, '' as culprit where false`

/**
 * Builds `breaks` from the tables of the checks, where checks that were kept have their earlier findings, and
 * the user's notes; `now` is when new breaks count as first seen. A note applies to the figures that it was
 * made for. A note cannot resolve a contradiction within the books, so a break of severity error stays open.
 */
export async function assembleBreaks(
  connection: DuckDBConnection,
  checks: { readonly made: readonly string[]; readonly kept: readonly string[] },
  now: Date,
): Promise<void> {
  const found = checks.made.map(
    (table) =>
      `select '${table.replace('checks.', '')}' as check_name, ${CHECK_COLUMNS.join(', ')} from ${table}`,
  )
  if (found.length === 0) found.push(NO_CHECK)
  const kept = checks.kept.map((table) => literal(table.replace('checks.', '')))
  await connection.run(
    `create or replace table breaks as
     with found_now as (${found.join('\nunion all\n')}),
     identified as (
       select sha256(concat_ws('|', check_name, coalesce(account, ''), coalesce(ledger, ''),
         coalesce(coin, ''), culprit)) as whole_id, *
       from found_now
     ),
     named as (
       select substr(whole_id, 1, 16) as break_id, * exclude (whole_id, culprit), ${FIGURES_HASH} as figures_hash
       from identified
       union all by name
       select ${breakColumns.filter((name) => !ADDED_BY_BUILD.has(name)).join(', ')}
       from staging.previous_breaks
       where status <> 'resolved' and check_name in (${['null', ...kept].join(', ')})
     ),
     last_words as (
       select break_id, figures, note, is_withdrawn, noted_at
       from (select *, row_number() over (partition by break_id order by seq desc) as newest from landing.notes)
       where newest = 1
     ),
     still as (
       select named.*,
         coalesce(previous.first_seen_at, cast($now as timestamptz)) as first_seen_at,
         case when words.break_id is null then 'open' else 'explained' end as status,
         words.note, words.noted_at
       from named
       left join staging.previous_breaks as previous on previous.break_id = named.break_id
       left join last_words as words
         on words.break_id = named.break_id and words.figures = named.figures_hash and not words.is_withdrawn
         and named.severity <> 'error'
     ),
     gone as (
       select previous.* replace ('resolved' as status,
         -- What has been erased is in no note any more.
         case when exists (select 1 from landing.notes as notes
           where notes.break_id = previous.break_id and notes.note = previous.note) then previous.note end as note)
       from staging.previous_breaks as previous
       where not exists (select 1 from named where named.break_id = previous.break_id)
     )
     select ${breakColumns.join(', ')} from still
     union all
     select ${breakColumns.join(', ')} from gone
     order by check_name, break_id`,
    { now: now.toISOString() },
  )
}

export const breaksDocs: Documented = {
  table: 'main.breaks',
  file: 'breaks',
  doc: 'Disagreements of the books with the venue or with themselves.\ngrain: one row per break_id\nkeys:  break_id unique',
  columnDocs: new Map(Object.entries(COLUMNS)),
}

/** The current breaks, open before explained, the most severe first. */
export async function readBreaks(connection: DuckDBConnection): Promise<Break[]> {
  const reader = await connection.runAndReadAll(
    `select break_id, check_name, severity, account, ledger, coin,
       strftime(occurred_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'),
       cast(expected as varchar), cast(found as varchar), cast(difference as varchar), explanation, evidence,
       strftime(first_seen_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'), status, note,
       strftime(noted_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'), figures_hash
     from breaks where status in ('open', 'explained')
     order by status desc, case severity when 'error' then 0 when 'warning' then 1 else 2 end, check_name, account, coin,
       occurred_at, break_id`,
  )
  return reader.getRowsJson().map((row) => {
    const [breakId, checkName, severity, account, ledger, coin, occurredAt, ...rest] = row as string[]
    const [expected, found, difference, explanation, evidence, firstSeenAt, status, ...noted] = rest
    const [note, notedAt, figuresHash] = noted
    return {
      breakId,
      checkName,
      severity,
      account,
      ledger,
      coin,
      occurredAt,
      expected,
      found,
      difference,
      explanation,
      evidence,
      firstSeenAt,
      status,
      note,
      notedAt,
      figuresHash,
    } as Break
  })
}

export function countBySeverity(breaks: readonly Break[]): Record<Severity, number> {
  const count = (severity: Severity): number => breaks.filter((one) => one.severity === severity).length
  return { error: count('error'), warning: count('warning'), notice: count('notice') }
}
