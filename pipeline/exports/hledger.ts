// The books as an hledger journal: declared accounts and commodities for its strict mode, the same
// transactions as everywhere, and at the end an assertion of every balance. hledger computes with unbounded
// decimals.

import { packageVersion } from '../config/root.ts'
import type { Ledger } from '../ledger/ledger.ts'
import {
  dayOf,
  type Outline,
  type Price,
  priceNotes,
  readOutline,
  readPrices,
  readTransactions,
  type Source,
  type Transaction,
} from './books.ts'
import { hledgerAccounts, hledgerCommodity } from './names.ts'

export async function* hledgerText(ledger: Ledger): AsyncIterable<string> {
  const outline = await readOutline(ledger)
  const accounts = hledgerAccounts(outline.accountNames)
  yield opening(outline, accounts)
  for await (const transaction of readTransactions(ledger)) yield transactionText(transaction, accounts)
  for await (const price of readPrices(ledger)) yield priceLine(price, outline.prices.currency as string)
  if (outline.prices.currency !== null) yield '\n'
  yield assertions(outline, accounts)
}

/**
 * hledger balances a transaction to the decimals of the commodity's declaration: the maximum of any amount.
 */
function opening({ coins, prices }: Outline, accounts: ReadonlyMap<string, string>): string {
  const lines = [
    `; Made by tieout ${packageVersion} from its published ledger; another export replaces the whole file.`,
    ...priceNotes(prices).map((note) => `; ${note.replace(/\p{Cc}/gu, '\ufffd')}`),
    '',
    'decimal-mark .',
    '',
  ]
  for (const [coin, decimals] of coins)
    lines.push(`commodity 1.${'0'.repeat(decimals)} ${hledgerCommodity(coin)}  ; ${tag('coin', coin)}`)
  lines.push('')
  for (const [name, spelled] of accounts)
    lines.push(`account ${spelled}${spelled === name ? '' : `  ; ${tag('account_name', name)}`}`)
  return `${lines.join('\n')}\n\n`
}

/** The value of a tag ends at a comma or a line break, so it cannot contain either. */
function tag(name: string, value: string | number): string {
  return `${name}:${String(value)
    .replace(/\p{Cc}/gu, '\ufffd')
    .replaceAll(',', '%2C')}`
}

function sourceTags({ entryId, sourceFeed, sourceId, pageId, pageRow }: Source): string {
  return [
    tag('entry_id', entryId),
    tag('source_feed', sourceFeed),
    tag('source_id', sourceId),
    ...(pageId === null ? [] : [tag('page_id', pageId)]),
    ...(pageRow === null ? [] : [tag('page_row', pageRow)]),
  ].join(', ')
}

function transactionText(
  { id, at, kinds, postings }: Transaction,
  accounts: ReadonlyMap<string, string>,
): string {
  const kind = kinds.join(', ').replace(/[\p{Cc};|()]/gu, ' ')
  const lines = [`${dayOf(at)} * ${kind}  ; ${tag('transaction_id', id)}, ${tag('time', at)}`]
  for (const { accountName, coin, amount, source } of postings) {
    const comment = source === null ? '' : `  ; ${sourceTags(source)}`
    lines.push(`    ${accounts.get(accountName)}  ${amount} ${hledgerCommodity(coin)}${comment}`)
  }
  return `${lines.join('\n')}\n\n`
}

function priceLine({ coin, day, price }: Price, currency: string): string {
  return `P ${day} ${hledgerCommodity(coin)} ${price} ${hledgerCommodity(currency)}\n`
}

function assertions({ balances, closingDay }: Outline, accounts: ReadonlyMap<string, string>): string {
  if (balances.length === 0) return ''
  const lines = [`${closingDay} * Balances`]
  for (const { accountName, coin, quantity } of balances) {
    const commodity = hledgerCommodity(coin)
    lines.push(`    ${accounts.get(accountName)}  0 ${commodity} = ${quantity} ${commodity}`)
  }
  return `${lines.join('\n')}\n`
}
