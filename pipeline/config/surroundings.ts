// What a run of the command line has around it: where it writes, and how it learns that it is to stop.
import type { Writable } from 'node:stream'

/** A stream, or that of a process, which may be a terminal. */
export type Output = Writable & {
  readonly fd?: number
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Surroundings {
  readonly stdout: Output
  readonly stderr: Output
  /** Begins to listen for the user's wish that the run stop; `tell` writes a line about the work. */
  readonly stop: (tell: (text: string) => void) => AbortSignal
  /** Names the run in its log, in the frames that it journals and in the table `runs`; made up when absent. */
  readonly run?: string
}
