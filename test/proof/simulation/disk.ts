// A disk in memory that fails as disks do: it runs full, refuses to sync, dies in the middle of a write, and after a
// loss of power has only what was synced, the rest whole, in part, as zeros or not at all. Paths are relative to a
// root that can move, since a crash goes on with a copy of the database files in another folder.
import { dirname, relative } from 'node:path'
import { type Disk, DiskError, type DiskFile, type OpenHow } from '../../../pipeline/journal/disk.ts'
import type { Random } from './random.ts'

interface Inode {
  content: Buffer
  /** What a loss of power leaves for certain. */
  synced: Buffer
}

export interface DiskHooks {
  /** Called before each operation; it may take its time, throw a system error, or be the end of the process. */
  before(operation: string, path: string): Promise<void>
  /** Called after each write and sync: the process may also die before it learns of them. */
  after(operation: string, path: string): Promise<void>
  /** How much of a write is done before the process dies or the disk fails in it; null for all. */
  cut(operation: string, length: number): number | null
}

type DirectoryChange = { readonly name: string; readonly inode: Inode | null }

export class SimulatedDisk {
  root: string
  #names = new Map<string, Inode>()
  #syncedNames = new Map<string, Inode>()
  /** Changes of names that no sync of their folder has made safe, in their order. */
  #unsynced: DirectoryChange[] = []

  constructor(root: string) {
    this.root = root
  }

  #key(path: string): string {
    return relative(this.root, path)
  }

  #change(name: string, inode: Inode | null): void {
    if (inode === null) this.#names.delete(name)
    else this.#names.set(name, inode)
    this.#unsynced.push({ name, inode })
  }

  /** The disk as a process sees it. */
  for(hooks: DiskHooks): Disk {
    const step = async <T>(operation: string, path: string, work: () => T): Promise<T> => {
      await hooks.before(operation, path)
      const done = work()
      await hooks.after(operation, path)
      return done
    }
    return {
      open: (path, how) => this.#open(hooks, path, how),
      readFile: (path) =>
        step('read file', path, () => {
          const inode = this.#names.get(this.#key(path))
          return inode === undefined ? null : Buffer.from(inode.content)
        }),
      list: (path) => step('list', path, () => this.list(path)),
      makeDir: (path) => step('make folder', path, () => undefined),
      syncDir: (path) => step('sync folder', path, () => this.#syncDir(this.#key(path))),
      rename: (from, to) =>
        step('rename', from, () => {
          const inode = this.#names.get(this.#key(from))
          if (inode === undefined) throw systemError('ENOENT', from)
          this.#change(this.#key(from), null)
          this.#change(this.#key(to), inode)
        }),
      link: (from, to) =>
        step('link', to, () => {
          const inode = this.#names.get(this.#key(from))
          if (inode === undefined) throw systemError('ENOENT', from)
          if (this.#names.has(this.#key(to))) return false
          this.#change(this.#key(to), inode)
          return true
        }),
      remove: (path) =>
        step('remove', path, () => {
          if (this.#names.has(this.#key(path))) this.#change(this.#key(path), null)
        }),
    }
  }

  async #open(hooks: DiskHooks, path: string, how: OpenHow): Promise<DiskFile> {
    await hooks.before(`open to ${how}`, path)
    const key = this.#key(path)
    const found = this.#names.get(key)
    if (how === 'create' && found !== undefined) throw systemError('EEXIST', path)
    if (how !== 'create' && found === undefined) throw systemError('ENOENT', path)
    const inode = found ?? { content: Buffer.alloc(0), synced: Buffer.alloc(0) }
    if (found === undefined) this.#change(key, inode)
    return fileOf(hooks, path, inode)
  }

  #syncDir(folder: string): void {
    const kept: DirectoryChange[] = []
    for (const change of this.#unsynced) {
      if (dirname(change.name) !== (folder === '' ? '.' : folder)) kept.push(change)
      else if (change.inode === null) this.#syncedNames.delete(change.name)
      else this.#syncedNames.set(change.name, change.inode)
    }
    this.#unsynced = kept
  }

  /** Names in a folder, sorted; null when nothing is in it. */
  list(path: string): string[] | null {
    const folder = this.#key(path)
    const names = [...this.#names.keys()].filter((name) => dirname(name) === (folder === '' ? '.' : folder))
    return names.length === 0
      ? null
      : names.map((name) => name.slice(folder === '' ? 0 : folder.length + 1)).sort()
  }

  /** The machine loses power: of what was not synced, chance decides. */
  losePower(random: Random): void {
    const names = new Map(this.#syncedNames)
    const until = random.int(0, this.#unsynced.length)
    for (const { name, inode } of this.#unsynced.slice(0, until)) {
      if (inode === null) names.delete(name)
      else names.set(name, inode)
    }
    for (const inode of new Set(names.values())) {
      inode.content = remainder(inode, random)
      inode.synced = inode.content
    }
    this.#names = names
    this.#syncedNames = new Map(names)
    this.#unsynced = []
  }

  /** The whole bytes of a file, to look at or to damage. */
  contentOf(path: string): Buffer | null {
    return this.#names.get(this.#key(path))?.content ?? null
  }

  setContent(path: string, content: Buffer): void {
    const inode = this.#names.get(this.#key(path))
    if (inode !== undefined) {
      inode.content = content
      inode.synced = content
    }
  }
}

/** What stands in a file after a loss of power. */
function remainder({ content, synced }: Inode, random: Random): Buffer {
  if (content.equals(synced)) return content
  const common = commonLength(content, synced)
  const kind = random.int(0, 3)
  if (kind === 0) return synced
  if (kind === 1) return content
  if (content.length <= common) return random.chance(0.5) ? synced : content
  const cut = random.int(common, content.length)
  if (kind === 2) return Buffer.from(content.subarray(0, cut))
  // The length reached the disk, the last blocks did not.
  return Buffer.concat([content.subarray(0, cut), Buffer.alloc(content.length - cut)])
}

function commonLength(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) if (a[at] !== b[at]) return at
  return length
}

function fileOf(hooks: DiskHooks, path: string, inode: Inode): DiskFile {
  const put = (bytes: Uint8Array, position: number): void => {
    const content = Buffer.alloc(Math.max(inode.content.length, position + bytes.length))
    inode.content.copy(content)
    content.set(bytes, position)
    inode.content = content
  }
  return {
    read: async (position, length) => {
      await hooks.before('read', path)
      return Buffer.from(inode.content.subarray(position, position + length))
    },
    write: async (bytes, position) => {
      const cut = hooks.cut('write', bytes.length)
      if (cut !== null) put(bytes.subarray(0, cut), position)
      await hooks.before('write', path)
      put(bytes, position)
      await hooks.after('write', path)
    },
    truncate: async (length) => {
      await hooks.before('truncate', path)
      inode.content = Buffer.from(inode.content.subarray(0, length))
      await hooks.after('truncate', path)
    },
    sync: async () => {
      await hooks.before('sync', path)
      inode.synced = inode.content
      await hooks.after('sync', path)
    },
    size: async () => {
      await hooks.before('size', path)
      return inode.content.length
    },
    close: () => hooks.before('close', path),
  }
}

/** As nodeDisk reports a refusal of the system. */
export function systemError(code: string, path: string): DiskError {
  return new DiskError('The disk refused an operation.', path, Object.assign(new Error(code), { code }))
}
