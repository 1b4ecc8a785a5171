// What a model must say of itself, whatever its schema, and what a check must answer; the file is named where it does not.
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { mustBeChecks } from '../../pipeline/ledger/breaks.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { mustBeDistinct, mustBeDocumented, parseModel, shippedModels } from '../../pipeline/ledger/models.ts'
import { readsOf } from '../../pipeline/ledger/parse-tree.ts'

const whole = [
  '-- What it is.',
  '-- grain: one row per a',
  '-- keys:  a unique',
  '-- columns:',
  '--   a: An id.',
]

const model = (table: string, lines: readonly string[]) =>
  parseModel(table, `sql/${table}.sql`, [...lines, 'select 1 as a'].join('\n'))

test('a published model states its grain, its keys and its columns', () => {
  expect(() => mustBeDocumented([model('main.one', whole)])).not.toThrow()
  for (const mark of ['grain:', 'keys:', 'columns:']) {
    const lines = whole.filter(
      (line) => !line.includes(mark) && (mark !== 'columns:' || !line.includes('a: An')),
    )
    expect(() => mustBeDocumented([model('main.one', lines)])).toThrow(
      expect.objectContaining({
        message: 'A model does not describe its table.',
        details: expect.objectContaining({ where: 'sql/main.one.sql', found: `no ${mark}` }),
      }),
    )
  }
})

test.each(['staging', 'checks'])('a model of %s states its grain', (schema) => {
  expect(() => mustBeDocumented([model(`${schema}.one`, whole.slice(0, 2))])).not.toThrow()
  expect(() => mustBeDocumented([model(`${schema}.one`, ['-- What it is.', '-- grain:'])])).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ found: 'no grain:' }) }),
  )
})

test('two files that create the same table are both named', () => {
  const [one, other] = ['sql/staging/one.sql', 'sql/intermediate/chain/one.sql'].map((file) => ({
    table: 'staging.one',
    file,
  }))
  expect(() => mustBeDistinct([one!, { table: 'main.one', file: 'sql/marts/one.sql' }])).not.toThrow()
  expect(() => mustBeDistinct([one!, other!])).toThrow(
    expect.objectContaining({
      name: 'ModelError',
      details: expect.objectContaining({
        where: 'sql/staging/one.sql and sql/intermediate/chain/one.sql',
        found: 'both build staging.one',
      }),
    }),
  )
})

test('a check without a required column is named with its file', async () => {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const columns = [
    'severity',
    'account',
    'ledger',
    'coin',
    'occurred_at',
    'expected',
    'found',
    'difference',
    'explanation',
    'evidence',
  ]
  await connection.run(`create schema checks;
    create table checks.whole as select ${[...columns, 'culprit'].map((name) => `1 as ${name}`).join(', ')};
    create table checks.broken as select ${columns.map((name) => `1 as ${name}`).join(', ')}`)
  const [fine, broken] = ['checks.whole', 'checks.broken'].map((table) => model(table, whole))
  await expect(mustBeChecks(connection, [fine!])).resolves.toBeUndefined()
  await expect(mustBeChecks(connection, [fine!, broken!])).rejects.toMatchObject({
    name: 'ModelError',
    message: 'A check is missing a column.',
    details: { where: 'sql/checks.broken.sql', found: 'no culprit' },
  })
  connection.closeSync()
  instance.closeSync()
})

test('what a model reads does not include its own expressions, even a recursive one within itself', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const select = `with recursive
    first as (select a from staging.given),
    walk as (select a from first union all select walk.a + 1 from walk join others on others.a = walk.a)
    select * from walk`
  const one = { ...model('staging.one', whole), select }
  expect(await readsOf(connection, one)).toEqual(['main.others', 'staging.given'])
  connection.closeSync()
  instance.closeSync()
})

interface TreeNode {
  readonly type?: string
  readonly join_type?: string
  readonly class?: string
  readonly alias?: string
  readonly table_name?: string
  readonly column_names?: readonly string[]
  readonly right?: TreeNode
  readonly condition?: TreeNode | null
  readonly children?: readonly TreeNode[]
}

