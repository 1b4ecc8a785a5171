// The lock on the books: one process writes at a time, and a dead process's lock is taken over immediately. A lock is a
// small file whose whole content appears atomically (a hard link to a finished file). Taking over a dead holder's lock
// requires the right to do so, which is a lock of the same kind, named after the dead holder. So exactly one of any
// number of processes gets it, and a process that dies while taking over leaves a dead holder's lock like any other.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from './disk.ts'

export interface Lock {
  /** Removes the lock if it is still ours; a second call does nothing. */
  release(): Promise<void>
}

/** A process by its id and start time, and its command. */
export const holderSchema = z.object({
  pid: z.int().positive(),
  /** For people: ISO-8601, UTC. */
  processStartedAt: z.string(),
  /**
   * For comparison: distinguishes processes that reuse a pid. Boot and clock ticks on Linux, otherwise what ps prints.
   */
  processStart: z.string(),
  host: z.string(),
  command: z.string(),
  since: z.string(),
})
export type Holder = z.infer<typeof holderSchema>

const UNKNOWN = 'unknown'

/** Attempts of this process, so that each has a file of its own. */
let claims = 0

/**
 * Takes the lock of the books in `dir` for this process; `command` is shown to processes that it blocks. Throws a
 * UsageError that names the holder if the holder is alive or on another host, and one that names the lock if it is not
 * a file of ours.
 */
export async function acquireLock(
  dir: string,
  command: string,
  clock: Clock,
  disk: Disk = nodeDisk,
): Promise<Lock> {
  await disk.makeDir(dir, 0o700)
  const path = join(dir, 'lock')
  mustBeFile(path)
  const mine = JSON.stringify(await describeSelf(command, clock))
  claims += 1
  const claim = `${path}.${process.pid}-${claims}`
  // A dead process with the same id may have left one behind; a read-only disk refuses even to remove a file that does
  // not exist.
  if ((await readText(disk, claim)) !== null) await disk.remove(claim)
  await writeNew(disk, claim, mine)
  const close = () => disk.remove(claim)
  await closing(close, () => seize(disk, claim, path))
  await sweep(disk, dir)
  let released = false
  return {
    release: async () => {
      if (released) return
      released = true
      if ((await readText(disk, path)) === mine) await disk.remove(path)
    },
  }
}

/** Who is writing the books now; null if nobody is, or the process is dead. */
export async function lockHolder(dir: string, disk: Disk = nodeDisk): Promise<Holder | null> {
  mustBeFile(join(dir, 'lock'))
  const holder = parseHolder((await readText(disk, join(dir, 'lock'))) ?? '')
  return holder !== null && (await mayLive(holder)) ? holder : null
}

/** The error for a command that cannot run beside a writer; null if nobody is writing. */
export async function refusedByWriter(dir: string, disk: Disk = nodeDisk): Promise<UsageError | null> {
  const holder = await lockHolder(dir, disk)
  return holder === null ? null : refusal(join(dir, 'lock'), holder)
}

/**
 * A lock that is released between two looks at it is tried again immediately; this many times in a row never happens by
 * chance.
 */
const TRIES_MAX = 1_000

