// The reference of the lots benchmark: beancount books 20,000 of the same buys and sells first in, first out, and
// checks them. Its time is that of the whole program, as its users wait for it; that of an empty book is told apart.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { formatAmount } from '../models/amount.ts'
import type { LotEvent } from '../pipeline/lots/event.ts'

export function hasBeancount(): boolean {
  return spawnSync('bean-check', ['--version']).status === 0
}

/** Without what sells more than is held, which beancount refuses. */
export function covered(events: readonly LotEvent[]): LotEvent[] {
  const held = new Map<string, bigint>()
  return events.filter(({ coin, kind, quantity }) => {
    const left = (held.get(coin) ?? 0n) + (kind === 'acquire' ? quantity : -quantity)
    if (left >= 0n) held.set(coin, left)
    return left >= 0n
  })
}

/** Seconds of `bean-check`; throws what it found wrong. */
export function checkSeconds(events: readonly LotEvent[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  const file = join(folder, 'book.beancount')
  try {
    writeFileSync(file, textOf(events))
    const start = performance.now()
    const { status, stderr } = spawnSync('bean-check', ['--no-cache', file], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`bean-check refused the book: ${stderr.slice(0, 500)}`)
    return (performance.now() - start) / 1_000
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function textOf(events: readonly LotEvent[]): string {
  const coins = [...new Set(events.map(({ coin }) => coin))]
  const lines = ['Equity:Cash', 'Income:Gains'].map((account) => `2000-01-01 open ${account}`)
  for (const coin of coins) lines.push(`2000-01-01 open Assets:${coin} ${coin} "FIFO"`)
  for (const { coin, kind, quantity, value, happenedAtUs } of events) {
    const day = new Date(Number(happenedAtUs / 1_000n)).toISOString().slice(0, 10)
    const [amount, money] = [formatAmount(quantity), formatAmount(value ?? 0n)]
    lines.push(`${day} * ""`)
    if (kind === 'acquire')
      lines.push(`  Assets:${coin}  ${amount} ${coin} {{${money} USD}}`, '  Equity:Cash')
    else {
      lines.push(`  Assets:${coin}  -${amount} ${coin} {}`, `  Equity:Cash  ${money} USD`, '  Income:Gains')
    }
  }
  return `${lines.join('\n')}\n`
}
