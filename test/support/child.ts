// Compiles TypeScript sources into one file that a child process can run: for tests that kill real processes.
// Packages stay outside the bundle; it stands under node_modules, so that they resolve from the repository.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')
const cache = join(root, 'node_modules', '.cache', 'tieout-test')

/** A bundled module still finds the files that stand beside its source. */
function ownPlace(code: string, id: string): string {
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
    .replaceAll('import.meta.filename', JSON.stringify(id))
}

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

/**
 * Bundles the entry with all it imports by relative path into an .mjs file and gives its path.
 * Named by content: compiling the same sources again, or in two test files at once, is harmless.
 */
export async function compileForChild(entryPath: string): Promise<string> {
  const bundle = await rolldown({
    input: resolve(root, entryPath),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [
      {
        name: 'own-place',
        transform: async (code, id) => ({ code: ownPlace(await programs(code, id), id), map: null }),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const { code } = output[0]
  const path = join(cache, `${createHash('sha256').update(code).digest('hex').slice(0, 20)}.mjs`)
  await mkdir(cache, { recursive: true })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, code)
  await rename(temporary, path)
  return path
}
