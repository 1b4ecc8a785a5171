// The limit of file sizes that a process runs under (`ulimit -f`, `LimitFSIZE=`): what is written beyond it is refused with
// EFBIG. DuckDB hands out the system's words for it and nothing else.
import { TieoutError } from '../../models/error.ts'

/** A file may not grow as it must. Nothing that was kept is lost. */
export class FileLimited extends TieoutError {
  override readonly name = 'FileLimited'
  override readonly exitCode = 2
}

export const LARGE_FILES = 'files as large as the books need'
export const RAISE_FILE_LIMIT =
  'Raise the limit of file sizes (`ulimit -f`, or LimitFSIZE= of a service), then run again. What has been received is kept.'

/** The system's words for EFBIG in the message, or in that of what caused it; null where neither has them. */
function fileLimitIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return /\bFile too large\b/.test(error.message) ? error.message : fileLimitIn(error.cause)
}

/** Null for any other error. `sentence` says what came to nothing, `where` at which file. */
export function fileLimited(sentence: string, where: string, cause: unknown): FileLimited | null {
  const found = fileLimitIn(cause)
  if (found === null) return null
  return new FileLimited(sentence, {
    where,
    expected: LARGE_FILES,
    found: found.split('\n')[0] ?? '',
    action: RAISE_FILE_LIMIT,
    cause,
  })
}
