-- Files that the user imported, including those withdrawn.
-- grain: one row per import
-- keys:  import_id unique
-- columns:
--   import_id: Number of the import: the journal frame that holds the file. `tieout import --undo` expects this number.
--   kind: trades, lots or prices.
--   file_name: Name of the file, without its folder.
--   row_count: Rows of the file. The number stays when the file is erased, though the rows are gone.
--   sha256: Hash of the file, in hex.
--   imported_at: When it was imported.
--   withdrawn_at: When it was withdrawn; null if it is in effect.
--   layout: Mapping used to read an export of another service; null for a file in tieout's own format.
select page_id as import_id, kind, file_name, row_count, sha256, imported_at,
  (select min(withdrawn_at) from landing.import_withdrawals as withdrawals where withdrawals.page_id = imports.page_id)
    as withdrawn_at,
  layout
from landing.imports
