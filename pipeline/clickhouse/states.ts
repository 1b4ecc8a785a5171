// The states of the books on a server: every build creates databases of its own, and one row records which is
// published. Writing that row is the switch: readers that look it up first see one complete state. Views with the same
// names as the tables are updated afterwards, for people who query the server themselves.
import { TieoutError } from '../../models/error.ts'
import { identifier } from '../engine/quote.ts'
import { type Databases, databasesOf } from './names.ts'
import type { Server, StatementOptions } from './server.ts'
import { partsOf } from './shards.ts'

/** The published state. */
export interface State {
  readonly id: string
  readonly databases: Databases
  /** Where the parts of its tables are on every server, if there are several. */
  readonly parts: Databases
}

/** Number of states kept: the published one, and the one before it, which may still be read. */
const KEPT = 2

/** For work that must be finished once it has begun: the end of a publication, and the cleanup. */
const HEEDLESS: StatementOptions = { heedless: true }

export class States {
  /** All servers of the books; tables that are not by account are on the first. */
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

  /** Creates the databases and tables that hold the states, if they do not exist. */
  async begin(): Promise<void> {
    await this.#server.run(`create database if not exists ${identifier(this.#database)}`)
    await this.#server.run(
      `create table if not exists ${this.#table} (build String, published_at DateTime64(3, 'UTC')) engine = MergeTree order by build`,
    )
  }

  /** The published state; null if there never was one. */
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

  /** Creates the databases of a new build. Build names sort by time. */
  async create(now: Date): Promise<State> {
    const last = await this.published()
    const id = `b${now.toISOString().replace(/\D/g, '')}`
    // A clock that was set back must not produce a name older than the published one: the newest name applies.
    const state = this.#state(last !== null && last.id >= id ? `b${BigInt(last.id.slice(1)) + 1n}` : id)
    for (const database of own(state)) await this.#server.run(`create database ${identifier(database)}`)
    if (this.#servers.length > 1)
      for (const server of this.#servers)
        for (const database of Object.values(state.parts))
          await server.run(`create database ${identifier(database)}`)
    return state
  }

  /**
   * Publishes a finished state, and drops what its build needed temporarily. The state before it is kept for its
   * readers, unless something may have been erased since: then nothing of it may remain.
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
      throw new TieoutError(
        'The books are published, but the server failed to complete the follow-up steps.',
        {
          ...(where === undefined ? {} : { where }),
          expected: 'updated views, and older states removed',
          ...(found === undefined ? {} : { found }),
          action: 'Correct what the server reports, then run `tieout build` again.',
          cause,
        },
      )
    }
  }

  /** Drops what a failed build has created. If it failed after the switch, its state is the published one. */
  async drop(state: State): Promise<void> {
    if ((await this.published(HEEDLESS))?.id === state.id) return
    for (const server of this.#servers)
      for (const database of [...own(state), ...Object.values(state.parts)])
        await server.run(`drop database if exists ${identifier(database)} sync`, HEEDLESS)
  }

  /**
   * Drops what no reader needs: builds that died, and all published states but the last two. Only one build writes at a
   * time; the lock of the books ensures that.
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
