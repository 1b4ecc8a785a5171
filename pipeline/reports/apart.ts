// Answers a question in a child process, so that running out of memory or time ends only that process. The
// child reads the ledger and nothing else: it has no environment, a temporary folder of its own, and a pipe
// as its only output. Everything written to disk is written by this process.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ErrorDetails, TieoutError, UsageError } from '../../models/error.ts'
import { queryTooLarge } from '../engine/out-of-memory.ts'
import type { EngineSettings } from '../engine/settings.ts'
import { QueryStopped, type Stop, stopError } from '../ledger/limits.ts'
import type { Pieces } from '../output/deliver.ts'
import { makeSpillFolder, type SpillFolder } from '../output/spill.ts'
import { bytesOf, OUT_OF_MEMORY } from './memory.ts'
import type { Stopping } from './question.ts'

/** What the child reports: first that it has begun, then how the question ended. */
export type Said =
  | { readonly kind: 'begun' }
  | { readonly kind: 'answered' }
  | {
      readonly kind: 'failed'
      readonly isUsage: boolean
      /** What ended it early, if anything did. */
      readonly stopped: Stop | null
      readonly message: string
      readonly details: ErrorDetails
    }

/** The program that answers `tieout sql`. */
export const ANSWERS = fileURLToPath(new URL('./answer-child.js', import.meta.url))

/** How long a child may take to stop before it is killed: native code may not react. */
const GRACE_MS = 2_000

/** Errors of sending are ignored: if the child has already ended, its end reports that. */
const unheard = (): void => {}

/** The limits that every question to a child process carries. */
export interface Limited {
  readonly engine: EngineSettings
  readonly timeoutMs: number
}

/** How a process came to its end. */
type Ending = { readonly by: string } | { readonly notStarted: unknown }

/**
 * A process that waits for its one question. It may end before it is asked, so its end is listened for from
 * the start.
 */
export interface Waiting {
  readonly child: ChildProcess
  readonly gone: Promise<Ending>
  readonly complaints: () => string
  readonly folder: SpillFolder
}

/** Starts a process that answers one question, in a folder of its own and without our environment. */
export function startApart(program: string): Waiting {
  const folder = makeSpillFolder()
  const own = folder.path === '' ? {} : { TMPDIR: folder.path, TMP: folder.path, TEMP: folder.path }
  const child = fork(program, [], {
    ...(folder.path === '' ? {} : { cwd: folder.path }),
    env: own,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(0, 10_000)
  })
  const gone = new Promise<Ending>((resolve) =>
    child
      .once('close', (code, signal) => resolve({ by: signal ?? `exit code ${code}` }))
      .once('error', (cause) => resolve({ notStarted: cause })),
  )
  return { child, gone, complaints: () => complaints, folder }
}

/** Ends the process and removes its folder. */
export async function endApart({ child, gone, folder }: Waiting): Promise<void> {
  child.kill('SIGKILL')
  await gone
  folder.remove()
}

/**
 * Streams the process's answer. Throws at the end unless the process reports that the answer is complete. The
 * process ends with the answer.
 */
export async function* askApart(waiting: Waiting, question: Limited, stopping: Stopping): Pieces {
  try {
    bytesOf(question.engine.memoryLimit)
    yield* new Apart(waiting, question, stopping).pieces()
  } finally {
    await endApart(waiting)
  }
}

class Apart {
  readonly #waiting: Waiting
  readonly #child: ChildProcess
  readonly #question: Limited
  readonly #stopping: Stopping
  readonly #over = new AbortController()
  #stopped: Stop | null = null
  #hasBegun = false

  constructor(waiting: Waiting, question: Limited, stopping: Stopping) {
    this.#waiting = waiting
    this.#child = waiting.child
    this.#question = question
    this.#stopping = stopping
  }

  /** Streams the child's answer; throws at the end unless the child reports that it is complete. */
  async *pieces(): Pieces {
    const { signal } = this.#stopping
    const stop = (): void => this.#stop()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const said = this.#lastWord()
      // Nobody awaits the last message, which may be an error, until the answer has been read.
      said.catch(() => undefined)
      this.#child.send(this.#question, unheard)
      if (signal?.aborted === true) this.#stop()
      yield* this.#child.stdout as AsyncIterable<Buffer>
      const last = await said
      if (last.kind === 'failed') throw failure(last)
    } finally {
      this.#over.abort()
      signal?.removeEventListener('abort', stop)
    }
  }

  /** How the question ended, as the child reported it; an error if it ended without a report. */
  async #lastWord(): Promise<Said> {
    let last: Said | null = null
    this.#child.on('message', (said: Said) => {
      if (said.kind !== 'begun') last = said
      else {
        this.#hasBegun = true
        void this.#endIn(this.#question.timeoutMs + GRACE_MS, 'time')
      }
    })
    const ending = await this.#waiting.gone
    return last ?? this.#fail(ending)
  }

  #stop(): void {
    if (this.#child.connected) this.#child.send('stop', unheard)
    void this.#endIn(GRACE_MS, 'asked')
  }

  async #endIn(ms: number, why: Stop): Promise<void> {
    await this.#stopping.clock.sleep(ms, this.#over.signal)
    if (this.#over.signal.aborted) return
    this.#stopped ??= why
    this.#child.kill('SIGKILL')
  }

  #fail(ending: Ending): never {
    const complaints = this.#waiting.complaints()
    if (this.#stopped !== null) throw stopError(this.#stopped, this.#question)
    // Node may have warned of something before.
    if (new RegExp(`^${OUT_OF_MEMORY}`, 'm').test(complaints)) throw queryTooLarge(this.#question.engine)
    if ('notStarted' in ending) {
      const { notStarted } = ending
      notBegun((notStarted as NodeJS.ErrnoException).code ?? String(notStarted), notStarted)
    }
    if (!this.#hasBegun) {
      const error = /^\w*Error(?: \[\w+\])?: (.+)$/m.exec(complaints)?.[1]
      notBegun(error ?? ending.by, new Error(complaints))
    }
    throw new UsageError('The query crashed the process that was answering it.', {
      expected: 'an answer, or an error from DuckDB',
      found: ending.by,
      action: 'Query less data: it may have run out of memory. The ledger is unchanged.',
      cause: new Error(complaints),
    })
  }
}

function notBegun(found: string, cause: unknown): never {
  throw new TieoutError('The process that answers queries could not be started.', {
    found,
    action:
      'Free memory, processes or open files (`ulimit -n`) on this machine, then run the query again. If a file of tieout is missing, reinstall tieout.',
    cause,
  })
}

function failure({ isUsage, stopped, message, details }: Said & { kind: 'failed' }): TieoutError {
  if (stopped !== null) return new QueryStopped(stopped, message, details)
  return isUsage ? new UsageError(message, details) : new TieoutError(message, details)
}
