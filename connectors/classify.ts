// Which class of error a code or a status is. Sources: the code table of venue-facts (Failures), and for what an account
// is the contract. Which status goes with which code is not published, so the code decides where it is known, together
// with what the endpoint asks of an account: the same code is an answer at one endpoint and a fault at another.
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

/** Code of our own for a feed whose credential is not there: nothing was asked. */
export const NO_CREDENTIAL = 'no credential'

const PERMISSION = '40014 40025 40029 40061 40068 40301 25620'

/** Codes that say that a feed cannot be read with the keys at hand; the checks of the books read them here too. */
export const permissionCodes: readonly string[] = [NO_CREDENTIAL, ...PERMISSION.split(' ')]

/**
 * How the venue says that an account is not what an endpoint is for: no such P2P user, no merchant, no data, no broker, no
 * agent, no partner channel, no lending unit, no parent account, a product line that is not open. At an endpoint with a
 * role they all say so; which of them it answers there is known of some only.
 */
const NOT_OF_THE_ROLE: ReadonlySet<string> = new Set(
  '60039 60005 60049 40054 40029 40051 70102 70231 25559 25561 25566 40048 70206 40099'.split(' '),
)

/** No data, or no such sub-account of this one: where an endpoint is asked for each of many, it speaks of that one. */
const NOT_THAT_ONE: ReadonlySet<string> = new Set('40054 40028 40066 70207'.split(' '))

const NOT_OPENED: Readonly<Record<Opening, string>> = { P2P: '60039', 'product line': '40099' }

/** What of the endpoint a code says does not apply to the account: all of it, or the part asked for; null for nothing. */
function exclusionBy(code: string, { role, opened, paramFrom }: Endpoint): 'feed' | 'partition' | null {
  if (opened !== undefined && code === NOT_OPENED[opened]) return 'partition'
  // A sub-account that is gone silences no other.
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
  // What is under way is no refusal: a write that is told so may yet be carried out.
  [PassingFailure, '40010 40015 40200 40725 40908 40909 40910 43059 43137 45001 40808 25000 25001'],
]

const byCode: ReadonlyMap<string, RefusalClass> = new Map(
  classes.flatMap(([type, codes]) => codes.split(' ').map((code) => [code, type] as const)),
)

/**
 * The class of a known code, where the endpoint or the words beside it tell which of two things it says. The words are
 * those that were recorded of real accounts; whoever is asked in another language gets the class of the code alone.
 */
function classOf({ code, endpoint, message }: Refusal): RefusalClass | undefined {
  // A price or a quantity that is not as it should be. What it says of a read nobody has recorded, so that is tried again.
  if (code === '40808' && endpoint.writes) return ParameterRefused
  // "param error", of whatever: of the times at an endpoint that is asked by times.
  if (code === '43111' && endpoint.window === null) return ParameterRefused
  // Of any field: of the times where it names one of them.
  if (code === '25200' && /(start|end)time/i.test(message)) return TimeRangeRefused
  return byCode.get(code)
}

/** A key of demo trading, which says nothing of the account: "exchange environment is incorrect". */
const isOfAnotherEnvironment = ({ code, message }: Refusal): boolean =>
  code === OTHER_ENVIRONMENT && /environment/i.test(message)

/** What a status says where no known code does. */
function byStatus(status: number): RefusalClass {
  if (status === 429 || status === 418) return RateRefused
  if (status >= 500 || status === 408) return PassingFailure
  if (status === 401) return CredentialRefused
  if (status === 403) return IpRefused
  if (status === 400 || status === 404 || status === 405) return ParameterRefused
  return UnknownRefusal
}

/**
 * The error of a refusal. The code decides, except that HTTP 429 is always about the rate; a code of success
 * under a status of failure, and a body without a code, go by the status alone.
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
