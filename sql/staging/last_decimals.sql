-- The value of one unit in the last decimal, by number of decimals.
-- grain: one row per number of decimals, 0 to 18
select decimals,
  cast(case when decimals = 0 then '1' else '0.' || repeat('0', decimals - 1) || '1' end as decimal(38, 18)) as last_decimal
from (
  select * from (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18)
  ) as counts (decimals)
) as counts
