// Finished books are copied, one file is damaged, and a command runs on them. It either refuses, by an error that names
// the file and what to do, or comes to exactly what it comes to on whole books: never to a wrong figure, never to a
// crash. What only the landing database or the ledger has lost is healed by `rebuild` or `build`.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemClock } from '../../../models/clock.ts'
import { nodeDisk } from '../../../pipeline/journal/disk.ts'
import { eraseFrames } from '../../../pipeline/journal/erase.ts'
import { openJournal } from '../../../pipeline/journal/journal.ts'
import type { Break } from '../../../pipeline/ledger/breaks.ts'
import { ledgerHash } from '../../../pipeline/ledger/hash.ts'
import { keepUnpublishedBreaks } from '../../../pipeline/ledger/publish.ts'
import { Random } from '../simulation/random.ts'
import { DAMAGES, type DamageKind, damage } from './damage.ts'
import type { Campaign } from './kills.ts'
import type { Ended } from './program.ts'
import type { World } from './world.ts'

const NIGHT = ['nightly', '--accounts', 'sub-2,classic', '--from', '2026-06-08']

const COMMANDS = {
  nightly: NIGHT,
  build: ['build'],
  rebuild: ['rebuild'],
  verify: ['verify'],
  plan: ['plan', '--accounts', 'sub-2,classic', '--from', '2026-06-08'],
  status: ['status', '--json'],
  balances: ['report', 'balances', '--format', 'csv'],
  gains: ['report', 'gains', '--format', 'csv'],
  against: ['report', 'gains', '--against', 'year', '--format', 'csv'],
} as const

type Command = keyof typeof COMMANDS

const PUBLISHING: readonly Command[] = ['nightly', 'build', 'rebuild']
/** Those whose answer is compared with the answer on whole books. */
const COMPARED: readonly Command[] = ['status', 'balances', 'gains', 'against']

/** What is damaged how often, and which commands then run. */
interface Target {
  readonly file: string
  readonly base: 'whole' | 'killed'
  readonly weight: number
  readonly commands: readonly Command[]
  /** What makes the file again. */
  readonly healer?: Command
  /** A person's file: a change of it may mean something else, so only its refusal is looked at. */
  readonly own?: boolean
}

const LANDING: readonly Command[] = ['nightly', 'build', 'verify', 'rebuild', 'plan']
const JOURNAL: readonly Command[] = ['nightly', 'build', 'verify', 'rebuild']

const TARGETS: readonly Target[] = [
  { file: 'landing.duckdb', base: 'whole', weight: 24, commands: LANDING, healer: 'rebuild' },
  { file: 'landing.duckdb', base: 'killed', weight: 6, commands: LANDING, healer: 'rebuild' },
  { file: 'landing.duckdb.wal', base: 'killed', weight: 8, commands: LANDING, healer: 'rebuild' },
  {
    file: 'ledger.duckdb',
    base: 'whole',
    weight: 20,
    commands: ['balances', 'gains', 'status', 'nightly', 'build'],
    healer: 'build',
  },
  { file: 'journal/000001.journal', base: 'whole', weight: 18, commands: JOURNAL },
  { file: 'journal/000001.journal', base: 'killed', weight: 6, commands: JOURNAL },
  { file: 'journal/erased.jsonl', base: 'whole', weight: 3, commands: ['verify', 'build'] },
  { file: 'filings/year.json', base: 'whole', weight: 4, commands: ['against'] },
  { file: 'lock', base: 'killed', weight: 3, commands: ['nightly', 'verify'] },
  { file: 'breaks-unpublished.json', base: 'killed', weight: 3, commands: ['status', 'nightly'] },
  { file: 'tieout.yaml', base: 'whole', weight: 3, commands: ['status', 'plan', 'nightly'], own: true },
  { file: 'credentials.yaml', base: 'whole', weight: 2, commands: ['nightly'], own: true },
]

interface Base {
  readonly dir: string
  /** What a command prints on the whole books. */
  readonly answer: (command: Command) => Promise<string>
  /** What it prints with the older ledger in the place of the present one, which is a whole one too. */
  readonly olderAnswer: (command: Command) => Promise<string>
  readonly hash: string
}

export interface CorruptionReport {
  readonly cases: number
  readonly refused: number
  /** The command came to the same as on whole books. */
  readonly same: number
  readonly healed: number
  readonly byFile: Readonly<Record<string, { refused: number; same: number }>>
  readonly failures: readonly string[]
}

