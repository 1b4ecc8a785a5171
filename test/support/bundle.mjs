// Compiles TypeScript sources into files that a process can run: for tests that kill real processes, and for the command lines
// of the proofs, since not every supported version of Node runs TypeScript. This file is plain JavaScript because those start
// from it. The output is stored under node_modules, so that packages resolve from the repository, and named by its content:
// compiling the same sources again, or twice at the same time, is harmless.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')
const cache = join(root, 'node_modules', '.cache', 'tieout-test')

/** In pieces, so that this file can itself be bundled by the same replacement. */
const META = ['import', 'meta'].join('.')

/** A bundled module still finds the files beside its source. */
const ownPlace = {
  name: 'own-place',
  transform: (code, id) =>
    id.includes('node_modules')
      ? undefined
      : {
          code: code
            .replaceAll(`${META}.url`, JSON.stringify(pathToFileURL(id).href))
            .replaceAll(`${META}.dirname`, JSON.stringify(dirname(id)))
            .replaceAll(`${META}.filename`, JSON.stringify(id)),
          map: null,
        },
}

/** Packages are not bundled, unless requested. */
const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/')

/** Bundles the entry, a path from the repository's root, and returns the path of the file. */
export async function bundle(entry, { external = isPackage, plugins = [] } = {}) {
  const build = await rolldown({
    input: resolve(root, entry),
    platform: 'node',
    external,
    plugins: [...plugins, ownPlace],
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const { code } = output[0]
  const path = join(cache, `${createHash('sha256').update(code).digest('hex').slice(0, 20)}.mjs`)
  await mkdir(cache, { recursive: true })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, code)
  await rename(temporary, path)
  return path
}

/**
 * Bundles processes with their packages into one flat folder, as `npm run build` does, and returns its path. `input` maps each
 * name to its source, a path from the repository's root; packages named in `external` are not bundled.
 */
export async function bundleFolder(input, external) {
  const build = await rolldown({ input, cwd: root, platform: 'node', external: [...external] })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  const hash = createHash('sha256')
  for (const { fileName, code } of output) hash.update(`${fileName} ${code.length} ${code}`)
  const folder = join(cache, hash.digest('hex').slice(0, 20))
  const temporary = `${folder}.${randomUUID()}`
  await mkdir(temporary, { recursive: true })
  for (const { fileName, code } of output) await writeFile(join(temporary, fileName), code)
  // Another worker may have created it first.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true }))
  return folder
}

/** Compiles the entry and imports it into this process. If asked for help, prints the entry's head comment, which documents its usage. */
export async function begin(entry) {
  if (process.argv.includes('--help')) {
    const [head = ''] = (await readFile(resolve(root, entry), 'utf8')).split(/^(?!\/\/)/m)
    process.stdout.write(head.replace(/^\/\/ ?/gm, ''))
    process.exit(0)
  }
  return await import(pathToFileURL(await bundle(entry)).href)
}
