// For each test file: closed DuckDB instances are kept for a while and destroyed in batches. On destroying an instance, DuckDB
// returns the process's free memory to the system, a few pages at a time, and the next build faults it all in again: with small
// builds in one process, that took up to a quarter of the time. An extra connection keeps the instance alive until then. For
// everyone else it is closed, and an instance that holds a file is destroyed immediately, since others may want the file.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll } from 'vitest'

/** This many take some hundred megabytes of a process. */
const MOST = 24

interface Keeping {
  /** Connections to instances that are in use. */
  readonly open: WeakMap<DuckDBInstance, DuckDBConnection>
  /** Connections to instances that have been closed and may still hold attached files. */
  closed: DuckDBConnection[]
  /** Connections to instances that have been closed and hold no file. */
  emptied: DuckDBConnection[]
}

/** The test files of a worker share its modules, and each of them runs this one again. */
const shared = globalThis as { tieoutKeeping?: Keeping }
shared.tieoutKeeping ??= keepInstances()
const keeping = shared.tieoutKeeping

afterAll(() => destroy([...keeping.closed.splice(0), ...keeping.emptied.splice(0)]))

const destroy = (keepers: readonly DuckDBConnection[]): void => {
  for (const keeper of keepers) keeper.closeSync()
}

function keepInstances(): Keeping {
  const { create, prototype } = DuckDBInstance
  const { closeSync } = prototype
  const keeping: Keeping = { open: new WeakMap(), closed: [], emptied: [] }
  DuckDBInstance.create = async (path, options) => {
    await letGo(keeping)
    const instance = await create.call(DuckDBInstance, path, options)
    if (path === undefined || path === ':memory:') keeping.open.set(instance, await instance.connect())
    return instance
  }
  prototype.closeSync = function (this: DuckDBInstance) {
    closeSync.call(this)
    const keeper = keeping.open.get(this)
    if (keeper !== undefined) keeping.closed.push(keeper)
    keeping.open.delete(this)
  }
  return keeping
}

/** Destroys those that still hold a file, or all of them if there are many. */
async function letGo(keeping: Keeping): Promise<void> {
  for (const keeper of keeping.closed.splice(0)) {
    const held = await keeper.runAndReadAll('select 1 from duckdb_databases() where path is not null limit 1')
    if (held.currentRowCount > 0) keeper.closeSync()
    else keeping.emptied.push(keeper)
  }
  if (keeping.emptied.length > MOST) destroy(keeping.emptied.splice(0))
}
