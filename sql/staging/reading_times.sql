-- When answers about the present (positions, assets of sub-accounts, the risk rate) were true, on the clock of the records. The
-- machine's clock may differ from it, and --now shifts what a run takes as today. Pages of the same run that prove a range show
-- by how much, because none proves more than the moment of the request, unless the answer itself carries another time than the
-- machine's. Runs without either have no time.
-- grain: one row per page_id
with
shifts as (
  select pages.run_id as run_id, min(epoch_ms(pages.received_at) - epoch_ms(covered.ends_at)) as shift_ms
  from landing.pages as pages
  join landing.covered as covered on covered.page_id = pages.page_id
  group by pages.run_id
)
select pages.page_id as page_id, pages.run_id as run_id, pages.account as account, pages.feed as feed,
  pages.partition as partition,
  coalesce(pages.answered_at, make_timestamptz((epoch_ms(pages.received_at) - shifts.shift_ms) * 1000)) as read_at
from landing.pages as pages
left join shifts on shifts.run_id = pages.run_id
where pages.feed in ('futures.positions', 'futures.subaccountAssets', 'loan.ltv')
  and (pages.answered_at is not null or shifts.run_id is not null)
