// Records about people with whom the account deals: the P2P merchant, referred customers, sub-accounts.
// Fields that name a person or are a way to contact one are marked personal. Interface document, part 2.
import { amount, defineRecord, flag, millis, text } from './record.ts'

const requiredText = { required: true } as const
const personal = { personal: true } as const

/** Interface document, 2.13. */
export const merchant = defineRecord({
  table: 'merchants',
  nature: 'snapshot',
  doc: 'Profile of the account as a P2P merchant, as sent. Interface document, 4.22.',
  key: ['merchantId'],
  fields: {
    registerTime: millis('When the merchant registered.'),
    nickName: text('Nickname.', personal),
    merchantId: text('Merchant id.', requiredText),
    kycStatus: flag('Whether the identity has been verified.'),
    emailBindStatus: flag('Whether an e-mail address is bound.'),
    mobileBindStatus: flag('Whether a mobile number is bound.'),
    email: text('E-mail address, masked by the venue.', personal),
    mobile: text('Mobile number, masked by the venue.', personal),
    avgPaymentTime: amount('Average time to pay, in minutes.'),
    avgReleaseTime: amount('Average time to release coins, in minutes.'),
    totalTrades: amount('Number of trades.'),
    totalBuy: amount('Number of purchases.'),
    totalSell: amount('Number of sales.'),
    totalCompletionRate: amount('Share of trades completed.'),
    trades30d: amount('Number of trades in 30 days.'),
    sell30d: amount('Number of sales in 30 days.'),
    buy30d: amount('Number of purchases in 30 days.'),
    completionRate30d: amount('Share of trades completed in 30 days.'),
  },
})

/** Interface document, 2.14; some venues send the uid as a bare number. */
export const customer = defineRecord({
  table: 'customers',
  nature: 'snapshot',
  doc: 'Referred customers of an agent, as sent. Interface document, 4.4.',
  key: ['uid'],
  fields: {
    uid: text('Uid of the customer.', requiredText),
    registerTime: millis('When the customer registered.'),
  },
})

/** Interface document, 2.14. */
export const customerKyc = defineRecord({
  table: 'customer_kyc',
  nature: 'snapshot',
  doc: 'Identity checks of referred customers, as sent. Interface document, 4.5.',
  key: ['uid'],
  fields: {
    uid: text('Uid of the customer.', requiredText),
    kycResult: text('Result of the identity check.', { values: ['passed', 'not_passed'] }),
  },
})

/** Interface document, 2.15; the document's table spells the times ctime and utime, its sample cTime and uTime. */
export const subaccountEmail = defineRecord({
  table: 'subaccount_emails',
  nature: 'snapshot',
  doc: 'E-mail records of sub-accounts, as sent. Interface document, 4.3.',
  key: ['subUid'],
  version: 'utime',
  fields: {
    subUid: text('Uid of the sub-account.', requiredText),
    subaccountName: text('User name, in the form of an e-mail address.', personal),
    subaccountEmail: text('E-mail address.', personal),
    ctime: millis('When the record was created.', { aliases: ['cTime'] }),
    utime: millis('When the record last changed.', { aliases: ['uTime'] }),
  },
})
