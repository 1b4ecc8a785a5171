-- What each received type means: its spelling is made canonical (case, hyphens, blanks) and looked up in the
-- classification. A user's row comes before a shipped one, an exact name before a pattern, an own name before that
-- of the twin without FIXED_ (isolated margin), a longer pattern before a shorter one.
-- What no row covers is kind `unclassified`: kept, counted and shown.
-- grain: one row per feed and type as received
with
seen as (
  select distinct 'tax.records' as feed, type from main.tax_records
  union all
  select distinct 'tax.futuresRecords', future_tax_type from main.futures_records
  union all
  select distinct 'tax.p2pRecords', p2p_tax_type from main.p2p_records
),
canonical as (
  select feed, type, upper(replace(replace(trim(type), '-', '_'), ' ', '_')) as canonical_type
  from seen
),
spelled as (
  select feed, type, canonical_type,
    case when starts_with(canonical_type, 'FIXED_') then substr(canonical_type, 7) end as twin_type
  from canonical
),
patterns as (
  select feed, kind, direction, family, role, precedence,
    upper(type) as name,
    replace(replace(upper(type), '_', '\_'), '*', '%') as pattern
  from staging.tax_types
),
matches as (
  select spelled.feed, spelled.type, patterns.kind, patterns.direction, patterns.family, patterns.role,
    row_number() over (
      partition by spelled.feed, spelled.type
      order by
        patterns.precedence,
        case when spelled.canonical_type like patterns.pattern escape '\' then 0 else 1 end,
        case when patterns.name in (spelled.canonical_type, spelled.twin_type) then 0 else 1 end,
        length(patterns.name) desc
    ) as choice
  from spelled
  join patterns
    on (
      patterns.feed = spelled.feed
      or (patterns.feed = 'tax' and spelled.feed in ('tax.records', 'tax.futuresRecords'))
    )
    and (
      spelled.canonical_type like patterns.pattern escape '\'
      or spelled.twin_type like patterns.pattern escape '\'
    )
)
select spelled.feed, spelled.type, spelled.canonical_type,
  coalesce(matches.kind, 'unclassified') as kind,
  coalesce(matches.direction, '') as direction,
  coalesce(matches.family, '') as family,
  coalesce(matches.role, '') as role
from spelled
left join matches
  on matches.feed = spelled.feed and matches.type = spelled.type and matches.choice = 1
