import { expect, it } from 'vitest'
import { Batch } from '../../pipeline/landing/batch.ts'

/** A question whose answers the test gives out. */
function held() {
  const asked: {
    keys: readonly string[]
    answer: (map: Map<string, number>) => void
    fail: (cause: Error) => void
  }[] = []
  const batch = new Batch<string, number>(
    (key) => key,
    (keys) => new Promise((answer, fail) => void asked.push({ keys, answer, fail })),
  )
  return { asked, batch }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('sends one query for all that ask together, and one for the others once it has the answer', async () => {
  const { asked, batch } = held()
  const first = [batch.of('a'), batch.of('b')]
  await turn()
  const second = [batch.of('c'), batch.of('a')]
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([['a', 'b']])
  asked[0]?.answer(new Map([['a', 1]]))
  expect(await Promise.all(first)).toEqual([1, undefined])
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['c', 'a'],
  ])
  asked[1]?.answer(
    new Map([
      ['a', 2],
      ['c', 3],
    ]),
  )
  expect(await Promise.all(second)).toEqual([3, 2])
})

it('fails for those that asked together, and continues with the next', async () => {
  const { asked, batch } = held()
  const first = Promise.allSettled([batch.of('a'), batch.of('b')])
  await turn()
  asked[0]?.fail(new Error('no'))
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = batch.of('a')
  await turn()
  asked[1]?.answer(new Map([['a', 1]]))
  expect(await next).toBe(1)
})
