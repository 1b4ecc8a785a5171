// Broker functions: keys of sub-accounts, their e-mail records, and referred customers. Interface document, 4.1 to 4.5.
import { customer, customerKyc, subaccountEmail } from '../../models/people.ts'
import { days, defineEndpoint } from '../endpoint.ts'
import {
  bothTimesOrNone,
  fields,
  inOrder,
  listOf,
  millis,
  oneOf,
  permType,
  type Report,
  text,
  textBetween,
  textShorterThan,
  wholeNumber,
  yesNo,
} from '../params.ts'

const ND_BROKER = 'an ND broker main account'
const AGENT = 'an agent (referral) account'

/** Customers of the broker's customers are left out unless requested. */
const WITH_SUBORDINATES = [{ label: '', params: { showSub: 'yes' } }]

const permission = oneOf(
  'contract_order',
  'contract_position',
  'spot_trade',
  'margin_trade',
  'copytrading_trade',
  'wallet_transfer',
)

const ipList = listOf(text, { max: 30 })

type KeyFields = Readonly<Record<string, unknown>>

function transferNeedsWrite({ permType: type, permList }: KeyFields, report: Report): void {
  const mayNotWrite = type === 'readonly'
  if (mayNotWrite && Array.isArray(permList) && permList.includes('wallet_transfer'))
    report('permList', 'may hold wallet_transfer only when permType is read_and_write')
}

function addressesUnlessReadonly({ permType: type, ipList: addresses }: KeyFields, report: Report): void {
  if (type !== 'readonly' && (addresses === undefined || (addresses as readonly unknown[]).length === 0))
    report('ipList', 'is required unless permType is readonly')
}

/** Creates a key; the only answer that ever contains its secret. Interface document, 4.1. */
export const createApiKey = defineEndpoint({
  section: '4.1',
  name: 'broker.createApiKey',
  method: 'POST',
  path: '/api/v2/broker/manage/create-subaccount-apikey',
  writes: true,
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      subUid: text,
      passphrase: textBetween(6, 32),
      label: textShorterThan(20, { min: 1 }),
      ipList: ipList.optional(),
      permType,
      permList: listOf(permission, { min: 1 }),
    },
    addressesUnlessReadonly,
    transferNeedsWrite,
  ),
  rows: 'object',
  role: ND_BROKER,
  secretParams: ['passphrase'],
  secretFields: ['secretKey'],
  outcome: 'Check the keys of the sub-account on the venue’s site; delete a key whose secret never arrived.',
  doc: 'Creates an API key of a sub-account.',
})

/** Modifies a key; empty fields are not changed. Interface document, 4.2. */
export const modifyApiKey = defineEndpoint({
  section: '4.2',
  name: 'broker.modifyApiKey',
  method: 'POST',
  path: '/api/v2/broker/manage/modify-subaccount-apikey',
  writes: true,
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      subUid: text,
      apiKey: text,
      passphrase: text,
      label: textShorterThan(20).optional(),
      ipList: ipList.optional(),
      permType: oneOf('read_and_write', 'readonly', ''),
      permList: listOf(permission),
    },
    transferNeedsWrite,
  ),
  rows: 'object',
  role: ND_BROKER,
  secretParams: ['apiKey', 'passphrase'],
  outcome: 'Check the key of the sub-account on the venue’s site.',
  doc: 'Modifies an API key of a sub-account.',
})

/** E-mail record of one sub-account, whose uid comes from 4.13. Interface document, 4.3. */
export const subaccountEmails = defineEndpoint({
  section: '4.3',
  name: 'broker.subaccountEmail',
  method: 'GET',
  path: '/api/v2/broker/account/subaccount-email',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields({ subUid: text }),
  item: subaccountEmail,
  rows: 'object',
  // ND brokers may not call 4.13: the books know only the sub-accounts for which they created a key (4.1).
  paramFrom: {
    param: 'subUid',
    feed: 'futures.subaccountAssets',
    field: 'userId',
    write: createApiKey.name,
  },
  role: 'a broker',
  doc: 'User name and e-mail address of a sub-account.',
})

/** Referred customers of the last 30 days; without times, those of yesterday (UTC+8). Interface document, 4.4. */
export const customers = defineEndpoint({
  section: '4.4',
  name: 'broker.customers',
  method: 'POST',
  path: '/api/v2/broker/customer-list',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      startTime: millis.optional(),
      endTime: millis.optional(),
      pageNo: wholeNumber().optional(),
      pageSize: wholeNumber(1_000).optional(),
      uid: text.optional(),
      referralCode: text.optional(),
      showSub: yesNo.optional(),
    },
    bothTimesOrNone,
    inOrder,
  ),
  item: customer,
  partitions: WITH_SUBORDINATES,
  page: { kind: 'page-number', param: 'pageNo', sizeParam: 'pageSize', size: 1_000, sizeMax: 1_000 },
  window: {
    spanMaxMs: days(30),
    retentionMs: days(30),
    time: 'registerTime',
    // A customer may have registered long before being referred.
    touches: [],
    proves: 'whole',
    // The time it filters by is not documented, so a customer may appear anywhere within the retention period.
    lookbackMs: days(30),
  },
  role: AGENT,
  doc: 'Customers whom an agent referred.',
})

/** Identity checks of referred customers; endId of an answer is the next idLessThan. Interface document, 4.5. */
export const customerKycResults = defineEndpoint({
  section: '4.5',
  name: 'broker.customerKyc',
  method: 'GET',
  path: '/api/v2/broker/customer-kyc-result',
  rate: { scope: 'uid', count: 10, perMs: 1_000 },
  params: fields(
    {
      startTime: millis.optional(),
      endTime: millis.optional(),
      idLessThan: text.optional(),
      limit: wholeNumber(1_000).optional(),
      uid: text.optional(),
      showSub: yesNo.optional(),
    },
    bothTimesOrNone,
    inOrder,
  ),
  item: customerKyc,
  rows: 'userList',
  partitions: WITH_SUBORDINATES,
  page: {
    kind: 'cursor',
    param: 'idLessThan',
    from: 'endId',
    names: 'row',
    sizeParam: 'limit',
    size: 1_000,
    sizeMax: 1_000,
  },
  window: {
    spanMaxMs: days(90),
    retentionMs: null,
    retentionAssumedMs: days(730),
    time: '',
    proves: 'whole',
    lookbackMs: days(90),
  },
  role: AGENT,
  doc: 'Whether referred customers passed their identity check.',
})
