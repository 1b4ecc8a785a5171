// Every odd shape that the venue has been seen to send: numbers where strings are due, absent and null fields, other
// spellings, unknown values. What a record's oddity is depends on its id alone, so that it is the same in every
// answer. Money keeps its value: an oddity changes how a record is written, never what it says.

import { Random } from '../core/random.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of every feed.
type Row = Record<string, any>

const BARE = '\u0001'

/** A number that JSON.stringify would spoil: written as it stands, without quotes. */
const bare = (digits: string): string => BARE + digits

/** Serialises an envelope, setting free the numbers marked as bare. */
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

const without = (row: Row, name: string): Row => {
  const { [name]: _, ...rest } = row
  return rest
}

type Oddity = (row: Row) => Row

/** Oddities that any row with an id and amounts can have. */
function common(id: string, amounts: readonly string[]): Oddity[] {
  return [
    (row) => ({ ...row, [id]: bare(row[id]) }),
    (row) => Object.assign({ ...row }, ...amounts.map((name) => row[name] && { [name]: bare(row[name]) })),
    (row) =>
      Object.assign({ ...row }, ...amounts.map((name) => row[name] && { [name]: withExponent(row[name]) })),
    (row) =>
      Object.assign(
        { ...row },
        ...amounts.map((name) => row[name] && { [name]: bare(withExponent(row[name])) }),
      ),
    (row) => ({ ...row, bizFlag: '7', extInfo: { source: 'app', tags: [] } }),
  ]
}

const taxType = (name: string): Oddity[] => [
  (row) => ({ ...row, [name]: row[name].toLowerCase() }),
  (row) => ({ ...row, [name]: row[name].toLowerCase().replaceAll('_', '-') }),
]

const noFee: Oddity[] = [
  (row) => (row.fee === '0' ? { ...row, fee: null } : row),
  (row) => (row.fee === '0' ? { ...row, fee: '' } : row),
]

const orderOddities: Oddity[] = [
  ...common('orderId', ['price', 'qty', 'cumExecQty']),
  (row) => ({ ...row, createdTime: bare(row.createdTime), updatedTime: bare(row.updatedTime) }),
  (row) => ({ ...row, reduceOnly: row.reduceOnly.toLowerCase(), posSide: row.posSide ?? '' }),
  (row) => ({ ...row, posSide: row.posSide ?? null, takeProfit: '', stopLoss: null }),
  (row) => without(without(row, 'delegateType'), 'stpMode'),
  (row) => (row.feeDetail.length === 0 ? { ...row, feeDetail: null } : row),
  (row) => (row.feeDetail.length === 0 ? { ...row, feeDetail: [{ feeCoin: null, fee: null }] } : row),
  (row) => (row.feeDetail.length === 0 ? { ...row, feeDetail: [{ feeCoin: '', fee: '' }] } : row),
  (row) => ({ ...row, cancelReason: row.cancelReason === '' ? 'some_newer_cancel' : row.cancelReason }),
]

const ODDITIES: Record<string, { id: string; of: readonly Oddity[] }> = {
  'tax.records': {
    id: 'id',
    of: [
      ...common('id', ['amount', 'balance']),
      ...taxType('type'),
      ...noFee,
      (row) => (row.type === 'SYSTEM_TRANSFER_IN' ? { ...row, type: 'user_grants_issue' } : row),
      (row) => (row.type === 'SYSTEM_TRANSFER_IN' ? { ...row, type: '' } : row),
      (row) => ({ ...row, ts: bare(row.ts) }),
    ],
  },
  'tax.futuresRecords': {
    id: 'id',
    of: [
      ...common('id', ['amount', 'fee']),
      ...taxType('futureTaxType'),
      ...noFee,
      (row) =>
        row.futureTaxType.startsWith('CONTRACT_MAIN_SETTLE_FEE')
          ? { ...row, futureTaxType: 'contract_main_settle_fee' }
          : row,
      (row) => (row.symbol === '' ? { ...row, symbol: null } : row),
      (row) => (row.symbol === '' ? without(row, 'symbol') : row),
    ],
  },
  'tax.p2pRecords': {
    id: 'id',
    of: [
      ...common('id', ['balance']),
      ...taxType('p2pTaxType'),
      (row) => ({ ...without(row, 'balance'), total: row.balance }),
      (row) => ({ ...row, p2pTaxType: row.p2pTaxType.toUpperCase() }),
    ],
  },
  'trade.orderHistory': { id: 'orderId', of: orderOddities },
  'trade.openOrders': { id: 'orderId', of: orderOddities },
  'p2p.orders': {
    id: 'orderId',
    of: [
      ...common('orderId', ['count', 'amount']),
      (row) => ({ ...without(without(row, 'ctime'), 'utime'), cTime: row.ctime, uTime: row.utime }),
      (row) => ({ ...row, paymentInfo: null }),
      (row) => ({ ...row, releaseTime: row.releaseTime === '' ? null : bare(row.releaseTime) }),
    ],
  },
  'broker.customers': {
    id: 'uid',
    of: [(row) => ({ ...row, uid: bare(row.uid) }), (row) => ({ ...row, level: null })],
  },
  'broker.customerKyc': { id: 'uid', of: [(row) => ({ ...row, uid: bare(row.uid) })] },
  'futures.subaccountAssets': { id: 'userId', of: [(row) => ({ ...row, userId: bare(row.userId) })] },
  'futures.contracts': {
    id: 'symbol',
    of: [(row) => without(row, 'openTime'), (row) => ({ ...row, isRwa: 'no' })],
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
    if (next !== null && /^\d+$/.test(odd[next]) && this.#random.chance(0.5)) odd[next] = bare(odd[next])
    return odd
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
