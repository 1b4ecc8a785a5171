// When an answer has no row for certain, told by the form of its select; each claim is put to the engine itself.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { conditionOf, holds, parseTree, partsOfCondition } from '../../pipeline/ledger/parse-tree.ts'

const TABLES = ['a', 'b', 'c']

let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const model = (select: string) => ({
  table: 'main.x',
  file: 'x.sql',
  select,
  doc: '',
  columnDocs: new Map<string, string>(),
  needs: [],
})

/** Of each combination of empty tables: those in which the form says that there is no row, and those in which there is none. */
async function emptyWith(select: string): Promise<{ readonly certain: string[]; readonly found: string[] }> {
  const { emptyWhen } = await parseTree(connection, model(select))
  const combinations = Array.from({ length: 8 }, (_, bits) =>
    TABLES.filter((_, place) => bits & (1 << place)),
  )
  const [certain, found]: [string[], string[]] = [[], []]
  for (const empty of combinations) {
    for (const table of TABLES)
      await connection.run(
        `create or replace table ${table} as select 1 as n, [1] as list from range(${empty.includes(table) ? 0 : 2})`,
      )
    const name = empty.join('')
    if (holds(emptyWhen, new Set(empty.map((table) => `main.${table}`)))) certain.push(name)
    if ((await connection.runAndReadAll(select)).currentRowCount === 0) found.push(name)
  }
  return { certain, found }
}

/** All combinations with one of these tables in them. */
const withOneOf = (...tables: string[]): string[] =>
  ['', 'a', 'b', 'ab', 'c', 'ac', 'bc', 'abc'].filter((name) => tables.some((table) => name.includes(table)))

it.each([
  ['select n from a', withOneOf('a')],
  ['select n from main.a', withOneOf('a')],
  ['select a.n from a join b using (n)', withOneOf('a', 'b')],
  ['select a.n from a cross join b', withOneOf('a', 'b')],
  ['select a.n from a semi join b using (n)', withOneOf('a', 'b')],
  ['select a.n from a left join b using (n)', withOneOf('a')],
  ['select b.n from a right join b using (n)', withOneOf('b')],
  ['select n from a full join b using (n)', ['ab', 'abc']],
  ['select a.n from a asof join b on a.n >= b.n', withOneOf('a', 'b')],
  ['select a.n from a asof left join b on a.n >= b.n', withOneOf('a')],
  ['select each.item from a, unnest(a.list) as each (item)', withOneOf('a')],
  ['select a.n from a, lateral (select n from b where b.n = a.n)', withOneOf('a', 'b')],
  ['select n from a union all select n from b', ['ab', 'abc']],
  ['select n from a union all select n from b union by name select n from c', ['abc']],
  ['(select n from a intersect select n from b)', withOneOf('a', 'b')],
  ['select n, count(*) from a group by n', withOneOf('a')],
  ['select n, count(*) from a group by all', withOneOf('a')],
  ['select n, sum(count(*)) over () from a group by n', withOneOf('a')],
  ['select n, count(*) over () from a', withOneOf('a')],
  ['select n from (select n from a) where exists (from b)', withOneOf('a', 'b')],
  ['select n from a where n in (select n from b)', withOneOf('a', 'b')],
  ['select n from a where n not in (select n from b)', withOneOf('a')],
  ['select n from a where not exists (from b)', withOneOf('a')],
  ['select n from a where n in (select max(n) from b)', withOneOf('a')],
  ['select n from a where n = 1 or n in (select n from b)', withOneOf('a')],
  [
    'with x as (select n from a), y as (select n from x join b using (n)) select n from y',
    withOneOf('a', 'b'),
  ],
  ['with a as (select n from b) select n from a', withOneOf('b')],
  [
    'with recursive x as (select n from a union all select n + 1 from x where n < 3) select n from x',
    withOneOf('a'),
  ],
  ['select n from a union all select n from b where false', withOneOf('a')],
  ['select distinct n from a order by n limit 1', withOneOf('a')],
])('%s', async (select, expected) => {
  const { certain, found } = await emptyWith(select)
  expect(certain).toEqual(expected)
  expect(found).toEqual(expect.arrayContaining(certain))
})

