// One document asks a ledger the same small questions again and again: each is run once, and no other answers for it.
import { expect, test } from 'vitest'
import type { Ledger } from '../../pipeline/ledger/ledger.ts'
import type { Reader } from '../../pipeline/ledger/reader.ts'
import { remembering } from '../../pipeline/ledger/remembering.ts'

/** Answers each question with how many it has answered. */
function counting(): Reader {
  let count = 0
  const query = async () => {
    count += 1
    return [[count]]
  }
  return { query } as unknown as Reader
}

test('a query is run once for equal values, whatever else is queried in between', async () => {
  const ledger = remembering(counting() as Ledger)
  expect(await ledger.query('a', { x: '1' })).toEqual([[1]])
  expect(await ledger.query('b')).toEqual([[2]])
  expect(await ledger.query('a', { x: '1' })).toEqual([[1]])
  expect(await ledger.query('b')).toEqual([[2]])
})

test('another value, another kind of value or another name is another query', async () => {
  const ledger = remembering(counting() as Ledger)
  const asked = [{ x: '1' }, { x: 1 }, { x: null }, { x: 'null' }, { y: '1' }, { x: '1', y: '1' }, {}]
  const answers = await Promise.all(asked.map((values) => ledger.query('a', values)))
  expect(new Set(answers.map(([row]) => row?.[0])).size).toBe(asked.length)
})

test('a database beside the ledger has its own answers', async () => {
  const scratch = async (): Promise<Reader> => counting()
  const ledger = remembering({ ...counting(), scratch } as unknown as Ledger)
  const [one, other] = [await ledger.scratch(async () => {}), await ledger.scratch(async () => {})]
  expect(await ledger.query('a')).toEqual([[1]])
  expect([await one.query('a'), await one.query('a'), await other.query('a'), await one.query('b')]).toEqual([
    [[1]],
    [[1]],
    [[1]],
    [[2]],
  ])
})
