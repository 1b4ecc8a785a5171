// Where a build takes place: what its connections have set, how many there are, and the form of its files.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { instanceOptions } from '../../pipeline/engine/settings.ts'
import { inWorkspace, stepsOf, type Workspace } from '../../pipeline/ledger/workspace.ts'

const planOf = async (connection: DuckDBConnection): Promise<string> => {
  const reader = await connection.runAndReadAll(
    `explain select moments.moment, records.moment
     from (values (1, 5)) as moments (account, moment)
     asof left join (values (1, 4)) as records (account, moment)
       on records.account = moments.account and records.moment <= moments.moment`,
  )
  return JSON.stringify(reader.getRowsJson())
}

/** A build's workspace in a folder of its own, with so many landed rows, and the unfinished ledger open in it. */
async function inNewWorkspace<T>(
  {
    landed = 0,
    memoryLimit = '8GB',
    keepSteps = false,
  }: {
    readonly landed?: number
    readonly memoryLimit?: string
    readonly keepSteps?: boolean
  },
  work: (workspace: Workspace, unfinished: string) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  const instance = await DuckDBInstance.create(':memory:', instanceOptions({ memoryLimit, threads: 2 }))
  const connection = await instance.connect()
  try {
    await connection.run("attach ':memory:' as landing")
    await connection.run(`create table landing.records as select range as id from range(${landed})`)
    const unfinished = join(dir, 'new.duckdb')
    const files = { unfinished, published: join(dir, 'old.duckdb'), breakColumns: [], threads: 2, keepSteps }
    return await inWorkspace(instance, files, async (workspace) => {
      await workspace.openLedger()
      return await work(workspace, unfinished)
    })
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(dir, { recursive: true, force: true })
  }
}

test('an asof join always sorts, even if few rows are expected: comparing every row with every other grows with their square', async () => {
  const plans = await inNewWorkspace({}, async ({ lanes }) =>
    Promise.all((await lanes({ isByDay: false })).map(planOf)),
  )
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('ASOF_JOIN')
    expect(plan).not.toContain('NESTED_LOOP_JOIN')
  }
})

test.each([
  [249_999, false],
  [250_000, true],
])('from 250,000 landed rows on, the steps are kept in a file: %d rows', async (landed, isKept) => {
  const found = await inNewWorkspace({ landed }, async ({ keepsSteps }, unfinished) => [
    keepsSteps,
    existsSync(stepsOf(unfinished)),
  ])
  expect(found).toEqual([isKept, isKept])
})

test.each([
  ['small books', 100_000, '8GB', false, { lanes: 2, threads: 1 }],
  ['larger ones, up to a million rows in a table', 980_000, '8GB', false, { lanes: 2, threads: 1 }],
  ['not if there are enough rows for each thread', 990_000, '8GB', false, { lanes: 1, threads: 2 }],
  ['not if memory is short for several statements', 100_000, '512MB', false, { lanes: 1, threads: 1 }],
  ['while days are rebuilt', 100_000, '8GB', true, { lanes: 2, threads: 1 }],
  ['while days of many rows are rebuilt', 1_000_000, '512MB', true, { lanes: 2, threads: 1 }],
  ['not if memory is short for two days at a time', 1_100_000, '512MB', true, { lanes: 1, threads: 2 }],
] as const)(
  'models are built beside each other, on one thread each: %s',
  async (_, landed, memoryLimit, isByDay, expected) => {
    const found = await inNewWorkspace({ landed, memoryLimit }, async ({ connection, lanes }) => {
      const connections = await lanes({ isByDay })
      const reader = await connection.runAndReadAll("select current_setting('threads')")
      return { lanes: connections.length, threads: Number(reader.getRows()[0]?.[0]) }
    })
    expect(found).toEqual(expected)
  },
)

test('files are in the form that DuckDB 1.3 reads', async () => {
  // Bytes 12 to 19: 64 is read by 1.0 and later, 66 by 1.3 and later.
  const forms = await inNewWorkspace({ keepSteps: true }, async (_, unfinished) =>
    [unfinished, stepsOf(unfinished)].map((file) => readFileSync(file).readBigUInt64LE(12)),
  )
  expect(forms).toEqual([66n, 66n])
})
