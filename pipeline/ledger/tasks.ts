// The tasks of a build, models and steps, each run after those that it reads. Each table is committed before
// one is built that reads it, so that later models know its statistics.
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { type Asked, Emptiness } from './empty.ts'
import { decidedBy, type Found, type Inputs, type MadeTables } from './kept.ts'
import type { LandedUntil } from './landed.ts'
import { inLanes } from './lanes.ts'
import { inOrder, type Model, qualify, type Task } from './models.ts'
import { type EmptyWhen, parseTree } from './parse-tree.ts'
import { type Item, Run } from './run.ts'
import { type Days, type Divided, makeDays } from './slices.ts'

/**
 * A step that is not a model, such as the lots engine; it finds the tables that it reads already built, in
 * schema main.
 */
export interface ExtraStep {
  readonly name: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Tables that are built only after it, although they do not read what it writes here. */
  readonly precedes?: readonly string[]
  /** What its tables are, by table. */
  readonly docs?: Readonly<Record<string, string>>
  /** What their columns mean, by table and column. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * A hash of its further inputs besides what it reads and the program; a step without it runs in every
   * build.
   */
  readonly decidedBy?: string
  /** The columns of tables that it may find in the ledger, empty; it creates the others. */
  readonly definitions?: Readonly<Record<string, string>>
  /** The column with the time of a row, of those of its tables that are divided into days. */
  readonly times?: Readonly<Record<string, string>>
  run(connection: DuckDBConnection, run?: StepRun): Promise<void>
  /**
   * Runs again over its tables as they were published: nothing that it reads has changed before this UTC day. Rows may stay in
   * the tables that are divided into days; the others are written anew. False, with nothing changed, if it cannot.
   */
  carryOn?(connection: DuckDBConnection, day: string): Promise<boolean>
}

/** How a step is run. */
export interface StepRun {
  /** Those of its tables that are there, empty; none if absent. */
  readonly standing?: ReadonlySet<string>
  /** The intermediate steps are kept for the next build, and what it needs to carry on may be among them. */
  readonly keepsSteps?: boolean
}

/** A table that has been built, or all tables of a step. */
export interface BuildEvent {
  readonly table: string
  readonly rows: number
  readonly ms: number
  /** It is as published: none of its inputs have changed. */
  readonly kept: boolean
  /** How many of its days were rebuilt; absent if it was rebuilt whole or kept. */
  readonly days?: number
}

/** A model or step that the database refused; the published ledger is unchanged. */
export class BuildFailed extends TieoutError {
  override readonly name = 'BuildFailed'
}

/** Models that can run with these steps: one that needs a table of a missing step is left out. */
export function runnable(models: readonly Model[], steps: readonly ExtraStep[]): Model[] {
  const made = new Set(steps.flatMap((step) => step.writes.map(qualify)))
  return models.filter((model) => model.needs.every((table) => made.has(table)))
}

export interface TasksOptions {
  /** What already exists. */
  readonly inputs: Inputs
  /** The tables that are in the unfinished ledger as published; null in one that begins empty. */
  readonly base: MadeTables | null
  /** What is known of the days of tables; null if no table is rebuilt by days. */
  readonly divided?: Divided | null
  /** Intermediate steps that are there as the base was built from them. */
  readonly standing?: ReadonlySet<string>
  /** Nobody has written to the base since it was published. */
  readonly isAsPublished?: boolean
  /** Unpublished tables without rows are created only for what reads them. */
  readonly putsOff?: boolean
  /** Tables that are wanted, with everything they depend on; all if absent. */
  readonly only?: readonly string[] | undefined
  readonly clock: Clock
  /** Nothing more is started once it has fired. */
  readonly signal?: AbortSignal | undefined
  readonly log?: ((event: BuildEvent) => void) | undefined
}

export interface Done {
  readonly events: readonly BuildEvent[]
  /** Every table with its rows and, if known, a hash of its inputs. */
  readonly found: ReadonlyMap<string, Found>
  /** The rows of each day of the tables that are divided into days. */
  readonly days: ReadonlyMap<string, Days>
  /** Up to where landing was read. */
  readonly until: LandedUntil | null
  /** Stores what was learned about the columns of tables for later builds, once they are known to be right. */
  learn(): Promise<void>
}

/**
 * Runs models and steps in dependency order, as many at a time as there are connections, and keeps what need
 * not be rebuilt.
 */
