// Who may send requests, and from where. Every page in the user's browser can reach a server on loopback, so each request is
// checked before it is routed: the host it was sent to, where it comes from, and whether it carries the secret. docs/page.md
// has the rules, test/serve/guard.test.ts a test for each.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../models/clock.ts'
import { Refusal } from './refusal.ts'

const SECRET_BYTES = 32
/** How long the code in a printed address is valid. */
export const CODE_MS = 60_000

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export class Guard {
  readonly #port: number
  readonly #clock: Clock
  readonly #secret = randomBytes(SECRET_BYTES).toString('base64url')
  /** Hashes of unused codes, with the time at which each expires. */
  readonly #codes = new Map<string, number>()

  constructor(port: number, clock: Clock) {
    this.#port = port
    this.#clock = clock
  }

  /** The name includes the port, because a host's cookies are shared by all of its ports. */
  get cookieName(): string {
    return `tieout-${this.#port}`
  }

  /** A code for a printed address: valid once, for a minute. */
  newCode(): string {
    const code = randomBytes(SECRET_BYTES).toString('base64url')
    this.#codes.set(digest(code).toString('hex'), this.#clock.monotonic() + CODE_MS)
    return code
  }

  /** Exchanges the code for the header that sets the cookie; null for a used, expired or unknown code. */
  redeem(code: string): string | null {
    // The lookup is by hash, so that its timing reveals nothing about the existing codes.
    const key = digest(code).toString('hex')
    const lapsesAt = this.#codes.get(key)
    this.#codes.delete(key)
    if (lapsesAt === undefined || this.#clock.monotonic() >= lapsesAt) return null
    return `${this.cookieName}=${this.#secret}; Path=/; HttpOnly; SameSite=Strict`
  }

  /** Refuses a request for another host, or from another site, before anything is routed. */
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
   * Refuses a request without the secret. A browser, recognised by its cookie, must also state where the request comes from.
   * A script sends the secret in a header that no page of another site can set.
   */
  mustBeKnown(request: Request): void {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
    if (bearer !== undefined && this.#isSecret(bearer)) return
    const cookie = cookieOf(request.headers.get('cookie') ?? '', this.cookieName)
    if (cookie === undefined || !this.#isSecret(cookie)) {
      throw new Refusal(401, 'This browser has no access to the page.', {
        action: 'Open the address that `tieout serve` printed; it works once. Restart it for a new address.',
      })
    }
    if (request.headers.get('sec-fetch-site') === null) throw foreign()
    if (!READS.has(request.method) && request.headers.get('origin') === null) throw foreign()
  }

  /** A form on another site can be sent without a preflight request; JSON cannot. */
  mustBeJson(request: Request): void {
    if (READS.has(request.method)) return
    const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (type === 'application/json') return
    throw new Refusal(415, 'The body must be JSON.', {
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
    expected: 'a request from this page',
    action: 'Open the address that `tieout serve` printed.',
  })

function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Headers of every answer: nothing is loaded from elsewhere, no site may frame the page, and no text becomes code. */
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
