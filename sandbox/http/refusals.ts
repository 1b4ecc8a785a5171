// How the venue refuses: a code, a message, and the HTTP status that goes with the code. The document shows neither
// codes nor statuses (part 7); both are the publicly known ones of this API family.

export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = code
  }

  get status(): number {
    return STATUS_OF_CODE[this.code] ?? 400
  }
}

/** Everything not listed here is a 400. */
const STATUS_OF_CODE: Record<string, number> = {
  '429': 429,
  '40006': 401,
  '40009': 401,
  '40012': 401,
  '40037': 401,
  '40014': 403,
  '40018': 403,
  '40038': 403,
  '22010': 403,
  '40084': 403,
  '40404': 404,
  '40015': 500,
}

/** An endpoint's answer to an account that it is not meant for; each endpoint has a code of its own. */
const NOT_FOR_THIS_ACCOUNT = {
  '60039': 'P2P user does not exist',
  '40054': 'Data is empty',
  '40029': 'This user is not a broker',
  '70102': 'This user is not an agent',
  '70231': 'The partner channel is not enabled',
  '40099': 'The product line is not open',
  '40014': 'Incorrect permissions, need the permission of this endpoint',
} as const
export type NotForThisAccount = keyof typeof NOT_FOR_THIS_ACCOUNT

export const refusals = {
  rate: (message = 'Too Many Requests') => new Refusal('429', message),
  notFound: (path: string) => new Refusal('40404', `Request URL NOT FOUND: ${path}`),
  missing: (name: string) => new Refusal('40019', `Parameter ${name} cannot be empty`),
  wrong: (name: string, why: string) => new Refusal('40020', `Parameter ${name} error: ${why}`),
  body: (why: string) => new Refusal('40017', `Parameter verification failed: ${why}`),
  order: (why: string) => new Refusal('40034', why),
  permission: () => new Refusal('40014', NOT_FOR_THIS_ACCOUNT['40014']),
  classicAccount: () =>
    new Refusal(
      '40084',
      'You are in Classic Account mode, and the Unified Account API is not supported at this time',
    ),
  notForThisAccount: (code: NotForThisAccount) => new Refusal(code, NOT_FOR_THIS_ACCOUNT[code]),
  balance: (coin: string) => new Refusal('40754', `balance not enough: ${coin}`),
}
