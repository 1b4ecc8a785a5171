-- P2P records that are equal in all but their ids, to the millisecond: no feed of that wallet tells balances that would show
-- which of them really happened. (Equal records of one fill are common elsewhere, and there the balance chain decides.)
-- grain: one row per account, coin, type, quantity and millisecond
select account, coin, p2p_tax_type as type, balance as quantity, ts as happened_at, count(*) as record_count,
  min_by(id, try_cast(id as hugeint)) as first_id,
  list(id order by try_cast(id as hugeint), id)[1:10] as ids
from main.p2p_records
where is_current
group by account, coin, p2p_tax_type, balance, ts
having count(*) > 1
