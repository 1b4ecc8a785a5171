// Which published file is meant.
import { statSync } from 'node:fs'

/** Another file, a copy or one that was written to has another; null where there is none. */
export function identityOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
