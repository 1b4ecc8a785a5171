// The programs that a test starts as separate processes, from the current sources.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { APART, PROCESSES } from '../../vite.config.ts'
import { bundle, bundleFolder } from './bundle.mjs'

let program: Promise<string> | undefined

/** The program as shipped, compiled once for each worker: the path of the file that one of its processes starts from. */
export async function programFile(name: keyof typeof PROCESSES = 'main'): Promise<string> {
  program ??= bundleFolder(PROCESSES, APART)
  return join(await program, `${name}.js`)
}

const PROGRAM = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g

/** A module that starts a file beside itself starts the program's. */
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

/** Bundles the entry with everything it imports by relative path, and returns the path of the file. */
export const compileForChild = (entry: string): Promise<string> =>
  bundle(entry, {
    plugins: [{ name: 'programs', transform: async (code) => ({ code: await programs(code), map: null }) }],
  })
