-- What the user has said of breaks, every word of it: notes that hold, those whose figures have changed since, and those that
-- were taken back.
-- grain: one row per note, and per note taken back
-- keys:  none: two words on one break may be of one instant
-- columns:
--   break_id: The break that it is of.
--   figures_hash: Of the break as it stood then; the note holds as long as that of `breaks` is the same.
--   is_withdrawn: Whether the note before it was taken back.
--   note: What was said; null where a note was taken back or erased.
--   noted_at: When.
select break_id, figures as figures_hash, is_withdrawn, case when is_withdrawn then null else notes.note end as note,
  noted_at
from landing.notes
