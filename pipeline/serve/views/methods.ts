// Gains under several methods side by side. The lots engine runs again for each, in a separate database, so the answer reports
// its progress, and is cancelled if the client leaves.
import type { Config } from '../../config/config.ts'
import { allRows } from '../../output/column.ts'
import { makeReport } from '../../reports/catalogue.ts'
import { defaultsOf } from '../../reports/defaults.ts'
import { parseMethods } from '../../reports/method-comparison.ts'
import type { MethodLine } from '../api.ts'
import type { Published } from '../published.ts'
import { failureOf } from '../refusal.ts'
import type { Filters } from './filters.ts'

export async function* methodLines(
  published: Published,
  filters: Filters,
  config: Config,
  leaves: AbortSignal,
): AsyncIterable<MethodLine> {
  const lines: MethodLine[] = []
  let wake = (): void => {}
  const say = (line: MethodLine): void => {
    lines.push(line)
    wake()
  }
  let isDone = false
  const done = calculate(published, filters, config, leaves, say)
    .catch((error: unknown) => say({ kind: 'failed', ...failureOf(error) }))
    .finally(() => {
      isDone = true
      wake()
    })
  for (;;) {
    const line = lines.shift()
    if (line !== undefined) yield line
    else if (isDone) break
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  await done
}

async function calculate(
  published: Published,
  { account, from, to, year, currency, methods = '' }: Filters,
  config: Config,
  leaves: AbortSignal,
  say: (line: MethodLine) => void,
): Promise<void> {
  const of = parseMethods(methods).length
  await published.useApart(async ({ ledger, stamp }) => {
    const report = await makeReport(
      ledger,
      'gains',
      { account, from, to, currency, methods, ...(year === undefined ? {} : { year: Number(year) }) },
      defaultsOf(config),
      (name, done) => say({ kind: 'progress', method: name, done, of }),
    )
    say({
      kind: 'complete',
      stamp,
      columns: report.columns.map(({ name, kind }) => ({ name, kind: kind ?? 'text' })),
      rows: await allRows(report.rows),
      totals: report.totals,
      notes: [...(report.warnings ?? []), ...report.notes],
    })
  }, leaves)
}
