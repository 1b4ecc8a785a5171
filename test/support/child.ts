// The bundle of a program that a test starts as a process of its own, with the programs that it starts in turn.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from './bundle.mjs'

const PROGRAM = /new URL\('(\.\/[\w-]+)\.js', import\.meta\.url\)/g

/** A program that a module starts beside itself is compiled like the module. */
async function programs(code: string, id: string): Promise<string> {
  let compiled = code
  for (const [text, name] of code.matchAll(PROGRAM)) {
    const source = resolve(dirname(id), `${name}.ts`)
    if (!existsSync(source)) continue
    const path = await compileForChild(source)
    compiled = compiled.replace(text, `new URL(${JSON.stringify(pathToFileURL(path).href)})`)
  }
  return compiled
}

/** Bundles the entry with all it imports by relative path, and gives the path of the file. */
export const compileForChild = (entry: string): Promise<string> =>
  bundle(entry, {
    plugins: [
      {
        name: 'programs',
        transform: async (code, id) => ({ code: await programs(code, id), map: null }),
      },
    ],
  })
