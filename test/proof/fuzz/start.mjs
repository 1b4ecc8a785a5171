// The fuzzer's command line, compiled and begun: Node runs no TypeScript on the versions that are supported.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const here = dirname(fileURLToPath(import.meta.url))
const cache = join(here, '..', '..', '..', 'node_modules', '.cache', 'tieout-test')

/** A bundled module still finds the files that stand beside its source. */
const ownPlace = {
  name: 'own-place',
  transform: (code, id) => ({
    code: code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
    map: null,
  }),
}

async function compiled(name) {
  const bundle = await rolldown({
    input: join(here, `${name}.ts`),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [ownPlace],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const path = join(cache, `fuzz-${name}-${process.pid}.mjs`)
  await mkdir(cache, { recursive: true })
  await writeFile(path, output[0].code)
  return path
}

const worker = await compiled('worker')
const { main } = await import(pathToFileURL(await compiled('main')).href)
process.exitCode = await main(process.argv.slice(2), worker)
