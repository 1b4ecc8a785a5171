// One input through one target, and a series of them: what is a find, and which inputs are worth changing again.
import { TieoutError } from '../../../models/error.ts'
import { Random } from '../simulation/random.ts'
import { mutate } from './mutate.ts'
import { type OpenTarget, type Target, Violation } from './target.ts'

export interface Find {
  readonly target: string
  /** What went wrong, without what differs from input to input. */
  readonly kind: string
  readonly what: string
  readonly input: Buffer
}

/** Longer messages bury what they say; a list of what is wrong with a file may have so many lines of such a length. */
const MESSAGE_MAX = 8_000
const LINES_MAX = 110
const LISTED_MAX = 500

/** What a terminal would act upon; line breaks stand between the lines of a message. */
const CONTROL = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

export type Outcome = { readonly signature: string } | { readonly find: Find }

/** Runs one input. Its time is the processor's; a reader that never comes back is the business of whoever watches. */
export async function runInput(target: Target, open: OpenTarget, input: Buffer): Promise<Outcome> {
  const before = process.cpuUsage()
  const find = (kind: string, what: string): Outcome => ({ find: { target: target.name, kind, what, input } })
  let signature: string
  try {
    signature = await open.run(input)
  } catch (error) {
    if (error instanceof Violation) return find(`violation: ${error.message}`, error.message)
    if (!(error instanceof TieoutError)) return find(`untyped ${kindOf(error)}`, stackOf(error))
    const message = error.describe()
    const wrong = wrongWith(message, target.secrets ?? [])
    if (wrong !== null) return find(`${wrong}: ${error.message.slice(0, 60)}`, message.slice(0, 2_000))
    signature = `${error.name}: ${shapeOf(error.message)} ${shapeOf(error.details.expected ?? '')} ${target.tells?.(error) ?? ''}`
  }
  const { user, system } = process.cpuUsage(before)
  const tookMs = (user + system) / 1000
  return tookMs > target.boundMs ? find('slow', `${Math.round(tookMs)} ms of the processor`) : { signature }
}

const kindOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${shapeOf(error.message)} ${placeOf(error)}` : String(error)

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? '') : String(error))

/** The innermost place in our own code. */
const placeOf = (error: Error): string =>
  /at .*?((?:models|connectors|pipeline)\/\S+?):\d/.exec(error.stack ?? '')?.[1] ?? ''

/** A message without the words and numbers that the input brought. */
const shapeOf = (message: string): string =>
  message
    .replace(/["'`].*["'`]/gs, '…')
    .replace(/\d+/g, '0')
    .slice(0, 80)

function wrongWith(message: string, secrets: readonly string[]): string | null {
  const lines = message.split('\n').length
  if (lines > LINES_MAX || message.length > MESSAGE_MAX + lines * LISTED_MAX) return 'a message without end'
  if (CONTROL.test(message)) return 'a control character in a message'
  return secrets.some((secret) => message.includes(secret)) ? 'a secret in a message' : null
}

export interface Series {
  readonly inputs: number
  readonly signatures: ReadonlySet<string>
  readonly finds: readonly Find[]
}

export interface SeriesOptions {
  readonly seed: string
  readonly corpus: readonly Buffer[]
  /** Asked before each input: whether to go on. */
  readonly goOn: (inputs: number) => boolean
  /** Told of each input before it is run. */
  readonly onInput?: (input: Buffer) => void
}

const POOL_MAX = 500

/** Changes inputs again and again; one that was answered as none before joins those that are changed. */
export async function runSeries(target: Target, open: OpenTarget, options: SeriesOptions): Promise<Series> {
  const { corpus, goOn, onInput = () => undefined } = options
  const random = new Random(`${options.seed}/${target.name}`)
  const pool = corpus.length > 0 ? [...corpus] : [Buffer.alloc(0)]
  const signatures = new Set<string>()
  const finds = new Map<string, Find>()
  let inputs = 0
  for (; goOn(inputs); inputs += 1) {
    const [base, other] = [random.pick(pool), random.pick(pool)]
    const input =
      inputs < corpus.length ? (corpus[inputs] as Buffer) : mutate(random, base, other, target.shape)
    onInput(input)
    const outcome = await runInput(target, open, input)
    if ('find' in outcome) {
      if (!finds.has(outcome.find.kind))
        finds.set(outcome.find.kind, await shrink(target, open, outcome.find))
    } else if (!signatures.has(outcome.signature)) {
      signatures.add(outcome.signature)
      if (pool.length < POOL_MAX) pool.push(input)
    }
  }
  return { inputs, signatures, finds: [...finds.values()] }
}

const SHRINK_RUNS = 300

/** Leaves out pieces for as long as the find stays the same. */
async function shrink(target: Target, open: OpenTarget, found: Find): Promise<Find> {
  let best = found
  let runs = 0
  for (let size = best.input.length >> 1; size > 0 && runs < SHRINK_RUNS; size >>= 1) {
    for (let start = 0; start < best.input.length && runs < SHRINK_RUNS; ) {
      const shorter = Buffer.concat([best.input.subarray(0, start), best.input.subarray(start + size)])
      runs += 1
      const outcome = await runInput(target, open, shorter)
      if ('find' in outcome && outcome.find.kind === found.kind) best = outcome.find
      else start += size
    }
  }
  return best
}
