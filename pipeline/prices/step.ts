// Fetching as a step of the build: after the models that list the prices needed, before the first that reads
// prices. So a nightly run builds once, and the answers of that night value the entries of that night.
import type { ExtraStep } from '../ledger/build.ts'
import { type FetchOptions, type FetchOutcome, fetchPrices } from './fetch.ts'

export function priceStep(options: FetchOptions, done: (outcome: FetchOutcome) => void): ExtraStep {
  return {
    name: 'prices.fetch',
    reads: ['staging.price_needs', 'staging.reporting', 'staging.quote_ranks'],
    writes: ['staging.fetched'],
    precedes: ['main.prices', 'main.quarantine', 'checks.price_sources'],
    run: async (connection) => {
      const outcome = await fetchPrices(connection, options)
      await connection.run('create table staging.fetched as select $prices::bigint as price_count', {
        prices: BigInt(outcome.prices),
      })
      done(outcome)
    },
  }
}
