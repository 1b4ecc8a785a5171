// The table `breaks`: what every check found, with a stable id, since when it is known, and what has been resolved.
// A check is a model of the layer `checks`; each of its rows is one disagreement.
import type { DuckDBConnection } from '@duckdb/node-api'

export type Severity = 'error' | 'warning' | 'notice'

/** One disagreement, as the table `breaks` has it; times are ISO-8601, amounts decimal text. */
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
  /** JSON list of the ids to look at. */
  readonly evidence: string
  readonly firstSeenAt: string
  readonly status: 'open' | 'explained' | 'resolved'
}

const COLUMNS: Readonly<Record<string, string>> = {
  break_id: 'Stable id: the same disagreement has it in every build.',
  check_name: 'Check that found it.',
  severity: 'error: our own books contradict themselves; warning: books and venue disagree; notice.',
  account: 'Account concerned; null where it is none in particular.',
  ledger: 'Ledger concerned; null where it is none in particular.',
  coin: 'Coin concerned; null where it is none in particular.',
  occurred_at: 'When the disagreement arose; null where it has no moment.',
  expected: 'What was expected, in units of the coin; null where it is no amount.',
  found: 'What was found, in units of the coin; null where it is no amount.',
  difference: 'found − expected.',
  explanation: 'What it means and what would cure it.',
  evidence: 'Ids to look at, as a JSON list.',
  first_seen_at: 'When a build first found it.',
  status: 'open, explained or resolved.',
}

export const breakColumns: readonly string[] = Object.keys(COLUMNS)

/** Makes `staging.previous_breaks` from the ledger attached as `before`, or empty. */
export async function loadPreviousBreaks(connection: DuckDBConnection, attached: boolean): Promise<void> {
  const empty = `select cast(null as varchar) as break_id, cast(null as varchar) as check_name,
    cast(null as varchar) as severity, cast(null as varchar) as account, cast(null as varchar) as ledger,
    cast(null as varchar) as coin, cast(null as timestamptz) as occurred_at,
    cast(null as decimal(38, 18)) as expected, cast(null as decimal(38, 18)) as found,
    cast(null as decimal(38, 18)) as difference, cast(null as varchar) as explanation,
    cast(null as varchar) as evidence, cast(null as timestamptz) as first_seen_at,
    cast(null as varchar) as status
    limit 0`
  const source = attached ? `select ${breakColumns.join(', ')} from before.main.breaks` : empty
  await connection.run(`create table staging.previous_breaks as ${source}`)
}

/** Makes `breaks` from the tables of the checks; `now` is when new ones count as first seen. */
export async function assembleBreaks(
  connection: DuckDBConnection,
  checks: readonly string[],
  now: Date,
): Promise<void> {
  const found = checks.map(
    (table) => `select '${table.replace('checks.', '')}' as check_name, severity, account, ledger, coin,
      occurred_at, expected, found, difference, explanation, evidence, culprit from ${table}`,
  )
  await connection.run(
    `create table breaks as
     with found_now as (${found.join('\nunion all\n')}),
     identified as (
       select sha256(concat_ws('|', check_name, coalesce(account, ''), coalesce(ledger, ''),
         coalesce(coin, ''), culprit)) as whole_id, *
       from found_now
     ),
     named as (select substr(whole_id, 1, 16) as break_id, * exclude (whole_id) from identified),
     still as (
       select named.* exclude (culprit),
         coalesce(previous.first_seen_at, cast($now as timestamptz)) as first_seen_at,
         case when previous.status = 'explained' then 'explained' else 'open' end as status
       from named
       left join staging.previous_breaks as previous on previous.break_id = named.break_id
     ),
     gone as (
       select previous.* replace ('resolved' as status)
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

export const breaksDocs = {
  doc: 'Disagreements of the books with the venue or with themselves.\ngrain: one row per break_id',
  columnDocs: new Map(Object.entries(COLUMNS)),
}

/** The breaks that are open, the gravest first. */
export async function readOpenBreaks(connection: DuckDBConnection): Promise<Break[]> {
  const reader = await connection.runAndReadAll(
    `select break_id, check_name, severity, account, ledger, coin,
       strftime(occurred_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'),
       cast(expected as varchar), cast(found as varchar), cast(difference as varchar), explanation, evidence,
       strftime(first_seen_at at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ'), status
     from breaks where status = 'open'
     order by case severity when 'error' then 0 when 'warning' then 1 else 2 end, check_name, account, coin,
       occurred_at, break_id`,
  )
  return reader.getRowsJson().map((row) => {
    const [breakId, checkName, severity, account, ledger, coin, occurredAt, ...rest] = row as string[]
    const [expected, found, difference, explanation, evidence, firstSeenAt, status] = rest
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
    } as Break
  })
}
