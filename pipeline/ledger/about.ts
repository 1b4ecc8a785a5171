// Which version made a ledger, in the ledger itself: an older tieout must not read tables whose meaning has changed since.
import type { DuckDBConnection } from '@duckdb/node-api'
import { packageVersion } from '../config/root.ts'
import { literal } from '../engine/quote.ts'
import type { Documented } from './comments.ts'

/** Raised when what the published tables say changes its meaning; a table or column that is only added does not count. */
export const LEDGER_FORMAT = 1

export const aboutDocs: Documented = {
  table: 'main.about',
  file: 'about',
  doc: 'Which version of tieout made this ledger.\ngrain: one row\nkeys:  none: there is one row',
  columnDocs: new Map([
    ['format', 'Rises when what the tables say changes its meaning.'],
    ['version', 'Version of tieout.'],
  ]),
}

export async function makeAbout(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `create or replace table main.about as select cast(${LEDGER_FORMAT} as integer) as format, ${literal(packageVersion)} as version`,
  )
}
