// Run by `npm run build`: writes down what no build need ask again – which tables each shipped model reads, and what columns
// their tables have when books are empty.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../models/clock.ts'
import { openLanding } from '../../pipeline/landing/database.ts'
import { buildLedger } from '../../pipeline/ledger/build.ts'
import { forgetEmptyLedger, forgetShapes, keepShapes } from '../../pipeline/ledger/empty.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { shippedModels } from '../../pipeline/ledger/models.ts'
import { keepTrees } from '../../pipeline/ledger/parse-tree.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'

const dir = mkdtempSync(join(tmpdir(), 'tieout-empty-'))
const landing = await openLanding(dir, { records: feedRecords.map(({ record }) => record), feeds: new Map() })
const connection = await landing.instance.connect()
await keepTrees(connection, [...generatedModels({ publishPersonalData: false }), ...shippedModels()])

forgetShapes()
forgetEmptyLedger()
for (const publishPersonalData of [true, false])
  await buildLedger({
    dir,
    landing,
    now: new Date(),
    clock: systemClock,
    config: { accounts: [], publishPersonalData },
    steps: [lotsStep({ method: 'fifo', scope: 'account' })],
  })
await keepShapes(connection, join(dir, 'ledger.duckdb'))
connection.closeSync()
await landing.close()
rmSync(dir, { recursive: true })
