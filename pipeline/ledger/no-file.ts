// Something other than a file in place of landing.duckdb or ledger.duckdb: refused by writers, and by readers
// of the ledger.
import { UsageError } from '../../models/error.ts'

export const isNoFile = (name: string, path: string, isFolder: boolean): UsageError =>
  new UsageError(`${name} is ${isFolder ? 'a folder' : 'a special file'}.`, {
    where: path,
    expected: 'a DuckDB file, or none',
    found: isFolder ? 'a folder' : 'neither a file nor a folder',
    action: `Move ${path} elsewhere, then run \`tieout build\` to build the file again from the journal. Nothing was changed.`,
  })
