-- Files that the user imported, those among them that were withdrawn.
-- grain: one row per import
-- keys:  import_id unique
-- columns:
--   import_id: Number of the import: the journal frame that holds the file. `tieout import --undo` takes it.
--   kind: trades, lots or prices.
--   file_name: Name of the file, without its folder.
--   row_count: Rows of the file.
--   sha256: Hash of the file, in hex.
--   imported_at: When it was imported.
--   withdrawn_at: When it was withdrawn; null where it counts.
--   layout: Mapping by which the export of another service was read; null for a file in the format of tieout.
select page_id as import_id, kind, file_name, row_count, sha256, imported_at,
  (select min(withdrawn_at) from landing.import_withdrawals as withdrawals where withdrawals.page_id = imports.page_id)
    as withdrawn_at,
  layout
from landing.imports
