// The export of another service as rows of trades. A pure function of the bytes and the reading, because the
// journal keeps both: a later change to a mapping affects nothing that has landed. Rows that form one
// transaction there become one row here.
import { createHash } from 'node:crypto'
import { formatAmount } from '../../models/amount.ts'
import { type CsvFile, readCsv } from './csv.ts'
import { type ImportedRow, SeenOnce } from './format.ts'
import { columnsOf, delimiterOf, type Reading, requirePreamble, unreadBy } from './mapping.ts'
import { type Movement, MovementReader, type Side } from './movement.ts'
import type { Standing } from './numbers.ts'
import { Refusals } from './refusals.ts'
import type { TradeType } from './trades.ts'

/** Rows of a file that produce none of ours, grouped by what they are. */
export interface Aside {
  readonly what: string
  readonly rows: number
  /** What moves within the account leave over, by coin; empty if they cancel out. */
  readonly left: readonly Side[]
}

export interface MappedFile {
  readonly rows: readonly ImportedRow[]
  readonly aside: readonly Aside[]
  /** Coins and currencies of the rows. */
  readonly codes: ReadonlySet<string>
}

/** UsageError with the positions of everything that is wrong. */
export function readMapped(file: CsvFile, reading: Reading, standing: Standing): MappedFile {
  const aside = new AsideRows()
  const groups = new Map<string, Movement[]>()
  let reader: MovementReader | undefined
  readCsv(
    file,
    (header) => {
      const movements = new MovementReader(file.name, reading, columnsOf(header.cells), standing)
      reader = movements
      return (line) => {
        const movement = movements.read(line)
        if ('why' in movement) return aside.add(movement.why)
        if (movement.isFeeNoted)
          aside.add(`fees in a third coin, which ${reading.mapping.name} only mentions`)
        const key = isPartOfTrade(movement) ? movement.group : `${movement.row.line}`
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [movement])
        else group.push(movement)
      }
    },
    {
      preamble: requirePreamble(file, reading.mapping),
      delimiter: delimiterOf(reading.mapping),
      unread: (header) => unreadBy(reading.mapping, header),
    },
  )
  const rows = new MappedRows(file.name, reading, reader as MovementReader | undefined)
  const refusals = new Refusals(file.name)
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    if (first.word.as === 'internal') aside.add(first.text, first)
    else refusals.attempt(() => rows.add(group))
  }
  refusals.throwIfAny()
  return { rows: rows.all(), aside: aside.all(), codes: rows.codes }
}

const isPartOfTrade = ({ word: { as } }: Movement): boolean => as === 'trade' || as === 'fee'

class AsideRows {
  readonly #rows = new Map<string, { rows: number; left: Map<string, bigint> }>()

  add(what: string, moved?: Pick<Movement, 'in' | 'out'>): void {
    const known = this.#rows.get(what) ?? { rows: 0, left: new Map<string, bigint>() }
    known.rows += 1
    if (moved?.in) count(known.left, moved.in.asset, moved.in.amount)
    if (moved?.out) count(known.left, moved.out.asset, -moved.out.amount)
    this.#rows.set(what, known)
  }

  all(): Aside[] {
    return [...this.#rows].map(([what, { rows, left }]) => ({ what, rows, left: sidesOf(left) }))
  }
}

const count = (sums: Map<string, bigint>, asset: string, amount: bigint): void => {
  sums.set(asset, (sums.get(asset) ?? 0n) + amount)
}

const sidesOf = (sums: ReadonlyMap<string, bigint>): Side[] =>
  [...sums].flatMap(([asset, amount]) => (amount === 0n ? [] : [{ asset, amount }]))

/** A row that results from a transaction; its id is that of the transaction plus `suffix`. */
interface Part {
  readonly suffix: string
  readonly account: string
  readonly type: TradeType
  readonly asset: Side
  readonly total: Side | null
  readonly fee: Side | null
}

/** Collects the rows of one file. */
class MappedRows {
  readonly codes = new Set<string>()
  readonly #reading: Reading
  readonly #reader: MovementReader | undefined
  readonly #rows: ImportedRow[] = []
  readonly #seen: SeenOnce
  readonly #derived = new Map<string, number>()
  readonly #places: ReadonlyMap<string, number>

