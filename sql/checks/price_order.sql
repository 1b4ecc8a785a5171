-- Every source that the configuration names in `prices: order:` exists: tieout knows it, or an imported file has prices of it. A
-- name that does not exist values nothing, and keeps its place from the source that was meant. Files have names of their own
-- choosing, so only the books show which of them exist.
-- grain: one row per name
with
-- Sources that need no file: they may be named before there is a price of them.
known as (select unnest(['others', 'import', 'ecb', 'candles', 'ltv', 'marks', 'trades', 'p2p']) as source),
of_files as (
  select joined_list(sources.source, ', ', sources.source) as names
  from main.price_sources as sources
  left join known on known.source = sources.source
  where known.source is null
)
select 'warning' as severity, cast(null as varchar) as account, cast(null as varchar) as ledger,
  cast(null as varchar) as coin, null_time() as occurred_at, cast(null as decimal(38, 18)) as expected,
  cast(null as decimal(38, 18)) as found, cast(null as decimal(38, 18)) as difference,
  '`prices: order:` of the configuration names the source ' || named.source || ', which does not exist, so it values nothing. '
    || 'Sources are others, import, ecb, candles, ltv, marks, trades and p2p, and the names in imported files ('
    || coalesce(of_files.names, 'there are none yet')
    || '). Correct the name, or import the prices that it means: `tieout import prices`. Then run `tieout build`.' as explanation,
  '[]' as evidence, named.source as culprit
from staging.price_order as named
cross join of_files
left join known on known.source = named.source
left join main.price_sources as sources on sources.source = named.source
where known.source is null and sources.source is null
