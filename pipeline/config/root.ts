// Where the package's own files (sql, data, version) are, both from the sources and from the compiled tree.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'sql'))) return folder
  const parent = dirname(folder)
  if (parent === folder)
    throw new Error('The tieout package is incomplete: there is no package.json next to a folder sql.')
  return findRoot(parent)
}

/** Folder that holds package.json, sql/ and data/. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)))

const about = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly engines: { readonly node: string }
}

export const packageVersion: string = about.version

/** The versions of Node that the program runs on, in npm's notation: `^20.19.0 || >=22.11.0`. */
export const neededNode: string = about.engines.node
