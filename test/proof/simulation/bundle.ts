// The worker and all that it imports in one file, as it is or with one planted mistake: a mutation replaces a piece of
// text in one source file on the way into the bundle. A piece that is no longer there, or there twice, is an error.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { packageRoot as root } from '../../../pipeline/config/root.ts'
import type { Mutation } from './mutations.ts'

const cache = join(root, 'node_modules', '.cache', 'tieout-test')

/** The mistaken text of a file. */
export function mutated(source: string, { name, file, find, replace }: Mutation): string {
  const pieces = source.split(find)
  if (pieces.length !== 2)
    throw new Error(
      `Mutation "${name}": ${file} holds ${pieces.length - 1} times what is to be replaced:\n${find}`,
    )
  return pieces.join(replace)
}

export async function checkMutation(mutation: Mutation): Promise<void> {
  mutated(await readFile(join(root, mutation.file), 'utf8'), mutation)
}

/** Path of the bundle, which is named by its content. */
export async function bundleWorker(mutation: Mutation | null): Promise<string> {
  if (mutation !== null) await checkMutation(mutation)
  const target = mutation === null ? null : join(root, mutation.file)
  const own = (code: string, id: string): string =>
    code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
  const bundle = await rolldown({
    input: join(root, 'test', 'proof', 'simulation', 'worker.ts'),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [
      {
        name: 'mutation',
        load: async (id) =>
          id === target && mutation !== null
            ? { code: mutated(await readFile(id, 'utf8'), mutation), moduleType: 'ts' }
            : null,
      },
      { name: 'own-place', transform: (code, id) => ({ code: own(code, id), map: null }) },
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
