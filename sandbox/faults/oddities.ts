// Every odd shape that the venue has been seen to send: numbers where strings are expected, absent and null fields,
// other spellings, unknown values. A record's oddity depends only on its id, so that it is the same in every answer.
// Money keeps its value: an oddity changes how a record is written, never its content.

import { Random } from '../core/random.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'

type Row = Record<string, unknown>

const BARE = '\u0001'

/** A number that JSON.stringify would spoil: written unchanged, without quotes. */
const bare = (digits: string): string => BARE + digits

/** Serialises an envelope, with the numbers marked as bare written without quotes. */
export function stringifyOdd(envelope: unknown): string {
  return JSON.stringify(envelope).replace(/"\\u0001([^"]*)"/g, '$1')
}

/** The same value with an exponent, as `4.5E-4`. */
export function withExponent(decimal: string): string {
  const negative = decimal.startsWith('-')
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0E0'
  const exponent =
    whole.replace(/^0+/, '').length - 1 - (Number(whole) === 0 ? /^0*/.exec(fraction)![0].length : 0)
  const rest = digits.slice(1).replace(/0+$/, '')
  return `${negative ? '-' : ''}${digits[0]}${rest === '' ? '' : `.${rest}`}E${exponent}`
}

/** Writes the named fields of a row another way; fields that are absent or empty stay so. */
function rewrite(row: Row, names: readonly string[], write: (text: string) => unknown): Row {
  const written = names
    .filter((name) => typeof row[name] === 'string' && row[name] !== '')
    .map((name) => [name, write(row[name] as string)])
  return { ...row, ...Object.fromEntries(written) }
}

function without(row: Row, ...names: string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}

type Oddity = (row: Row) => Row

const asBare =
  (...names: string[]): Oddity =>
  (row) =>
    rewrite(row, names, bare)

/** Replaces one exact value, and leaves rows with another value alone. */
const instead =
  (name: string, of: unknown, value: unknown): Oddity =>
  (row) =>
    JSON.stringify(row[name]) === JSON.stringify(of) ? { ...row, [name]: value } : row

/** Oddities that any row with an id and amounts can have. */
function common(id: string, amounts: readonly string[]): Oddity[] {
  return [
    asBare(id),
    asBare(...amounts),
    (row) => rewrite(row, amounts, withExponent),
    (row) => rewrite(row, amounts, (amount) => bare(withExponent(amount))),
    (row) => ({ ...row, bizFlag: '7', extInfo: { source: 'app', tags: [] } }),
  ]
}

const taxType = (name: string): Oddity[] => [
  (row) => rewrite(row, [name], (type) => type.toLowerCase()),
  (row) => rewrite(row, [name], (type) => type.toLowerCase().replaceAll('_', '-')),
]

const noFee: Oddity[] = [instead('fee', '0', null), instead('fee', '0', '')]

const orderOddities: Oddity[] = [
  ...common('orderId', ['price', 'qty', 'cumExecQty']),
  asBare('createdTime', 'updatedTime'),
  (row) => rewrite({ ...row, posSide: row.posSide ?? '' }, ['reduceOnly'], (answer) => answer.toLowerCase()),
  (row) => ({
    ...row,
    posSide: row.posSide ?? null,
    takeProfit: row.takeProfit ?? '',
    stopLoss: row.stopLoss ?? '',
  }),
  // As orders were sent before these fields existed; a field with a value keeps it.
  (row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name, value]) => value !== null || !/^(tp|sl|takeP|stopL)/.test(name)),
    ),
  (row) => without(row, 'delegateType', 'stpMode'),
  instead('feeDetail', [], null),
  instead('feeDetail', [], [{ feeCoin: null, fee: null }]),
  instead('feeDetail', [], [{ feeCoin: '', fee: '' }]),
  instead('cancelReason', '', 'some_newer_cancel'),
]

/** The table names the field `equity`, the list beside it `accountEquity`. */
const equityAsDocumented: Oddity = (row) => ({
  ...row,
  assetList: (row.assetList as Row[]).map((asset) => ({
    ...without(asset, 'accountEquity'),
    equity: asset.accountEquity,
  })),
})

