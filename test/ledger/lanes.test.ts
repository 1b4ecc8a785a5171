import { describe, expect, it } from 'vitest'
import { inLanes } from '../../pipeline/ledger/lanes.ts'
import type { Task } from '../../pipeline/ledger/models.ts'

const task = (name: string, ...reads: string[]): Task<null> => ({ name, reads, writes: [name], item: null })

/** A piece of work that ends when it is told to. */
function works() {
  const ends = new Map<string, { end: () => void; fail: (cause: unknown) => void }>()
  const begun: string[] = []
  return {
    begun,
    carryOut: ({ name }: Task<null>, lane: string): Promise<void> => {
      begun.push(`${name} on ${lane}`)
      return new Promise((end, fail) => void ends.set(name, { end, fail }))
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.end()
      await turn()
    },
    fail: async (name: string, cause: unknown): Promise<void> => {
      ends.get(name)?.fail(cause)
      await turn()
    },
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('tasks in lanes', () => {
  it('begin once everything that they read has been built, as many as there are lanes', async () => {
    const { begun, carryOut, end } = works()
    const all = inLanes(
      [task('a'), task('b'), task('c'), task('d', 'a', 'b'), task('e', 'given'), task('f', 'd')],
      ['1', '2'],
      carryOut,
    )
    await turn()
    expect(begun.map((text) => text.slice(0, 1))).toEqual(['a', 'b'])
    expect(new Set(begun.map((text) => text.slice(-1)))).toEqual(new Set(['1', '2']))
    await end('a')
    expect(begun.map((text) => text.slice(0, 1))).toEqual(['a', 'b', 'c'])
    await end('b')
    // What others wait for goes before what has waited longer.
    expect(begun.map((text) => text.slice(0, 1))).toEqual(['a', 'b', 'c', 'd'])
    await end('c')
    await end('d')
    await end('e')
    expect(begun).toHaveLength(6)
    await end('f')
    await all
  })

  it('the longest chain of tasks goes first', async () => {
    const { begun, carryOut, end } = works()
    const all = inLanes(
      [task('short'), task('long'), task('then', 'long'), task('last', 'then')],
      ['1'],
      carryOut,
    )
    for (const name of ['long', 'then', 'short', 'last']) {
      await turn()
      await end(name)
    }
    await all
    expect(begun.map((text) => text.split(' ')[0])).toEqual(['long', 'then', 'short', 'last'])
  })

  it('after a failure nothing new is begun, and it is reported once the running tasks have ended', async () => {
    const { begun, carryOut, end, fail } = works()
    let told: unknown = 'nothing yet'
    const all = inLanes([task('a'), task('b'), task('c'), task('d', 'b')], ['1', '2'], carryOut).catch(
      (cause: unknown) => {
        told = cause
      },
    )
    await turn()
    await fail('a', new Error('no room'))
    expect(told).toBe('nothing yet')
    await end('b')
    await all
    expect(told).toEqual(new Error('no room'))
    expect(begun.map((text) => text.slice(0, 1)).sort()).toEqual(['a', 'b'])
  })
})
