// Inside the process that is to die: it kills itself with SIGKILL at the k-th request, disk operation or database
// statement that the environment names, before it, after it or in its midst. Without a name it changes nothing.
// TIEOUT_KILL is `what:where:k`; TIEOUT_COUNTS names a file that gets the totals of a run that is left alone.
import diagnostics from 'node:diagnostics_channel'
import { promises, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DuckDBConnection } from '@duckdb/node-api'

const [what = '', where = '', count = '', delay = '0'] = (process.env.TIEOUT_KILL ?? '').split(':')
const countsFile = process.env.TIEOUT_COUNTS
const passed = new Map<string, number>()

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>
type Methods = Record<string, Method>

const die = (): void => void process.kill(process.pid, 'SIGKILL')

/** Counts a place; says whether it is the one to die at. */
function reach(kind: string, place: string): boolean {
  const key = `${kind}:${place}`
  const number = (passed.get(key) ?? 0) + 1
  passed.set(key, number)
  return kind === what && place === where && number === Number(count)
}

/** A write that is cut off by death has written a part. */
async function beginToWrite(original: Method, file: unknown, args: unknown[]): Promise<void> {
  const [bytes, offset, length, position] = args as [Uint8Array, number, number, number]
  await original.call(file, bytes, offset, Math.floor(length / 2), position)
}

function wrapDisk(target: Methods, name: string): void {
  const original = target[name] as Method
  target[name] = async function (...args) {
    if (reach('disk', 'before')) die()
    if (name === 'write' && reach('disk', 'half')) {
      await beginToWrite(original, this, args)
      die()
    }
    const result = await original.apply(this, args)
    if (reach('disk', 'after')) die()
    return result
  }
}

function wrapStatement(target: Methods, name: string): void {
  const original = target[name] as Method
  target[name] = async function (...args) {
    if (reach('statement', 'before')) die()
    if (reach('statement', 'during')) setTimeout(die, Number(delay))
    const result = await original.apply(this, args)
    if (reach('statement', 'after')) die()
    return result
  }
}

if (what !== '' || countsFile !== undefined) {
  const fs = promises as unknown as Methods
  const handle = await promises.open(process.execPath)
  const handles = Object.getPrototypeOf(handle) as Methods
  await handle.close()
  for (const name of ['open', 'rename', 'link', 'unlink', 'mkdir', 'rm']) wrapDisk(fs, name)
  for (const name of ['write', 'datasync', 'sync', 'truncate']) wrapDisk(handles, name)
  syncBuiltinESMExports()
  const connections = DuckDBConnection.prototype as unknown as Methods
  for (const name of ['run', 'runAndReadAll', 'stream']) wrapStatement(connections, name)
  for (const [channel, place] of [
    ['undici:client:sendHeaders', 'sent'],
    ['undici:request:headers', 'answered'],
    ['undici:request:trailers', 'received'],
  ] as const)
    diagnostics.subscribe(channel, () => {
      if (reach('request', place)) die()
    })
}
if (countsFile !== undefined)
  process.on('exit', () => writeFileSync(countsFile, JSON.stringify(Object.fromEntries(passed))))
