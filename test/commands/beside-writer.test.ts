// Commands that read landing while another process writes to the books, when nobody else can read it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'

test.each(['import --list', 'writes', 'plan'])(
  '%s says who writes the books, as every other command does',
  async (words) => {
    const dir = temporaryFolder()
    const books = await openBooks(dir, { clock: systemClock, command: 'nightly' })
    writeFileSync(join(dir, 'tieout.yaml'), 'accounts: { main: { credentials: file } }\n')
    try {
      const { code, stdout, stderr } = await tieout([...words.split(' '), '--dir', dir])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('tieout: Another run is writing to these books.')
      expect(stderr).toContain(`process ${process.pid} on `)
    } finally {
      await books.close()
    }
  },
)
