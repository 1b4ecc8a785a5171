-- Everything disposed of has a known cost. A disposal larger than the recorded holdings means that history is missing; if the
-- chain of that coin is open, that is the cause. Coins from before the books or from outside have no known cost; for arrivals
-- that were disposed of, the break names what would supply it. A piece without a lot, as from a pool, does not identify its
-- arrival; there, all arrivals of its coin are considered.
-- needs: unknown_basis, disposals
-- grain: one row per account and coin
with
open_chains as (
  select account, coin, min(source_id) as one_id
  from main.balance_chain
  where status = 'open'
  group by account, coin
),
pieces as (
  select distinct account, coin, lot_id from main.disposals where cost_basis is null
),
causes as (
  select pieces.account as account, pieces.coin as coin, arrivals.told_by as told_by
  from pieces
  join staging.unknown_arrivals as arrivals on arrivals.event_id = pieces.lot_id and arrivals.coin = pieces.coin
  union all
  select pieces.account, pieces.coin, arrivals.told_by
  from pieces
  join staging.unknown_arrivals as arrivals on arrivals.coin = pieces.coin
  where pieces.lot_id is null and arrivals.told_by <> 'transfer'
),
cures as (
  select account, coin,
    max(case when told_by = 'worksheet' then 1 else 0 end) as by_worksheet,
    max(case when told_by = 'transfer' then 1 else 0 end) as by_transfer,
    max(case when told_by = 'price' then 1 else 0 end) as by_price,
    max(case when told_by = 'type' then 1 else 0 end) as by_type
  from causes
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
      else '.'
        || case when quantity > 0 then ' Import the missing history: `tieout import trades`.' else '' end
        || case
          when unvalued_quantity <= 0 then ''
          when cures.account is null
            then ' Import what is missing: the purchase or incoming transfer leg (`tieout import trades`), or what was '
              || 'held before (`tieout import lots`).'
          else
            case
              when by_worksheet = 1
                then ' `tieout worksheet` lists what arrived without a cost; fill it in and run `tieout import lots`.'
              else ''
            end
            || case
              when by_transfer = 1
                then ' Coins that arrived by a transfer keep their cost from before it: import the outgoing leg and the purchase '
                  || 'before it (`tieout import trades`).'
              else ''
            end
            || case
              when by_price = 1
                then ' Coins that arrived without a price for that time need one: `tieout import prices`, or `tieout prices fetch`.'
              else ''
            end
            || case
              when by_type = 1
                then ' Coins from a record that does not state the reason need a row in tax_types.csv in the folder of the books.'
              else ''
            end
        end
    end as explanation,
  '[]' as evidence, '' as culprit
from main.unknown_basis as unknown
left join open_chains on open_chains.account = unknown.account and open_chains.coin = unknown.coin
left join cures on cures.account = unknown.account and cures.coin = unknown.coin
where quantity > 0 or unvalued_quantity > 0
