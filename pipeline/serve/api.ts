// What the page and its server say to each other: types only, one for each request and each answer, in `api/` by
// view. The page imports this file and nothing else of the pipeline.
//
// Shapes: amounts are decimal text and never pass through a float; times are ISO-8601 text in UTC, days `YYYY-MM-DD`.
// Rows of the ledger bear its column names (snake_case), as in `--json` of the command line; all else is camelCase.
// What is unknown is null, never zero. A parameter that is absent or empty does not narrow anything.

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