  constructor(file: string, reading: Reading, reader: MovementReader | undefined) {
    this.#reading = reading
    this.#reader = reader
    this.#seen = new SeenOnce(file, reader?.column('id') ?? 'id')
    this.#places = new Map(reading.quotes.map((code, at) => [code, at]))
  }

  /** By their positions in the file. */
  all(): ImportedRow[] {
    return this.#rows
  }

  /** RefusedCells for rows that do not form a valid transaction. */
  add(group: readonly Movement[]): void {
    const [first] = group
    if (first === undefined) return
    const id = this.#idOf(group)
    const rounded = group.reduce((sum, { row }) => sum + row.takeRounded(), 0)
    const { micros, nanos } = group.map(({ at }) => at).reduce((a, b) => (isBefore(b, a) ? b : a))
    for (const [nth, { suffix, account, type, asset, total, fee }] of this.#partsOf(group).entries()) {
      const { line } = first.row
      const row = [`${id}${suffix}`, micros, nanos, account, type, asset.asset, asset.amount]
      const values = [
        ...row,
        total?.asset ?? null,
        total?.amount ?? null,
        fee?.amount ?? 0n,
        fee?.asset ?? null,
      ]
      this.#seen.add(`${id}${suffix}`, line)
      for (const side of [asset, total, fee]) if (side !== null) this.codes.add(side.asset)
      this.#rows.push({ line, values, rounded: nth === 0 ? rounded : 0 })
    }
  }

  #partsOf(group: readonly Movement[]): Part[] {
    const [first] = group as [Movement]
    const { account, outAccount, fee, in: came, out: left, word, value } = first
    const only = { suffix: '', account, fee, total: null }
    const moved = (came ?? left) as Side
    switch (word.as) {
      case 'transfer':
      case 'transfer_in':
      case 'transfer_out':
        return this.#transfer(first)
      case 'income':
      case 'gift_in':
        return [{ ...only, type: word.as, asset: moved, total: value }]
      case 'gift_out':
        return [{ ...only, account: outAccount, type: word.as, asset: moved, total: value }]
      case 'spend':
        return [{ ...only, account: outAccount, type: 'sell', asset: moved }]
      default:
        return this.#trade(group)
    }
  }

