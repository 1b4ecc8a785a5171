// What stands where landing.duckdb or ledger.duckdb should: whoever writes refuses it, and whoever reads the ledger.
import { UsageError } from '../../models/error.ts'

export const isNoFile = (name: string, path: string, isFolder: boolean): UsageError =>
  new UsageError(`${name} is ${isFolder ? 'a folder' : 'a special file'}.`, {
    where: path,
    expected: 'a DuckDB file, or none',
    found: isFolder ? 'a folder' : 'neither file nor folder',
    action: `Move ${path} elsewhere, then run \`tieout build\`: the file is made again from the journal. Nothing was changed.`,
  })
