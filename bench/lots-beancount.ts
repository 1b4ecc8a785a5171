// The reference of the lots benchmark: beancount books 20,000 of the same buys and sells first in, first out,
// and checks them. Its time is that of the whole program, including reading its text; that of an empty book
// is reported separately. It is processor time, as the shell reports it for its children, because wall-clock
// time includes other work.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAmount } from '../models/amount.ts'
import type { LotEvent } from '../pipeline/lots/event.ts'

export function hasBeancount(): boolean {
  return spawnSync('bean-check', ['--version']).status === 0
}

/** Without sales of more than is held, which beancount refuses. */
export function covered(events: readonly LotEvent[]): LotEvent[] {
  const held = new Map<string, bigint>()
  return events.filter(({ coin, kind, quantity }) => {
    const left = (held.get(coin) ?? 0n) + (kind === 'acquire' ? quantity : -quantity)
    if (left >= 0n) held.set(coin, left)
    return left >= 0n
  })
}

/** Seconds of processor time that `bean-check` took; throws the errors that it found. */
export function checkCpuSeconds(events: readonly LotEvent[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  const file = join(folder, 'book.beancount')
  try {
    writeFileSync(file, textOf(events))
    const check = 'bean-check --no-cache "$1" && times'
    const { status, stdout, stderr } = spawnSync('sh', ['-c', check, 'sh', file], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`bean-check refused the book: ${stderr.slice(0, 500)}`)
    return secondsOfChildren(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The second line of `times` gives the children's user and system time: `0m2.453s 0m0.107s`. */
function secondsOfChildren(times: string): number {
  const [, children = ''] = times.trim().split('\n')
  const taken = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  return taken.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
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
