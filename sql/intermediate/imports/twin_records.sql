-- Records of the venue that an imported row may also report: what its account bought, sold, paid and was given in the quantity of
-- one of its rows and, for an exchange, the other side, if its trade or conversion is whole.
-- A coin-to-coin trade is one exchange, whichever of its legs matches; in a conversion of several coins each leg is separate.
-- grain: one row per entry
-- keys:  entry_id unique
with
quantities as (
  select account, asset as coin, quantity from main.imported_trades where type in ('buy', 'sell', 'income')
  union
  select account, currency, total from main.imported_trades where type in ('buy', 'sell') and total > 0
),
records as (
  select entries.entry_id as entry_id, entries.account as account, entries.place as place, entries.coin as coin,
    entries.amount as amount, entries.occurred_at as occurred_at, effects.effect as effect
  from main.entries as entries
  join main.kinds as effects on effects.kind = entries.kind
  join quantities
    on quantities.account = entries.account and quantities.coin = entries.coin
    and quantities.quantity = abs(entries.amount)
  where entries.part in ('amount', 'deal') and effects.effect in ('exchange', 'fiat', 'cost', 'income')
),
others as (
  select records.entry_id as entry_id, any_value(legs.status) as status, any_value(legs.group_place) as group_place,
    min(opposite.coin) as coin, count(distinct opposite.coin) as coin_count, sum(amounts.amount) as amount
  from records
  join staging.trade_legs as legs on legs.account = records.account and legs.place = records.place
  join staging.trade_legs as opposite
    on opposite.account = legs.account and opposite.group_place = legs.group_place
  join main.entries as amounts on amounts.account = opposite.account and amounts.place = opposite.place
  where legs.status in ('trade', 'set') and legs.role <> 'fee' and opposite.role <> 'fee'
    and opposite.role <> legs.role and amounts.part = 'amount'
  group by records.entry_id
)
select records.entry_id as entry_id, records.account as account, records.place as place, records.coin as coin,
  records.amount as amount, records.occurred_at as occurred_at, utc_minute(records.occurred_at) as minute,
  records.effect in ('exchange', 'fiat') as is_exchange,
  -- The other side of a P2P deal or of a purchase for fiat money is money.
  records.effect = 'fiat' or others.entry_id is not null as is_other_known,
  case when others.coin_count = 1 then others.coin end as other_coin,
  case when others.status = 'trade' then others.amount end as other_amount,
  case when others.status = 'trade' then others.group_place else records.place end as exchange_place
from records
left join others on others.entry_id = records.entry_id
