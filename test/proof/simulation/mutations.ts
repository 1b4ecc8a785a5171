// Planted mistakes: each is a piece of the code under test and what stands in its place. All of them must be caught.
// A piece that is not found exactly once is an error, so that a mutation follows the code it was made for.
import { asking } from './mutations/asking.ts'
import { keeping } from './mutations/keeping.ts'
import type { Mutation } from './mutations/mutation.ts'
import { planning } from './mutations/planning.ts'
import { reading } from './mutations/reading.ts'
import { walking } from './mutations/walking.ts'

export const mutations: readonly Mutation[] = [...walking, ...planning, ...asking, ...reading, ...keeping]

/** The flag that has every seed show the faults which this mistake is about. */
export const focusOf = ({ focus }: Mutation): string[] =>
  focus.length === 0 ? [] : [`--focus=${focus.join(';')}`]
