// A process that fuzzes one target for a while. Before each input it writes it down, so that whoever watches it knows
// what it was at when it hangs, outgrows its memory or dies.
import { closeSync, openSync, writeSync } from 'node:fs'
import { corpusOf } from './corpus.ts'
import { runSeries } from './run.ts'
import { targets } from './targets.ts'

const [name, seed = '1', milliseconds = '1000', noteFile = ''] = process.argv.slice(2)
const target = targets.find((one) => one.name === name)
if (target === undefined) throw new Error(`There is no target ${name}.`)

const note = openSync(noteFile, 'w')
const head = Buffer.alloc(12)

/** Number of the input and its length, then the input itself. */
function write(input: Buffer, count: number): void {
  head.writeDoubleBE(count)
  head.writeUInt32BE(input.length, 8)
  writeSync(note, Buffer.concat([head, input]), 0, head.length + input.length, 0)
}

const open = await target.open()
const endsAt = performance.now() + Number(milliseconds)
let count = 0
const series = await runSeries(target, open, {
  seed,
  corpus: corpusOf(target.name).map(({ input }) => input),
  goOn: () => performance.now() < endsAt,
  onInput: (input) => {
    count += 1
    write(input, count)
  },
})
await open.close?.()
closeSync(note)
const finds = series.finds.map(({ input, ...rest }) => ({ ...rest, input: input.toString('base64') }))
process.stdout.write(
  `${JSON.stringify({ inputs: series.inputs, signatures: series.signatures.size, finds })}\n`,
)
process.exit(0)
