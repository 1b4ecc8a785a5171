// The machine that the books stand on, and the processes that come and go on it. A process dies at an instant, at an
// operation of its disk or at a statement of its database; the next one finds the disk and the database files exactly
// as they were then, copied to a fresh folder, because DuckDB would not notice a second instance on the same file.
import { cpSync, existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { onAbort } from '../../../models/abort.ts'
import type { Clock } from '../../../models/clock.ts'
import type { CrashPoint, Fault, SimulationConfig } from './config.ts'
import { type DiskHooks, SimulatedDisk, systemError } from './disk.ts'
import { HOUR } from './feeds.ts'
import { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** No process ever has this number. */
const DEAD_PID = 2 ** 30

/** What DuckDB and the publication keep in the folder of the books. */
const DATABASE_FILES = ['landing.duckdb', 'landing.duckdb.wal', 'ledger.duckdb', 'breaks-unpublished.json']

export class ProcessDied extends Error {}

export interface MachineOptions {
  readonly name: string
  readonly config: SimulationConfig
  readonly scheduler: Scheduler
  /** Unix time of the world's zero. */
  readonly start: number
  /** A real folder for the database files. */
  readonly folder: string
  readonly tell: (line: string) => void
}

export class Machine {
  readonly name: string
  readonly disk: SimulatedDisk
  dir: string
  /** Set once the faults have ended. */
  isCalm = false
  /** The log of the database was cut at the last crash. */
  logWasCut = false
  readonly #options: MachineOptions
  readonly #crashes: CrashPoint[]
  readonly #streams = new Map<string, Random>()
  #folders = 0
  #skew = 0
  #lateSkew = 0
  /** What the monotonic clock has missed while the machine slept, and since when it sleeps. */
  #slept = 0
  #asleepSince: number | null = null
  readonly #atAwakening: (() => void)[] = []

  constructor(options: MachineOptions) {
    this.name = options.name
    this.#options = options
    this.#crashes = [...options.config.crashes]
    this.dir = this.#newFolder()
    this.disk = new SimulatedDisk(this.dir)
    const random = this.stream('clock')
    const skews = [-36 * HOUR, -HOUR, -45_000, -9_000, 9_000, 45_000, HOUR, 36 * HOUR]
    if ((options.config.faults['clock skew'] ?? 0) > 0) this.#skew = random.pick(skews)
  }

  stream(name: string): Random {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const made = new Random(`${name} of ${this.name} ${this.#options.config.seed}`)
    this.#streams.set(name, made)
    return made
  }

  /** Whether a fault strikes now. */
  strikes(fault: Fault): boolean {
    const share = this.#options.config.faults[fault] ?? 0
    return share > 0 && this.stream(fault).chance(share) && !this.isCalm
  }

  #newFolder(): string {
    this.#folders += 1
    const dir = join(this.#options.folder, `${this.name}-${this.#folders}`)
    mkdirSync(dir, { recursive: true })
    return dir
  }

  /** Starts a process; it takes the next crash point with it. */
  boot(): SimulatedProcess {
    const crash = this.isCalm ? undefined : this.#crashes.shift()
    const { scheduler, start } = this.#options
    const process = new SimulatedProcess(this, scheduler, start, crash ?? null, this.#options.tell)
    if (crash?.at === 'instant') scheduler.after(crash.count, () => process.kill('at an instant'))
    if (this.strikes('clock steps')) {
      const step = this.stream('clock').pick([-2 * HOUR, -40_000, -5_000, 5_000, 40_000, 2 * HOUR])
      scheduler.after(this.stream('clock').int(0, 60_000), () => {
        if (!this.isCalm) this.#skew += step
      })
    }
    if (this.isCalm && (this.#options.config.faults['clock steps'] ?? 0) > 0) this.#disturbLateClock()
    return process
  }

  /** A clock that steps, or misses a while, is no reason to leave anything: the last runs have to get over one each. */
  #disturbLateClock(): void {
    const { scheduler, tell } = this.#options
    const random = this.stream('late clock')
    const sleeps = random.chance(0.5)
    this.#lateSkew = 0
    scheduler.after(random.int(1_000, 15_000), () => {
      if (!sleeps) {
        this.#lateSkew += random.pick([-2 * HOUR, -40_000, 40_000, 2 * HOUR])
        return tell(`${this.name} its clock is now off by ${this.#lateSkew} ms`)
      }
      tell(`${this.name} sleeps`)
      this.#asleepSince = scheduler.now
      scheduler.after(random.int(40_000, 120_000), () => {
        this.#slept += scheduler.now - (this.#asleepSince ?? scheduler.now)
        this.#asleepSince = null
        tell(`${this.name} awakes`)
        for (const work of this.#atAwakening.splice(0)) scheduler.after(0, work)
      })
    })
  }

  /** Timers and answers that come due while the machine sleeps are noticed when it awakes. */
  whenAwake(work: () => void): void {
    if (this.#asleepSince === null) work()
    else this.#atAwakening.push(work)
  }

  /** A monotonic clock stands still while its machine sleeps. */
  get monotonic(): number {
    return (this.#asleepSince ?? this.#options.scheduler.now) - this.#slept
  }

  /** A process that does its whole work in one event, and does not die. */
  bystander(): SimulatedProcess {
    const { scheduler, start, tell } = this.#options
    const process = new SimulatedProcess(this, scheduler, start, null, tell)
    process.isInside = true
    return process
  }

  /** What the wall clock of this machine is off by. */
  get skew(): number {
    return this.isCalm ? this.#lateSkew : this.#skew
  }

  /** The lock of a process that is gone names a process that is gone. */
  buryLocks(): void {
    for (const name of this.disk.list(this.dir) ?? []) {
      const path = join(this.dir, name)
      const text = this.disk.contentOf(path)?.toString() ?? ''
      if (name.startsWith('lock') && text.includes('"pid"'))
        this.disk.setContent(path, Buffer.from(text.replace(/"pid":\d+/, `"pid":${DEAD_PID}`)))
    }
  }

  /** What stands on the disk after a crash; the dead process keeps the old folder. */
  crash(power: boolean): void {
    if (power) this.disk.losePower(this.stream('power'))
    const before = this.dir
    this.dir = this.#newFolder()
    for (const name of DATABASE_FILES)
      if (existsSync(join(before, name))) cpSync(join(before, name), join(this.dir, name))
    this.disk.root = this.dir
    this.logWasCut = this.strikes('cut database log') && this.#cutLog(join(this.dir, 'landing.duckdb.wal'))
    this.buryLocks()
  }

  #cutLog(path: string): boolean {
    if (!existsSync(path)) return false
    const random = this.stream('cut')
    if (random.chance(0.3)) rmSync(path)
    else truncateSync(path, random.int(0, statSync(path).size))
    return true
  }
}

export class SimulatedProcess implements DiskHooks {
  readonly name: string
  readonly bornAt: number
  readonly clock: Clock
  /** Resolves when the process dies. */
  readonly died: Promise<null>
  isAlive = true
  /** Something real is under way for it: its disk then takes no virtual time. */
  isInside = false
  /** Whoever reads the published ledger meanwhile looks at it before each statement. */
  reader: (() => void) | null = null
  readonly #machine: Machine
  readonly #scheduler: Scheduler
  readonly #crash: CrashPoint | null
  readonly #tell: (line: string) => void
  readonly #random: Random
  #die: (value: null) => void = () => undefined
  #requests = 0
  #diskOperations = 0
  #statements = 0
  /** How the fatal disk operation goes. */
  readonly #fatal: 'before' | 'within' | 'after'
  readonly #handles: { closeSync(): void }[] = []

  constructor(
    machine: Machine,
    scheduler: Scheduler,
    start: number,
    crash: CrashPoint | null,
    tell: (line: string) => void,
  ) {
    this.#machine = machine
    this.#scheduler = scheduler
    this.#crash = crash
    this.#tell = tell
    this.bornAt = scheduler.now
    this.name = machine.name
    this.#random = machine.stream('process')
    this.#fatal = this.#random.pick(['before', 'within', 'after'])
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
    this.clock = {
      wall: () => Math.floor(start + scheduler.now + machine.skew),
      monotonic: () => machine.monotonic,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      let letGo = (): unknown => undefined
      const cancel = this.#scheduler.after(ms, () => {
        letGo()
        this.whenAwake(() => {
          if (this.isAlive) resolve()
        })
      })
      const stop = (): void => {
        cancel()
        resolve()
      }
      if (signal !== undefined) letGo = onAbort(signal, stop)
    })
  }

  /**
   * Does something real, such as a transaction of DuckDB, as one event: the world stands still meanwhile. It begins
   * `delayMs` from now, and what came of it is told a moment later, so that a process can die between the two.
   */
  inside<T>(delayMs: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#scheduler.after(delayMs, async () => {
        if (!this.isAlive) return
        this.isInside = true
        const done = work().then(
          (value) => () => resolve(value),
          (error: unknown) => () => reject(error),
        )
        const settle = await Promise.race([done, this.died])
        this.isInside = false
        if (settle === null) return
        this.#scheduler.after(1, () => {
          if (this.isAlive) settle()
        })
      })
    })
  }

  /** Every statement of the database comes through here. */
  async statement<T>(run: () => Promise<T>): Promise<T> {
    if (!this.isAlive) throw new ProcessDied()
    this.#statements += 1
    this.reader?.()
    const isFatal = this.#crash?.at === 'database' && this.#crash.count === this.#statements
    if (isFatal && this.#fatal === 'before') this.kill(`before statement ${this.#statements}`)
    if (!this.isAlive) throw new ProcessDied()
    const done = await run()
    if (isFatal) this.kill(`after statement ${this.#statements}`)
    if (!this.isAlive) throw new ProcessDied()
    return done
  }

  readonly whenAwake = (work: () => void): void => this.#machine.whenAwake(work)

  /** The venue has received a request: a process that dies now leaves a spent slot behind. */
  readonly arrived = (): void => {
    this.#requests += 1
    if (this.#crash?.at === 'request' && this.#crash.count === this.#requests)
      this.kill(`as its request ${this.#requests} arrives`)
  }

  /** What must be closed when the process is gone. */
  holds(handle: DuckDBConnection | DuckDBInstance): void {
    this.#handles.unshift(handle)
  }

  /** Frees what the process held of the database, once nothing runs in it any more. */
  cleanUp(): void {
    for (const handle of this.#handles.splice(0)) handle.closeSync()
  }

  kill(how: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    const power = this.#crash?.power ?? false
    this.#tell(`${this.name} DIES ${how}${power ? ', and the power fails' : ''}`)
    this.#machine.crash(power)
    this.#die(null)
  }

  /** The process ends by itself. */
  end(): void {
    this.isAlive = false
    this.#machine.buryLocks()
  }

  #isFatal(): boolean {
    return this.#crash?.at === 'disk' && this.#crash.count === this.#diskOperations
  }

  cut(_operation: string, length: number): number | null {
    // Counted by `before`, which follows.
    const isNext = this.#crash?.at === 'disk' && this.#crash.count === this.#diskOperations + 1
    if (!this.isAlive || !isNext || this.#fatal !== 'within') return null
    return this.#random.int(0, length)
  }

  async before(operation: string, path: string): Promise<void> {
    if (!this.isAlive) throw new ProcessDied()
    this.#diskOperations += 1
    if (this.#isFatal() && (this.#fatal !== 'after' || !['write', 'sync'].includes(operation)))
      this.kill(
        `${this.#fatal === 'within' ? 'within' : 'before'} disk operation ${this.#diskOperations} (${operation})`,
      )
    if (!this.isAlive) throw new ProcessDied()
    if (!this.isInside && ['write', 'sync', 'sync folder'].includes(operation)) {
      const delay = this.#random.int(1, operation === 'write' ? 3 : 15)
      await this.#sleep(delay)
    }
    this.#refuse(operation, path)
  }

  #refuse(operation: string, path: string): void {
    const refusals: readonly (readonly [Fault, readonly string[], string])[] = [
      ['disk full', ['write', 'open to create'], 'ENOSPC'],
      ['write error', ['write', 'truncate'], 'EIO'],
      ['sync error', ['sync', 'sync folder'], 'EIO'],
      ['open error', ['open to read', 'open to change', 'list', 'read file'], 'EIO'],
    ]
    for (const [fault, operations, code] of refusals) {
      if (!operations.includes(operation) || !this.#machine.strikes(fault)) continue
      this.#tell(`${this.name} disk: ${operation} refused [${fault}]`)
      throw systemError(code, path)
    }
  }

  async after(operation: string): Promise<void> {
    if (this.#isFatal() && this.#fatal === 'after')
      this.kill(`after disk operation ${this.#diskOperations} (${operation})`)
    if (!this.isAlive) throw new ProcessDied()
  }
}
