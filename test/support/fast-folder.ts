// Where files of tests that write much are made.
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

export const SHARED_MEMORY = '/dev/shm'

/** Memory is a hundred times as fast as a disk where the system offers it as a folder. */
export function fastFolder(): string {
  if (tmpdir().startsWith(SHARED_MEMORY)) return tmpdir()
  try {
    accessSync(SHARED_MEMORY, constants.W_OK)
    return SHARED_MEMORY
  } catch {
    return tmpdir()
  }
}
