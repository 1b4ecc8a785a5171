// The published state of a ClickHouse server as a ledger to be read: its tables with their types and meanings, and the
// rows of the tables that are asked for.
import { identifier, literal } from '../engine/quote.ts'
import type { DistantState, LedgerSource } from '../ledger/distant.ts'
import { NoLedger } from '../ledger/ledger.ts'
import { nameOf } from './names.ts'
import { Server } from './server.ts'
import type { ClickHouseSettings } from './settings.ts'
import { States } from './states.ts'
import { columnsThere, pull, text } from './transfer.ts'

export function clickHouseSource(settings: ClickHouseSettings): LedgerSource {
  return {
    open: async (signal) => {
      const server = await Server.open(settings, signal)
      try {
        return await stateOf(server, settings)
      } catch (error) {
        await server.close()
        throw error
      }
    },
  }
}

async function stateOf(server: Server, { url, database }: ClickHouseSettings): Promise<DistantState> {
  const state = await new States([server], database).published()
  if (state === null)
    throw new NoLedger('There is no published ledger on the server yet.', {
      where: `${url}, database ${database}`,
      expected: 'a state published by a build',
      action: 'Run `tieout build --engine clickhouse` first, or name another database.',
    })
  const { databases } = state
  const tables = await columnsThere(server, databases.main)
  return {
    identity: `${url} ${database} ${state.id}`,
    definitions: [
      ...[...tables].map(
        ([table, columns]) =>
          `create table main.${identifier(table)} (${[...columns].map(([name, type]) => `${identifier(name)} ${type}`).join(', ')})`,
      ),
      ...(await commentsOf(server, databases.main)),
    ],
    fetch: (connection, table, folder) =>
      pull(
        { server, folder },
        nameOf(`main.${table}`, databases),
        connection,
        `main.${identifier(table)}`,
        tables.get(table) ?? new Map(),
      ),
    close: () => server.close(),
  }
}

async function commentsOf(server: Server, database: string): Promise<string[]> {
  const tables = await server.rows(
    `select name, comment from system.tables where database = ${text(database)} and comment <> ''`,
  )
  const columns = await server.rows(
    `select table, name, comment from system.columns where database = ${text(database)} and comment <> ''`,
  )
  return [
    ...(tables as string[][]).map(
      ([table, comment]) =>
        `comment on table main.${identifier(table as string)} is ${literal(comment as string)}`,
    ),
    ...(columns as string[][]).map(
      ([table, column, comment]) =>
        `comment on column main.${identifier(table as string)}.${identifier(column as string)} is ${literal(comment as string)}`,
    ),
  ]
}
