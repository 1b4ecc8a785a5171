// A published ledger on a server, presented like a file: a database beside the books with the same tables,
// each of which gets its rows when a query first names it. It is removed with its reader.
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { TieoutError } from '../../models/error.ts'
import { literal } from '../engine/quote.ts'
import { instanceOptions } from '../engine/settings.ts'
import { makeSpillFolder } from '../output/spill.ts'
import type { Limits } from './limits.ts'
import { writeMacros } from './macros.ts'
import { type Reader, type Room, readerOf } from './reader.ts'

/** One published state on a server. */
export interface DistantState {
  /** Identifies this state among all that were ever published. */
  readonly identity: string
  /** The statements that create its tables here, without rows, comments included. */
  readonly definitions: readonly string[]
  /** Adds the rows of a table to the one of the same name in schema main. */
  fetch(connection: DuckDBConnection, table: string, folder: string): Promise<void>
  close(): Promise<void>
}

/** Where the ledger is, if not in a file of the books. */
export interface LedgerSource {
  /** The state that is published now; it stays the same until it is closed. NoLedger if there is none. */
  open(signal?: AbortSignal): Promise<DistantState>
}

/** Opens the state in a file of its own within the folder for unfinished work. */
export async function distantReader(state: DistantState, limits: Limits, room: Room): Promise<Reader> {
  const folder = makeSpillFolder(room.tempDir)
  const instance = await DuckDBInstance.create(join(folder.path, 'ledger.duckdb'), {
    ...instanceOptions(room),
    temp_directory: folder.path,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const filling = await instance.connect()
  const close = (): void => {
    filling.closeSync()
    instance.closeSync()
    folder.remove()
    void state.close()
  }
  try {
    await filling.run("set global timezone = 'UTC'")
    await filling.run(state.definitions.join(';\n'))
    await writeMacros(filling)
    // Fetched rows arrive as files in this folder; nothing else on the machine can be read.
    await filling.run(`set allowed_directories = [${literal(folder.path)}]`)
    await filling.run('set enable_external_access = false')
    await filling.run('set lock_configuration = true')
    const reader = await readerOf(instance, limits, close)
    const bring = bringing(reader.tables, (table) => state.fetch(filling, table, folder.path))
    return {
      ...reader,
      query: async (sql, values) => {
        await bring(sql)
        return await reader.query(sql, values)
      },
      stream: async (sql, values) => {
        await bring(sql)
        return await reader.stream(sql, values)
      },
      session: async (sql) => {
        await bring(sql)
        return await reader.session(sql)
      },
    }
  } catch (error) {
    close()
    throw error instanceof TieoutError
      ? error
      : new Error('The published ledger cannot be fetched.', { cause: error })
  }
}

/**
 * Fetches the tables that a statement names, each once and one after the other; all of them if no statement
 * is known.
 */
function bringing(
  tables: ReadonlyMap<string, unknown>,
  fetch: (table: string) => Promise<void>,
): (sql?: string) => Promise<void> {
  const begun = new Map<string, Promise<void>>()
  let turn: Promise<void> = Promise.resolve()
  return async (sql) => {
    const words = sql === undefined ? null : new Set(sql.match(/\w+/g))
    const named = [...tables.keys()].filter((table) => words?.has(table) ?? true)
    for (const table of named) {
      if (begun.has(table)) continue
      turn = turn.then(() => fetch(table))
      begun.set(table, turn)
    }
    await Promise.all(named.map((table) => begun.get(table)))
  }
}
