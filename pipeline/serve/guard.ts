// Who may ask, and from where. A server on loopback is within reach of every page that the user's browser shows, so each
// request is looked at before it is routed: the name it was sent to, where it comes from, and whether it bears the secret.
// docs/page.md has the rules, test/serve/guard.test.ts a test for each.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../models/clock.ts'
import { Refusal } from './refusal.ts'

const SECRET_BYTES = 32
/** How long the code of a printed address is good. */
export const CODE_MS = 60_000

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export class Guard {
  readonly #port: number
  readonly #clock: Clock
  readonly #secret = randomBytes(SECRET_BYTES).toString('base64url')
  /** Hashes of codes that have not been used, with the time at which each lapses. */
  readonly #codes = new Map<string, number>()

  constructor(port: number, clock: Clock) {
    this.#port = port
    this.#clock = clock
  }

  /** The port is part of the name: cookies of one host are shared by all of its ports. */
  get cookieName(): string {
    return `tieout-${this.#port}`
  }

  /** A code for a printed address: good once, for a minute. */
  newCode(): string {
    const code = randomBytes(SECRET_BYTES).toString('base64url')
    this.#codes.set(digest(code).toString('hex'), this.#clock.monotonic() + CODE_MS)
    return code
  }

  /** Takes the code in exchange for the header that sets the cookie; null for one that is used, lapsed or none of ours. */
  redeem(code: string): string | null {
    // What is looked up is a hash, so that the time it takes says nothing of the codes there are.
    const key = digest(code).toString('hex')
    const lapsesAt = this.#codes.get(key)
    this.#codes.delete(key)
    if (lapsesAt === undefined || this.#clock.monotonic() >= lapsesAt) return null
    return `${this.cookieName}=${this.#secret}; Path=/; HttpOnly; SameSite=Strict`
  }

  /** Refuses a request for another host, or from another site: before anything is routed. */
  mustComeFromHere(request: Request): void {
    const host = request.headers.get('host') ?? ''
    if (!this.#hosts().includes(host)) {
      throw new Refusal(403, 'This address is not served.', {
        expected: `one of ${this.#hosts().join(', ')}`,
        action: 'Open the address that `tieout serve` printed.',
      })
    }
    const site = request.headers.get('sec-fetch-site')
    const isRead = READS.has(request.method)
    if (site !== null && site !== 'same-origin' && !(isRead && site === 'none')) throw foreign()
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== `http://${host}`) throw foreign()
  }

  /**
   * Refuses a request without the secret. A browser, known by its cookie, also says where a request comes from, and must:
   * a script bears the secret in a header that no page of another site can set.
   */
  mustBeKnown(request: Request): void {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
    if (bearer !== undefined && this.#isSecret(bearer)) return
    const cookie = cookieOf(request.headers.get('cookie') ?? '', this.cookieName)
    if (cookie === undefined || !this.#isSecret(cookie)) {
      throw new Refusal(401, 'This page is not known here.', {
        action:
          'Open the address that `tieout serve` printed; it is good once. Start it again for a new one.',
      })
    }
    if (request.headers.get('sec-fetch-site') === null) throw foreign()
    if (!READS.has(request.method) && request.headers.get('origin') === null) throw foreign()
  }

  /** A form of another site can be sent without being asked, JSON cannot. */
  mustBeJson(request: Request): void {
    if (READS.has(request.method)) return
    const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (type === 'application/json') return
    throw new Refusal(415, 'What is sent must be JSON.', {
      expected: 'content-type: application/json',
      action: 'Send it as JSON.',
    })
  }

  #hosts(): string[] {
    return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${this.#port}`)
  }

  #isSecret(given: string): boolean {
    return timingSafeEqual(digest(given), digest(this.#secret))
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const foreign = (): Refusal =>
  new Refusal(403, 'The request comes from another site.', {
    expected: 'a request of this page',
    action: 'Open the address that `tieout serve` printed.',
  })

function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Of every answer: nothing from elsewhere is loaded, nobody may frame it, and no text becomes code. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

export const NO_STORE = 'no-store'
