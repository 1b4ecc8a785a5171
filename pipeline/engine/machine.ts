// How much memory and how many processors this process may use: those of the machine, or of the control group (cgroup)
// in which a container, a service manager or a batch system has put it, whichever is less.
//
// Sources: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1; proc(5), cgroups(7).
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join, posix } from 'node:path'

export interface Machine {
  readonly memoryBytes: number
  /** What limits the memory: the machine itself, or a cgroup that allows less. */
  readonly memoryOf: 'machine' | 'cgroup'
  /** Whole processors; a fraction of one in a cgroup is treated as one. */
  readonly processors: number
}

export interface MachineSources {
  /** Where /proc and /sys are. */
  readonly root?: string
  readonly totalBytes?: number
  readonly processors?: number
}

export function readMachine(sources: MachineSources = {}): Machine {
  const { root = '/', totalBytes = totalmem(), processors = availableParallelism() } = sources
  const groups = readGroups(root)
  const allowedBytes = Math.min(...groups.memory)
  const quota = Math.min(...groups.processors)
  return {
    memoryBytes: Math.min(totalBytes, allowedBytes),
    memoryOf: allowedBytes < totalBytes ? 'cgroup' : 'machine',
    processors: Math.max(1, Math.min(processors, Math.ceil(quota))),
  }
}

interface GroupLimits {
  /** Bytes. */
  readonly memory: readonly number[]
  readonly processors: readonly number[]
}

/** Every limit from the group of this process up to the root: the lowest applies. */
function readGroups(root: string): GroupLimits {
  const memory: number[] = []
  const processors: number[] = []
  for (const line of (readText(root, 'proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (controllers === undefined || path === undefined) continue
    const names = controllers.split(',')
    for (const group of upwards(path)) {
      const read = (mount: string, file: string): string | null =>
        readText(root, join('sys/fs/cgroup', mount, group, file))
      if (controllers === '') {
        // Above `high` the kernel slows a process to a crawl, so that is a limit too.
        memory.push(...amounts(read('', 'memory.max')), ...amounts(read('', 'memory.high')))
        processors.push(...shares(read('', 'cpu.max')))
      }
      if (names.includes('memory')) memory.push(...amounts(read('memory', 'memory.limit_in_bytes')))
      if (names.includes('cpu'))
        for (const mount of new Set(['cpu', controllers]))
          processors.push(...shares(`${read(mount, 'cpu.cfs_quota_us')} ${read(mount, 'cpu.cfs_period_us')}`))
    }
  }
  return { memory, processors }
}

/** The group and its ancestors. In a container, its own group may be mounted as the root, under another name. */
function upwards(path: string): string[] {
  const group = posix.normalize(path)
  return group === '/' ? ['/'] : [group, ...upwards(posix.dirname(group))]
}

/** One number; `max` means no limit. */
const amounts = (text: string | null): number[] => (/^\d+\s*$/.test(text ?? '') ? [Number(text)] : [])

/** Microseconds of processor time in a period; `max` and -1 mean no limit. */
function shares(text: string | null): number[] {
  const [, quota, period] = /^(\d+)\s+(\d+)\s*$/.exec(text ?? '') ?? []
  return quota === undefined || Number(period) === 0 ? [] : [Number(quota) / Number(period)]
}

/** Null for a missing file, as on systems without cgroups. */
function readText(root: string, path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return null
  }
}
