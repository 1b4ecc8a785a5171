// The built page, read into memory at the start. Only files in this map are served, so no request path is ever joined to a
// folder.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { packageRoot } from '../config/root.ts'

export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Named by its content, so that it never changes. */
  readonly isHashed: boolean
}

/** By the path of a request: `/index.html`, `/assets/index-DbWmB2fC.js`. */
export type Assets = ReadonlyMap<string, Asset>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

export const webFolder = (): string => join(packageRoot, 'dist', 'web')

/** Every file of a known type below the folder; none if the page has not been built. */
export function readAssets(folder = webFolder()): Assets {
  const assets = new Map<string, Asset>()
  for (const file of filesIn(folder)) {
    const type = TYPES[extname(file)]
    if (type === undefined) continue
    const path = `/${relative(folder, file).split(sep).join('/')}`
    const isHashed = /^\/assets\/.*-[\w-]{8}\.\w+$/.test(path)
    assets.set(path, { bytes: new Uint8Array(readFileSync(file)), type, isHashed })
  }
  return assets
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
