// What a run of the command line works with: where it writes, and how it learns that it should stop.
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
  /** Starts listening for the user's request to stop the run; `tell` writes a progress line. */
  readonly stop: (tell: (text: string) => void) => AbortSignal
  /** Identifies the run in its log, in the frames that it journals and in the table `runs`; generated if absent. */
  readonly run?: string
}

/** Assumed width of a terminal that does not report one. */
const USUAL_WIDTH = 80

/** Columns of a terminal; undefined for any other stream. */
export const widthOf = ({ isTTY, columns }: Output): number | undefined =>
  isTTY === true ? columns || USUAL_WIDTH : undefined
