// CSV: which rows are available as a file.

/**
 * GET /api/csv/VIEW?…filters of the view: all rows that match the filters, streamed, with Content-Disposition. VIEW is the name of
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
