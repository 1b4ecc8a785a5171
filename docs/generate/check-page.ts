// Generates docs/checks.md from the header of each check's SQL file, so that what is documented is what runs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/config/root.ts'

const INTRODUCTION = `# Checks

Each check is a file in \`sql/checks\` that returns one row for each problem it finds, and no rows if all is well. Together the rows make the table \`breaks\`, which \`tieout check\` prints. Each section below begins with what must hold.

- **error**: the books contradict themselves. Such a build is not published unless you ask for it.
- **warning**: the books and the venue disagree, or something is missing, unknown or quarantined. The build is published, and every report says so.
- **notice**: worth knowing, or a consequence of another break, which it names.

A break keeps its id, and the time when it was first seen, from build to build. Once it is no longer found, it becomes \`resolved\`. You can explain a break with a note (\`tieout explain-break\`, see operations.md): its status is then \`explained\` as long as its figures stay the same, and it no longer causes exit code 3.

What is compared, and by which checks:

| reconciliation | checks |
| --- | --- |
| balance chains | balance_chain, entries_match_balance; negative_balance for feeds without balances, imported_balance for accounts known only from imports |
| end of the chain against snapshots | balance_snapshots |
| orders against tax records: quantity, value, fees | orders_vs_tax, order_fees, trade_legs |
| unified against futures feed | futures_v3_v2 |
| open positions: achievedProfits, totalFee, deductedFee | positions |
| closed positions against orders | orders_vs_futures, order_fees |
| P2P records against merchant orders | p2p_match, p2p_direction |
| the meaning of P2P transfers in accounts that show nothing else | p2p_meaning |
| transfers between one's own wallets and accounts | transfer_legs, imported_transfers |
| coverage, and history that is about to age out at the venue | coverage, missing_credential, retention_expiring |
| duplicates and changed records | duplicate_records, changed_record, partition_clash; shared_uid for an account that is in the books twice |
| unclassified types, and types of doubtful meaning (see types.md) | unknown_type, doubtful_type |
| double entry | double_entry, landed_row_has_page, sum_guard |
| lots against balances | lots_match_balance, unknown_basis, valuation, reporting_currency, imported_history, orders_alone |
| the worth of an account, from month to month | value_bridge |
| price sources against the prices that the books need, and the configured order of sources against those that exist | price_sources, price_order |
| totals of the risk rate | ltv_totals |
| quarantined rows, and values that do not fit | quarantined_rows, unread_values, drift |
| changes made at the venue | unsettled_write |
`

/** The whole page, with a section for each check. */
export function checkPage(): string {
  const folder = join(packageRoot, 'sql', 'checks')
  const sections = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => section(name.replace('.sql', ''), readFileSync(join(folder, name), 'utf8')))
  return [INTRODUCTION, ...sections].join('\n')
}

function section(name: string, sql: string): string {
  const lines = sql.split('\n')
  const head = lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('--')),
    )
    .map((line) => line.slice(2).trim())
  const promise = head.filter((line) => !/^(grain|needs|keys):/.test(line)).join(' ')
  const grain =
    head
      .find((line) => line.startsWith('grain:'))
      ?.slice('grain:'.length)
      .trim() ?? ''
  const severities = ['error', 'warning', 'notice'].filter((severity) => sql.includes(`'${severity}'`))
  return `## ${name}\n\n${promise}\n\n*Severity:* ${severities.join(', ')}. *Breaks:* ${grain}.\n`
}
