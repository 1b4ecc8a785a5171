// Every statement that the code under test gives to DuckDB passes through the process that is at work, which may die
// before or after it. The classes of the package are wrapped, so production code carries no hook.
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { ProcessDied, type SimulatedProcess } from './machine.ts'

/** The process inside of which something real is under way; null for the simulator's own questions. */
let atWork: SimulatedProcess | null = null

export async function asProcess<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
  atWork = process
  try {
    return await work()
  } finally {
    if (atWork === process) atWork = null
  }
}

/** A process that died in the middle of its work. */
export function leave(process: SimulatedProcess): void {
  if (atWork === process) atWork = null
}

const owners = new WeakMap<DuckDBConnection, SimulatedProcess>()

const run = DuckDBConnection.prototype.run
DuckDBConnection.prototype.run = function (this: DuckDBConnection, ...given: Parameters<typeof run>) {
  // What a dead process still wants of its connections comes to nothing.
  if (owners.get(this)?.isAlive === false) return Promise.reject(new ProcessDied())
  const process = atWork
  return process === null ? run.apply(this, given) : process.statement(() => run.apply(this, given))
}

const create = DuckDBInstance.create
DuckDBInstance.create = async (...given: Parameters<typeof create>) => {
  const process = atWork
  const instance = await create.apply(DuckDBInstance, given)
  process?.holds(instance)
  return instance
}

const connect = DuckDBInstance.prototype.connect
DuckDBInstance.prototype.connect = async function (this: DuckDBInstance) {
  const process = atWork
  const connection = await connect.apply(this)
  if (process !== null) owners.set(connection, process)
  process?.holds(connection)
  return connection
}

// A handle that is closed twice ends the real process: what its owner has closed is not closed again after a death.
const closed = new WeakSet<object>()

const disconnect = DuckDBConnection.prototype.disconnectSync
DuckDBConnection.prototype.disconnectSync = function (this: DuckDBConnection) {
  if (closed.has(this)) return
  closed.add(this)
  disconnect.apply(this)
}

const close = DuckDBInstance.prototype.closeSync
DuckDBInstance.prototype.closeSync = function (this: DuckDBInstance) {
  if (closed.has(this)) return
  closed.add(this)
  close.apply(this)
}
