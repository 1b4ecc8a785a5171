-- Which wallet each business line of an account moves: one wallet for all lines of the unified tax feed if the account has one
-- balance per coin, else the line itself. Futures records of classic accounts and P2P records have separate wallets.
-- chain_grouping: how the balances of the account are kept (balance_groupings).
-- grain: one row per account, feed and line
with
lines as (select distinct account, feed, line from staging.move_days)
select lines.account as account, lines.feed as feed, lines.line as line,
  case
    when lines.feed <> 'tax.records' then lines.line
    when groupings.chain_grouping = 'per-line' then lines.line
    when groupings.chain_grouping = 'unified-isolated' and lines.line = 'MARGIN-isolated' then lines.line
    when groupings.chain_grouping is null and coalesce(accounts.kind, 'unknown') <> 'unified' then lines.line
    else 'UNIFIED'
  end as ledger, groupings.chain_grouping as chain_grouping
from lines
left join main.balance_groupings as groupings on groupings.account = lines.account
left join main.accounts as accounts on accounts.account = lines.account
