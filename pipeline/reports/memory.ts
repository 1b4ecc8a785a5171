// How much memory a query may take: what DuckDB is told, and where the process that runs it is ended.
// DuckDB's limit counts its buffers alone; a long text, a list or a row on its way to the reader is not among them.
import { Worker } from 'node:worker_threads'
import { UsageError } from '../../models/error.ts'
import { parseSize } from '../engine/size.ts'

/** The bytes of a size as DuckDB writes it. */
export function bytesOf(limit: string): number {
  const bytes = parseSize(limit)
  if (bytes !== null) return bytes
  throw new UsageError('The memory limit is not understood.', {
    expected: 'a size such as 500MB or 2GB',
    found: limit,
    action: 'Correct it.',
  })
}

/** Node.js and DuckDB themselves, and what both keep of what was given back to them. */
const OWN_BYTES = 256e6
const SLACK = 1.25

/** The real memory of the process, its RSS, at which a query under `limit` is ended. */
export const mostResident = (limit: string): number => bytesOf(limit) * SLACK + OWN_BYTES

/** What a process that ends itself says of it on standard error. */
export const OUT_OF_MEMORY = 'memory'

/** Looks every few milliseconds, in a thread of its own: the main one may be busy with what is being watched. */
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
 * Ends this process once it holds more than `bytes`, after its word on standard error, or when the process
 * that started it is gone. By SIGKILL: native code that is allocating heeds nothing less.
 */
export function endAbove(bytes: number): void {
  new Worker(WATCH, { eval: true, workerData: { bytes, parent: process.ppid, word: OUT_OF_MEMORY } }).unref()
}
