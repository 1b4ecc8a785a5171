// A process that takes the lock of the books in its first argument, prints the result, and keeps it until it is killed.
// With a second argument it waits until that file exists, so that several start at the same moment.
import { existsSync } from 'node:fs'
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { acquireLock } from '../../pipeline/journal/lock.ts'

const [dir = '', signal] = process.argv.slice(2)
if (signal !== undefined) {
  process.stdout.write('ready\n')
  while (!existsSync(signal)) await systemClock.sleep(1)
}
try {
  await acquireLock(dir, 'nightly', systemClock)
  process.stdout.write('held\n')
  setInterval(() => undefined, 60_000)
} catch (error) {
  process.stdout.write(`refused\n`)
  if (!(error instanceof TieoutError)) throw error
}
