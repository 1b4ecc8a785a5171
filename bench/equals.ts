// How the tying of equal moves grows: transfers of one amount, every ten milliseconds, so that each could belong to thousands of
// others. The reference of the same run is sorting the same moves once, and both should grow as sorting does.
import { performance } from 'node:perf_hooks'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { registerExactFunctions } from '../pipeline/ledger/functions.ts'
import { nearest } from '../pipeline/ledger/nearest.ts'
import { createMacros } from '../pipeline/ledger/portable.ts'
import { turns } from '../pipeline/ledger/turns.ts'

const SIZES = [25_000, 100_000]
const TIED = 'staging.transfer_turns'
const NEAREST = 'staging.nearest_transfers'

/** As many legs out as in, three milliseconds later; of the untied ones, every fifth leg in is missing. */
const sides = (moves: number, missing: string): string => `
  select '' as among, 'account' || is_second as account, 'USDT' as coin, '' as side, cast(1 as decimal(38, 18)) as quantity,
    timestamptz '2026-01-01' + (move * 10 + is_second * 3) * interval 1 millisecond as happened_at,
    'wallet' || is_second as wallet, is_second, cast(0 as bigint) as place, is_second || '/' || move as id
  from range(${moves}) as moves(move) cross join (values (0), (1)) as legs(is_second)
  where ${missing}`

export async function run(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  registerExactFunctions(connection)
  await createMacros(connection)
  await connection.run("create schema staging; set timezone = 'UTC'")
  const taken = new Map<string, number[]>()
  for (const moves of SIZES) {
    await connection.run(`create or replace table staging.transfer_sides as ${sides(moves, 'true')}`)
    await connection.run(
      `create or replace table staging.untied_legs as ${sides(moves, 'is_second = 0 or move % 5 <> 0')}`,
    )
    const reference = await seconds(connection, 'from staging.untied_legs order by quantity, happened_at')
    for (const table of [TIED, NEAREST]) {
      const model = [...turns, ...nearest].find((one) => one.table === table)
      const took = await seconds(connection, model?.select ?? '')
      taken.set(table, [...(taken.get(table) ?? []), took])
      process.stdout.write(
        `${table.padEnd(26)} ${String(moves).padStart(7)} equal moves ${took.toFixed(2)} s, ` +
          `${(took / reference).toFixed(1)} times sorting them once\n`,
      )
    }
  }
  const [few = 1, many = 1] = SIZES
  for (const [table, [less = 1, more = 1]] of taken)
    process.stdout.write(
      `${table.padEnd(26)} ${many / few} times the moves take ${(more / less).toFixed(1)} times as long\n`,
    )
  connection.closeSync()
  instance.closeSync()
}

async function seconds(connection: DuckDBConnection, select: string): Promise<number> {
  const begun = performance.now()
  await connection.run(`create or replace temp table taken as ${select}`)
  return (performance.now() - begun) / 1_000
}
