// The states of the books on a server: every build makes databases of its own, and one row says which is published. Writing
// that row is the switch: whoever reads it first sees one whole state. Views of the same names as the tables follow for
// people who ask the server themselves.
import { TieoutError } from '../../models/error.ts'
import { identifier } from '../engine/quote.ts'
import { type Databases, databasesOf } from './names.ts'
import type { Server, StatementOptions } from './server.ts'
import { partsOf } from './shards.ts'

/** The published state. */
export interface State {
  readonly id: string
  readonly databases: Databases
  /** Where the parts of its tables stand on every server, where there are several. */
  readonly parts: Databases
}

/** States that are kept: the published one, and the one before it, which may still be read. */
const KEPT = 2

/** For what is to be finished once it has begun: the end of a publication, and clearing up. */
const HEEDLESS: StatementOptions = { heedless: true }

export class States {
  /** All servers of the books; what is not by account stands on the first. */
  readonly #servers: readonly Server[]
  readonly #server: Server
  readonly #database: string
  readonly #table: string

  constructor(servers: readonly [Server, ...Server[]], database: string) {
    this.#servers = servers
    this.#server = servers[0]
    this.#database = database
    this.#table = `${identifier(database)}."published"`
  }

  /** Makes what the states are kept in, where it is not there. */
  async begin(): Promise<void> {
    await this.#server.run(`create database if not exists ${identifier(this.#database)}`)
    await this.#server.run(
      `create table if not exists ${this.#table} (build String, published_at DateTime64(3, 'UTC')) engine = MergeTree order by build`,
    )
  }

  /** The state that is published; null where none ever was. */
  async published(options: StatementOptions = {}): Promise<State | null> {
    const [there] = await this.#server.rows(
      `select count() from system.tables where database = '${this.#database}' and name = 'published'`,
      options,
    )
    if (Number(there?.[0]) === 0) return null
    const [row] = await this.#server.rows(
      `select build from ${this.#table} order by build desc limit 1`,
      options,
    )
    return row === undefined ? null : this.#state(String(row[0]))
  }

  #state(id: string): State {
    return { id, databases: databasesOf(this.#database, id), parts: partsOf(this.#database, id) }
  }

  /** Makes the databases of a new build. Names of builds are in the order of their times. */
  async create(now: Date): Promise<State> {
    const last = await this.published()
    const id = `b${now.toISOString().replace(/\D/g, '')}`
    // A clock that was set back must not make an older name than the published one: the newest name counts.
    const state = this.#state(last !== null && last.id >= id ? `b${BigInt(last.id.slice(1)) + 1n}` : id)
    for (const database of own(state)) await this.#server.run(`create database ${identifier(database)}`)
    if (this.#servers.length > 1)
      for (const server of this.#servers)
        for (const database of Object.values(state.parts))
          await server.run(`create database ${identifier(database)}`)
    return state
  }

  /**
   * Publishes a finished state, and lets go of what its build needed on the way. The state before it is kept for whoever
   * reads it, unless something may have been erased since: then nothing of it must stay.
   */
  async publish(
    { id, databases }: State,
    tables: readonly string[],
    { keepsLast }: { readonly keepsLast: boolean },
  ): Promise<void> {
    await this.#server.run(`insert into ${this.#table} values ('${id}', now64(3, 'UTC'))`)
    try {
      for (const table of tables)
        await this.#server.run(
          `create or replace view ${identifier(this.#database)}.${identifier(table)} as select * from ${identifier(databases.main)}.${identifier(table)}`,
          HEEDLESS,
        )
      await this.#dropOthers(keepsLast ? KEPT : 1)
    } catch (cause) {
      if (!(cause instanceof TieoutError)) throw cause
      const { where, found } = cause.details
      throw new TieoutError('The books are published; the server did not carry out what follows.', {
        ...(where === undefined ? {} : { where }),
        expected: 'that the views follow, and that older states go',
        ...(found === undefined ? {} : { found }),
        action: 'Correct what the server says, then run `tieout build` again.',
        cause,
      })
    }
  }

  /** Drops what a build that failed has made. It may have failed behind the switch, and then its state is the published one. */
  async drop(state: State): Promise<void> {
    if ((await this.published(HEEDLESS))?.id === state.id) return
    for (const server of this.#servers)
      for (const database of [...own(state), ...Object.values(state.parts)])
        await server.run(`drop database if exists ${identifier(database)} sync`, HEEDLESS)
  }

  /**
   * Drops what no reader needs: builds that died, and all published states but the last two. One build writes at a time:
   * the lock of the books sees to that.
   */
  async clear(): Promise<void> {
    await this.#dropOthers(KEPT)
  }

  async #dropOthers(count: number): Promise<void> {
    const kept = (
      await this.#server.rows(`select build from ${this.#table} order by build desc limit ${count}`, HEEDLESS)
    ).flatMap(([build]) => {
      const { databases, parts } = this.#state(String(build))
      return [databases.main, parts.main]
    })
    const ours = new RegExp(`^${this.#database}_b\\d{17}(_part)?(_staging|_checks|_landing)?$`)
    for (const server of this.#servers)
      for (const [database] of await server.rows('select name from system.databases', HEEDLESS))
        if (ours.test(String(database)) && !kept.includes(String(database)))
          await server.run(`drop database if exists ${identifier(String(database))} sync`, HEEDLESS)
  }
}

const own = ({ databases }: State): string[] => [databases.main, databases.staging, databases.checks]