export async function corruptOften(
  world: World,
  count: number,
  campaign: Campaign,
): Promise<CorruptionReport> {
  const random = new Random(`corruptions of ${campaign.seed}`)
  const report = {
    cases: 0,
    refused: 0,
    same: 0,
    healed: 0,
    byFile: {} as Record<string, { refused: number; same: number }>,
    failures: [] as string[],
  }
  if (count === 0) return report
  const bases = basesOf(world)
  const deck = TARGETS.flatMap((target) => Array.from({ length: target.weight }, () => target))
  let begun = 0
  const worker = async (): Promise<void> => {
    while (begun < count && performance.now() < campaign.until) {
      begun += 1
      const target = random.pick(deck)
      const one = new Case(
        world,
        await bases[target.base](),
        target,
        new Random(`${campaign.seed} case ${begun}`),
      )
      const outcome = await one.run(begun)
      report.cases += 1
      report.refused += outcome === 'refused' ? 1 : 0
      report.same += outcome === 'same' ? 1 : 0
      report.healed += one.healed ? 1 : 0
      report.byFile[target.file] ??= { refused: 0, same: 0 }
      if (outcome !== 'wrong') report.byFile[target.file]![outcome] += 1
      for (const failure of one.failures) {
        report.failures.push(failure)
        campaign.tell(`FAILS ${failure}`)
      }
      const { cases, refused, same, failures } = report
      campaign.tell(`${cases} cases: ${refused} refused, ${same} the same, ${failures.length} failures`)
    }
  }
  await Promise.all(Array.from({ length: campaign.jobs }, worker))
  return report
}

