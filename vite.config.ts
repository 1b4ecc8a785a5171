// How the program is built: each process that it consists of, with its packages, in one flat folder. A start reads a few
// files so, instead of the hundreds that the packages have, and Node need not look through theirs for what they export.
// `--mode tools` builds the tools of the repository the same way, which are not part of the package.
import { chmodSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin, UserConfig } from 'vite'

const root = import.meta.dirname

/** The database itself stays a package of its own: which one it is, the machine decides that installs it. */
export const APART: readonly string[] = ['@duckdb/node-bindings']

/** Source of each process, by the name of its file: a module finds the processes that it starts beside itself. */
export const PROCESSES: Readonly<Record<string, string>> = {
  main: 'pipeline/main.ts',
  'answer-child': 'pipeline/reports/answer-child.ts',
  'console-child': 'pipeline/serve/console-child.ts',
  'hash-child': 'pipeline/serve/hash-child.ts',
}

/** Benchmarks, the generated pages of the docs, and what `npm run build` writes down for builds of the ledger. */
const TOOLS: Readonly<Record<string, string>> = {
  bench: 'bench/main.ts',
  'many-venue': 'bench/many-venue.ts',
  docs: 'docs/generate/main.ts',
  reads: 'docs/generate/reads.ts',
}

/** Bundles these processes into this folder, with the licences of what is in them. */
const bundled = (folder: string, processes: Readonly<Record<string, string>>): UserConfig => ({
  root,
  publicDir: false,
  build: {
    ssr: true,
    target: 'node20',
    outDir: resolve(root, folder),
    emptyOutDir: true,
    license: { fileName: 'licences.txt' },
    rolldownOptions: {
      input: { ...processes },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: { target: 'node', noExternal: true, external: [...APART] },
})

/** npm makes it so only when it installs: after another build `npx tieout` was refused. */
const executable: Plugin = {
  name: 'executable',
  writeBundle: ({ dir = '' }) => chmodSync(resolve(dir, 'main.js'), 0o755),
}

export default ({ mode }: { readonly mode: string }): UserConfig =>
  mode === 'tools'
    ? bundled('dist/tools', TOOLS)
    : { ...bundled('dist/pipeline', PROCESSES), plugins: [executable] }
