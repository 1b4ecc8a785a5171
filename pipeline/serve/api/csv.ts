// CSV: which rows can be had as a file.

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
