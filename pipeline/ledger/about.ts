// Which version made a ledger and when, in the ledger itself: an older tieout must not read tables whose meaning has changed
// since, and a copy or a restored file has another time than what it holds.
import type { DuckDBConnection } from '@duckdb/node-api'
import { packageVersion } from '../config/root.ts'
import { literal } from '../engine/quote.ts'
import type { Documented } from './models.ts'

/** Raised when what the published tables say changes its meaning; a table or column that is only added does not count. */
export const LEDGER_FORMAT = 1

export const aboutDocs: Documented = {
  table: 'main.about',
  file: 'about',
  doc: 'Which version of tieout made this ledger, and when.\ngrain: one row\nkeys:  none: there is one row',
  columnDocs: new Map([
    ['format', 'Rises when what the tables say changes its meaning.'],
    ['version', 'Version of tieout.'],
    ['published_at', 'When the run that published it built it: its own now, which --now moves.'],
  ]),
}

export async function makeAbout(connection: DuckDBConnection, now: Date): Promise<void> {
  await connection.run(
    `create or replace table main.about as select cast(${LEDGER_FORMAT} as integer) as format, ${literal(packageVersion)} as version,
       cast(${literal(now.toISOString())} as timestamptz) as published_at`,
  )
}
