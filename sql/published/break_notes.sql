-- Every note that the user has written on a break: notes that still apply, notes whose break has changed figures since, and
-- notes that were withdrawn.
-- grain: one row per note, and one per withdrawal of a note
-- keys:  note_id unique
-- columns:
--   note_id: Number of the note: the journal frame that holds it. Of several notes on one break, the one with the highest number
--     applies.
--   break_id: Break that the note is about.
--   figures_hash: Hash of the break's figures when the note was written. The note applies as long as `breaks` shows the same hash.
--   is_withdrawn: Whether this row withdraws the note before it.
--   note: Text of the note; null if the note was withdrawn or erased.
--   noted_at: When it was written.
select seq as note_id, break_id, figures as figures_hash, is_withdrawn, case when is_withdrawn then null else notes.note end as note,
  noted_at
from landing.notes
