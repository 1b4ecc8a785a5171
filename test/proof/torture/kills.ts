// Real kills: a step of the books' life is begun again and again, and dies each time at another place, until it is let
// to its end. After every death the published ledger is whole and the journal has lost nothing; in the end the ledger
// is the one of a run that nobody harmed, the venue's truth, and nothing is left behind.
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifyJournal } from '../../../pipeline/journal/verify.ts'
import { ledgerHash } from '../../../pipeline/ledger/hash.ts'
import { Random } from '../simulation/random.ts'
import type { Ended } from './program.ts'
import type { Stage, World } from './world.ts'

/** Deaths of one step before it is let to its end: a step that dies early for ever would never end. */
const DEATHS_MAX = 8

/** How often the books at the end of a step are verified from the outside too. */
const VERIFIED_ROUNDS = 10

export interface Death {
  readonly stage: string
  /** `what:where:k` as the switch takes it, or `time:ms`. */
  readonly point: string
}

export interface KillReport {
  readonly kills: number
  readonly rounds: number
  /** Deaths by the kind of their place. */
  readonly byPlace: Readonly<Record<string, number>>
  readonly byStage: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

export interface Campaign {
  readonly seed: string
  readonly jobs: number
  /** Milliseconds of the monotonic clock after which nothing new is begun. */
  readonly until: number
  readonly tell: (text: string) => void
}

const GOLDEN = 0.618033988749895

/** Places spread evenly over a run, in an order that is dense from the start, each kind of place in turn. */
class Sweep {
  readonly #random: Random
  readonly #numbers = new Map<string, number>()

  constructor(random: Random) {
    this.#random = random
  }

  next(stage: Stage): string {
    const kind = this.#random.pick([...Object.keys(stage.places), 'time'])
    const key = `${stage.name} ${kind}`
    const number = this.#numbers.get(key) ?? this.#random.next()
    this.#numbers.set(key, (number + GOLDEN) % 1)
    if (kind === 'time') return `time:${Math.round(number * stage.ms * 1.1)}`
    return `${kind}:${1 + Math.floor(number * (stage.places[kind] ?? 1))}:${this.#random.int(0, 15)}`
  }
}

export async function killOften(world: World, kills: number, campaign: Campaign): Promise<KillReport> {
  const random = new Random(`kills of ${campaign.seed}`)
  const sweep = new Sweep(random)
  const report = {
    kills: 0,
    rounds: 0,
    byPlace: {} as Record<string, number>,
    byStage: {} as Record<string, number>,
    failures: [] as string[],
  }
  const worker = async (): Promise<void> => {
    while (report.kills < kills && performance.now() < campaign.until) {
      const stage = world.stages[report.rounds % world.stages.length] as Stage
      report.rounds += 1
      const round = new Round(world, stage, report.rounds)
      const died = await round.run(() => sweep.next(stage))
      for (const { point } of died) {
        const place = point.replace(/:\d.*$/, '')
        report.byPlace[place] = (report.byPlace[place] ?? 0) + 1
        report.byStage[stage.name] = (report.byStage[stage.name] ?? 0) + 1
      }
      report.kills += died.length
      for (const failure of round.failures) {
        report.failures.push(failure)
        campaign.tell(`FAILS ${failure}`)
      }
      campaign.tell(`${report.kills} kills in ${report.rounds} rounds, ${report.failures.length} failures`)
    }
  }
  await Promise.all(Array.from({ length: campaign.jobs }, worker))
  return report
}

function howToEnd(point: string | null): Parameters<World['program']>[1] {
  if (point === null) return {}
  const [what, ms] = point.split(':')
  return what === 'time' ? { killAfterMs: Number(ms) } : { environment: { TIEOUT_KILL: point } }
}

class Round {
  readonly failures: string[] = []
  readonly #world: World
  readonly #stage: Stage
  readonly #number: number
  readonly #dir: string
  readonly #deaths: Death[] = []
  /** How long its runs took together. */
  #ranMs = 0
  #frames = 0
  /** The published file as it was last looked at, and the hash that it had. */
  #seen: { readonly identity: string; readonly hash: string } | null = null

