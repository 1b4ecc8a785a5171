// The house keeps its order: one stair, in which each folder imports only from those below it, without a circle among
// files or folders; and models in SQL that read only the layers below theirs. Each failure says which line to change.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { identifier, literal } from '../pipeline/engine/quote.ts'
import { readModels } from '../pipeline/ledger/models.ts'
import { tablesRead } from '../pipeline/ledger/parse-tree.ts'

const root = resolve(import.meta.dirname, '..')

/** Which top-level folders the files of a folder may import from, besides their own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  models: [],
  connectors: ['models'],
  pipeline: ['models', 'connectors', 'sandbox'],
  sandbox: [],
  bench: ['models', 'connectors', 'pipeline', 'sandbox'],
  docs: ['models', 'connectors', 'pipeline'],
  web: ['models', 'pipeline'],
}

/** The folders of the pipeline, lowest first: each imports only from those above it in this list. */
const stair = [
  'engine',
  'journal',
  'output',
  'config',
  'imports',
  'landing',
  'ledger',
  'clickhouse',
  'lots',
  'rules',
  'sync',
  'prices',
  'books',
  'reports',
  'evidence',
  'paper',
  'exports',
  'calls',
  'serve',
  'commands',
  'program.ts',
  'main.ts',
]

/** The only parts of the pipeline that know of the sandbox: the command that runs it and the demo. */
const sandboxUsers = ['pipeline/commands/setup.ts', 'pipeline/commands/demo.ts', 'pipeline/commands/demo/']

/** Which tables the models of a layer may read, by the layer that makes them; those without a file are made from declarations. */
const layers: Readonly<Record<string, readonly string[]>> = {
  published: ['published', 'generated'],
  staging: ['staging', 'published', 'generated'],
  intermediate: ['intermediate', 'staging', 'ledger', 'published', 'generated'],
  ledger: ['intermediate', 'staging', 'ledger', 'published', 'generated'],
  marts: ['marts', 'intermediate', 'staging', 'ledger', 'published', 'generated'],
  checks: ['checks', 'marts', 'intermediate', 'staging', 'ledger', 'published', 'generated'],
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
}

function imports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] as string)),
  )
}

