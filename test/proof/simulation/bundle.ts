// The worker and all that it imports in one file, as it is or with one planted mistake: a mutation replaces a piece of
// text in one source file on the way into the bundle. A piece that is no longer there, or there twice, is an error.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot as root } from '../../../pipeline/config/root.ts'
import { bundle } from '../../support/bundle.mjs'
import type { Mutation } from './mutations/mutation.ts'

const WORKER = 'test/proof/simulation/worker.ts'

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
  if (mutation === null) return await bundle(WORKER)
  await checkMutation(mutation)
  const target = join(root, mutation.file)
  return await bundle(WORKER, {
    plugins: [
      {
        name: 'mutation',
        load: async (id) =>
          id === target ? { code: mutated(await readFile(id, 'utf8'), mutation), moduleType: 'ts' } : null,
      },
    ],
  })
}
