// How much memory a query may use: the limit that DuckDB is given, and the point at which its process is
// ended. DuckDB's limit counts only its buffers, not a long text, a list or a row on its way to the reader.
import { Worker } from 'node:worker_threads'
import { UsageError } from '../../models/error.ts'
import { parseSize } from '../engine/size.ts'

/** The bytes of a size as DuckDB writes it. */
export function bytesOf(limit: string): number {
  const bytes = parseSize(limit)
  if (bytes !== null) return bytes
  throw new UsageError('The memory limit is not a valid size.', {
    expected: 'a size such as 500MB or 2GB',
    found: limit,
    action: 'Correct the memory limit.',
  })
}

/** Node.js and DuckDB themselves, and freed memory that both retain. */
const OWN_BYTES = 256e6
const SLACK = 1.25

/** The real memory of the process, its RSS, at which a query under `limit` is ended. */
export const mostResident = (limit: string): number => bytesOf(limit) * SLACK + OWN_BYTES

/** What a process that ends itself writes to standard error. */
export const OUT_OF_MEMORY = 'memory'

/**
 * Checks every few milliseconds, in its own thread: the main thread may be blocked by what is being watched.
 */
const WATCH = `
  const { writeSync } = require('node:fs')
  const { workerData: { bytes, parent, word } } = require('node:worker_threads')
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    const isTooMuch = process.memoryUsage.rss() > bytes
    if (isTooMuch) writeSync(2, word)
    if (isTooMuch || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
    Atomics.wait(cell, 0, 0, 5)
  }`

/**
 * Ends this process once it holds more than `bytes`, after writing OUT_OF_MEMORY to standard error, or once
 * its parent is gone. Uses SIGKILL: native code that is allocating reacts to nothing else.
 */
export function endAbove(bytes: number): void {
  new Worker(WATCH, { eval: true, workerData: { bytes, parent: process.ppid, word: OUT_OF_MEMORY } }).unref()
}
