// Which version built a ledger, when and from how much of the journal, recorded in the ledger itself: an
// older tieout must not read tables whose meaning has changed since, a copied or restored file has a
// different timestamp from its contents, and a journal that ends earlier has lost something.
import type { DuckDBConnection } from '@duckdb/node-api'
import { packageVersion } from '../config/root.ts'
import { literal } from '../engine/quote.ts'
import type { Documented } from './models.ts'
import { thisProgram } from './program.ts'

/** Raised when the meaning of published tables changes; an added table or column does not count. */
export const LEDGER_FORMAT = 1

export const aboutDocs: Documented = {
  table: 'main.about',
  file: 'about',
  doc: 'Which version of tieout built this ledger, when, and from how much of the journal.\ngrain: one row\nkeys:  none: there is one row',
  columnDocs: new Map([
    ['format', 'Raised when the meaning of the tables changes.'],
    ['version', 'Version of tieout.'],
    [
      'program',
      'Hash of the program that built it, including its engine: two programs of one version may differ.',
    ],
    ['published_at', 'When the run that published it built it, by the run’s own clock, which --now sets.'],
    [
      'landed_seq',
      'Number of the last frame of the journal that it was built from; 0 if nothing had landed.',
    ],
  ]),
}

/** `landed` has the landing database attached as `landing`; `connection` has the ledger. */
export async function makeAbout(
  connection: DuckDBConnection,
  landed: DuckDBConnection,
  now: Date,
): Promise<void> {
  const reader = await landed.runAndReadAll('select landed_seq from landing.main.state')
  const landedSeq = String(reader.getRowsJson()[0]?.[0] ?? 0)
  await connection.run(
    `create or replace table main.about as select cast(${LEDGER_FORMAT} as integer) as format, ${literal(packageVersion)} as version,
       ${literal(thisProgram())} as program, cast(${literal(now.toISOString())} as timestamptz) as published_at, cast(${landedSeq} as bigint) as landed_seq`,
  )
}