export async function runTasks(
  lanes: readonly [DuckDBConnection, ...DuckDBConnection[]],
  models: readonly Model[],
  steps: readonly ExtraStep[],
  {
    inputs,
    base,
    divided = null,
    standing = new Set(),
    isAsPublished = false,
    putsOff = false,
    ...options
  }: TasksOptions,
): Promise<Done> {
  const [connection] = lanes
  const { only, clock, signal, log } = options
  const emptiness = await Emptiness.of(connection, { ...inputs, kept: base, putsOff })
  const tasks: Task<Item>[] = []
  for (const model of models) {
    // What such a step adds to landing is not known beforehand: these models always run.
    const before = steps
      .filter(({ precedes }) => precedes?.includes(model.table))
      .flatMap(({ writes }) => writes.map(qualify))
    const { reads: own, emptyWhen } = await parseTree(connection, model)
    const isAlwaysAsked = before.length > 0
    const asked = {
      model,
      reads: [...own, ...before],
      emptyWhen: !isAlwaysAsked && emptyWhen,
      parts: isAlwaysAsked ? undefined : await partsOf(connection, model),
    }
    emptiness.expect(asked)
    const { since } = model.slices ?? {}
    const reads = [...asked.reads, ...(since === undefined ? [] : [since.lasts])].filter(
      (table) => !table.startsWith('landing.'),
    )
    const item: Item = {
      decidedBy: (known) => decidedBy(model.select, own, known),
      make: (lane) => runModel(lane, asked, emptiness),
      keep: async (_lane, rows) => emptiness.made(asked, rows.get(model.table)?.count ?? 0),
      isView: model.isView === true,
      bringsToLanding: false,
      inputs: asked.reads,
      slices: model.slices,
      ...daysOf(model, divided),
    }
    tasks.push({ name: model.table, reads, writes: [model.table], item })
  }
  for (const step of steps) {
    const [reads, writes] = [step.reads.map(qualify), step.writes.map(qualify)]
    const item: Item = {
      decidedBy: (known) =>
        step.decidedBy === undefined ? undefined : decidedBy(`${step.name} ${step.decidedBy}`, reads, known),
      make: (lane) => runStep(lane, step, emptiness, divided !== null),
      ...carryingOn(step, emptiness),
      keep: (lane, rows) =>
        emptiness.written(
          lane,
          new Map([...rows].map(([table, { count }]) => [table, count])),
          step.definitions,
        ),
      isView: false,
      bringsToLanding: step.precedes !== undefined,
      inputs: reads,
    }
    tasks.push({ name: step.name, reads, writes, item })
  }
  const run = new Run(tasks, inputs, base, { divided, standing, isAsPublished })
  const events: BuildEvent[] = []
  const ordered = inOrder(tasks, new Set(inputs.given.keys()), only?.map(qualify))
  await inLanes(ordered, lanes, async (task, lane) => {
    signal?.throwIfAborted()
    const begun = clock.monotonic()
    const done = await run.carryOut(task, lane)
    const event = { table: task.name, ms: clock.monotonic() - begun, ...done }
    events.push(event)
    log?.(event)
  })
  const found = await run.finish(lanes)
  return { events, found, days: run.days, until: run.until, learn: () => emptiness.learn(connection) }
}

/** How some days of a model's table are rebuilt. */
function daysOf(model: Model, divided: Divided | null): Pick<Item, 'makeDays'> {
  const { table, select, slices } = model
  if (divided === null || slices === undefined || model.isView === true) return {}
  return {
    makeDays: (lane, changed) =>
      makeDays(lane, { table, select, slices }, changed, divided).catch((cause: unknown) => {
        throw failed(model.file, table, cause)
      }),
  }
}

/** How a step goes on from a day. */
function carryingOn(step: ExtraStep, emptiness: Emptiness): Pick<Item, 'carryOn'> {
  const { carryOn } = step
  if (carryOn === undefined) return {}
  return {
    carryOn: async (lane, day) => {
      const isDone = await tried(step, () => carryOn(lane, day))
      return isDone ? countWritten(lane, step, emptiness) : null
    },
  }
}

async function partsOf(connection: DuckDBConnection, model: Model): Promise<Asked['parts']> {
  const parts: { select: string; emptyWhen: EmptyWhen }[] = []
  for (const select of model.parts ?? [])
    parts.push({ select, emptyWhen: (await parseTree(connection, { ...model, select })).emptyWhen })
  return parts.length === 0 ? undefined : parts
}

async function runModel(connection: DuckDBConnection, asked: Asked, emptiness: Emptiness): Promise<number> {
  try {
    await emptiness.ask(connection, asked)
    const statement = emptiness.statement(asked)
    if (statement !== null) await emptiness.stand(connection, asked.reads)
    const reader = statement === null ? null : await connection.runAndReadAll(statement)
    const rows = Number(reader?.getRowsJson()[0]?.[0] ?? 0)
    emptiness.made(asked, rows)
    return rows
  } catch (cause) {
    throw failed(asked.model.file, asked.model.table, cause)
  }
}

async function runStep(
  connection: DuckDBConnection,
  step: ExtraStep,
  emptiness: Emptiness,
  keepsSteps: boolean,
): Promise<number> {
  await tried(step, async () => {
    await emptiness.stand(connection, step.reads.map(qualify))
    const standing = emptiness.standing(step.definitions ?? {})
    const others = step.writes.filter((table) => !standing.has(table))
    await connection.run(others.map((table) => `drop table if exists ${qualify(table)}`).join(';\n'))
    await step.run(connection, { standing, keepsSteps })
  })
  return countWritten(connection, step, emptiness)
}

async function tried<T>(step: ExtraStep, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof TieoutError) throw cause
    throw failed(step.name, step.writes.join(', '), cause)
  }
}

/** Records the tables that a step has written; returns how many rows they have. */
async function countWritten(
  connection: DuckDBConnection,
  step: ExtraStep,
  emptiness: Emptiness,
): Promise<number> {
  const questions = step.writes.map((table) => `select '${qualify(table)}', count(*) from ${qualify(table)}`)
  const reader = await connection.runAndReadAll(questions.join('\nunion all\n'))
  const counts = new Map(reader.getRowsJson().map(([table, count]) => [String(table), Number(count)]))
  await emptiness.written(connection, counts, step.definitions)
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** The error for a table that could not be built. */
export function failed(where: string, table: string, cause: unknown): BuildFailed {
  return new BuildFailed(`The table ${table} could not be built.`, {
    where,
    found:
      cause instanceof TieoutError
        ? (cause.details.found ?? cause.message)
        : cause instanceof Error
          ? cause.message
          : String(cause),
    action:
      'The published ledger is unchanged. Free memory or disk space if that is what is missing; otherwise report this.',
    cause,
  })
}
