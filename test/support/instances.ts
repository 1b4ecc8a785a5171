// For each file of tests: what is closed lives on for a while and is destroyed together with others. As it destroys an instance
// DuckDB gives back to the system whatever memory of the process is free, a few pages at a time, and the next build faults
// all of it in again: of small builds in one process that took up to a quarter of the time. A connection of ours keeps the instance until
// then. Closed it is all the same, for everyone else; and one that holds a file is destroyed at once, since others may want it.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll } from 'vitest'

/** So many take some hundred megabytes of a process. */
const MOST = 24

interface Keeping {
  /** Of instances that are in use. */
  readonly open: WeakMap<DuckDBInstance, DuckDBConnection>
  /** Of instances that have been closed, and may hold what was attached to them. */
  closed: DuckDBConnection[]
  /** Of instances that have been closed and hold no file. */
  emptied: DuckDBConnection[]
}

/** The files of a worker share its modules, and each of them runs this one again. */
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

/** Destroys those that still hold a file, and all of them where they are many. */
async function letGo(keeping: Keeping): Promise<void> {
  for (const keeper of keeping.closed.splice(0)) {
    const held = await keeper.runAndReadAll('select 1 from duckdb_databases() where path is not null limit 1')
    if (held.currentRowCount > 0) keeper.closeSync()
    else keeping.emptied.push(keeper)
  }
  if (keeping.emptied.length > MOST) destroy(keeping.emptied.splice(0))
}
