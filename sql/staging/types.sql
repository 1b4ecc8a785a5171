-- The meaning of each received type. Its spelling is made canonical (capitals, one underscore for any run of hyphens,
-- underscores and blanks) and looked up in the classification, whose names are made canonical in the same way. Precedence: a
-- user's row over a shipped one, the type's own name over that of its twin without FIXED_ (isolated margin), a row for the feed
-- over one for all feeds that share its vocabulary, an exact name over a pattern, a longer pattern over a shorter one.
-- A type that no row covers has kind `unclassified`: it is kept, counted and shown.
-- Futures types also give a side, or show that there is only one (one-way mode): `is_side_known`.
-- grain: one row per feed and type as received
with
spellings as (
  select type from staging.received_types
  union
  select type from staging.tax_types
),
canonical as (
  select type, canonical_word(type) as canonical_type
  from spellings
),
spelled as (
  select received.feed as feed, received.vocabulary as vocabulary, received.type as type, canonical_type,
    case when length(canonical_type) > 6 and starts_with(canonical_type, 'FIXED_') then substr(canonical_type, 7) end
      as twin_type
  from staging.received_types as received
  join canonical on canonical.type = received.type
),
patterns as (
  select feed, kind, direction, family, role, doubt, precedence, canonical_type as name,
    star_pattern(canonical_type) as pattern
  from staging.tax_types as tax_types
  join canonical on canonical.type = tax_types.type
),
matches as (
  select spelled.feed as feed, spelled.type as type, patterns.kind as kind, patterns.direction as direction,
    patterns.family as family, patterns.role as role, patterns.doubt as doubt,
    row_number() over (
      partition by spelled.feed, spelled.type
      order by
        patterns.precedence,
        case when like_pattern(spelled.canonical_type, patterns.pattern) then 0 else 1 end,
        case when patterns.feed = spelled.feed then 0 else 1 end,
        case when patterns.name in (spelled.canonical_type, spelled.twin_type) then 0 else 1 end,
        length(patterns.name) desc
    ) as choice
  from spelled
  join patterns
    on patterns.feed in (spelled.feed, spelled.vocabulary)
    and (
      like_pattern(spelled.canonical_type, patterns.pattern)
      or like_pattern(spelled.twin_type, patterns.pattern)
    )
)
select spelled.feed as feed, spelled.type as type, spelled.canonical_type as canonical_type,
  coalesce(matches.kind, 'unclassified') as kind,
  coalesce(matches.direction, '') as direction,
  coalesce(matches.family, '') as family,
  coalesce(matches.role, '') as role,
  coalesce(matches.doubt, '') as doubt,
  case when canonical_type like '%LONG%' then 'long' when canonical_type like '%SHORT%' then 'short' else '' end as side,
  canonical_type like '%LONG%' or canonical_type like '%SHORT%' or canonical_type like '%BUY%'
    or canonical_type like '%SELL%' or canonical_type like '%SSM%' or canonical_type like '%SINGLE_SIDE_MODE%'
    as is_side_known
from spelled
left join matches
  on matches.feed = spelled.feed and matches.type = spelled.type and matches.choice = 1