  #transfer({ row, account, outAccount, in: came, out: left, fee }: Movement): Part[] {
    if (came !== null && left !== null && came.asset !== left.asset)
      throw row.refuse(
        this.#assetColumn(),
        'A transfer sends one coin and receives another.',
        'the same coin on both sides',
        `${left.asset} and ${came.asset}`,
      )
    const total = null
    const out: Part[] =
      left === null
        ? []
        : [{ suffix: ':out', account: outAccount, type: 'transfer_out', asset: left, total, fee }]
    const into: Part[] =
      came === null
        ? []
        : [
            {
              suffix: ':in',
              account,
              type: 'transfer_in',
              asset: came,
              total,
              fee: left === null ? fee : null,
            },
          ]
    return [...out, ...into]
  }

  /**
   * One coin for another, with its fees; if the fees are in several coins, each carries an equal part of the
   * trade.
   */
  #trade(group: readonly Movement[]): Part[] {
    const [first] = group as [Movement]
    const [came, left, fees] = [
      new Map<string, bigint>(),
      new Map<string, bigint>(),
      new Map<string, bigint>(),
    ]
    for (const { in: into, out, fee } of group) {
      if (into !== null) count(came, into.asset, into.amount)
      if (out !== null) count(left, out.asset, out.amount)
      if (fee !== null) count(fees, fee.asset, fee.amount)
    }
    const [into, out] = [sidesOf(came), sidesOf(left)]
    const [bought, paid] = [into[0], out[0]]
    const isTrade = into.length === 1 && out.length === 1 && bought?.asset !== paid?.asset
    if (!isTrade || bought === undefined || paid === undefined || first.account !== first.outAccount)
      throw this.#noTrade(group, into, out)
    const isSale = this.#place(bought.asset) < this.#place(paid.asset)
    const [type, asset, total] = isSale ? (['sell', paid, bought] as const) : (['buy', bought, paid] as const)
    const paidFees: readonly (Side | null)[] = fees.size === 0 ? [null] : sidesOf(fees)
    const parts = paidFees.length === 0 ? [null] : paidFees
    const [assets, totals] = [shares(asset, parts.length), shares(total, parts.length)]
    if (assets === null || totals === null) throw this.#noTrade(group, into, out)
    return parts.map((fee, at) => ({
      suffix: at === 0 ? '' : `-fee-${at + 1}`,
      account: first.account,
      type,
      asset: assets[at] as Side,
      total: totals[at] as Side,
      fee,
    }))
  }

  /** The coin that a trade is priced in comes first; coins on no list come last. */
  #place(code: string): number {
    return this.#places.get(code) ?? this.#places.size
  }

  #noTrade(group: readonly Movement[], into: readonly Side[], out: readonly Side[]) {
    const [first] = group as [Movement]
    const { mapping } = this.#reading
    const shown = [...into, ...out.map(({ asset, amount }) => ({ asset, amount: -amount }))]
    const amounts = shown.map(({ asset, amount }) => `${asset} ${formatAmount(amount)}`)
    const lines = group.map(({ row }) => row.line)
    const where =
      lines.length === 1 ? '' : ` in lines ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ' …' : ''}`
    const tied = mapping.group.length === 0 ? 'the row' : `the rows of one ${mapping.group.join(' and ')}`
    return first.row.refuse(
      this.#assetColumn(),
      'These rows do not form a trade of one coin for another.',
      `one coin received and one sent, in one account, in ${tied}`,
      `${amounts.length === 0 ? 'only a fee' : amounts.join(', ')}${where}`,
    )
  }

  #assetColumn(): string {
    return this.#reader?.column('asset') ?? this.#reader?.column('in_asset') ?? 'asset'
  }

  /**
   * The service's own id if there is one. Otherwise it is derived from what the rows state, however it is
   * written, and from how many equal rows precede them: two overlapping exports give the rows of both the
   * same ids.
   */
  #idOf(group: readonly Movement[]): string {
    const [first] = group as [Movement]
    const { name } = this.#reading.mapping
    const own = isPartOfTrade(first) ? (first.groupId ?? first.id) : first.id
    // The part before a colon ties the legs of a transfer.
    if (own !== null) return `${name}-${own.replaceAll(':', '.')}`
    const said = group.map(contentOf).toSorted()
    const hash = createHash('sha256').update(said.join('\n')).digest('hex').slice(0, 24)
    const nth = (this.#derived.get(hash) ?? 0) + 1
    this.#derived.set(hash, nth)
    return nth === 1 ? `${name}-${hash}` : `${name}-${hash}-${nth}`
  }
}

/** Equal parts, the last with the remainder; null if there is not enough to divide. */
function shares({ asset, amount }: Side, count: number): Side[] | null {
  const each = amount / BigInt(count)
  if (each === 0n) return null
  const sides = Array.from({ length: count }, () => ({ asset, amount: each }))
  return sides.with(-1, { asset, amount: amount - each * BigInt(count - 1) })
}

const isBefore = (a: Movement['at'], b: Movement['at']): boolean =>
  a.micros < b.micros || (a.micros === b.micros && a.nanos < b.nanos)

function contentOf({ at, text, namedAccounts, in: came, out: left, fee, value }: Movement): string {
  const side = (one: Side | null): string => (one === null ? '' : `${one.asset} ${formatAmount(one.amount)}`)
  return JSON.stringify([
    String(at.micros),
    at.nanos,
    text.toLowerCase(),
    ...namedAccounts,
    ...[came, left, fee, value].map(side),
  ])
}
