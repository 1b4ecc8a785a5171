// One run of a build's tasks: which of them can be skipped, because none of their inputs have changed.
import type { DuckDBConnection } from '@duckdb/node-api'
import { isOutOfMemory } from '../engine/out-of-memory.ts'
import { askViews, type Found, type Inputs, type MadeTables } from './kept.ts'
import { type LandedUntil, landedRows } from './landed.ts'
import type { Slices, Task } from './models.ts'
import { asked, isSame, NO_ROWS, type Rows, rowsOf } from './rows.ts'
import {
  allOf,
  askDays,
  type Changed,
  changedDays,
  type Days,
  type Divided,
  isAmong,
  type MadeDays,
  mayBeSliced,
  NO_DAY,
} from './slices.ts'

/** How one task is carried out. */
export interface Item {
  /** A hash of its inputs; undefined if not known. */
  decidedBy(known: ReadonlyMap<string, Rows>): string | undefined
  /** Builds its tables, and returns their number of rows. */
  make(connection: DuckDBConnection): Promise<number>
  /** Records that its tables are as they were published. */
  keep(connection: DuckDBConnection, rows: ReadonlyMap<string, Rows>): Promise<void>
  /** It creates a view instead of a table: its rows are not counted. */
  readonly isView: boolean
  /** There may be more landed rows after it than before. */
  readonly bringsToLanding: boolean
  /** All tables that it reads, those that have landed included. */
  readonly inputs: readonly string[]
  /** How its table is divided into days, if it is. */
  readonly slices?: Slices | undefined
  /** Rebuilds these days of its table. */
  makeDays?(connection: DuckDBConnection, changed: Changed): Promise<MadeDays>
  /**
   * Makes what follows from changes since this day; returns the number of rows of its tables. Rows may have stayed in those that
   * are divided into days; null, with nothing changed, if all has to be made.
   */
  carryOn?(connection: DuckDBConnection, day: string): Promise<number | null>
}

/** A published table differs from what the ledger records about it: the file has been damaged or changed. */
export class KeptDiffer extends Error {}

/** A task that has been carried out, with what had landed when it began. */
interface Unseen {
  readonly task: Task<Item>
  readonly landed: ReadonlyMap<string, Rows>
}

const isPublished = (table: string): boolean => table.startsWith('main.')

interface RunOptions {
  readonly divided: Divided | null
  readonly standing: ReadonlySet<string>
  readonly isAsPublished: boolean
}

export class Run {
  readonly #base: MadeTables | null
  readonly #makers: ReadonlyMap<string, Task<Item>>
  /** What has landed by now. */
  #landed: ReadonlyMap<string, Rows>
  #until: LandedUntil | null
  /** What is kept need not be read: nobody has written to it since it was published. */
  readonly #isAsPublished: boolean
  /** For every table that is given, built or kept. */
  readonly #rows: Map<string, Rows>
  readonly #decided = new Map<string, string>()
  /** Built, with what had landed by then; without a base their rows have not been examined yet. */
  readonly #unseen: Unseen[] = []
  /**
   * Intermediate steps that were kept and so do not exist here: they are built if something reads them, once.
   */
  readonly #owed = new Map<Task<Item>, { making: Promise<unknown> | null }>()
  readonly #kept: string[] = []
  readonly #divided: Divided | null
  /** Intermediate steps that are here as the published ledger was built from them. */
  readonly #standing: ReadonlySet<string>
  /** The rows of each day of the tables that are divided into days, as far as known. */
  readonly #days: Map<string, Days>

  constructor(
    tasks: readonly Task<Item>[],
    { landed, given, days, until }: Inputs,
    base: MadeTables | null,
    { divided, standing, isAsPublished }: RunOptions,
  ) {
    this.#until = until
    this.#isAsPublished = isAsPublished
    this.#base = base
    this.#divided = divided
    this.#standing = standing
    this.#days = new Map(days)
    this.#landed = landed
    this.#rows = new Map(given)
    this.#makers = new Map(tasks.flatMap((task) => task.writes.map((table) => [table, task] as const)))
    for (const table of given.keys()) this.#decided.set(table, 'given')
  }

