// The lots engine run once more, with a note of which event did what: `lot_events` in, `pieces` out.
// Published disposals do not tell this, because one imported row can make several events of one id.
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { LotEngine } from '../lots/engine.ts'
import { readEvents } from '../lots/reader.ts'
import type { LotBooking } from './lots-inventory.ts'

const PIECES = `create table pieces (number bigint, nth bigint, role varchar, quantity decimal(38, 18),
  proceeds decimal(38, 18), cost_basis decimal(38, 18), lot_id varchar, acquired_at timestamptz)`

interface Piece {
  readonly quantity: bigint
  readonly proceeds?: bigint | null
  readonly costBasis: bigint | null
  readonly lotId: string | null
  readonly acquiredAtUs: bigint | null
}

/** `number` is the event's in the engine's order; `nth` the order in which pieces were taken. Lots stay per account. */
export async function matchLots(connection: DuckDBConnection, booking: LotBooking): Promise<void> {
  await connection.run(PIECES)
  const appender = await connection.createAppender('pieces')
  let number = 0
  let nth = 0
  const write = (
    of: number,
    role: string,
    { quantity, proceeds, costBasis, lotId, acquiredAtUs }: Piece,
  ): void => {
    nth += 1
    const at = acquiredAtUs === null ? null : new DuckDBTimestampTZValue(acquiredAtUs)
    const cells = [
      BigInt(of),
      BigInt(nth),
      role,
      amount(quantity),
      amount(proceeds),
      amount(costBasis),
      lotId,
      at,
    ]
    for (const cell of cells) appender.appendValue(cell as DuckDBValue)
    appender.endRow()
  }
  // What arrives is told when it does; the event that sent it stands before.
  const sent = new Map<string, number>()
  let coin = ''
  const engine = new LotEngine(
    { method: booking, scope: 'account' },
    {
      piece: (piece) => write(number, 'disposed', piece),
      moved: (piece) => {
        write(sent.get(piece.eventId) ?? number, 'left', piece)
        if (piece.toAccount !== null) write(number, 'arrived', piece)
      },
      lot: () => undefined,
      problem: () => undefined,
    },
  )
  for await (const events of readEvents(connection)) {
    for (const event of events) {
      number += 1
      if (event.coin !== coin) sent.clear()
      coin = event.coin
      if (event.kind === 'transfer_out') sent.set(event.id, number)
      engine.apply(event)
    }
  }
  engine.finish()
  appender.closeSync()
}

const amount = (units: bigint | null | undefined): DuckDBDecimalValue | null =>
  units === null || units === undefined ? null : new DuckDBDecimalValue(units, 38, 18)