/** The first way round that leads back to where it began, or null. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>()
  const visit = (at: string, path: readonly string[]): string | null => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at].join(' → ')
    if (done.has(at)) return null
    for (const next of graph.get(at) ?? []) {
      const circle = visit(next, [...path, at])
      if (circle !== null) return circle
    }
    done.add(at)
    return null
  }
  for (const at of graph.keys()) {
    const circle = visit(at, [])
    if (circle !== null) return circle
  }
  return null
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

  test('the page takes types of its server’s answers and nothing else of the pipeline', () => {
    const wrong = sources('web').flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split(/^import /m)
        .slice(1)
        .filter((text) => /^[^']*'(\.\.\/)+pipeline\//.test(text))
        .filter((text) => !/^type [^']*'[^']*pipeline\/serve\/api\.ts'/.test(text))
        .map((text) => `${file}: import ${text.split('\n')[0]}`),
    )
    expect(wrong).toEqual([])
  })

  test('the page takes nothing of the models but how a suggested command is completed', () => {
    const taken = sources('web').flatMap((file) => imports(file).filter((one) => one.startsWith('models/')))
    expect(new Set(taken)).toEqual(new Set(['models/suggested.ts']))
  })

  test('the folders of the pipeline form layers: each imports only from those below', () => {
    const stepOf = (file: string): number => stair.indexOf(file.split('/')[1] as string)
    const wrong = sources('pipeline').flatMap((file) => {
      if (stepOf(file) === -1) return [`${file} stands in a folder that is no step: add it to the stair`]
      return imports(file)
        .filter((target) => target.startsWith('pipeline/') && stepOf(target) > stepOf(file))
        .map((target) => `${file} imports ${target}, which stands above it`)
    })
    expect(wrong).toEqual([])
  })

  for (const folder of Object.keys(allowed)) {
    test(`${folder} has no import cycle among its files, types included`, () => {
      expect(circleIn(new Map(sources(folder).map((file) => [file, imports(file)])))).toBeNull()
    })
  }

  test('what `tieout sql` loads before it is used loads no database', () => {
    const statements = (file: string): string[] =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm,
        ),
      ]
        .filter(([statement]) => !/\{(?:\s*type \w+,?)+\s*\}/.test(statement))
        .map(([, from = '']) => from)
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const from of statements(file))
        if (from.startsWith('.')) load(relative(root, resolve(root, dirname(file), from)))
    }
    for (const file of ['pipeline/program.ts', 'pipeline/commands/sql.ts', 'pipeline/commands/engine.ts'])
      load(file)
    expect(loaded.size).toBeGreaterThan(20)
    expect(
      [...loaded].filter((file) => statements(file).some((from) => from.startsWith('@duckdb/'))),
    ).toEqual([])
  })

  test('only the demo and the sandbox command import the sandbox', () => {
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

describe('models', () => {
  const models = readModels(join(root, 'sql'))
  const layerOf = (file: string): string => relative(join(root, 'sql'), file).split('/')[0] as string

  test('each reads only layers below its own, and only checks read checks', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    const makers = new Map(models.map(({ table, file }) => [table, layerOf(file)]))
    const wrong: string[] = []
    for (const model of models) {
      for (const table of await tablesRead(connection, model)) {
        const layer = makers.get(table) ?? 'generated'
        if (!layers[layerOf(model.file)]?.includes(layer))
          wrong.push(`${relative(root, model.file)} reads ${table} of ${layer}: move one of the two`)
      }
    }
    connection.closeSync()
    expect(wrong).toEqual([])
  })

  test('intermediate steps are in a folder of their topic', () => {
    const loose = models
      .filter(({ file }) => layerOf(file) === 'intermediate')
      .map(({ file }) => relative(join(root, 'sql', 'intermediate'), file))
      .filter((file) => file.split('/').length !== 2)
    expect(loose).toEqual([])
  })
})

describe('files', () => {
  test('every source file opens with a comment that states its purpose', () => {
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

  test('SQL quotes are doubled in one place', () => {
    const doubling = /replaceAll\((["'`])'\1, \1''\1\)|"\$\{\w+\.replaceAll\('"', '""'\)\}"/
    const others = sources('pipeline').filter(
      (file) =>
        !['pipeline/engine/quote.ts', 'pipeline/output/csv.ts'].includes(file) &&
        doubling.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(others).toEqual([])
    expect([identifier('a"b'), literal("it's")]).toEqual(['"a""b"', "'it''s'"])
  })

  test('how the configuration matches lots is read in one place', () => {
    const readers = sources('pipeline').filter((file) =>
      /\bfees_in_kind: \w|reports\.(method|scope|fees_in_kind)\b/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
    expect(readers.filter((file) => !file.startsWith('pipeline/config/'))).toEqual([
      'pipeline/lots/tables.ts',
      'pipeline/rules/matching.ts',
    ])
  })

  test('programs for other processes are bundled in one place', () => {
    const bundlers = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name))
      .filter((name) => /^import \{ rolldown \}/m.test(readFileSync(join(root, 'test', name), 'utf8')))
    expect(bundlers).toEqual([join('support', 'bundle.mjs')])
  })

  test('tests are filed by folder beside what they test', () => {
    const loose = readdirSync(join(root, 'test')).filter((name) => name.endsWith('.test.ts'))
    expect(loose).toEqual(['layout.test.ts'])
  })
})

test.each(['package-lock.json', 'test/parity/engine/package-lock.json'])(
  '%s names every platform’s optional packages, so that npm ci installs on all of them',
  (file) => {
    const lock = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>
    }
    const missing = Object.values(lock.packages)
      .flatMap((one) => Object.keys(one.optionalDependencies ?? {}))
      .filter((name) => !(`node_modules/${name}` in lock.packages))
    expect(missing).toEqual([])
  },
)

test('the command lines of the proofs state their usage', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const name of ['simulate', 'torture', 'planted', 'parity']) {
    const [program = '', ...args] = scripts[name]!.split(' ')
    const help = execFileSync(program, [...args, '--help'], { cwd: root, encoding: 'utf8' })
    expect(help).toContain(`npm run ${name} -- --`)
    expect(help).not.toContain('import')
  }
})
