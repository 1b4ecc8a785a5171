// One file of finished books is damaged in one place, in a way that disks, copies and people damage files.
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import type { Random } from '../simulation/random.ts'

export const DAMAGES = [
  'bit',
  'bit',
  'bytes',
  'zeros',
  'cut',
  'longer',
  'longer by zeros',
  'empty',
  'deleted',
  'older',
] as const

export type DamageKind = (typeof DAMAGES)[number]

const BYTES_MAX = 64
const BLOCK_MAX = 8_192

/** Says what was done; null where nothing can be damaged so: an empty file, no older copy, or the same bytes again. */
export function damage(random: Random, kind: DamageKind, file: string, older: string): string | null {
  const before = readFileSync(file)
  const size = before.length
  const overwrite = (length: number, fill: (bytes: Buffer) => void): string | null => {
    const bytes = Buffer.from(before)
    const at = random.int(0, Math.max(0, size - 1))
    const part = bytes.subarray(at, Math.min(size, at + length))
    fill(part)
    if (bytes.equals(before)) return null
    writeFileSync(file, bytes)
    return `${kind}: ${part.length} at ${at} of ${size}`
  }
  switch (kind) {
    case 'bit':
      return overwrite(1, (part) => {
        part[0] = (part[0] ?? 0) ^ (1 << random.int(0, 7))
      })
    case 'bytes':
      return overwrite(random.int(1, BYTES_MAX), (part) => part.set(random.bytes(part.length)))
    case 'zeros':
      return overwrite(random.int(1, BLOCK_MAX), (part) => part.fill(0))
    case 'cut': {
      if (size === 0) return null
      // Near the end as often as anywhere: a copy that broke off, or a crash.
      const at = random.chance(0.5) ? random.int(0, size - 1) : Math.max(0, size - random.int(1, 200))
      truncateSync(file, at)
      return `${kind} at ${at} of ${size}`
    }
    case 'longer': {
      const more = random.bytes(random.int(1, BLOCK_MAX))
      writeFileSync(file, Buffer.concat([before, more]))
      return `${kind} by ${more.length}, was ${size}`
    }
    case 'longer by zeros': {
      const more = Buffer.alloc(random.int(1, BLOCK_MAX))
      writeFileSync(file, Buffer.concat([before, more]))
      return `${kind}: ${more.length}, was ${size}`
    }
    case 'empty':
      if (size === 0) return null
      truncateSync(file, 0)
      return kind
    case 'deleted':
      rmSync(file)
      return kind
    case 'older':
      if (!existsSync(older) || readFileSync(older).equals(before)) return null
      copyFileSync(older, file)
      return kind
  }
}
