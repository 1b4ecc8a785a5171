// Parallel tasks: each begins once everything it reads has been built, and waits for nothing else.
import PQueue from 'p-queue'
import type { Task } from './models.ts'

/**
 * Runs the tasks, which are in dependency order, as many at a time as there are lanes. Among those that are
 * ready, the one with the longest chain of dependents goes first. After a failure nothing more is started;
 * the error is thrown once the tasks in progress have ended.
 */
export async function inLanes<T, Lane>(
  tasks: readonly Task<T>[],
  lanes: readonly Lane[],
  carryOut: (task: Task<T>, lane: Lane) => Promise<void>,
): Promise<void> {
  const free = [...lanes]
  const places = placesOf(tasks)
  const queue = new PQueue({ concurrency: lanes.length, autoStart: false })
  let failure: { readonly cause: unknown } | undefined
  const add = (place: Place<T>): void => void queue.add(() => begin(place), { priority: place.followedBy })
  const begin = async ({ task, readers }: Place<T>): Promise<void> => {
    const lane = free.pop() as Lane
    try {
      await carryOut(task, lane)
      for (const reader of readers) {
        reader.waitsFor.delete(task)
        if (reader.waitsFor.size === 0 && failure === undefined) add(reader)
      }
    } catch (cause) {
      failure ??= { cause }
      queue.clear()
    }
    free.push(lane)
  }
  for (const place of places) if (place.waitsFor.size === 0) add(place)
  queue.start()
  await queue.onIdle()
  if (failure !== undefined) throw failure.cause
}

/** The same for tasks without dependencies: each on whichever lane is free. */
export const eachInLanes = <T, Lane>(
  items: readonly T[],
  lanes: readonly Lane[],
  carryOut: (item: T, lane: Lane) => Promise<void>,
): Promise<void> =>
  inLanes(
    items.map((item) => ({ name: '', reads: [], writes: [], item })),
    lanes,
    ({ item }, lane) => carryOut(item, lane),
  )

/** A task among the others. */
interface Place<T> {
  readonly task: Task<T>
  /** What it reads and has not been built yet. */
  readonly waitsFor: Set<Task<T>>
  readonly readers: Place<T>[]
  /** The length of the longest chain of tasks from here. */
  followedBy: number
}

function placesOf<T>(tasks: readonly Task<T>[]): Place<T>[] {
  const makers = new Map<string, Place<T>>()
  const places = tasks.map((task): Place<T> => {
    const before = new Set(task.reads.flatMap((table) => makers.get(table) ?? []))
    const place = {
      task,
      waitsFor: new Set([...before].map((maker) => maker.task)),
      readers: [],
      followedBy: 0,
    }
    for (const maker of before) maker.readers.push(place)
    for (const table of task.writes) makers.set(table, place)
    return place
  })
  for (const place of places.toReversed())
    place.followedBy = Math.max(0, ...place.readers.map((reader) => reader.followedBy + 1))
  return places
}
