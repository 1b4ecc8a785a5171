// Identifies the published file.
import { statSync } from 'node:fs'

/** A different file, a copy or a modified file has a different identity; null if there is none. */
export function identityOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
