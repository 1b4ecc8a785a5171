// The file size limit of a process (`ulimit -f`, `LimitFSIZE=`): writing beyond it fails with EFBIG. DuckDB only passes
// on the system's message.
import { TieoutError } from '../../models/error.ts'

/** A file may not grow as much as it must. Nothing that was stored is lost. */
export class FileLimited extends TieoutError {
  override readonly name = 'FileLimited'
  override readonly exitCode = 2
}

export const LARGE_FILES = 'a limit that allows files as large as the books need'
export const RAISE_FILE_LIMIT =
  'Raise the file size limit (`ulimit -f`, or LimitFSIZE= of a service), then run again. What has been received is kept.'

/** The system's message for EFBIG, in the error's message or that of its cause; null if neither has it. */
function fileLimitIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  return /\bFile too large\b/.test(error.message) ? error.message : fileLimitIn(error.cause)
}

/** Null for any other error. `sentence` states what failed, `where` at which file. */
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
