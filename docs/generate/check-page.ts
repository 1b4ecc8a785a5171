// The page docs/checks.md, made from the head of each check's SQL file, so that what is documented is what runs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/config/root.ts'

const INTRODUCTION = `# Checks

Each check is a file of \`sql/checks\`; its rows are what it has found, and none is the expected answer. What they find is the table \`breaks\`, which \`tieout check\` prints.

- **error**: our own books contradict themselves. Such a build is not published unless you ask for it.
- **warning**: the books and the venue disagree, or something is missing, unknown or quarantined. It is published, and every report says so.
- **notice**: worth knowing, or a consequence of another break, which it names.

A break keeps its id from build to build, and with it the time when it was first seen. It becomes \`resolved\` when it is no longer found. A user's note explains a break (\`tieout explain-break\`, see operations.md): its status is \`explained\` for as long as its figures stay, and it no longer counts for exit code 3.

What is held against what, and by which checks:

| reconciliation | checks |
| --- | --- |
| balance chains | balance_chain, entries_match_balance; negative_balance where a feed has none, imported_balance where imports alone tell of an account |
| chain end against snapshots | balance_snapshots |
| orders against tax records: quantity, value, fees | orders_vs_tax, order_fees, trade_legs |
| unified against futures feed | futures_v3_v2 |
| open positions: achievedProfits, totalFee, deductedFee | positions |
| closed positions against orders | orders_vs_futures, order_fees |
| P2P records against merchant orders | p2p_match, p2p_direction |
| what P2P transfers are, where an account shows nothing else | p2p_meaning |
| transfers between own wallets and accounts | transfer_legs, imported_transfers |
| coverage, and what the venue is about to forget | coverage, missing_credential, retention_expiring |
| duplicates and changed records | duplicate_records, changed_record, partition_clash; shared_uid for a whole account that is there twice |
| types that nobody has classified, and those whose meaning is in doubt (see types.md) | unknown_type, doubtful_type |
| double entry | double_entry, landed_row_has_page, sum_guard |
| lots against balances | lots_match_balance, unknown_basis, valuation, reporting_currency, imported_history, orders_alone |
| what an account is worth, from month to month | value_bridge |
| sources of prices against what the books need of them | price_sources |
| totals of the risk rate | ltv_totals |
| quarantined rows, values that do not fit | quarantined_rows, unread_values, drift |
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
  return `## ${name}\n\n${promise}\n\n*Severity:* ${severities.join(', ')}. *A break is* ${grain}.\n`
}