  /**
   * Carries the task out on this connection, unless its tables are what it would build. Its inputs are done;
   * other tasks may run meanwhile.
   */
  async carryOut(
    task: Task<Item>,
    connection: DuckDBConnection,
  ): Promise<{ readonly rows: number; readonly kept: boolean; readonly days?: number }> {
    const stays = this.#unchanged(task)
    if (stays !== null) {
      await task.item.keep(connection, stays)
      if (task.writes.every(isPublished)) this.#kept.push(...task.writes)
      else if (!task.writes.every((table) => this.#standing.has(table)))
        this.#owed.set(task, { making: null })
      for (const table of task.writes) this.#keepDays(table)
      return { rows: total(stays), kept: true }
    }
    await this.#makeOwed(task.reads, connection)
    const made = { task, landed: this.#landed }
    const sliced = (await this.#makeDays(task, connection)) ?? (await this.#carryOn(made, connection))
    if (sliced !== null) return { ...sliced, kept: false }
    const rows = await task.item.make(connection)
    if (rows === 0)
      for (const table of task.writes) {
        this.#rows.set(table, NO_ROWS)
        if (this.#divided?.timeOf.has(table)) this.#days.set(table, new Map())
      }
    // Whether a table's rows are unchanged determines what is done with its dependents; without a base to
    // compare with, all tables are examined together at the end.
    if (this.#base === null) this.#unseen.push(made)
    else await this.#look([made], [connection])
    if (task.item.bringsToLanding) {
      const known = { days: this.#days, until: this.#until }
      const { landed, days, until } = await landedRows(connection, this.#divided?.timeOf, known)
      this.#landed = landed
      this.#until = until
      for (const [table, one] of days) this.#days.set(table, one)
    }
    return { rows, kept: false }
  }

  #keepDays(table: string): void {
    const days = this.#divided?.before.get(table)
    if (days !== undefined) this.#days.set(table, days)
  }

  /** Rebuilds only the days on which its inputs have changed, if that is possible: its rows, else null. */
  async #makeDays(
    { writes, item }: Task<Item>,
    connection: DuckDBConnection,
  ): Promise<{ readonly rows: number; readonly days: number } | null> {
    const [table] = writes
    const before = table === undefined ? undefined : this.#divided?.before.get(table)
    if (table === undefined || before === undefined || item.makeDays === undefined) return null
    if (!isPublished(table) && !this.#standing.has(table)) return null
    const changed = this.#changedFor(item)
    if (changed === null || !mayBeSliced(changed, before)) return null
    const isNone = changed.days.size === 0 && changed.from === undefined
    const { made, rows } = isNone
      ? { made: changed, rows: new Map() }
      : await item.makeDays(connection, changed)
    const all = new Map([...[...before].filter(([day]) => !isAmong(day, made)), ...rows])
    this.#days.set(table, all)
    this.#learn(table, allOf(all), this.#decide({ item }, this.#landed) ?? '')
    if (isPublished(table)) this.#kept.push(table)
    return { rows: allOf(all).count, days: rows.size }
  }

  /**
   * Goes on from the first day on which its inputs have changed, if that is possible. KeptDiffer if a table of which rows may
   * stay is not as published.
   */
  async #carryOn(
    made: Unseen,
    connection: DuckDBConnection,
  ): Promise<{ readonly rows: number; readonly days: number } | null> {
    const { writes, item } = made.task
    if (this.#divided === null || item.carryOn === undefined) return null
    if (!writes.every((table) => isPublished(table) && this.#base?.has(table))) return null
    const changed = this.#changedFor({ ...item, slices: { by: '', of: item.inputs } })
    const [day] = changed === null ? [] : firstOf(changed)
    if (day === undefined || day === NO_DAY) return null
    const before = new Map<string, Days>()
    for (const table of writes) {
      const time = this.#divided.timeOf.get(table)
      if (time === undefined) continue
      before.set(table, this.#divided.before.get(table) ?? new Map())
      if (this.#isAsPublished) continue
      const found = await askDays(connection, table, time).catch(unreadable)
      if (changedDays(before.get(table) as Days, found).size > 0) throw new KeptDiffer(table)
    }
    const rows = await item.carryOn(connection, day)
    if (rows === null) return null
    await this.#look([made], [connection])
    const days = [...before].flatMap(([table, own]) => [
      ...changedDays(own, this.#days.get(table) ?? new Map()),
    ])
    return { rows, days: new Set(days).size }
  }

  /** The days on which what an item reads has changed; null if that is not known, or more has changed. */
  #changedFor({ inputs, slices }: Item): Changed | null {
    const { of = [], earlier = [], growing = [], since, spans, carries, lasting } = slices ?? {}
    const reachers = [...earlier, since?.table, spans?.table]
    const days = new Set<string>()
    const froms: string[] = []
    for (const table of inputs) {
      if (this.#isUnchanged(table) || growing.includes(table)) continue
      const reaches = reachers.includes(table)
      const changed = reaches || of.includes(table) ? this.#changed(table) : null
      if (changed === null) return null
      if (reaches) froms.push(...firstOf(changed))
      else for (const day of changed.days) days.add(day)
      if (changed.from !== undefined) froms.push(changed.from)
    }
    // Whatever is read back from a day may change every later one, and a span may end on one.
    const reachesOn = [since, spans, carries, lasting].some((one) => one !== undefined)
    const from = [...froms, ...(reachesOn ? days : [])].toSorted()[0]
    return { days, from }
  }

  #changed(table: string): Changed | null {
    if (this.#isUnchanged(table)) return { days: new Set() }
    const view = this.#makers.get(table)?.item
    if (view?.isView === true) return this.#changedFor(view)
    const [before, now] = [this.#divided?.before.get(table), this.#days.get(table)]
    return before === undefined || now === undefined ? null : { days: changedDays(before, now) }
  }

  #isUnchanged(table: string): boolean {
    return isSame(this.#base?.get(table), this.#rows.get(table) ?? this.#landed.get(table))
  }

  /** The rows of its tables as published, if the inputs are the same; also records them. */
  #unchanged(task: Task<Item>): Map<string, Rows> | null {
    const decided = this.#base === null ? undefined : this.#decide(task, this.#landed)
    const made = new Map(task.writes.map((table) => [table, this.#base?.get(table)]))
    // A step that writes published tables and others can neither be kept whole nor built later.
    const isOne = new Set(task.writes.map(isPublished)).size === 1
    if (decided === undefined || !isOne || [...made.values()].some((one) => one?.decidedBy !== decided))
      return null
    for (const [table, one] of made)
      this.#learn(table, task.item.isView ? rowsOfView(decided) : (one as Rows), decided)
    return made as Map<string, Rows>
  }

  #decide({ item }: Pick<Task<Item>, 'item'>, landed: ReadonlyMap<string, Rows>): string | undefined {
    return item.decidedBy(new Map([...landed, ...this.#rows]))
  }

  #learn(table: string, { count, hash }: Rows, decided: string): void {
    this.#rows.set(table, { count, hash })
    this.#decided.set(table, decided)
  }

  /**
   * Builds those of these tables that were deferred, and their inputs first; or waits for the task that is
   * already doing so.
   */
  async #makeOwed(tables: readonly string[], connection: DuckDBConnection): Promise<void> {
    for (const table of tables) {
      const task = this.#makers.get(table)
      const owed = task === undefined ? undefined : this.#owed.get(task)
      if (task === undefined || owed === undefined) continue
      owed.making ??= this.#makeOwed(task.reads, connection).then(() => task.item.make(connection))
      await owed.making
    }
  }

  /** Records the rows of the tables that have been built. */
  async #look(unseen: readonly Unseen[], lanes: readonly DuckDBConnection[]): Promise<void> {
    const tables = unseen.flatMap(({ task }) => (task.item.isView ? [] : task.writes))
    const filled = tables.filter((table) => this.#rows.get(table) !== NO_ROWS)
    for (const [table, rows] of await this.#rowsIn(lanes, filled)) this.#rows.set(table, rows)
    for (const { task, landed } of unseen) {
      const decided = this.#decide(task, landed) ?? ''
      for (const table of task.writes) {
        const rows = task.item.isView ? rowsOfView(decided) : (this.#rows.get(table) ?? NO_ROWS)
        this.#learn(table, rows, decided)
      }
    }
  }

  /** The rows of these tables; those of each day as well, if they are divided. */
  async #rowsIn(lanes: readonly DuckDBConnection[], tables: readonly string[]): Promise<Map<string, Rows>> {
    const divided = tables.filter((table) => this.#divided?.timeOf.has(table))
    const rows = await rowsOf(
      lanes,
      tables.filter((table) => !divided.includes(table)),
    )
    for (const table of divided) {
      const days = await askDays(
        lanes[0] as DuckDBConnection,
        table,
        this.#divided?.timeOf.get(table) as string,
      )
      this.#days.set(table, days)
      rows.set(table, allOf(days))
    }
    return rows
  }

  get days(): ReadonlyMap<string, Days> {
    return this.#days
  }

  get until(): LandedUntil | null {
    return this.#until
  }

  /**
   * Every table as it was found. KeptDiffer if one that was kept has rows other than the ledger records, or
   * cannot be read.
   */
  async finish(lanes: readonly [DuckDBConnection, ...DuckDBConnection[]]): Promise<Map<string, Found>> {
    await this.#look(this.#unseen, lanes)
    const views = await askViews(asked(lanes[0]))
    for (const table of this.#kept)
      if (this.#makers.get(table)?.item.isView && !isSame(views.get(table), this.#base?.get(table)))
        throw new KeptDiffer(table)
    const kept = this.#isAsPublished ? [] : this.#kept
    const filled = kept.filter((one) => this.#rows.get(one)?.count !== 0)
    for (const [table, rows] of await rowsOf(lanes, filled).catch(unreadable))
      if (!isSame(rows, this.#rows.get(table))) throw new KeptDiffer(table)
    const received = [...this.#landed].map(
      ([table, rows]) => [table, { ...rows, decidedBy: 'received' }] as const,
    )
    const made = [...this.#rows, ...views].map(
      ([table, rows]) => [table, { ...rows, decidedBy: this.#decided.get(table) ?? '' }] as const,
    )
    return new Map([...received, ...made])
  }
}

/** Kept tables are a copy of a file that may be damaged; running out of memory does not show that. */
function unreadable(cause: unknown): never {
  if (isOutOfMemory(cause)) throw cause
  throw new KeptDiffer('ledger', { cause })
}

/** The first day that has changed, if one has. */
const firstOf = ({ days, from }: Changed): string[] =>
  [...days, ...(from === undefined ? [] : [from])].toSorted().slice(0, 1)

/** Anything that reads a view depends on the view's inputs. */
const rowsOfView = (decided: string): Rows => ({ count: 0, hash: decided })

const total = (of: ReadonlyMap<string, Rows>): number =>
  [...of.values()].reduce((sum, { count }) => sum + count, 0)
