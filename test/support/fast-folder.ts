// Where files of tests that write much are made.
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

export const SHARED_MEMORY = '/dev/shm'

/** Shared memory, where the system offers it as a folder: nothing in it waits for a disk. */
export function fastFolder(): string {
  if (tmpdir().startsWith(SHARED_MEMORY)) return tmpdir()
  try {
    accessSync(SHARED_MEMORY, constants.W_OK)
    return SHARED_MEMORY
  } catch {
    return tmpdir()
  }
}
