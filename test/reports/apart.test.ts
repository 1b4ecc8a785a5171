// A process that is to answer a question may end before it is asked, as where a file of the installation is missing, or
// where the system takes its memory back: that is told, and nobody waits for it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { askApart, startApart } from '../../pipeline/reports/apart.ts'
import { temporaryFolder } from '../support/cli.ts'

const ENGINE = { memoryLimit: '1GB', threads: 1 } as never

test.each([
  ["throw new Error('Cannot find module x')", 'Cannot find module x'],
  ["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
])(
  'a process that has ended before it is used: %s',
  async (program, found) => {
    const file = join(temporaryFolder(), 'program.mjs')
    writeFileSync(file, program)
    const waiting = startApart(file)
    await waiting.gone
    const pieces = askApart(waiting, { engine: ENGINE, timeoutMs: 60_000 }, { clock: systemClock })
    await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      message: 'The process that answers queries could not be started.',
      details: { found, action: expect.stringContaining('open files (`ulimit -n`)') },
    })
  },
  5_000,
)
