// A process that lands batches of five pages into the folder in its first argument until it is killed or fails.
// It prints the number of the last landed frame after each batch, and what an error says.
import { writeSync } from 'node:fs'
import { TieoutError } from '../../models/error.ts'
import { openLanding } from '../../pipeline/landing/database.ts'
import { landingOptions, page, taxRow } from './frames.ts'

/** Of every page. */
const ROWS = 300
const PAGES = 5

const dir = process.argv[2] ?? ''
const landing = await openLanding(dir, { ...landingOptions, threads: 1 })
const window = { start: 0, end: 1 }
try {
  for (;;) {
    const frames = Array.from({ length: PAGES }, (_, index) => {
      const seq = landing.landedSeq + 1 + index
      const rows = Array.from({ length: ROWS }, (_, row) => taxRow(`record-${seq}-${row}-${Math.random()}`))
      return page(seq, rows, { window, covers: window, next: `cursor-${seq}` })
    })
    await landing.land(frames)
    writeSync(1, `${landing.landedSeq}\n`)
  }
} catch (error) {
  const { name, details } = error as TieoutError
  const told = error instanceof TieoutError ? `${name}: ${error.message} | ${details.found}` : String(error)
  writeSync(1, `${told} | landed ${landing.landedSeq}\n`)
  await landing.close()
  writeSync(1, 'closed\n')
}
