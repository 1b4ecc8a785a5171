// Maps a code or status to a class of error. Sources: the code table of venue-facts (Failures), and the contract for
// what an account is. Which status goes with which code is not published, so a known code takes precedence, together
// with what the endpoint requires of an account: the same code is an answer at one endpoint and a fault at another.
import type { Endpoint, Opening } from './endpoint.ts'
import {
  ClockRefused,
  CredentialRefused,
  IpRefused,
  NotApplicable,
  OTHER_ENVIRONMENT,
  ParameterRefused,
  PassingFailure,
  PermissionRefused,
  RateRefused,
  type Refusal,
  TimeRangeRefused,
  UnknownRefusal,
  type VenueError,
} from './errors.ts'

/** Our own code for a feed whose credential is missing: nothing was sent. */
export const NO_CREDENTIAL = 'no credential'

const PERMISSION = '40014 40025 40029 40061 40068 40301 25620'

/** Codes for feeds that cannot be read with the available keys; the checks of the books use this list too. */
export const permissionCodes: readonly string[] = [NO_CREDENTIAL, ...PERMISSION.split(' ')]

/**
 * Codes for an account that an endpoint is not meant for: no such P2P user, no merchant, no data, no broker, no agent,
 * no partner channel, no lending unit, no parent account, a product line that is not open. At an endpoint that requires
 * a role, all of them mean that; which one it returns is known only for some.
 */
const NOT_OF_THE_ROLE: ReadonlySet<string> = new Set(
  '60039 60005 60049 40054 40029 40051 70102 70231 25559 25561 25566 40048 70206 40099'.split(' '),
)

/**
 * No data, or no such sub-account of this account: if an endpoint is called once for each of many, it refers to that
 * one only.
 */
const NOT_THAT_ONE: ReadonlySet<string> = new Set('40054 40028 40066 70207'.split(' '))

const NOT_OPENED: Readonly<Record<Opening, string>> = { P2P: '60039', 'product line': '40099' }

/**
 * How much of the endpoint a code says does not apply to the account: all of it, or the part that was requested; null
 * for nothing.
 */
function exclusionBy(code: string, { role, opened, paramFrom }: Endpoint): 'feed' | 'partition' | null {
  if (opened !== undefined && code === NOT_OPENED[opened]) return 'partition'
  // A sub-account that no longer exists does not affect the others.
  if (paramFrom !== undefined && NOT_THAT_ONE.has(code)) return 'partition'
  return role !== undefined && NOT_OF_THE_ROLE.has(code) ? 'feed' : null
}

type RefusalClass = new (refusal: Refusal) => VenueError

const classes: readonly (readonly [RefusalClass, string])[] = [
  [RateRefused, '429 25003 25004'],
  [ClockRefused, '40004 40005 40008 40078'],
  [CredentialRefused, '40001 40002 40003 40006 40009 40011 40012 40036 40037'],
  [IpRefused, '40018 40038 22010'],
  [PermissionRefused, PERMISSION],
  [NotApplicable, '40084 40085 25245'],
  [TimeRangeRefused, '00001 20001 40408 40704 40705 40707 40902 42072 43111 43130 70008 70103 70104'],
  [
    ParameterRefused,
    '40017 40019 40020 40034 40053 40064 40402 40404 40409 40700 40811 40813 41002 41100 41101 41103 43011 43058 ' +
      '43123 48001 48002 60001 60006 400171 400172 25200',
  ],
  // "In progress" is not a refusal: such a write may still be carried out.
  [PassingFailure, '40010 40015 40200 40725 40908 40909 40910 43059 43137 45001 40808 25000 25001'],
]

const byCode: ReadonlyMap<string, RefusalClass> = new Map(
  classes.flatMap(([type, codes]) => codes.split(' ').map((code) => [code, type] as const)),
)

/**
 * The class of a known code that has two meanings, told apart by the endpoint or the accompanying words. The words were
 * recorded from live accounts; answers in another language get the class of the code alone.
 */
function classOf({ code, endpoint, message }: Refusal): RefusalClass | undefined {
  // An invalid price or quantity. What it means for a read has never been recorded, so reads are retried.
  if (code === '40808' && endpoint.writes) return ParameterRefused
  // "param error", without naming one: the times, at an endpoint that takes times.
  if (code === '43111' && endpoint.window === null) return ParameterRefused
  // Of any field: the times, if it names one of them.
  if (code === '25200' && /(start|end)time/i.test(message)) return TimeRangeRefused
  return byCode.get(code)
}

/** A demo trading key, which proves nothing about the account: "exchange environment is incorrect". */
const isOfAnotherEnvironment = ({ code, message }: Refusal): boolean =>
  code === OTHER_ENVIRONMENT && /environment/i.test(message)

/** The meaning of a status, where no known code applies. */
function byStatus(status: number): RefusalClass {
  if (status === 429 || status === 418) return RateRefused
  if (status >= 500 || status === 408) return PassingFailure
  if (status === 401) return CredentialRefused
  if (status === 403) return IpRefused
  if (status === 400 || status === 404 || status === 405) return ParameterRefused
  return UnknownRefusal
}

/**
 * The error for a refusal. The code takes precedence, except that HTTP 429 is always a rate limit. For a success code
 * under a failure status, and for a body without a code, only the status is used.
 */
export function refusalOf(refusal: Refusal, codeReceived: boolean): VenueError {
  const { status, code } = refusal
  if (status === 429) return new RateRefused(refusal)
  if (codeReceived && isOfAnotherEnvironment(refusal)) return new CredentialRefused(refusal)
  const exclusion = codeReceived ? exclusionBy(code, refusal.endpoint) : null
  if (exclusion !== null) return new NotApplicable(refusal, exclusion)
  const known = codeReceived ? classOf(refusal) : undefined
  if (known !== undefined) return new known(refusal)
  if (status !== null && (status >= 500 || !codeReceived || code === '00000'))
    return new (byStatus(status))(refusal)
  return new UnknownRefusal(refusal)
}
