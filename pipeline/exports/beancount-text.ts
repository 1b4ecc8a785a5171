// How beancount files are written: texts, declarations, metadata. Grammar of beancount 2 and 3.

import { packageVersion } from '../config/root.ts'
import type { Balance, Price, Source } from './books.ts'
import { beancountCommodity } from './names.ts'

/** A text in quotes; other control characters cannot be written and become U+FFFD. */
export function quoted(text: string): string {
  const spelled = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replace(/\p{Cc}/gu, '\ufffd')
  return `"${spelled}"`
}

/**
 * Options and declarations before the first transaction. No tolerance is inferred from the number of digits
 * of an amount: every transaction has to balance exactly.
 */
export function opening(
  title: string,
  notes: readonly string[],
  currency: string | null,
  coins: Iterable<string>,
  accounts: ReadonlyMap<string, string>,
  openLine: (name: string, spelled: string) => string,
): string {
  const lines = [
    `; Made by tieout ${packageVersion} from its published ledger; another export replaces the whole file.`,
    ...notes.map((note) => `; ${note.replace(/\p{Cc}/gu, '\ufffd')}`),
    '',
    `option "title" ${quoted(title)}`,
    ...(currency === null ? [] : [`option "operating_currency" "${beancountCommodity(currency)}"`]),
    'option "inferred_tolerance_default" "*:0"',
    'option "inferred_tolerance_multiplier" "0"',
    '',
  ]
  for (const coin of coins)
    lines.push(`1970-01-01 commodity ${beancountCommodity(coin)}`, `  coin: ${quoted(coin)}`)
  lines.push('')
  for (const [name, spelled] of accounts)
    lines.push(openLine(name, spelled), `  account_name: ${quoted(name)}`)
  return `${lines.join('\n')}\n\n`
}

/**
 * Metadata of a posting: the entry, the venue's own id, and the journal frame and row that hold the record.
 */
export function sourceLines(source: Source): string[] {
  return [
    `    entry_id: ${quoted(source.entryId)}`,
    `    source_feed: ${quoted(source.sourceFeed)}`,
    `    source_id: ${quoted(source.sourceId)}`,
    ...(source.pageId === null ? [] : [`    page_id: ${source.pageId}`]),
    ...(source.pageRow === null ? [] : [`    page_row: ${source.pageRow}`]),
  ]
}

/** An assertion that is exact to the last digit. */
export function balanceLine(
  day: string,
  account: string,
  { coin, quantity }: Omit<Balance, 'accountName'>,
): string {
  return `${day} balance ${account}  ${quantity} ~ 0 ${beancountCommodity(coin)}\n`
}

export function priceLine({ coin, day, price }: Price, currency: string): string {
  return `${day} price ${beancountCommodity(coin)}  ${price} ${beancountCommodity(currency)}\n`
}
