// Which class of error a code or a status is. Sources: the code table of venue-facts (Failures), and for what an account
// is the contract. Which status goes with which code is not published, so the code decides where it is known.
import {
  ClockRefused,
  CredentialRefused,
  IpRefused,
  NotApplicable,
  ParameterRefused,
  PassingFailure,
  PermissionRefused,
  RateRefused,
  type Refusal,
  TimeRangeRefused,
  UnknownRefusal,
  type VenueError,
} from './errors.ts'

type RefusalClass = new (refusal: Refusal) => VenueError

const classes: readonly (readonly [RefusalClass, string])[] = [
  [RateRefused, '429 25003 25004'],
  [ClockRefused, '40005 40008 40078'],
  [CredentialRefused, '40001 40002 40003 40006 40009 40011 40012 40036 40037'],
  [IpRefused, '40018 40038 22010'],
  [PermissionRefused, '40014 40029 40068 25620'],
  [NotApplicable, '40084 40085 25245 70102'],
  [TimeRangeRefused, '00001 20001 40704 40705 40707 42072 43111 43130'],
  [ParameterRefused, '40017 40019 40020 40034 400172 25200'],
  [PassingFailure, '40015 40725 45001 40808 25000 25001'],
]

const byCode: ReadonlyMap<string, RefusalClass> = new Map(
  classes.flatMap(([type, codes]) => codes.split(' ').map((code) => [code, type] as const)),
)

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
 * under a status of failure, and a body without a code, are told by the status alone.
 */
export function refusalOf(refusal: Refusal, codeReceived: boolean): VenueError {
  const { status, code } = refusal
  if (status === 429) return new RateRefused(refusal)
  const known = codeReceived ? byCode.get(code) : undefined
  if (known !== undefined) return new known(refusal)
  if (status !== null && (status >= 500 || !codeReceived || code === '00000'))
    return new (byStatus(status))(refusal)
  return new UnknownRefusal(refusal)
}
