// Where a build takes place: what its connections have set, how many there are, and the form of its files.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { instanceOptions } from '../../pipeline/engine/settings.ts'
import { inWorkspace, stepsOf } from '../../pipeline/ledger/workspace.ts'

const planOf = async (connection: DuckDBConnection): Promise<string> => {
  const reader = await connection.runAndReadAll(
    `explain select moments.moment, records.moment
     from (values (1, 5)) as moments (account, moment)
     asof left join (values (1, 4)) as records (account, moment)
       on records.account = moments.account and records.moment <= moments.moment`,
  )
  return JSON.stringify(reader.getRowsJson())
}

test('an asof join always sorts, even if few rows are expected: comparing every row with every other grows with their square', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  const instance = await DuckDBInstance.create(
    ':memory:',
    instanceOptions({ memoryLimit: '1GB', threads: 1 }),
  )
  try {
    const files = {
      unfinished: join(dir, 'new.duckdb'),
      published: join(dir, 'old.duckdb'),
      breakColumns: [],
      threads: 2,
    }
    const plans = await inWorkspace(instance, files, async ({ openLedger, lanes }) => {
      await openLedger()
      return await Promise.all((await lanes({ isByDay: false })).map(planOf))
    })
    expect(plans).toHaveLength(2)
    for (const plan of plans) {
      expect(plan).toContain('ASOF_JOIN')
      expect(plan).not.toContain('NESTED_LOOP_JOIN')
    }
  } finally {
    instance.closeSync()
    rmSync(dir, { recursive: true, force: true })
  }
})

test.each([
  [249_999, false],
  [250_000, true],
])('from 250,000 landed rows on, the steps are kept in a file: %d rows', async (rows, isKept) => {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  const instance = await DuckDBInstance.create(
    ':memory:',
    instanceOptions({ memoryLimit: '8GB', threads: 1 }),
  )
  const connection = await instance.connect()
  try {
    await connection.run("attach ':memory:' as landing")
    await connection.run(`create table landing.records as select range as id from range(${rows})`)
    const files = {
      unfinished: join(dir, 'new.duckdb'),
      published: join(dir, 'old.duckdb'),
      breakColumns: [],
      threads: 2,
    }
    const kept = await inWorkspace(instance, files, async ({ openLedger, keepsSteps }) => {
      await openLedger()
      return keepsSteps
    })
    expect(kept).toBe(isKept)
    expect(existsSync(stepsOf(files.unfinished))).toBe(isKept)
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(dir, { recursive: true, force: true })
  }
})

test.each([
  ['small books', 100_000, '8GB', false, 2],
  ['larger ones, up to half a million rows in a table', 490_000, '8GB', false, 2],
  ['not if there are enough rows for each thread', 500_000, '8GB', false, 1],
  ['not if memory is short for several statements', 100_000, '512MB', false, 1],
  ['not while days are rebuilt', 100_000, '8GB', true, 1],
] as const)(
  'models are built beside each other, on one thread each: %s',
  async (_, rows, memoryLimit, isByDay, count) => {
    const dir = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
    const instance = await DuckDBInstance.create(':memory:', instanceOptions({ memoryLimit, threads: 2 }))
    const connection = await instance.connect()
    try {
      await connection.run("attach ':memory:' as landing")
      await connection.run(`create table landing.records as select range as id from range(${rows})`)
      const files = {
        unfinished: join(dir, 'new.duckdb'),
        published: join(dir, 'old.duckdb'),
        breakColumns: [],
        threads: 2,
      }
      const found = await inWorkspace(instance, files, async ({ openLedger, lanes }) => {
        await openLedger()
        const connections = await lanes({ isByDay })
        const reader = await connection.runAndReadAll("select current_setting('threads')")
        return [connections.length, Number(reader.getRows()[0]?.[0])]
      })
      const isDivided = count === 1 && rows > 122_880
      expect(found).toEqual([count, isDivided ? 2 : 1])
    } finally {
      connection.closeSync()
      instance.closeSync()
      rmSync(dir, { recursive: true, force: true })
    }
  },
)

test('files are in the form that DuckDB 1.3 reads', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tieout-workspace-'))
  const instance = await DuckDBInstance.create(
    ':memory:',
    instanceOptions({ memoryLimit: '1GB', threads: 1 }),
  )
  const connection = await instance.connect()
  try {
    const files = {
      unfinished: join(dir, 'new.duckdb'),
      published: join(dir, 'old.duckdb'),
      breakColumns: [],
      threads: 1,
      keepSteps: true,
    }
    await inWorkspace(instance, files, ({ openLedger }) => openLedger())
    for (const file of [files.unfinished, stepsOf(files.unfinished)]) {
      // Bytes 12 to 19: 64 is read by 1.0 and later, 66 by 1.3 and later.
      expect(readFileSync(file).readBigUInt64LE(12)).toBe(66n)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(dir, { recursive: true, force: true })
  }
})
