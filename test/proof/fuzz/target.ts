// What a fuzzing target is: a reader of foreign input, what its inputs look like, and what must hold of every answer.
// A target answers with a short signature of what it read, throws a TieoutError for what it refuses, and a Violation
// where a promise is broken. Whatever else it throws is a find.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { TieoutError } from '../../../models/error.ts'
import { fastFolder } from '../../support/fast-folder.ts'
import type { Shape } from './mutate.ts'

/** A promise that an input broke. */
export class Violation extends Error {}

export function must(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Violation(promise)
}

/** One of several, by their names and the input: another one more takes some inputs over and leaves the rest where they are. */
export function byName<T extends { readonly name: string }>(all: readonly T[], input: Buffer): T {
  const weights = all.map((one) => ({ one, weight: crc32(one.name, crc32(input)) }))
  const [first] = weights.sort((a, b) => b.weight - a.weight)
  if (first === undefined) throw new RangeError('Nothing to choose from.')
  return first.one
}

export interface OpenTarget {
  /** A short text of what was read; equal texts are taken for the same path through the code. */
  readonly run: (input: Buffer) => string | Promise<string>
  readonly close?: () => Promise<void>
}

export interface Target {
  /** Also the folder of its corpus. */
  readonly name: string
  readonly shape: Shape
  /** Longest processor time for one input. */
  readonly boundMs: number
  /** Texts that no message may repeat. */
  readonly secrets?: readonly string[]
  /** Inputs per run of the test suite, where each one is dear. */
  readonly short?: number
  /** What tells refusals apart whose messages are alike. */
  readonly tells?: (refused: TieoutError) => string
  readonly open: () => Promise<OpenTarget> | OpenTarget
}

/** The quickest readers need a few milliseconds at most; the bound leaves room for a busy machine. */
export const BOUND_MS = 5_000

/** A folder of its own, for the target to remove. */
export const newFolder = (): string => mkdtempSync(join(fastFolder(), 'tieout-fuzz-'))
