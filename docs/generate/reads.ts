// Run by `npm run build`: writes down which tables each shipped model reads, so that no build has to parse them again.
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { packageRoot } from '../../pipeline/config/root.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { keepReads, readModels } from '../../pipeline/ledger/models.ts'

const connection = await (await DuckDBInstance.create()).connect()
await keepReads(connection, [
  ...generatedModels({ publishPersonalData: false }),
  ...readModels(join(packageRoot, 'sql')),
])
connection.closeSync()
