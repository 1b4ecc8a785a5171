// A planted mistake: a piece of the code under test and what stands in its place.
import type { Focus } from '../config.ts'

export interface Mutation {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Faults and feeds without which it makes no difference: every seed has them when this mistake is looked for. */
  readonly focus: readonly Focus[]
}

export const of = (
  name: string,
  file: string,
  find: string,
  replace: string,
  ...focus: Focus[]
): Mutation => ({
  name,
  file,
  find,
  replace,
  focus,
})
