// Books that cannot be closed in good order, as on a full disk: the lock goes all the same.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { type Disk, nodeDisk, writeFileAtomic } from '../../pipeline/journal/disk.ts'
import { temporaryFolder } from '../support/cli.ts'

test('what cannot be closed is reported, and leaves no lock', async () => {
  const dir = temporaryFolder()
  const books = await openBooks(dir, { clock: systemClock, command: 'test' })
  expect(existsSync(join(dir, 'lock'))).toBe(true)
  const close = books.landing.close.bind(books.landing)
  books.landing.close = async () => {
    await close()
    throw new Error('a full disk')
  }
  await expect(books.close()).rejects.toThrow('a full disk')
  expect(existsSync(join(dir, 'lock'))).toBe(false)
})

test('if books cannot be opened, the first error is reported, whatever fails to close afterwards', async () => {
  const fails = (what: string, path: string) => Promise.reject(new Error(`${what} ${basename(path)}`))
  const disk: Disk = {
    ...nodeDisk,
    list: (path) => (basename(path) === 'journal' ? fails('no', path) : nodeDisk.list(path)),
    remove: (path) => (basename(path) === 'lock' ? fails('still', path) : nodeDisk.remove(path)),
  }
  const opening = openBooks(temporaryFolder(), { clock: systemClock, command: 'test', disk })
  await expect(opening).rejects.toThrow('no journal')
})

test('if a file cannot be written, the first error is reported, whatever fails to close afterwards', async () => {
  const fails = (what: string) => () => Promise.reject(new Error(what))
  const disk: Disk = {
    ...nodeDisk,
    open: async (path, how, mode) => {
      const file = await nodeDisk.open(path, how, mode)
      const close = () => file.close().then(fails('not closed'))
      return { ...file, write: fails('a full disk'), close }
    },
  }
  const path = join(temporaryFolder(), 'repair.json')
  await expect(writeFileAtomic(disk, path, '{}', 0o600)).rejects.toThrow('a full disk')
})
