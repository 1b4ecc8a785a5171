// The interface between the page and its server: types only, one for each request and each answer, by view in `api/`.
// The page imports this file and nothing else from the pipeline.
//
// Shapes: amounts are decimal text and never pass through a float; times are ISO-8601 text in UTC, days `YYYY-MM-DD`.
// Rows of the ledger use its column names (snake_case), as with `--json` on the command line; everything else is camelCase.
// Unknown values are null, never zero. A parameter that is absent or empty does not filter.

export type * from './api/about.ts'
export type * from './api/accounts.ts'
export type * from './api/breaks.ts'
export type * from './api/console.ts'
export type * from './api/coverage.ts'
export type * from './api/csv.ts'
export type * from './api/dictionary.ts'
export type * from './api/entries.ts'
export type * from './api/filings.ts'
export type * from './api/gains.ts'
export type * from './api/lots.ts'
export type * from './api/overview.ts'
export type * from './api/proof.ts'
export type * from './api/runs.ts'
export type * from './api/shapes.ts'
