// What a killed process left next to the file or folder that it was writing, under a name of `nameBeside`. No
// lock prevents two processes from writing one output, so anything that a living process may still be using
// stays.
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BESIDE, HOST } from '../journal/disk.ts'
import { isProcess } from '../journal/lock.ts'

/**
 * A process of another host or container cannot be examined; anything this old is no longer being written.
 */
const ELSEWHERE_MS = 24 * 3_600_000

/**
 * Removes what was left of this file or folder. If the original was moved aside and is missing, it is put
 * back.
 */
export async function clearLeft(path: string): Promise<void> {
  const left = await leftBeside(dirname(path), `.${basename(path)}.`)
  const isAside = (one: string): boolean => one.endsWith('.old')
  await removeAll(left.filter((one) => !isAside(one)))
  const [aside, ...others] = left.filter(isAside)
  if (aside === undefined) return
  const isThere = (await stat(path).catch(() => null)) !== null
  if (isThere) await removeAll([aside, ...others])
  else await rename(aside, path).catch(() => undefined)
}

/** Removes what was left of any file in this folder. */
export async function clearLeftIn(folder: string): Promise<void> {
  await removeAll(await leftBeside(folder, '.'))
}

/** A leftover that cannot be removed does no harm. */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true }).catch(() => undefined)
}

async function leftBeside(folder: string, beginning: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const left: string[] = []
  for (const name of names.filter((one) => one.startsWith(beginning))) {
    const { pid, host } = BESIDE.exec(name)?.groups ?? {}
    // For `a.csv` the name continues with the process; for `a.csv.gz` it does not.
    if (pid === undefined || (beginning !== '.' && !name.startsWith(`${beginning}${pid}-`))) continue
    const path = join(folder, name)
    if (host === HOST ? !isProcess(Number(pid)) : await isOld(path)) left.push(path)
  }
  return left
}

const isOld = async (path: string): Promise<boolean> => {
  const there = await stat(path).catch(() => null)
  return there !== null && Date.now() - there.mtimeMs > ELSEWHERE_MS
}
