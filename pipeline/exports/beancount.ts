// The books as a beancount file: one transaction for each of ours, the prices of the daily balances, and at
// the end an exact assertion of every balance.
import type { Ledger } from '../ledger/ledger.ts'
import { balanceLine, opening, priceLine, quoted, sourceLines } from './beancount-text.ts'
import { dayOf, priceNotes, readOutline, readPrices, readTransactions, type Transaction } from './books.ts'
import { DigitCheck } from './digits.ts'
import { beancountAccounts, beancountCommodity } from './names.ts'

/** UsageError for amounts that beancount would round. */
export async function* beancountText(ledger: Ledger): AsyncIterable<string> {
  const outline = await readOutline(ledger)
  const accounts = beancountAccounts(outline.accountNames)
  const digits = new DigitCheck()
  const { currency } = outline.prices
  const notes = ['Double entry: each coin is a separate commodity.', ...priceNotes(outline.prices)]
  const coins = outline.coins.keys()
  yield opening(
    'Books of tieout',
    notes,
    currency,
    coins,
    accounts,
    (_, name) => `${outline.firstDay} open ${name}`,
  )
  for await (const transaction of readTransactions(ledger)) {
    for (const { accountName, coin, amount } of transaction.postings) digits.add(accountName, coin, amount)
    digits.nextTransaction()
    yield transactionText(transaction, accounts)
  }
  for await (const price of readPrices(ledger)) yield priceLine(price, currency as string)
  for (const balance of outline.balances)
    yield balanceLine(outline.closingDay, accounts.get(balance.accountName) as string, balance)
}

function transactionText(
  { id, at, kinds, postings }: Transaction,
  accounts: ReadonlyMap<string, string>,
): string {
  const lines = [
    `${dayOf(at)} * ${quoted(kinds.join(', '))}`,
    `  transaction_id: ${quoted(id)}`,
    `  time: ${quoted(at)}`,
  ]
  for (const { accountName, coin, amount, source } of postings) {
    lines.push(`  ${accounts.get(accountName)}  ${amount} ${beancountCommodity(coin)}`)
    if (source !== null) lines.push(...sourceLines(source))
  }
  return `${lines.join('\n')}\n\n`
}
