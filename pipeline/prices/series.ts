// A series of prices that a source can be asked for, and how much of it has been fetched.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Range } from '../../models/ranges.ts'
import type { PricesMeta } from '../journal/frame.ts'

/** One pair of the venue's candles, or the reference rates of one currency. */
export type Series = Pick<PricesMeta, 'source' | 'asset' | 'currency' | 'unit'>

export const seriesKey = ({ source, asset, currency, unit }: Series): string =>
  JSON.stringify([source, asset, currency, unit])

/** Times of prices that earlier answers proved complete, by series. */
export async function coveredSeries(connection: DuckDBConnection): Promise<Map<string, Range[]>> {
  const reader = await connection.runAndReadAll(
    `select source, asset, currency, unit, epoch_ms(starts_at), epoch_ms(ends_at)
     from landing.main.price_pages where starts_at is not null and problem is null`,
  )
  const covered = new Map<string, Range[]>()
  for (const [source, asset, currency, unit, start, end] of reader.getRows()) {
    const key = JSON.stringify([source, asset, currency, unit])
    const ranges = covered.get(key) ?? []
    ranges.push({ start: Number(start), end: Number(end) })
    covered.set(key, ranges)
  }
  return covered
}
