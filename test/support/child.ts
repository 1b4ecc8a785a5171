// The programs that a test starts as processes of their own, from the present sources.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { APART, PROCESSES } from '../../vite.config.ts'
import { bundle, bundleFolder } from './bundle.mjs'

let program: Promise<string> | undefined

/** The program as it ships, compiled once for each worker: the path of what one of its processes starts with. */
export async function programFile(name: keyof typeof PROCESSES = 'main'): Promise<string> {
  program ??= bundleFolder(PROCESSES, APART)
  return join(await program, `${name}.js`)
}

const PROGRAM = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g

/** What a module starts beside itself is the program's. */
async function programs(code: string): Promise<string> {
  let compiled = code
  for (const [text, name = ''] of code.matchAll(PROGRAM))
    if (name in PROCESSES)
      compiled = compiled.replace(
        text,
        `new URL(${JSON.stringify(pathToFileURL(await programFile(name)).href)})`,
      )
  return compiled
}

/** Bundles the entry with all it imports by relative path, and gives the path of the file. */
export const compileForChild = (entry: string): Promise<string> =>
  bundle(entry, {
    plugins: [{ name: 'programs', transform: async (code) => ({ code: await programs(code), map: null }) }],
  })
