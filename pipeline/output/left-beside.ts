// What a killed process left beside the file or folder that it was to write, under a name of `nameBeside`. No lock keeps two
// from writing one output, so what a living process may still be at stays.
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BESIDE, HOST } from '../journal/disk.ts'
import { isProcess } from '../journal/lock.ts'

/** A process of another host, or another container, cannot be looked at; what is so old nobody is writing. */
const ELSEWHERE_MS = 24 * 3_600_000

/** Removes what was left of this file or folder; one that was put aside, and is not there any more, takes its place again. */
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

/** What cannot be removed is in nobody's way. */
async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true }).catch(() => undefined)
}

async function leftBeside(folder: string, beginning: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const left: string[] = []
  for (const name of names.filter((one) => one.startsWith(beginning))) {
    const { pid, host } = BESIDE.exec(name)?.groups ?? {}
    // Of `a.csv` the name goes on with the process; of `a.csv.gz` it does not.
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
