// What a broker does with the keys of its sub-accounts and reads about its customers; a parent may also read its
// sub-accounts' e-mail records. Interface document, 4.1 to 4.5 and part 5.

import { isIP } from 'node:net'
import { type Account, type ApiKey, GRANTS, inventCredential, type Permission } from '../core/accounts.ts'
import { DAY_MS } from '../core/clock.ts'
import { Random } from '../core/random.ts'
import type { Venue } from '../core/venue.ts'
import {
  count,
  id,
  listOf,
  oneOf,
  optional,
  present,
  required,
  string,
  stringOf,
  time,
  withDefault,
} from '../http/params.ts'
import { Refusal, refusals } from '../http/refusals.ts'
import { endpoint } from './endpoint.ts'

const PERM_TYPES = ['read_and_write', 'readonly'] as const
const IP_MAX = 30
const LABEL_MAX = 19

const label = stringOf(1, LABEL_MAX)
const ipList = listOf((raw, name) => {
  const address = string(raw, name)
  if (isIP(address) === 0) throw refusals.wrong(name, 'must be an IP address')
  return address
}, IP_MAX)
const permList = listOf(oneOf(GRANTS), GRANTS.length)

export const createApiKey = endpoint({
  section: '4.1',
  name: 'broker.createApiKey',
  method: 'POST',
  path: '/api/v2/broker/manage/create-subaccount-apikey',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  writes: true,
  onlyFor: { roles: ['broker'], code: '40029' },
  params: {
    subUid: required(string),
    passphrase: required(stringOf(6, 32)),
    label: required(label),
    ipList: optional(ipList),
    permType: required(oneOf(PERM_TYPES)),
    permList: required(permList),
  },
  handle: ({ venue, account, params }) => {
    const sub = subOf(venue, account, params.subUid)
    const addresses = params.ipList ?? []
    if (params.permType === 'read_and_write' && addresses.length === 0) throw refusals.missing('ipList')
    if (params.permList.length === 0) throw refusals.missing('permList')
    const grants = new Set<Permission>(params.permList)
    checkGrants(params.permType, grants)
    // The stream continues from key to key, so that no two are alike.
    const { apiKey, secret } = inventCredential(new Random(venue.seed, `issued key ${venue.keys.size}`))
    const key: ApiKey = {
      apiKey,
      secret,
      passphrase: params.passphrase,
      uid: sub.uid,
      label: params.label,
      ipList: addresses,
      readOnly: params.permType === 'readonly',
      permissions: grants,
    }
    venue.keys.set(apiKey, key)
    return { ...keyRow(key), apiKey, secretKey: secret }
  },
})

/** Empty values change nothing; an empty permType or permList must still be present. */
export const modifyApiKey = endpoint({
  section: '4.2',
  name: 'broker.modifyApiKey',
  method: 'POST',
  path: '/api/v2/broker/manage/modify-subaccount-apikey',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  writes: true,
  onlyFor: { roles: ['broker'], code: '40029' },
  params: {
    subUid: required(string),
    apiKey: required(string),
    passphrase: required(string),
    label: optional(label),
    ipList: optional(ipList),
    permType: present(oneOf(PERM_TYPES)),
    permList: present(permList),
  },
  handle: ({ venue, account, params }) => {
    const sub = subOf(venue, account, params.subUid)
    const key = venue.keys.get(params.apiKey)
    if (key === undefined || key.uid !== sub.uid || key.permissions.has('tax')) {
      throw new Refusal('40037', 'Apikey does not exist')
    }
    if (key.passphrase !== params.passphrase) throw new Refusal('40036', 'passphrase is error')
    const permType = params.permType ?? (key.readOnly ? 'readonly' : 'read_and_write')
    const grants = params.permList?.length ? new Set<Permission>(params.permList) : key.permissions
    checkGrants(permType, grants)
    const changed: ApiKey = {
      ...key,
      label: params.label ?? key.label,
      ipList: params.ipList?.length ? params.ipList : key.ipList,
      readOnly: permType === 'readonly',
      permissions: grants,
    }
    venue.keys.set(key.apiKey, changed)
    return { ...keyRow(changed), apiKey: `${key.apiKey.slice(0, 6)}****${key.apiKey.slice(-4)}` }
  },
})

function subOf(venue: Venue, parent: Account, subUid: string): Account {
  const sub = venue.account(subUid)
  if (sub?.parentUid !== parent.uid) throw refusals.wrong('subUid', 'is no sub-account of this account')
  return sub
}

function checkGrants(permType: (typeof PERM_TYPES)[number], grants: ReadonlySet<Permission>): void {
  if (permType === 'readonly' && grants.has('wallet_transfer')) {
    throw refusals.wrong('permList', 'wallet_transfer requires read_and_write')
  }
}