/** Makes `path` a name of the claim file, unless a living process holds it. */
async function seize(disk: Disk, claim: string, path: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (await disk.link(claim, path)) return
    const found = await readText(disk, path)
    if (found === null) continue
    const holder = parseHolder(found)
    if (holder !== null && (await mayLive(holder))) throw refusal(path, holder)
    const right = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`
    await seize(disk, claim, right)
    // Only the process with the right replaces a dead lock, so the file cannot change before the rename.
    if ((await readText(disk, path)) === found) return disk.rename(right, path)
    await disk.remove(right)
  }
  throw notOurs(path, 'something that can be neither read nor replaced')
}

/** Whether something other than a file is there. */
const isOther = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false

/** A broken link exists for a process that wants to take its name, but not for one that wants to read it. */
function mustBeFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile()) return
  const what = stats.isDirectory() ? 'a folder' : 'a special file'
  throw notOurs(path, stats.isSymbolicLink() ? 'a symbolic link' : what)
}

const notOurs = (path: string, found: string): UsageError =>
  new UsageError('The lock on these books is not a file created by tieout.', {
    where: path,
    expected: 'no lock, or the file of a run that is writing or has died',
    found,
    action: `Make sure that no other run is writing to these books, then remove ${path} and run again. Nothing was changed.`,
  })

/** If a process has not finished writing its claim, only the file's name shows whose it is. */
const CLAIM = /^lock\.(\d+)-\d+$/

/**
 * A claim, or the right to replace a dead lock, the right to replace a dead right, and so on: everything that `seize`
 * creates.
 */
const OWN = /^lock\.(\d+-\d+|[0-9a-f]{16}(\.[0-9a-f]{16})*)$/

/**
 * What dead processes left behind during their attempts; a held lock is not affected. Anything with another name, or
 * that is not a file, was put there by somebody else.
 */
async function sweep(disk: Disk, dir: string): Promise<void> {
  for (const name of (await disk.list(dir)) ?? []) {
    if (!OWN.test(name) || isOther(join(dir, name))) continue
    const holder = parseHolder((await readText(disk, join(dir, name))) ?? '')
    const pid = CLAIM.exec(name)?.[1]
    const isLeft = holder === null ? pid !== undefined && !isProcess(Number(pid)) : !(await mayLive(holder))
    if (isLeft) await disk.remove(join(dir, name))
  }
}

function refusal(path: string, holder: Holder): UsageError {
  const { pid, host, command, processStartedAt, since } = holder
  const found = `process ${pid} on ${host}, started ${processStartedAt}, command "${command}", since ${since}`
  if (host === hostname())
    return new UsageError('Another run is writing to these books.', {
      where: path,
      expected: 'no other run',
      found,
      action: `Wait for it or stop it (process ${pid}), then run again.`,
    })
  return new UsageError('Another host holds the lock on these books, so its process cannot be checked.', {
    where: path,
    expected: `no lock, or one from ${hostname()}`,
    found,
    action: `Make sure that nothing on ${host} is writing to these books, then remove the file ${path}.`,
  })
}

async function writeNew(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, 'create', 0o644)
  await closing(file, () => file.write(Buffer.from(text), 0))
}

async function readText(disk: Disk, path: string): Promise<string | null> {
  return (await disk.readFile(path))?.toString() ?? null
}

/** Null for an empty or garbled file, which only a crash leaves: its holder is dead. */
function parseHolder(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** This process as others will see it. */
export async function describeSelf(command: string, clock: Clock): Promise<Holder> {
  const now = clock.wall()
  return {
    pid: process.pid,
    processStartedAt: new Date(now - Math.round(process.uptime() * 1_000)).toISOString(),
    processStart: (await processStart(process.pid)) ?? UNKNOWN,
    host: hostname(),
    command,
    since: new Date(now).toISOString(),
  }
}

/** A process that cannot be inspected is treated as alive: refusing is safe, two writers are not. */
export async function mayLive(holder: Holder): Promise<boolean> {
  if (holder.host !== hostname()) return true
  const start = await processStart(holder.pid)
  if (start === null) return false
  return start === UNKNOWN || holder.processStart === UNKNOWN || start === holder.processStart
}

/** When a process started, in a form only for comparison; null if there is none, or only its remains (a zombie). */
async function processStart(pid: number): Promise<string | null> {
  if (!isProcess(pid)) return null
  try {
    const { state, start } = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid)
    return /^[ZX]/.test(state) ? null : start
  } catch {
    return isProcess(pid) ? UNKNOWN : null
  }
}

/** Whether there is a process with this id on this machine. */
export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process may not be signalled, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

interface ProcessState {
  readonly state: string
  readonly start: string
}

/** proc(5): the fields after the command, which is in parentheses and may itself contain some, begin with the third. */
async function fromProc(pid: number): Promise<ProcessState> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', start: `${boot.trim()} ${fields[22 - 3]}` }
}

/** ps(1) of the other Unixes; without it, the process cannot be inspected. */
export async function fromPs(pid: number): Promise<ProcessState> {
  const options = { env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
  const columns = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)]
  const { stdout } = await promisify(execFile)('ps', columns, options)
  const [state = '', ...start] = stdout.trim().split(/\s+/)
  return { state, start: start.join(' ') }
}
