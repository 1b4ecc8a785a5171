-- What was disposed of has a known cost. More disposed of than the history has is missing history; where the chain of
-- that coin is open, that is the cause. Coins that came from before the books or from outside have no known cost.
-- needs: unknown_basis
-- grain: one row per account and coin
with
open_chains as (
  select account, coin, min(source_id) as one_id
  from main.balance_chain
  where status = 'open'
  group by account, coin
)
select case when quantity > 0 and open_chains.account is null then 'warning' else 'notice' end as severity,
  unknown.account as account, cast(null as varchar) as ledger, unknown.coin as coin, null_time() as occurred_at,
  cast(0 as decimal(38, 18)) as expected, quantity + unvalued_quantity as found,
  quantity + unvalued_quantity as difference,
  case when quantity > 0
      then rtrim(rtrim(amount_text(quantity), '0'), '.') || ' ' || unknown.coin
        || ' were disposed of beyond all known lots'
      else ''
    end
    || case when quantity > 0 and unvalued_quantity > 0 then ', and ' else '' end
    || case when unvalued_quantity > 0
      then rtrim(rtrim(amount_text(unvalued_quantity), '0'), '.') || ' ' || unknown.coin
        || ' were disposed of from lots of unknown cost'
      else ''
    end
    || '; they have no gain'
    || case
      when open_chains.account is not null
        then '. Follows from the open balance chain at record ' || one_id || '.'
      when quantity > 0 then '. Import the missing history: `tieout import trades`.'
      else '. `tieout worksheet` lists what arrived without a cost; fill it in and `tieout import lots`.'
    end as explanation,
  '[]' as evidence, '' as culprit
from main.unknown_basis as unknown
left join open_chains on open_chains.account = unknown.account and open_chains.coin = unknown.coin
where quantity > 0 or unvalued_quantity > 0
