// What a folder of books holds, for tests of what must not be in it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../models/clock.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'

/** Every byte of the folder, the bodies of the journal unpacked. */
export async function everyByte(dir: string): Promise<string> {
  const parts = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  for await (const { body } of journal.read()) parts.push(Buffer.from(body ?? '').toString('latin1'))
  await journal.close()
  return parts.join('\n')
}
