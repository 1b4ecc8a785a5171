// The house keeps its order: imports run models ← connectors ← pipeline, and the sandbox stands apart,
// so that a misreading in one is caught by the other. Each failure says which line to change.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Which top-level folders the files of a folder may import from, besides their own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  models: [],
  connectors: ['models'],
  pipeline: ['models', 'connectors', 'sandbox'],
  sandbox: [],
  bench: ['models', 'connectors', 'pipeline', 'sandbox'],
}

/** The only parts of the pipeline that know of the sandbox: the command that runs it and the demo. */
const sandboxUsers = ['pipeline/commands/setup.ts', 'pipeline/commands/demo.ts', 'pipeline/commands/demo/']

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

function imports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] as string)),
  )
}

describe('imports', () => {
  for (const [folder, others] of Object.entries(allowed)) {
    test(`${folder} imports from ${['itself', ...others].join(', ')} only`, () => {
      const wrong = sources(folder).flatMap((file) =>
        imports(file)
          .filter((target) => ![folder, ...others].includes(target.split('/')[0] as string))
          .map((target) => `${file} imports ${target}: move what it needs into a lower layer`),
      )
      expect(wrong).toEqual([])
    })
  }

  test('only the demo and the sandbox command know of the sandbox', () => {
    const wrong = sources('pipeline')
      .filter((file) => !sandboxUsers.some((user) => file.startsWith(user)))
      .flatMap((file) =>
        imports(file)
          .filter((target) => target.startsWith('sandbox/'))
          .map(() => file),
      )
    expect(wrong).toEqual([])
  })
})

describe('files', () => {
  test('every source file opens with a comment that says its purpose', () => {
    const bare = Object.keys(allowed)
      .flatMap(sources)
      .filter((file) => !/^(#!.*\n)?\/[/*]/.test(readFileSync(join(root, file), 'utf8')))
    expect(bare).toEqual([])
  })

  test('no source file leaves work for later or silences a check', () => {
    const marks =
      /\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|nocheck|expect-error)|\bas any(?=[;,)\]\s]*$)|biome-ignore/m
    const marked = [...Object.keys(allowed)]
      .flatMap(sources)
      .filter((file) => marks.test(readFileSync(join(root, file), 'utf8')))
    expect(marked).toEqual([])
  })
})

test('the lock file names every platform’s optional packages, so that npm ci installs on all of them', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const missing = Object.values(lock.packages)
    .flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
    .filter((name) => !(`node_modules/${name}` in lock.packages))
  expect(missing).toEqual([])
})