function keyRow(key: ApiKey): Record<string, unknown> {
  return {
    subUid: key.uid,
    label: key.label,
    ipList: key.ipList,
    permType: key.readOnly ? 'readonly' : 'read_and_write',
    permList: GRANTS.filter((grant) => key.permissions.has(grant)),
  }
}

export const subaccountEmail = endpoint({
  section: '4.3',
  name: 'broker.subaccountEmail',
  method: 'GET',
  path: '/api/v2/broker/account/subaccount-email',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  onlyFor: { roles: ['parent', 'broker'], code: '40029' },
  params: { subUid: required(string) },
  // A uid that is not a sub-account's has no record.
  handle: ({ venue, account, params }) => {
    const sub = venue.account(params.subUid)
    if (sub?.parentUid !== account.uid) throw refusals.notForThisAccount('40054')
    return {
      subUid: sub.uid,
      subaccountName: `${sub.name}@sandbox.example`,
      subaccountEmail: `desk+${sub.name}@sandbox.example`,
      cTime: String(venue.startMs),
      uTime: String(venue.startMs),
    }
  },
})

const EAST_ASIA_OFFSET_MS = 8 * 3_600_000

/** Yesterday from 00:00 to 23:59 in UTC+8, in whole days of that zone. */
function yesterday(nowMs: number): { startTime: number; endTime: number } {
  const today = Math.floor((nowMs + EAST_ASIA_OFFSET_MS) / DAY_MS) * DAY_MS - EAST_ASIA_OFFSET_MS
  return { startTime: today - DAY_MS, endTime: today - 1 }
}

const yesNo = oneOf(['yes', 'no'])
const CUSTOMER_DAYS = 30

export const customers = endpoint({
  section: '4.4',
  name: 'broker.customers',
  method: 'POST',
  path: '/api/v2/broker/customer-list',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  onlyFor: { roles: ['broker'], code: '70102' },
  params: {
    startTime: optional(time),
    endTime: optional(time),
    pageNo: withDefault(count(1_000_000), 1),
    pageSize: withDefault(count(1_000), 100),
    uid: optional(string),
    referralCode: optional(string),
    showSub: withDefault(yesNo, 'no'),
  },
  window: { spanDays: CUSTOMER_DAYS, retentionDays: CUSTOMER_DAYS, bothOrNeither: true },
  handle: ({ venue, params, nowMs }) => {
    const { startTime, endTime } = bounds(params, nowMs)
    const oldestMs = Math.max(startTime, nowMs - CUSTOMER_DAYS * DAY_MS)
    return venue.customers
      .filter(
        (customer) =>
          customer.registeredMs >= oldestMs &&
          customer.registeredMs <= endTime &&
          (params.uid === undefined || customer.uid === params.uid) &&
          (params.referralCode === undefined || customer.referralCode === params.referralCode) &&
          (params.showSub === 'yes' || customer.isDirect),
      )
      .reverse()
      .slice((params.pageNo - 1) * params.pageSize, params.pageNo * params.pageSize)
      .map(({ uid, registeredMs }) => ({ uid, registerTime: String(registeredMs) }))
  },
})

const KYC_REFRESH_MS = 5 * 60_000

export const customerKyc = endpoint({
  section: '4.5',
  name: 'broker.customerKyc',
  method: 'GET',
  path: '/api/v2/broker/customer-kyc-result',
  rate: { count: 10, perMs: 1_000, scope: 'uid' },
  permissions: ['master'],
  onlyFor: { roles: ['broker'], code: '70231' },
  params: {
    startTime: optional(time),
    endTime: optional(time),
    idLessThan: optional(id),
    limit: withDefault(count(1_000), 100),
    uid: optional(string),
    showSub: withDefault(yesNo, 'no'),
  },
  window: { spanDays: 90, retentionDays: null, bothOrNeither: true },
  paging: { param: 'idLessThan', rows: 'userList', next: 'endId', id: 'uid' },
  handle: ({ venue, params, nowMs }) => {
    const { startTime, endTime } = bounds(params, nowMs)
    const refreshedMs = Math.floor(nowMs / KYC_REFRESH_MS) * KYC_REFRESH_MS
    const userList = venue.kycResults
      .page({
        way: venue.manners.paging['broker.customerKyc'],
        cursor: params.idLessThan,
        limit: params.limit,
        keep: ({ uid, kycMs, isDirect }) =>
          kycMs >= startTime &&
          kycMs <= Math.min(endTime, refreshedMs) &&
          (params.uid === undefined || uid === params.uid) &&
          (params.showSub === 'yes' || isDirect),
      })
      .map(({ uid, kycResult }) => ({ uid, kycResult }))
    return { userList, endId: userList.at(-1)?.uid ?? '' }
  },
})

function bounds(
  { startTime, endTime }: { startTime?: number | undefined; endTime?: number | undefined },
  nowMs: number,
): { startTime: number; endTime: number } {
  return startTime === undefined || endTime === undefined ? yesterday(nowMs) : { startTime, endTime }
}
