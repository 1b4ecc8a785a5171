// What the connections of a build have set, whichever of them carries a model out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { instanceOptions } from '../../pipeline/engine/settings.ts'
import { inWorkspace } from '../../pipeline/ledger/workspace.ts'

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
      return await Promise.all((await lanes()).map(planOf))
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
