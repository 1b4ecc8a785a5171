// The sandbox's six accounts and their keys, all derived from the seed. The parent's key is bound to the loopback
// addresses, since sub-account transfers require a bound key (interface document, 4.6 and part 5).

import { Feed } from './feed.ts'
import {
  BUSINESS_LINES,
  FUTURES_LINES,
  type FuturesLine,
  isFuturesLine,
  type Kind,
  type Role,
  type Side,
} from './lines.ts'
import type { Order } from './orders.ts'
import { Random } from './random.ts'
import type { FuturesRecord, P2pOrder, P2pRecord, TaxRecord } from './records.ts'

export interface Credential {
  apiKey: string
  secret: string
  passphrase: string
}

/** An account as `sandbox --json` lists it. */
export interface SandboxAccount extends Credential {
  name: string
  uid: string
  kind: Kind
  roles: Role[]
  taxKey: Credential
}

export const GRANTS = [
  'contract_order',
  'contract_position',
  'spot_trade',
  'margin_trade',
  'copytrading_trade',
  'wallet_transfer',
] as const
export type Grant = (typeof GRANTS)[number]

/**
 * What a key may do: `uta_*` as part 5 names it, `master` for what only a key created by the account's owner can do.
 */
export type Permission = Grant | 'uta_trade' | 'uta_mgt' | 'master' | 'tax'

export interface ApiKey extends Credential {
  uid: string
  permissions: ReadonlySet<Permission>
  readOnly: boolean
  ipList: readonly string[]
  label: string
}

export interface Position {
  line: FuturesLine
  symbol: string
  side: Side
  quantity: bigint
  averagePrice: bigint
  leverage: number
  realised: bigint
  funding: bigint
  fees: bigint
  openedMs: number
  updatedMs: number
}

/** A debt of the margin account; interest is settled from the balance, so only principal is owed. */
export interface Debt {
  coin: string
  marginType: 'crossed' | 'isolated'
  principal: bigint
}

export interface Account {
  name: string
  uid: string
  kind: Kind
  roles: readonly Role[]
  parentUid: string | null
  holdMode: 'hedge_mode' | 'one_way_mode'
  /** Keyed by partition: a business line, or `MARGIN/isolated`. */
  taxRecords: Map<string, Feed<TaxRecord>>
  futuresRecords: Map<string, Feed<FuturesRecord>>
  p2pRecords: Feed<P2pRecord>
  orders: Feed<Order>
  p2pOrders: Feed<P2pOrder>
  positions: Position[]
  debts: Debt[]
}

const MASTER_PERMISSIONS: readonly Permission[] = [...GRANTS, 'uta_trade', 'uta_mgt', 'master']

const CAST: readonly {
  name: string
  kind: Kind
  roles: Role[]
  parent?: string
  oneWay?: true
  bound?: true
}[] = [
  { name: 'parent', kind: 'unified', roles: ['parent', 'merchant', 'institution'], bound: true },
  { name: 'classic', kind: 'classic', roles: [] },
  { name: 'broker', kind: 'unified', roles: ['broker'] },
  { name: 'broker-sub', kind: 'unified', roles: ['sub'], parent: 'broker' },
  { name: 'sub-1', kind: 'unified', roles: ['sub'], parent: 'parent', oneWay: true },
  { name: 'sub-2', kind: 'unified', roles: ['sub'], parent: 'parent' },
]

/** The partition of 4.19 in which a record is found. */
export function taxPartition(line: string, marginType: string | undefined): string {
  return line === 'MARGIN' && marginType === 'isolated' ? 'MARGIN/isolated' : line
}

/** The ledger whose balance a business line moves. P2P is always a separate ledger. */
export function ledgerOf(account: Account, line: string): string {
  return account.kind === 'unified' ? 'UNIFIED' : line
}

/** Whether any feed of the account covers a ledger: a classic account's spot wallet has none. */
export function isTold(account: Account, ledger: string): boolean {
  return ledger === 'P2P' || account.kind === 'unified' || isFuturesLine(ledger)
}

/** The cast; plain accounts have the names and habits of the others, but no role and no parent. */
export function castAccounts(
  seed: number,
  arePlain: boolean,
): {
  accounts: Account[]
  keys: ApiKey[]
  listed: SandboxAccount[]
} {
  const random = new Random(seed, 'accounts')
  const accounts: Account[] = []
  const keys: ApiKey[] = []
  const listed: SandboxAccount[] = []
  for (const [index, { name, kind, oneWay, bound, ...cast }] of CAST.entries()) {
    const { roles, parent } = arePlain ? { roles: [] } : cast
    // The leading digit keeps the uids distinct whatever the seed draws.
    const uid = `${index + 1}${random.digits(9)}`
    accounts.push({
      name,
      uid,
      kind,
      roles,
      parentUid: accounts.find((account) => account.name === parent)?.uid ?? null,
      holdMode: oneWay ? 'one_way_mode' : 'hedge_mode',
      taxRecords: new Map([...BUSINESS_LINES, 'MARGIN/isolated'].map((partition) => [partition, new Feed()])),
      futuresRecords: new Map(FUTURES_LINES.map((line) => [line, new Feed()])),
      p2pRecords: new Feed(),
      orders: new Feed(),
      p2pOrders: new Feed(),
      positions: [],
      debts: [],
    })
    const credential = inventCredential(random)
    const taxKey = inventCredential(random)
    const ipList = bound ? ['127.0.0.1', '::1'] : []
    keys.push(
      { ...credential, uid, permissions: new Set(MASTER_PERMISSIONS), readOnly: false, ipList, label: name },
      { ...taxKey, uid, permissions: new Set(['tax']), readOnly: true, ipList: [], label: `${name} tax` },
    )
    listed.push({ name, uid, kind, roles, ...credential, taxKey })
  }
  return { accounts, keys, listed }
}

export function inventCredential(random: Random): Credential {
  return { apiKey: `bg_${random.hex(32)}`, secret: random.hex(64), passphrase: `pass${random.hex(12)}` }
}
