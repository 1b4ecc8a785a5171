// The kept inputs of each target: a few to begin with, and every find, so that it is tried again for good.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'corpus')

export interface Kept {
  readonly name: string
  readonly input: Buffer
}

export function corpusOf(target: string): Kept[] {
  const own = join(folder, target)
  if (!existsSync(own)) return []
  return readdirSync(own)
    .sort()
    .map((name) => ({ name, input: readFileSync(join(own, name)) }))
}

/** Answers the file in which the input is kept. */
export function keep(target: string, input: Buffer): string {
  const file = join(folder, target, `find-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`)
  mkdirSync(join(folder, target), { recursive: true })
  writeFileSync(file, input)
  return file
}
