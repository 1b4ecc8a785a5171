// A process that erases the frames with a text in them and dies at a change of the journal or of what has landed.
// Its arguments: the folder of the books, the text, the number of the change. It comes to its end when there are fewer.
import { systemClock } from '../../models/clock.ts'
import { erase, findEraseTargets } from '../../pipeline/books/erase.ts'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'

const [, , dir = '', matching = '', last = ''] = process.argv
let changes = 0

/** Dies behind the change, for nothing is safe before it. */
async function changed(path: string, change: Promise<void>): Promise<void> {
  await change
  if (!/journal|landing/.test(path)) return
  changes += 1
  if (changes === Number(last)) process.kill(process.pid, 'SIGKILL')
}

const dying: Disk = {
  ...nodeDisk,
  open: async (path, how, mode) => {
    const file = await nodeDisk.open(path, how, mode)
    return { ...file, write: (bytes, position) => changed(path, file.write(bytes, position)) }
  },
  rename: (from, to) => changed(to, nodeDisk.rename(from, to)),
  remove: (path) => changed(path, nodeDisk.remove(path)),
}

await erase(dir, await findEraseTargets(dir, { frames: [], matching }), systemClock, dying)