const every = (node: unknown, take: (node: TreeNode) => void): void => {
  if (typeof node !== 'object' || node === null) return
  take(node as TreeNode)
  for (const part of Object.values(node)) every(part, take)
}

/** The conditions of left joins that say nothing of the right-hand table. */
function conditionsOfTheLeft(tree: unknown): string[] {
  const found: string[] = []
  every(tree, ({ type, join_type: how, right, condition }) => {
    if (type !== 'JOIN' || how !== 'LEFT' || condition === undefined || condition === null) return
    const name = right?.alias || right?.table_name
    for (const one of condition.type === 'CONJUNCTION_AND' ? (condition.children ?? []) : [condition]) {
      const tables = new Set<string | undefined>()
      every(one, ({ class: kind, column_names: names }) => {
        if (kind === 'COLUMN_REF' && (names?.length ?? 0) > 1) tables.add(names?.at(-2))
      })
      if (tables.size > 0 && !tables.has(name)) found.push(`${[...tables].join(', ')} without ${name}`)
    }
  })
  return found
}

// DuckDB joins on equal columns by hash only where each condition of a left join tells of its right-hand table; else it
// holds each row against each, which a small book does not show: a million entries took five minutes.
test('no left join has a condition on its left side only', async () => {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const treeOf = async (select: string): Promise<unknown> => {
    const answer = await connection.runAndReadAll('select json_serialize_sql($select::varchar)', { select })
    return JSON.parse(String(answer.getRowsJson()[0]?.[0]))
  }
  const careless = 'select 1 from a left join b on b.id = a.id and a.part = 1 left join c as d on d.id = a.id'
  expect(conditionsOfTheLeft(await treeOf(careless))).toEqual(['a without b'])

  const models = [...generatedModels({ publishPersonalData: false }), ...shippedModels()]
  for (const { table, select } of models) expect(conditionsOfTheLeft(await treeOf(select)), table).toEqual([])
  connection.closeSync()
  instance.closeSync()
})

test('a model says how it is divided into days', () => {
  const slices = [
    '-- slices: at',
    '-- by day: staging.a, main.b',
    '-- from day: staging.c',
    '-- since: staging.d at place where x is not null per account, coin in staging.e',
    '-- spans: staging.e from begins_at to ends_at',
    '-- carries: staging.one_before at nth per account, coin',
    '-- lasting: ends_at',
  ]
  expect(model('staging.one', [...whole, ...slices]).slices).toBeUndefined()
  const { doc, slices: read } = model('staging.one', [...whole.slice(0, 3), ...slices])
  expect(doc).not.toContain('slices')
  expect(read).toEqual({
    by: 'at',
    of: ['staging.a', 'main.b'],
    earlier: ['staging.c'],
    since: {
      table: 'staging.d',
      at: 'place',
      where: 'x is not null',
      keys: 'account, coin',
      lasts: 'staging.e',
    },
    spans: { table: 'staging.e', from: 'begins_at', to: 'ends_at' },
    carries: { table: 'staging.one_before', at: 'nth', keys: 'account, coin' },
    lasting: 'ends_at',
  })
  expect(() => model('staging.one', ['-- slices: at', '-- since: staging.d'])).toThrow(
    expect.objectContaining({
      message: 'A model does not say from where it reads an earlier row.',
      details: expect.objectContaining({ where: 'sql/staging.one.sql', found: 'since: staging.d' }),
    }),
  )
  expect(() => model('staging.one', ['-- slices: at', '-- spans: staging.e from begins_at'])).toThrow(
    expect.objectContaining({
      message: 'A model does not say which spans of time its rows belong to.',
      details: expect.objectContaining({
        where: 'sql/staging.one.sql',
        found: 'spans: staging.e from begins_at',
      }),
    }),
  )
  expect(() => model('staging.one', ['-- slices: at', '-- carries: staging.one_before at nth'])).toThrow(
    expect.objectContaining({
      message: 'A model does not say which of its own rows it goes on from.',
      details: expect.objectContaining({
        where: 'sql/staging.one.sql',
        found: 'carries: staging.one_before at nth',
      }),
    }),
  )
})
