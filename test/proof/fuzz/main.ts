// The command line of the fuzzer: each target in a process of its own, watched for hanging and for its memory; what is
// found is kept in the corpus and told at the end. Ends with code 1 when anything was found.
//   npm run fuzz -- [--minutes 60] [--only NAME] [--seed S]
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keep } from './corpus.ts'
import type { Target } from './target.ts'
import { targets } from './targets.ts'

/** Of JavaScript; DuckDB has limits of its own. Inputs have at most 64 KB. */
const HEAP_MB = 400

/** Some targets build books first. */
const SET_UP_MS = 300_000

/** So many times the bound of an input, by the clock on the wall, since other work may run beside. */
const STUCK_FACTOR = 6

interface Found {
  readonly kind: string
  readonly what: string
  readonly input: Buffer
}

interface Result {
  readonly inputs: number
  readonly signatures: number
  readonly finds: readonly Found[]
  /** Why the target could not even begin. */
  readonly failure?: string
}

export async function main(args: readonly string[], worker: string): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      only: { type: 'string' },
      seed: { type: 'string', default: String(Date.now()) },
    },
  })
  const chosen = targets.filter(({ name }) => values.only === undefined || name.includes(values.only))
  if (chosen.length === 0 || !(Number(values.minutes) > 0)) {
    console.error(`Usage: npm run fuzz -- [--minutes 60] [--only NAME] [--seed S]
NAME: part of one of ${targets.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const sliceMs = (Number(values.minutes) * 60_000) / chosen.length
  console.log(`${chosen.length} targets, ${(sliceMs / 1000).toFixed(0)} s each, seed ${values.seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'tieout-fuzzing-'))
  let inputs = 0
  let finds = 0
  let failures = 0
  try {
    for (const target of chosen) {
      const startedAt = performance.now()
      const result = await watch(target, { worker, seed: values.seed, sliceMs, note: join(folder, 'note') })
      const seconds = (performance.now() - startedAt) / 1000
      inputs += result.inputs
      finds += result.finds.length
      failures += result.failure === undefined ? 0 : 1
      tell(target.name, result, seconds)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`${inputs} inputs through ${chosen.length} targets, ${finds} finds, seed ${values.seed}`)
  return finds + failures === 0 ? 0 : 1
}

function tell(name: string, { inputs, signatures, finds, failure }: Result, seconds: number): void {
  if (failure !== undefined) console.log(`${name} COULD NOT BEGIN\n${failure}`)
  const rate = `${Math.round(inputs / seconds)} a second`
  console.log(
    `${name.padEnd(30)} ${String(inputs).padStart(9)} inputs  ${rate.padStart(15)}  ${signatures} answers  ${finds.length} finds`,
  )
  for (const { kind, what, input } of finds)
    console.log(`  FIND ${kind}\n    kept in ${keep(name, input)}\n    ${what.replaceAll('\n', '\n    ')}`)
}

interface Watch {
  readonly worker: string
  readonly seed: string
  readonly sliceMs: number
  readonly note: string
}

/** Runs the target until its time is over; a process that was ended by a find is followed by another one. */
async function watch(target: Target, { worker, seed, sliceMs, note }: Watch): Promise<Result> {
  const endsAt = performance.now() + sliceMs
  const finds: Found[] = []
  let inputs = 0
  for (let round = 0; performance.now() < endsAt; round += 1) {
    writeFileSync(note, '')
    const left = String(Math.max(1, Math.round(endsAt - performance.now())))
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, worker, target.name, `${seed}/${round}`, left, note],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4_000)
    })
    const stuck = watchdog(note, target.boundMs * STUCK_FACTOR, () => child.kill('SIGKILL'))
    const code = await new Promise<number | string>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status, signal) => resolve(status ?? signal ?? 'nothing'))
    })
    const isStuck = stuck.end()
    if (code === 0) {
      const done = JSON.parse(output) as {
        inputs: number
        signatures: number
        finds: (Found & { input: string })[]
      }
      finds.push(
        ...done.finds.map((one) => ({
          ...one,
          input: Buffer.from(one.input as unknown as string, 'base64'),
        })),
      )
      return { inputs: inputs + done.inputs, signatures: done.signatures, finds }
    }
    const { count, input } = noted(note)
    if (count === 0) return { inputs, signatures: 0, finds, failure: errors.slice(-1_500) }
    inputs += count
    finds.push({
      kind: isStuck ? 'hangs' : `process ended with ${code}`,
      what: isStuck ? `no answer within ${target.boundMs * STUCK_FACTOR} ms` : errors.slice(-1_500),
      input,
    })
    if (finds.length >= 5) break
  }
  return { inputs, signatures: 0, finds }
}

/** The input that the process was at. */
function noted(note: string): { count: number; input: Buffer } {
  const head = Buffer.alloc(12)
  const file = openSync(note, 'r')
  try {
    if (readSync(file, head, 0, 12, 0) < 12) return { count: 0, input: Buffer.alloc(0) }
    const input = Buffer.alloc(Math.min(head.readUInt32BE(8), 1 << 20))
    readSync(file, input, 0, input.length, 12)
    return { count: head.readDoubleBE(0), input }
  } finally {
    closeSync(file)
  }
}

/** Calls `onStuck` when the same input has been noted for longer than the bound; setting up has longer. */
function watchdog(note: string, boundMs: number, onStuck: () => void): { end: () => boolean } {
  let last = -1
  let since = performance.now()
  let isStuck = false
  const timer = setInterval(() => {
    const { count } = noted(note)
    if (count !== last) {
      last = count
      since = performance.now()
    } else if (performance.now() - since > (count === 0 ? SET_UP_MS : boundMs)) {
      isStuck = true
      onStuck()
    }
  }, 500)
  return {
    end: () => {
      clearInterval(timer)
      return isStuck
    },
  }
}
