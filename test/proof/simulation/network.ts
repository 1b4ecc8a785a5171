// The way to the venue and back: every request and answer takes its time, and some are lost, late, cut, garbled or
// answered by something that is not the venue. It stands in undici's place, without a socket.
import { Dispatcher } from 'undici'
import { type Fault, PERIOD_FAULTS, type SimulationConfig, WIRE_FAULTS } from './config.ts'
import { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import type { ModelVenue, VenueAccount, VenueAnswer, VenueRequest } from './venue.ts'

/** What a network has to know of the process that uses it. */
export interface Caller {
  readonly name: string
  readonly isAlive: boolean
  /** Milliseconds of the world. */
  readonly bornAt: number
  /** Told of each of its requests that the venue receives. */
  readonly arrived: () => void
  /** Puts off what its machine cannot notice in its sleep. */
  readonly whenAwake: (work: () => void) => void
}

type WireFault = (typeof WIRE_FAULTS)[number]
type PeriodFault = (typeof PERIOD_FAULTS)[number]

interface Period {
  readonly fault: PeriodFault
  readonly from: number
  readonly until: number
  /** Its refusals say when to come again. */
  readonly waits: boolean
}

/** How an answer reaches its client: the body in one piece, or a part of it and then a reset. */
interface Delivery {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly isReset: boolean
}

/** How often one request may be tried. Source: contract, Time. */
const TRIES_MAX = 5

/** What an answer may have and be taken all the same; a late one is taken where it is still waited for. */
const HARMLESS: ReadonlySet<WireFault> = new Set([
  'late response',
  'odd requestTime',
  'wrong requestTime',
  'secret echoed',
  'byte-order mark',
])

const never = <T>(): Promise<T> => new Promise(() => undefined)

const connectionError = (code: string): Error => Object.assign(new Error(code), { code })

interface Sent {
  times: number
  notBefore: number
  /** What it asked from, and when it was sent last. */
  start: number
  at: number
}

export class Network {
  /** Set once the faults have ended. */
  isCalm = false
  readonly #scheduler: Scheduler
  readonly #venue: ModelVenue
  readonly #accounts: readonly VenueAccount[]
  readonly #config: SimulationConfig
  readonly #start: number
  readonly #tell: (line: string) => void
  readonly #violation: (what: string) => void
  readonly #streams = new Map<string, Random>()
  #periods: Period[] = []
  /** By process and request: how often it was sent, and when it may be sent again. */
  readonly #sent = new Map<string, Sent>()

  constructor(options: {
    scheduler: Scheduler
    venue: ModelVenue
    accounts: readonly VenueAccount[]
    config: SimulationConfig
    start: number
    tell: (line: string) => void
    violation: (what: string) => void
  }) {
    this.#scheduler = options.scheduler
    this.#venue = options.venue
    this.#accounts = options.accounts
    this.#config = options.config
    this.#start = options.start
    this.#tell = options.tell
    this.#violation = options.violation
  }

  #stream(name: string): Random {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const made = new Random(`${name} ${this.#config.seed}`)
    this.#streams.set(name, made)
    return made
  }

  /** Draws the stretches of trouble that a process will meet. */
  begin(caller: Caller): void {
    this.#periods = []
    for (const fault of PERIOD_FAULTS) {
      const random = this.#stream(fault)
      const share = this.#config.faults[fault] ?? 0
      const from = caller.bornAt + random.int(0, 120_000)
      const until = from + random.pick([2_000, 20_000, 400_000])
      const waits = random.chance(0.5)
      if (random.chance(share)) this.#periods.push({ fault, from, until, waits })
    }
  }

  #period(fault: PeriodFault): Period | undefined {
    const { now } = this.#scheduler
    if (this.isCalm) return undefined
    return this.#periods.find((one) => one.fault === fault && one.from <= now && now < one.until)
  }

  /** The first of the configured faults that strikes this request; each has a stream of its own. */
  #strike(): WireFault | null {
    let struck: WireFault | null = null
    for (const fault of WIRE_FAULTS) {
      const share = this.#config.faults[fault] ?? 0
      if (share > 0 && this.#stream(fault).chance(share)) struck ??= fault
    }
    return this.isCalm ? null : struck
  }

  /** For the connections of one process. */
  dispatcher(caller: Caller): Dispatcher {
    return new SimulatedDispatcher((options) => this.#request(caller, options))
  }

  #request(caller: Caller, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    if (!caller.isAlive) return never()
    const { method, headers, path } = options
    const request = { method: String(method), path, headers: headers as Record<string, string> }
    return new Promise((resolve, reject) => {
      const signal = options.signal as AbortSignal
      const abort = (): void => reject(connectionError('UND_ERR_ABORTED'))
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      const settle = (work: () => void): void => {
        signal.removeEventListener('abort', abort)
        caller.whenAwake(() => {
          // Whoever has lost patience learns nothing of a late answer, nor when to come again.
          if (caller.isAlive && !signal.aborted) work()
        })
      }
      const fault = this.#strike()
      const again = this.#countTries(caller, request)
      const latency = this.#stream('latency')
      const slow = this.#period('slow network') === undefined ? 1 : 20
      const there = latency.int(1, 60) * slow
      const back = latency.int(1, 60) * slow + (fault === 'late response' ? latency.int(4_000, 16_000) : 0)
      if (fault === 'refused connection')
        return void this.#scheduler.after(there, () => settle(() => reject(connectionError('ECONNREFUSED'))))
      if (fault === 'lost request') return this.#note(caller, path, 'lost on its way', fault)
      this.#scheduler.after(there, () => {
        // What a dead process had sent long before may be lost with it.
        if (!caller.isAlive && slow > 1) return
        const answer = this.#answer(request)
        this.#note(caller, path, answer.told, fault)
        caller.arrived()
        if (fault === 'lost response') return
        this.#scheduler.after(back, () =>
          settle(() => {
            if (fault === 'reset after the answer') return reject(connectionError('ECONNRESET'))
            const delivery = this.#deliver(answer, fault)
            const seconds = Number(delivery.headers['retry-after'] ?? 0)
            again.notBefore = this.#scheduler.now + seconds * 1_000
            if ((fault === null || HARMLESS.has(fault)) && answer.code === '00000') again.times = 0
            resolve(responseOf(delivery, fault))
          }),
        )
      })
    })
  }

  /**
   * A request is tried at most five times, and not before the venue has said. Its start may move on with the clock between
   * tries, as the edge of the venue's memory does; one that moves further is another request, such as half of a window. An
   * answer that arrived unharmed ends them.
   */
  #countTries(caller: Caller, { path, headers }: VenueRequest): Sent {
    const key = `${caller.name} ${caller.bornAt} ${headers['access-key']} ${path.replace(/startTime=\d+/, '')}`
    const { now } = this.#scheduler
    const start = Number(/startTime=(\d+)/.exec(path)?.[1] ?? 0)
    const known = this.#sent.get(key) ?? { times: 0, notBefore: 0, start, at: now }
    if (Math.abs(start - known.start) > now - known.at + 1_000) known.times = 0
    Object.assign(known, { start, at: now })
    this.#sent.set(key, known)
    known.times += 1
    if (known.times > TRIES_MAX) this.#violation(`a request was sent ${known.times} times: ${path}`)
    if (this.#scheduler.now < known.notBefore)
      this.#violation(
        `a request was sent ${known.notBefore - this.#scheduler.now} ms before the venue allowed: ${path}`,
      )
    return known
  }

  #note(caller: Caller, path: string, told: string, fault: WireFault | null): void {
    this.#tell(`${caller.name} ${path.replace('/api/', '')} → ${told}${fault === null ? '' : ` [${fault}]`}`)
  }

  #answer(request: { method: string; path: string; headers: Record<string, string> }): VenueAnswer {
    if (this.#period('outage') !== undefined)
      return bare(503, '<html><body>Service Unavailable</body></html>', 'outage')
    const answer = this.#venue.receive(request)
    if (this.#period('maintenance') !== undefined)
      return {
        ...answer,
        status: 500,
        code: '45001',
        msg: 'system maintenance',
        data: 'null',
        told: 'maintenance',
      }
    const storm = this.#period('rate storm')
    if (storm !== undefined) {
      const headers = storm.waits ? { 'retry-after': '3' } : {}
      return { ...answer, status: 429, code: '429', data: 'null', headers, told: 'rate storm' }
    }
    return answer
  }

  /** The answer as it comes in, with what the fault makes of it. */
  #deliver(answer: VenueAnswer, fault: WireFault | null): Delivery {
    const random = this.#stream('bodies')
    const changed = fault === null ? answer : replaced(answer, fault, random)
    const plain = { status: changed.status, headers: changed.headers, isReset: false }
    const text = changed.code === '' ? changed.data : this.#envelope(changed, fault, random)
    const body = Buffer.from(text)
    switch (fault) {
      case 'body cut off by a reset':
        return { ...plain, body: body.subarray(0, random.int(0, body.length - 1)), isReset: true }
      case 'truncated body':
        return { ...plain, body: body.subarray(0, random.int(1, body.length - 1)) }
      case 'garbled body': {
        const garbled = Buffer.from(body)
        garbled[random.int(0, body.length - 1)] = 0xff
        return { ...plain, body: garbled }
      }
      case 'empty body':
        return { ...plain, body: Buffer.alloc(0) }
      case 'doubled body':
        return { ...plain, body: Buffer.concat([body, body]) }
      case 'byte-order mark':
        return { ...plain, body: Buffer.concat([Buffer.from('\ufeff'), body]) }
      default:
        return { ...plain, body }
    }
  }

  #envelope({ code, msg, data }: VenueAnswer, fault: WireFault | null, random: Random): string {
    const now = this.#start + this.#scheduler.now
    const odd = random.pick([`"${now}"`, String(Math.floor(now / 10)), `${now}7`, 'null', '"soon"', '1.5e12'])
    const off = random.pick([-3, -0.01, 0.01, 5, 4_000]) * 3_600_000
    const time =
      fault === 'odd requestTime' ? odd : String(Math.round(fault === 'wrong requestTime' ? now + off : now))
    const twice = fault === 'two data members' ? random.pick(['"data":[],', ',"data":[]']) : ''
    const secret = random.pick(
      this.#accounts.flatMap(({ api, tax }) => [api.secret, tax.secret, tax.passphrase]),
    )
    const escaped = random.chance(0.5)
      ? secret
      : `\\u00${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
    const echo = fault === 'secret echoed' ? `"debug":"key ${escaped}",` : ''
    const word = fault === 'refusal that echoes a secret' ? `${msg} (${secret})` : msg
    const [before, after] = twice.startsWith(',') ? ['', twice] : [twice, '']
    return `{"code":"${code}","msg":"${word}","requestTime":${time},${echo}${before}"data":${data}${after}}`
  }
}

/** A body that is no envelope. */
const bare = (status: number, text: string, told: string): VenueAnswer => ({
  status,
  code: '',
  msg: '',
  data: text,
  headers: {},
  told,
})

/** The answer of something or someone else in the venue's place. */
function replaced(answer: VenueAnswer, fault: Fault, random: Random): VenueAnswer {
  const refused = (status: number, code: string, headers: Record<string, string> = {}): VenueAnswer => ({
    ...answer,
    status,
    code,
    msg: 'refused',
    data: 'null',
    headers,
  })
  switch (fault) {
    case 'web page':
      return bare(200, '<!DOCTYPE html><html><body>Just a moment...</body></html>', 'page')
    case 'wrong envelope':
      return bare(
        200,
        random.pick(['[]', '{}', '"success"', '{"success":true,"rows":[]}', 'null', '0']),
        'wrong',
      )
    case 'null data':
      return { ...answer, data: random.pick(['null', '0', '"none"', '{}']) }
    case 'wrong msg':
      return { ...answer, msg: random.pick(['', 'system busy', 'failure']), data: '[]' }
    case 'rate refusal':
      return refused(random.pick([429, 200]), random.pick(['429', '25004']))
    case 'rate refusal with Retry-After':
      return refused(429, '429', { 'retry-after': String(random.int(1, 8)) })
    case 'server error':
      return bare(random.pick([500, 502, 503, 504]), random.pick(['', 'Bad Gateway', '{}']), 'server error')
    case 'passing code':
      return refused(random.pick([200, 400]), random.pick(['40015', '40725', '45001', '40808']))
    case 'unknown code':
      return refused(200, '98765')
    case 'clock refusal':
      return refused(400, '40008')
    case 'refusal that echoes a secret':
      return refused(400, '40014')
    default:
      return answer
  }
}

async function* chunksOf({ body, isReset }: Delivery): AsyncGenerator<Buffer> {
  const middle = Math.floor(body.length / 2)
  if (middle > 0) yield body.subarray(0, middle)
  if (body.length > 0) yield body.subarray(middle)
  if (isReset) throw connectionError('ECONNRESET')
}

function responseOf(delivery: Delivery, fault: WireFault | null): Dispatcher.ResponseData {
  const { status, headers } = delivery
  const type = fault === 'web page' ? 'text/html' : 'application/json'
  const response = {
    statusCode: status,
    headers: { 'content-type': type, ...headers },
    body: chunksOf(delivery),
  }
  return response as unknown as Dispatcher.ResponseData
}

type Answering = (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>

class SimulatedDispatcher extends Dispatcher {
  readonly #answering: Answering
  constructor(answering: Answering) {
    super()
    this.#answering = answering
  }
  override request(options: unknown): Promise<never> {
    return this.#answering(options as Dispatcher.RequestOptions) as Promise<never>
  }
}
