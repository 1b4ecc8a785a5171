// A process that appends to the journal of the books in its first argument until it is killed.
// It prints the number of each frame once it is acknowledged; ten appends are in progress at any time.
import { writeSync } from 'node:fs'
import { systemClock } from '../../models/clock.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'

const dir = process.argv[2] ?? ''
const journal = await openJournal(dir, { mode: 'append', clock: systemClock, segmentBytes: 200_000 })

async function appendForever(): Promise<never> {
  for (;;) {
    const at = new Date(systemClock.wall()).toISOString()
    const body = Buffer.from(`${at} `.repeat(2_000))
    const meta = { kind: 'run-start', at, run: 'r1', command: 'sync', now: at } as const
    const frame = await journal.append(meta, body)
    writeSync(1, `${frame.seq}\n`)
  }
}

await Promise.all(Array.from({ length: 10 }, appendForever))