  constructor(world: World, stage: Stage, number: number) {
    this.#world = world
    this.#stage = stage
    this.#number = number
    this.#dir = world.folder()
  }

  async run(next: () => string): Promise<readonly Death[]> {
    cpSync(this.#stage.before, this.#dir, { recursive: true })
    let last: Ended | null = null
    while (last === null && this.#deaths.length < DEATHS_MAX) {
      const point = next()
      const ended = await this.#start(point)
      if (ended.signal === 'SIGKILL' && !ended.hung) {
        this.#deaths.push({ stage: this.#stage.name, point })
        await this.#lookAfterDeath()
      } else last = ended
      if (this.failures.length > 0) break
    }
    if (this.failures.length === 0) await this.#lookAtTheEnd(last ?? (await this.#start(null)))
    if (this.failures.length === 0) rmSync(this.#dir, { recursive: true, force: true })
    return this.#deaths
  }

  async #start(point: string | null): Promise<Ended> {
    // The clock goes on from one start to the next: set back, it would leave what a killed run had begun to ask for.
    const args = [...this.#stage.args, ...this.#world.on(this.#dir, this.#ranMs)]
    const begun = performance.now()
    const ended = await this.#world.program(args, howToEnd(point))
    this.#ranMs += performance.now() - begun
    return ended
  }

  #fail(what: string): void {
    const story = this.#deaths.map(({ point }) => point).join(', ')
    this.failures.push(
      `round ${this.#number}, ${this.#stage.name}, died at ${story}: ${what} (kept in ${this.#dir})`,
    )
  }

  /** Readers see one whole published state at every moment; nothing that was journaled is lost. */
  async #lookAfterDeath(): Promise<void> {
    const { problems, frames } = await verifyJournal(this.#dir)
    for (const problem of problems) this.#fail(problem.describe())
    if (frames < this.#frames) this.#fail(`the journal had ${this.#frames} frames and has ${frames}`)
    this.#frames = frames
    const hash = await this.#published()
    const { hashBefore, hashAfter } = this.#stage
    if (hash !== hashBefore && hash !== hashAfter)
      this.#fail(`the published ledger is neither old nor new: ${hash}`)
  }

  async #published(): Promise<string | null> {
    const file = join(this.#dir, 'ledger.duckdb')
    if (!existsSync(file)) return null
    const { ino, mtimeMs, size } = statSync(file)
    const identity = `${ino} ${mtimeMs} ${size}`
    if (this.#seen?.identity !== identity)
      this.#seen = { identity, hash: await ledgerHash(file).catch((error: Error) => error.message) }
    return this.#seen.hash
  }

  async #lookAtTheEnd(last: Ended): Promise<void> {
    if (last.hung) return this.#fail('the run did not end')
    if (last.code !== 0)
      return this.#fail(`the run ended with code ${last.code}:\n${last.stderr}${last.stdout}`)
    await this.#lookAfterDeath()
    const hash = await this.#published()
    if (hash !== this.#stage.hashAfter) this.#fail(`the ledger is another one: ${hash}`)
    // The first step has fetched only one of the accounts.
    if (this.#stage.hashBefore !== null)
      for (const difference of await this.#world.untrue(this.#dir)) this.#fail(difference)
    const left = [...readdirSync(this.#dir), ...readdirSync(join(this.#dir, 'tmp'))].filter((name) =>
      /^lock|^ledger-|^landing-rebuilt|\.tmp$|\.wal$/.test(name),
    )
    if (left.length > 0) this.#fail(`left behind: ${left.join(', ')}`)
    if (this.#number % VERIFIED_ROUNDS !== 0) return
    const verified = await this.#world.program(['verify', ...this.#world.on(this.#dir)])
    if (!verified.stdout.includes('Everything verifies.')) this.#fail(`${verified.stdout}${verified.stderr}`)
  }
}
