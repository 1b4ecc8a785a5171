// Every statement that the code under test gives to DuckDB passes through the process that is at work, which may die
// before or after it. The classes of the package are wrapped, so production code carries no hook. An instance that is
// closed is used again by the next process: an instance costs as much as ten requests, and all that a
// process leaves behind stands in its file.
import { DuckDBConnection, DuckDBInstance, DuckDBTimestampTZValue } from '@duckdb/node-api'
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

/** What is known of an instance that is in use: whether it may be used again once it is closed. */
interface Use {
  readonly instance: DuckDBInstance
  readonly kind: string
  times: number
  connections: number
  hasLanding: boolean
  /** Other databases are attached to it, or it has refused to let go of one. */
  isSpoiled: boolean
}

const uses = new WeakMap<DuckDBInstance, Use>()
const usedBy = new WeakMap<DuckDBConnection, Use>()
const owners = new WeakMap<DuckDBConnection, SimulatedProcess>()
const idle = new Map<string, Use[]>()

/** Memory that an instance does not give back would add up over thousands of runs. */
const TIMES_MAX = 100

/** A landing in a folder of this name never reaches a disk: it is looked at once and thrown away. */
export const FOLDER_IN_MEMORY = 'in-memory'

/** What marks an instance in which nothing is built. */
export const LANDING_MEMORY = '256MB'

/** Small blocks: a landing of a few hundred rows in large ones is little but zeros that are written and read. */
const attachLanding = (sql: string): string =>
  sql.includes(`/${FOLDER_IN_MEMORY}/`) ? "attach ':memory:' as landing" : `${sql} (block_size 16384)`

/** A value as it stands in a statement; null for one of a kind that landing does not use. */
function literal(value: unknown): string | null {
  if (value === null) return 'null'
  if (typeof value === 'string') return value.includes('\0') ? null : `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return `${value}`
  if (value instanceof DuckDBTimestampTZValue) return `make_timestamptz(${value.micros})`
  return null
}

/** A statement with parameters is planned twice, before and after it knows their values: here they stand in it. */
function inlined(sql: string, values: unknown): string | null {
  if (!Array.isArray(values)) return null
  const literals = values.map(literal)
  if (literals.includes(null)) return null
  return sql.replace(/\$(\d+)/g, (_, place) => literals[Number(place) - 1]!)
}

const run = DuckDBConnection.prototype.run
DuckDBConnection.prototype.run = function (this: DuckDBConnection, ...given: Parameters<typeof run>) {
  const [sql, ...values] = given
  // What a dead process still wants of its connections comes to nothing.
  if (owners.get(this)?.isAlive === false) return Promise.reject(new ProcessDied())
  const process = atWork
  const text = sql.startsWith('attach ') && sql.endsWith(' as landing') ? attachLanding(sql) : sql
  const plain = inlined(text, values[0])
  const go = (): Promise<Awaited<ReturnType<typeof run>>> =>
    run.apply(this, plain === null ? [text, ...values] : [plain])
  const done = process === null ? go() : process.statement(go)
  const use = usedBy.get(this)
  if (use !== undefined) note(use, sql, done)
  return done
}

/** What is attached to an instance, and whether it can be let go of again. */
function note(use: Use, sql: string, done: Promise<unknown>): void {
  const isOfLanding = sql.endsWith(' as landing') || sql === 'detach landing'
  if (sql.startsWith('attach ') && !isOfLanding) use.isSpoiled = true
  if (!isOfLanding) return
  done.then(
    () => {
      use.hasLanding = sql !== 'detach landing'
    },
    () => {
      use.isSpoiled = true
    },
  )
}

const create = DuckDBInstance.create
DuckDBInstance.create = async (...given: Parameters<typeof create>) => {
  const process = atWork
  const [path, { temp_directory: _, ...settings } = {}] = given
  // What is opened as a file of its own is of one use.
  const kind = path === ':memory:' ? JSON.stringify(settings) : ''
  const use = (await reused(kind)) ?? (await fresh(await create.apply(DuckDBInstance, given), kind))
  // Who held it before has another handle, and closes nothing of this one.
  const handle = Object.assign(Object.create(DuckDBInstance.prototype), use.instance) as DuckDBInstance
  uses.set(handle, use)
  use.times += 1
  process?.holds(handle)
  return handle
}

/**
 * What a dead process had attached is let go of as it stands: a process that is gone writes nothing into its file.
 * To find out how a few rows are best compressed takes half of a checkpoint.
 */
async function fresh(instance: DuckDBInstance, kind: string): Promise<Use> {
  const connection = await connect.apply(instance)
  await run.apply(connection, ['pragma disable_checkpoint_on_shutdown'])
  await run.apply(connection, ["set global force_compression = 'uncompressed'"])
  disconnect.apply(connection)
  return { instance, kind, times: 0, connections: 0, hasLanding: false, isSpoiled: false }
}

async function reused(kind: string): Promise<Use | null> {
  const use = idle.get(kind)?.pop()
  if (use === undefined) return null
  if (use.hasLanding) {
    const connection = await connect.apply(use.instance)
    await run.apply(connection, ['detach landing'])
    disconnect.apply(connection)
    use.hasLanding = false
  }
  return use
}

const connect = DuckDBInstance.prototype.connect
DuckDBInstance.prototype.connect = async function (this: DuckDBInstance) {
  const process = atWork
  const connection = await connect.apply(this)
  const use = uses.get(this)
  // Questions of the landing are many and their tables small: to plan one well takes longer than to answer it.
  if (use?.kind.includes(LANDING_MEMORY)) await run.apply(connection, ['pragma disable_optimizer'])
  if (use !== undefined) {
    usedBy.set(connection, use)
    use.connections += 1
  }
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
  const use = usedBy.get(this)
  if (use !== undefined) use.connections -= 1
}

const close = DuckDBInstance.prototype.closeSync
DuckDBInstance.prototype.closeSync = function (this: DuckDBInstance) {
  if (closed.has(this)) return
  closed.add(this)
  const use = uses.get(this)
  if (use === undefined || !isOfUse(use)) return close.apply(this)
  const others = idle.get(use.kind)
  if (others === undefined) idle.set(use.kind, [use])
  else others.push(use)
}

const isOfUse = ({ kind, connections, isSpoiled, times }: Use): boolean =>
  kind !== '' && connections === 0 && !isSpoiled && times < TIMES_MAX
