// A `lot_events` table in a real database, for the tests of the step and of the SQL model.
import {
  DECIMAL,
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import type { LotEvent } from '../../pipeline/lots/event.ts'

export async function makeLotEvents(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    create or replace table lot_events (
      account varchar, coin varchar, happened_at timestamptz, place bigint, event_id varchar, kind varchar,
      quantity decimal(38, 18), value decimal(38, 18), currency varchar, transfer_id varchar,
      value_shared decimal(38, 18) as (value), value_before_fees decimal(38, 18) as (value)
    )`)
}

/** An event without a value has no currency either. */
export async function insertEvents(
  connection: DuckDBConnection,
  events: readonly LotEvent[],
  currency = 'USDT',
): Promise<void> {
  const appender = await connection.createAppender('lot_events')
  const amount = (units: bigint | null): DuckDBDecimalValue | null =>
    units === null ? null : new DuckDBDecimalValue(units, 38, 18)
  for (const event of events) {
    appender.appendVarchar(event.account)
    appender.appendVarchar(event.coin)
    appender.appendValue(new DuckDBTimestampTZValue(event.happenedAtUs), TIMESTAMPTZ)
    appender.appendBigInt(event.place)
    appender.appendVarchar(String(event.id))
    appender.appendVarchar(event.kind)
    appender.appendValue(amount(event.quantity), DECIMAL(38, 18))
    appender.appendValue(amount(event.value), DECIMAL(38, 18))
    appender.appendValue(event.value === null ? null : currency, VARCHAR)
    appender.appendValue(event.transferId ?? null, VARCHAR)
    appender.endRow()
  }
  appender.closeSync()
}
