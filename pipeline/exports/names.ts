// Names of accounts and coins as beancount and hledger accept them. Every name can be traced back to the
// books: two names never become one, and any change is noted beside the declaration in the exported file.
import { createHash } from 'node:crypto'

const ROOTS: ReadonlySet<string> = new Set(['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'])

const BEANCOUNT_PART = /^[A-Z0-9][A-Za-z0-9-]*$/
const HLEDGER_PART = /^[\p{L}\p{N}_][\p{L}\p{N}._+#&/-]*( [\p{L}\p{N}._+#&/-]+)*$/u

/** Account names of the books with their beancount names; an account stays below its parent. */
export function beancountAccounts(names: Iterable<string>): Map<string, string> {
  return distinct(names, (name) => {
    const parts = name.split(':')
    const isRooted = ROOTS.has(parts[0] as string) && parts.length > 1
    const nodes = parts.map((part, at) => ({
      original: `${isRooted ? '' : ' '}${parts.slice(0, at + 1).join(':')}`,
      spelled: BEANCOUNT_PART.test(part) ? part : spelledPart(part),
    }))
    return isRooted ? nodes : [{ original: 'Equity', spelled: 'Equity' }, ...nodes]
  })
}

/** The same for hledger, which accepts nearly all of them unchanged. */
export function hledgerAccounts(names: Iterable<string>): Map<string, string> {
  return distinct(names, (name) => {
    const parts = name.split(':')
    return parts.map((part, at) => ({
      original: parts.slice(0, at + 1).join(':'),
      spelled: HLEDGER_PART.test(part) ? part : spelledPart(part),
    }))
  })
}

function spelledPart(part: string): string {
  const plain = part.replace(/[^A-Za-z0-9-]/g, '-')
  return /^[A-Za-z0-9]/.test(plain) ? plain[0]?.toUpperCase() + plain.slice(1) : `X${plain}`
}

/** One account on the path from the root to a name: its original name, and how its own part is written. */
interface Node {
  readonly original: string
  readonly spelled: string
}

/**
 * Siblings that would coincide are distinguished by a hash of the original; one that is already valid keeps
 * its name.
 */
function distinct(names: Iterable<string>, pathOf: (name: string) => Node[]): Map<string, string> {
  const paths = new Map([...new Set(names)].map((name) => [name, pathOf(name)]))
  const found = new Map<string, string>()
  const depth = Math.max(0, ...[...paths.values()].map((path) => path.length))
  for (let level = 0; level < depth; level += 1) {
    const claims = new Map<string, Set<string>>()
    for (const path of paths.values()) {
      const node = path[level]
      if (node === undefined) continue
      const parent = path[level - 1]
      const claim = parent === undefined ? node.spelled : `${found.get(parent.original)}:${node.spelled}`
      claims.set(claim, (claims.get(claim) ?? new Set()).add(node.original))
    }
    for (const [claim, originals] of claims)
      for (const original of originals)
        found.set(
          original,
          originals.size > 1 && original !== claim ? `${claim}-${hashOf(original, 8)}` : claim,
        )
  }
  return new Map([...paths].map(([name, path]) => [name, found.get(path.at(-1)?.original ?? '') as string]))
}

const hashOf = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits).toUpperCase()

/** Beancount reads these as values, not as commodities. */
const RESERVED: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL'])

const BEANCOUNT_COMMODITY = /^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/
const COMMODITY_LENGTH_MAX = 24
const ESCAPED = /^X['.]/

/**
 * A coin as a beancount commodity. If it is not one already, it becomes `X.` and its characters, all except
 * capitals and digits as `_` and four hexadecimal digits (`aUSD` is `X._0061USD`); if that is too long, `X'`
 * and a hash.
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

/**
 * A coin as hledger's quoted commodity: unchanged, unless it contains characters that cannot be in quotes.
 */
export function hledgerCommodity(coin: string): string {
  const isPlain = coin !== '' && !/[";\p{Cc}]/u.test(coin) && !ESCAPED.test(coin)
  return `"${isPlain ? coin : beancountCommodity(coin)}"`
}