/** Whole books with an erased frame and a frozen report, and the same after a run on them was killed; made once asked for. */
function basesOf(world: World): Readonly<Record<Target['base'], () => Promise<Base>>> {
  const whole = once(async () => {
    const dir = world.folder()
    cpSync(world.finished, dir, { recursive: true })
    await eraseFrames(dir, [await firstLiquidations(dir)], systemClock)
    await must(world, dir, ['rebuild'])
    await must(world, dir, ['report', 'gains', '--freeze', 'year'])
    return answered(world, dir)
  })
  const killed = once(async () => {
    const dir = world.folder()
    cpSync((await whole()).dir, dir, { recursive: true })
    const { signal } = await world.program([...NIGHT, ...world.on(dir)], {
      environment: { TIEOUT_KILL: 'request:received:40' },
    })
    if (signal !== 'SIGKILL' || !existsSync(join(dir, 'landing.duckdb.wal')))
      throw new Error('The run to be killed was not, or left no write-ahead log.')
    await keepUnpublishedBreaks(nodeDisk, dir, [UNPUBLISHED])
    return answered(world, dir)
  })
  return { whole, killed }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const UNPUBLISHED = {
  breakId: 'b1',
  checkName: 'double_entry',
  severity: 'error',
  explanation: 'A transaction does not balance.',
} as unknown as Break

async function must(world: World, dir: string, args: readonly string[]): Promise<Ended> {
  const ended = await world.program([...args, ...world.on(dir)])
  if (ended.code !== 0 && ended.code !== 3)
    throw new Error(`${args.join(' ')} on whole books ended with ${ended.code}:\n${ended.stderr}`)
  return ended
}

/** Its rows have no identity, so the ledger's hash does not depend on them. */
async function firstLiquidations(dir: string): Promise<number> {
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  try {
    for await (const { seq, meta } of journal.read())
      if (meta.kind === 'page' && meta.feed === 'market.liquidations') return seq
  } finally {
    await journal.close()
  }
  throw new Error('The books have no page of liquidations.')
}

async function answered(world: World, dir: string): Promise<Base> {
  const older = join(world.stages[1]?.before ?? '', 'ledger.duckdb')
  return {
    dir,
    answer: answersOn(world, () => copyOf(world, dir)),
    olderAnswer: answersOn(world, () => {
      const aside = copyOf(world, dir)
      cpSync(older, join(aside, 'ledger.duckdb'))
      return aside
    }),
    hash: await ledgerHash(join(dir, 'ledger.duckdb')),
  }
}

function copyOf(world: World, dir: string): string {
  const copy = world.folder()
  cpSync(dir, copy, { recursive: true })
  return copy
}

/** The answer of each command, once it is asked for. */
function answersOn(world: World, books: () => string): (command: Command) => Promise<string> {
  const answers = new Map<Command, Promise<string>>()
  return (command) => {
    const answer =
      answers.get(command) ??
      must(world, books(), COMMANDS[command]).then((ended) => answerOf(command, ended))
    answers.set(command, answer)
    return answer
  }
}

/** What a command said, without what depends on the moment and the folder. */
function answerOf(command: Command, { stdout }: Ended): string {
  if (command !== 'status') return stdout
  const { dir, now, publishedAt, feeds, ...rest } = JSON.parse(stdout) as Record<string, unknown>
  const without = (feeds as Record<string, unknown>[]).map(({ behindMs, ...feed }) => feed)
  return JSON.stringify({ ...rest, feeds: without })
}

type Outcome = 'refused' | 'same' | 'wrong'

class Case {
  readonly failures: string[] = []
  healed = false
  readonly #world: World
  readonly #base: Base
  readonly #target: Target
  readonly #random: Random
  readonly #dir: string
  #story = ''
  #kind: DamageKind = 'bit'

  constructor(world: World, base: Base, target: Target, random: Random) {
    this.#world = world
    this.#base = base
    this.#target = target
    this.#random = random
    this.#dir = world.folder()
  }

  async run(number: number): Promise<Outcome> {
    cpSync(this.#base.dir, this.#dir, { recursive: true })
    const command = this.#random.pick(this.#target.commands)
    this.#story = `case ${number}, ${command} after ${this.#target.file} ${this.#damage()}`
    const ended = await this.#start(command)
    const outcome = await this.#judge(command, ended)
    if (outcome === 'refused') await this.#heal()
    if (this.failures.length === 0) rmSync(this.#dir, { recursive: true, force: true })
    return this.failures.length === 0 ? outcome : 'wrong'
  }

  #damage(): string {
    const file = join(this.#dir, this.#target.file)
    const older = join(this.#world.stages[1]?.before ?? '', this.#target.file)
    for (;;) {
      this.#kind = this.#random.pick(DAMAGES)
      const done = damage(this.#random, this.#kind, file, older)
      if (done !== null) return done
    }
  }

  #start(command: Command): Promise<Ended> {
    return this.#world.program([...COMMANDS[command], ...this.#world.on(this.#dir)])
  }

  #fail(what: string): Outcome {
    this.failures.push(`${this.#story}: ${what} (kept in ${this.#dir})`)
    return 'wrong'
  }

  async #judge(command: Command, ended: Ended): Promise<Outcome> {
    const { code, signal, stdout, stderr } = ended
    const said = `${stderr}${stdout}`
    if (ended.hung) return this.#fail('the run did not end')
    if (code === null) return this.#fail(`the process died of ${signal}:\n${said}`)
    if (/unexpected error|\n\s+at \S/i.test(said))
      return this.#fail(`an untyped error, code ${code}:\n${said}`)
    if (code === 0 || code === 3) return this.#compare(command, ended)
    if (command === 'verify' && stdout.includes('PROBLEM')) return this.#named(stdout, said)
    if (!stderr.includes('tieout: ') || !stderr.includes('  next: '))
      return this.#fail(`code ${code} without a message that says what to do:\n${said}`)
    return this.#named(stderr, said)
  }

  /** A refusal names the file, its folder or its kind. */
  #named(text: string, said: string): Outcome {
    const { file, own } = this.#target
    const names = [basename(file), dirname(file), file.split('.')[0] as string].filter((name) => name !== '.')
    if (own === true || names.some((name) => text.includes(name))) return 'refused'
    return this.#fail(`the refusal does not name the file:\n${said}`)
  }

  async #compare(command: Command, ended: Ended): Promise<Outcome> {
    if (this.#target.own === true) return 'same'
    if (PUBLISHING.includes(command)) {
      const hash = await ledgerHash(join(this.#dir, 'ledger.duckdb'))
      return hash === this.#base.hash ? 'same' : this.#fail(`another ledger:\n${ended.stderr}${ended.stdout}`)
    }
    const isOlder = this.#kind === 'older' && this.#target.file === 'ledger.duckdb'
    // A missing file of breaks, or ledger, is a state that `status` tells of.
    if (!COMPARED.includes(command) || this.#lacks(command)) return 'same'
    const expected = await (isOlder ? this.#base.olderAnswer : this.#base.answer)(command)
    return answerOf(command, ended) === expected ? 'same' : this.#fail(`another answer:\n${ended.stdout}`)
  }

  #lacks(command: Command): boolean {
    return command === 'status' && !existsSync(join(this.#dir, this.#target.file))
  }

  /** From a whole journal everything else is made again. */
  async #heal(): Promise<void> {
    const { healer } = this.#target
    if (healer === undefined) return
    const { code, stderr } = await this.#start(healer)
    if (code !== 0) return void this.#fail(`${healer} does not heal it, code ${code}:\n${stderr}`)
    const hash = await ledgerHash(join(this.#dir, 'ledger.duckdb'))
    if (hash !== this.#base.hash) this.#fail(`${healer} makes another ledger`)
    if (readdirSync(this.#dir).some((name) => name.startsWith('lock'))) this.#fail('a lock was left behind')
    this.healed = true
  }
}
