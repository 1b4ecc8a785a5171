// Names of accounts and coins as beancount and hledger accept them. Every name can be led back to the books': two names
// never become one, and what was changed is told beside the declaration in the exported file.
import { createHash } from 'node:crypto'

const ROOTS: ReadonlySet<string> = new Set(['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'])

const BEANCOUNT_ACCOUNT = /^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z0-9][A-Za-z0-9-]*)+$/

const HLEDGER_PART = String.raw`[\p{L}\p{N}_][\p{L}\p{N}._+#&/-]*( [\p{L}\p{N}._+#&/-]+)*`
const HLEDGER_ACCOUNT = new RegExp(`^${HLEDGER_PART}(:${HLEDGER_PART})*$`, 'u')

/** Account names of the books with the names that beancount takes for them. */
export function beancountAccounts(names: Iterable<string>): Map<string, string> {
  return distinct(names, (name) => (BEANCOUNT_ACCOUNT.test(name) ? name : spelled(name)))
}

/** The same for hledger, which takes nearly all of them as they are. */
export function hledgerAccounts(names: Iterable<string>): Map<string, string> {
  return distinct(names, (name) => (HLEDGER_ACCOUNT.test(name) ? name : spelled(name)))
}

function spelled(name: string): string {
  const parts = name.split(':').map((part) => {
    const plain = part.replace(/[^A-Za-z0-9-]/g, '-')
    return /^[A-Za-z0-9]/.test(plain) ? plain[0]?.toUpperCase() + plain.slice(1) : `X${plain}`
  })
  const rooted = ROOTS.has(parts[0] ?? '') && parts.length > 1 ? parts : ['Equity', ...parts]
  return rooted.join(':')
}

/** Names that would fall together are told apart by a hash of the original; one that is right already stays. */
function distinct(names: Iterable<string>, spell: (name: string) => string): Map<string, string> {
  const spellings = new Map([...new Set(names)].map((name) => [name, spell(name)]))
  const uses = new Map<string, number>()
  for (const spelling of spellings.values()) uses.set(spelling, (uses.get(spelling) ?? 0) + 1)
  for (const [name, spelling] of spellings)
    if (uses.get(spelling) !== 1 && spelling !== name) spellings.set(name, `${spelling}-${hashOf(name, 8)}`)
  return spellings
}

const hashOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits).toUpperCase()

/** Beancount reads these as values, not as commodities. */
const RESERVED: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL'])

const BEANCOUNT_COMMODITY = /^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/
const COMMODITY_LENGTH_MAX = 24
const ESCAPED = /^X['.]/

/**
 * A coin as a beancount commodity. What is not one already becomes `X.` and its characters, all but capitals and
 * digits as `_` and four hexadecimal digits (`aUSD` is `X._0061USD`); what is too long that way `X'` and a hash.
 */
export function beancountCommodity(coin: string): string {
  if (BEANCOUNT_COMMODITY.test(coin) && !RESERVED.has(coin) && !ESCAPED.test(coin)) return coin
  const units = Array.from({ length: coin.length }, (_, at) => coin.charAt(at))
  const escaped = units.map((unit) =>
    /[A-Z0-9]/.test(unit) ? unit : `_${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const name = `X.${escaped.join('')}`
  return name.length <= COMMODITY_LENGTH_MAX && coin !== '' ? name : `X'${hashOf(coin, 22)}`
}

/** A coin as hledger's quoted commodity: as it is, unless it holds what cannot stand between the quotes. */
export function hledgerCommodity(coin: string): string {
  const isPlain = coin !== '' && !/[";\p{Cc}]/u.test(coin) && !ESCAPED.test(coin)
  return `"${isPlain ? coin : beancountCommodity(coin)}"`
}