const ODDITIES: Record<string, { id: string; of: readonly Oddity[] }> = {
  'tax.records': {
    id: 'id',
    of: [
      ...common('id', ['amount', 'balance']),
      ...taxType('type'),
      ...noFee,
      instead('type', 'SYSTEM_TRANSFER_IN', 'user_grants_issue'),
      instead('type', 'SYSTEM_TRANSFER_IN', ''),
      asBare('ts'),
    ],
  },
  'tax.futuresRecords': {
    id: 'id',
    of: [
      ...common('id', ['amount', 'fee']),
      ...taxType('futureTaxType'),
      (row) => rewrite(row, ['futureTaxType'], (type) => type.toUpperCase()),
      ...noFee,
      instead('futureTaxType', 'CONTRACT_MAIN_SETTLE_FEE_USER_IN', 'contract_main_settle_fee'),
      instead('futureTaxType', 'CONTRACT_MAIN_SETTLE_FEE_USER_OUT', 'contract_main_settle_fee'),
      instead('symbol', '', null),
      (row) => (row.symbol === '' ? without(row, 'symbol') : row),
    ],
  },
  'tax.p2pRecords': {
    id: 'id',
    of: [
      ...common('id', ['balance']),
      ...taxType('p2pTaxType'),
      (row) => rewrite(row, ['p2pTaxType'], (type) => type.replace('-', '_')),
      (row) => ({ ...without(row, 'balance'), total: row.balance }),
      (row) => rewrite(row, ['p2pTaxType'], (type) => type.toUpperCase()),
    ],
  },
  'trade.orderHistory': { id: 'orderId', of: orderOddities },
  'trade.openOrders': { id: 'orderId', of: orderOddities },
  'p2p.orders': {
    id: 'orderId',
    of: [
      ...common('orderId', ['count', 'amount']),
      (row) => ({ ...without(row, 'ctime', 'utime'), cTime: row.ctime, uTime: row.utime }),
      (row) => ({ ...row, paymentInfo: null }),
      instead('releaseTime', '', null),
      asBare('releaseTime', 'ctime'),
    ],
  },
  'broker.customers': { id: 'uid', of: [asBare('uid'), (row) => ({ ...row, level: null })] },
  'broker.customerKyc': { id: 'uid', of: [asBare('uid')] },
  'futures.subaccountAssets': {
    id: 'userId',
    of: [asBare('userId'), equityAsDocumented],
  },
  'futures.contracts': {
    id: 'symbol',
    of: [(row) => without(row, 'openTime'), instead('isRwa', 'NO', 'no')],
  },
  'futures.positions': {
    id: 'symbol',
    of: [(row) => ({ ...row, takeProfit: null, stopLoss: '' }), (row) => without(row, 'grant')],
  },
}

/** One row in three is odd, each in one of the ways of its feed. */
const ODD_SHARE = 0.34

export class Oddities {
  readonly #seed: number
  readonly #random: Random

  constructor(seed: number) {
    this.#seed = seed
    this.#random = new Random(seed, 'oddities')
  }

  data(endpoint: Endpoint, data: unknown): unknown {
    const rowsAt = endpoint.paging?.rows
    if (Array.isArray(data)) return data.map((row: Row) => this.#row(endpoint.name, row))
    if (rowsAt === undefined || rowsAt === null) return data
    const page = data as Row
    const rows = page[rowsAt] as Row[]
    const next = endpoint.paging!.next
    if (rows.length === 0 && next !== null) return this.#emptyPage(rowsAt, next)
    const odd: Row = { ...page, [rowsAt]: rows.map((row) => this.#row(endpoint.name, row)) }
    return next !== null && this.#random.chance(0.5) ? rewrite(odd, [next], bare) : odd
  }

  /** Mostly thirteen digits, now and then twelve or fourteen. */
  requestTime(nowMs: number): number {
    return this.#random.pick([nowMs, nowMs, nowMs, Math.floor(nowMs / 10), nowMs * 10])
  }

  #row(name: string, row: Row): Row {
    const oddities = ODDITIES[name]
    if (oddities === undefined) return row
    const random = new Random(this.#seed, `oddity/${name}/${row[oddities.id]}`)
    return random.chance(ODD_SHARE) ? random.pick(oddities.of)(row) : row
  }

  #emptyPage(rows: string, next: string): Row {
    return this.#random.pick([{ [rows]: null, [next]: null }, { [rows]: [], [next]: '' }, { [rows]: [] }])
  }
}
