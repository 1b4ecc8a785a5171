// A process that erases the frames with a text in them. Its arguments: the folder of the books, the text, and a folder where it
// leaves a copy of the books behind each change of the journal or of what has landed, numbered from 1: what there would be if it
// had been killed then, its lock included; and the number of a change at which it is killed indeed, if there is one.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../models/clock.ts'
import { erase, findEraseTargets } from '../../pipeline/books/erase.ts'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'

const [, , dir = '', matching = '', copies = '', last = ''] = process.argv
let changes = 0

/** Copies behind the change, for nothing is safe before it. */
async function changed(path: string, change: Promise<void>): Promise<void> {
  await change
  if (!/journal|landing/.test(path)) return
  changes += 1
  cpSync(dir, join(copies, String(changes)), { recursive: true })
  if (changes === Number(last)) process.kill(process.pid, 'SIGKILL')
}

const copying: Disk = {
  ...nodeDisk,
  open: async (path, how, mode) => {
    const file = await nodeDisk.open(path, how, mode)
    return { ...file, write: (bytes, position) => changed(path, file.write(bytes, position)) }
  },
  rename: (from, to) => changed(to, nodeDisk.rename(from, to)),
  remove: (path) => changed(path, nodeDisk.remove(path)),
}

await erase(dir, await findEraseTargets(dir, { frames: [], matching }), systemClock, copying)
