// A byte of the journal changes while nobody looks. It must be named by those who look for it, and never be read as
// if it were what was written; then the byte is put back.
import { join } from 'node:path'
import { CorruptionError } from '../../../models/error.ts'
import { SEGMENT_HEADER_BYTES } from '../../../pipeline/journal/layout.ts'
import { listSegments } from '../../../pipeline/journal/scan.ts'
import { verifyJournal } from '../../../pipeline/journal/verify.ts'
import { framesOf, plain } from './check.ts'
import type { Machine } from './machine.ts'
import type { World } from './world.ts'

export async function corrupt(world: World, machine: Machine): Promise<void> {
  const random = machine.stream('corruption of bytes')
  const folder = join(machine.dir, 'journal')
  const names = (machine.disk.list(folder) ?? []).filter((name) => name.endsWith('.journal'))
  if (names.length === 0) return
  const path = join(folder, random.pick(names))
  const before = machine.disk.contentOf(path)
  if (before === null || before.length === 0) return
  const framesBefore = await framesOf(world, machine)
  // The last byte of a header without frames may be a zero that was never written: nothing is lost by reading it so.
  const at = random.int(0, before.length - (before.length === SEGMENT_HEADER_BYTES ? 2 : 1))
  // What a death left of a header or a frame that nobody was told of is none, whatever stands in it.
  const disk = machine.disk.for(plain)
  const { unfinished } = await listSegments(disk, folder, () => undefined)
  const { tear: torn } = await verifyJournal(machine.dir, disk)
  if (unfinished === path || (torn?.path === path && at >= torn.offset)) return
  const after = Buffer.from(before)
  after[at] = (after[at]! + random.int(1, 255)) % 256
  machine.disk.setContent(path, after)
  world.tell(`${machine.name} byte ${at} of ${path.slice(machine.dir.length + 1)} changes`)
  const { problems, tear } = await verifyJournal(machine.dir, disk)
  if (problems.length === 0 && tear === null)
    world.violation(`byte ${at} of the journal was changed, and it verifies`)
  const seen = await framesOf(world, machine).catch((error: unknown) => error as Error)
  if (seen instanceof Error) {
    if (!(seen instanceof CorruptionError)) world.violation(`a changed byte ended in ${seen.stack}`)
  } else if (seen.length === framesBefore.length)
    world.violation(`byte ${at} of the journal was changed, and all of it was read`)
  machine.disk.setContent(path, before)
}