it.each([
  'select count(*) from a',
  'select sum(n) + 1 from a',
  'select sum(count(*)) over () from a',
  'select count(*) from a group by all',
  'select n, count(*) from a group by rollup (n)',
  'select count(*) from a group by ()',
  'select 1 from a having count(*) = 0',
  'select 1',
  'select 1 from (values (1))',
  'select geomean(n) from a',
  'select a.n from a positional join b',
  'select (select count(*) from a)',
  'from range(2)',
  'with x as (select count(*) as n from a) select n from x',
])('%s may have a row whatever is empty', async (select) => {
  expect((await emptyWith(select)).certain).toEqual([])
})

it('an anti join and a difference have no row without the left side', async () => {
  for (const select of ['select n from a anti join b using (n)', 'select n from a except select n from b']) {
    const { certain, found } = await emptyWith(select)
    expect(certain).toEqual(withOneOf('a'))
    expect(found).toEqual(expect.arrayContaining(certain))
  }
})

const VALUES = ['(1)', '(2)', '(1), (2)', '(null)']

/** The conditions on rows, after each of them has been put to the engine, over tables with these rows and those. */
async function conditionsIn(select: string): Promise<readonly string[]> {
  const { emptyWhen } = await parseTree(connection, model(select))
  const conditions = [...new Set(partsOfCondition(emptyWhen))].filter(
    (one) => conditionOf(one).where !== undefined,
  )
  for (const inA of VALUES)
    for (const inB of VALUES) {
      await connection.run(`create or replace table a as select *, [1] as list from (values ${inA}) as _ (n)`)
      await connection.run(`create or replace table b as select *, [1] as list from (values ${inB}) as _ (n)`)
      const unmet: string[] = []
      for (const condition of conditions)
        if ((await connection.runAndReadAll(`from ${condition}`)).currentRowCount === 0) unmet.push(condition)
      if (holds(emptyWhen, new Set(unmet)))
        expect((await connection.runAndReadAll(select)).currentRowCount, `${inA} ${inB}`).toBe(0)
    }
  return conditions
}

it.each([
  ['select n from a where n = 1', ['main.a where (n = 1)']],
  ['select n from a where n = 1 or n = 3', ['main.a where ((n = 1) OR (n = 3))']],
  ['select n from a where n > 0 and n + 1 = 2', ['main.a where (n > 0)', 'main.a where ((n + 1) = 2)']],
  ['select x.n from a as x where x.n between 1 and 2', ['main.a where (n BETWEEN 1 AND 2)']],
  [
    'select x.n from a as x join b as y using (n) where x.n = 1 and y.n = 2 and x.n < y.n',
    ['main.a where (n = 1)', 'main.b where (n = 2)'],
  ],
  [
    'select x.n from a as x left join b as y on y.n = x.n where x.n = 1 and y.n is null',
    ['main.a where (n = 1)'],
  ],
  [
    'select y.n from a as x right join b as y on y.n = x.n where y.n = 1 and x.n = 1',
    ['main.b where (n = 1)'],
  ],
  ['select x.n from a as x full join b as y on y.n = x.n where x.n is null', []],
  ['select a.n from a asof join b on a.n >= b.n where b.n = 2', ['main.b where (n = 2)']],
  ['select n from a anti join b using (n) where a.n = 2', ['main.a where (n = 2)']],
  ['select n from a where exists (select 1 from b where b.n = a.n and b.n = 2)', ['main.b where (n = 2)']],
  ['select n from a where n in (select n from b where n = 2)', ['main.b where (n = 2)']],
  ['with x as (select n from a where n = 1) select n from x where n = 2', ['main.a where (n = 1)']],
  ['with a as (select n from b) select n from a where n = 2', []],
  ['select 3 - n as n from a where n = 1', []],
  ['select n as n from a where n = 1', ['main.a where (n = 1)']],
  ['select m from a as x (m) where m = 1', []],
  ['select max(n) from a where n = 3', []],
  ['select n, max(n) from a where n = 3 group by n', ['main.a where (n = 3)']],
  ['select n from a where n < 9007199254740993', []],
  ['select n from a where n < (select max(n) from b)', []],
  ['select n from a where 1 = 2', []],
])('%s asks its tables', async (select, expected) => {
  expect(await conditionsIn(select)).toEqual(expected)
})
