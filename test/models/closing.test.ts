// What is told of work that fails, and of what it was done with that cannot be closed behind it.
import { expect, test } from 'vitest'
import { closing } from '../../models/closing.ts'

const fails = (what: string) => () => Promise.reject(new Error(what))

test('the first error is reported, and everything is closed whatever happens', async () => {
  const done: string[] = []
  const opened = { close: async () => void done.push('closed') }
  expect(await closing(opened, async () => 7)).toBe(7)
  await expect(closing(opened, fails('a full disk'))).rejects.toThrow('a full disk')
  expect(done).toEqual(['closed', 'closed'])
  await expect(closing(fails('not closed'), fails('a full disk'))).rejects.toThrow('a full disk')
  await expect(closing(fails('not closed'), async () => 7)).rejects.toThrow('not closed')
  const throws = () => {
    throw new Error('not closed')
  }
  await expect(closing(throws, fails('a full disk'))).rejects.toThrow('a full disk')
})
