// The tables of the landing database, as docs/architecture.md lists them: the fixed ones, and one for each record type.

import { columnName, type FieldKind, type RecordType } from '../../models/record.ts'
import { identifier } from '../engine/quote.ts'
import { type ColumnKind, type Table, table } from '../engine/table.ts'
import {
  fetchedPricesTable,
  importedLotsTable,
  importedPricesTable,
  importedTradesTable,
  pricePagesTable,
} from '../imports/tables.ts'

/**
 * A file with a missing table or other columns is recognised as older and is rebuilt from the journal. Raise this
 * number only if the same tables come to hold something else, which includes any change of what a frame lands as:
 * otherwise rows from before and after the change would be mixed, and no rebuild would reproduce the file. 8: an import
 * keeps its number of rows when its file is erased.
 */
export const SCHEMA_VERSION = 8

const KIND_OF_FIELD: Readonly<Record<FieldKind, ColumnKind>> = {
  text: 'VARCHAR',
  amount: 'DECIMAL(38,18)',
  millis: 'TIMESTAMPTZ',
  flag: 'BOOLEAN',
  json: 'VARCHAR',
}

/** Columns of a record table that come before its fields. */
export const ROW_COLUMNS = ['account', 'partition', 'page_id', 'page_row'] as const

export function recordTable(record: RecordType): Table {
  return {
    name: record.table,
    columns: [
      { name: 'account', kind: 'VARCHAR' },
      { name: 'partition', kind: 'VARCHAR' },
      { name: 'page_id', kind: 'BIGINT' },
      { name: 'page_row', kind: 'INTEGER' },
      ...Object.entries(record.fields).map(([name, field]) => ({
        name: columnName(name),
        kind: KIND_OF_FIELD[field.kind],
      })),
      { name: 'extra', kind: 'VARCHAR' },
    ],
  }
}

/**
 * `row_total` is the number of rows ever appended to the tables of `countedTables`: a file that has fewer is not whole.
 */
export const stateTable = table(
  'state',
  'schema_version: INTEGER, landed_seq: BIGINT, chain, row_total: BIGINT',
)

export const pagesTable = table(
  'pages',
  `page_id: BIGINT, run_id, account, feed, partition, path, status: INTEGER, received_at: TIMESTAMPTZ,
   window_start: TIMESTAMPTZ, window_end: TIMESTAMPTZ, cursor, ends_list: BOOLEAN, row_count: INTEGER,
   quarantined: INTEGER, answered_at: TIMESTAMPTZ, is_erased: BOOLEAN`,
)

export const coveredTable = table(
  'covered',
  'page_id: BIGINT, account, feed, partition, starts_at: TIMESTAMPTZ, ends_at: TIMESTAMPTZ, row_count: INTEGER',
)

export const progressTable = table(
  'progress',
  'account, feed, partition, window_start: TIMESTAMPTZ, window_end: TIMESTAMPTZ, cursor, page_id: BIGINT',
)

export const statementsTable = table(
  'statements',
  `seq: BIGINT, run_id, account, feed, partition, starts_at: TIMESTAMPTZ, ends_at: TIMESTAMPTZ, status, code,
   reason, stated_at: TIMESTAMPTZ, named: BOOLEAN`,
)

export const quarantineTable = table(
  'quarantine',
  `account, feed, partition, page_id: BIGINT, page_row: INTEGER, field, reason, raw,
   first_seen_at: TIMESTAMPTZ`,
)

export const driftTable = table(
  'drift',
  'account, feed, page_id: BIGINT, field, problem, example, row_count: INTEGER',
)

export const accountsTable = table('accounts', 'account, venue, uid, kind, account_mode, page_id: BIGINT')

export const runsTable = table(
  'runs',
  `run_id, started_at: TIMESTAMPTZ, ended_at: TIMESTAMPTZ, command, requests: BIGINT, row_count: BIGINT,
   retries: BIGINT, outcome, seq: BIGINT, feeds`,
)

export const writesTable = table(
  'writes',
  `seq: BIGINT, account, endpoint, path, body, intended_at: TIMESTAMPTZ, outcome, code, message,
   settled_at: TIMESTAMPTZ`,
)

export const importsTable = table(
  'imports',
  'page_id: BIGINT, kind, file_name, row_count: INTEGER, sha256, imported_at: TIMESTAMPTZ, layout',
)

export const importWithdrawalsTable = table(
  'import_withdrawals',
  'seq: BIGINT, page_id: BIGINT, withdrawn_at: TIMESTAMPTZ',
)

export const notesTable = table(
  'notes',
  'seq: BIGINT, break_id, figures, is_withdrawn: BOOLEAN, note, noted_at: TIMESTAMPTZ',
)

const fixedTables = [
  stateTable,
  pagesTable,
  coveredTable,
  progressTable,
  statementsTable,
  quarantineTable,
  driftTable,
  accountsTable,
  runsTable,
  writesTable,
  importsTable,
  importedTradesTable,
  importedLotsTable,
  importedPricesTable,
  importWithdrawalsTable,
  notesTable,
  pricePagesTable,
  fetchedPricesTable,
]

/** All tables of a landing database that lands these records. */
export function tablesOf(records: readonly RecordType[]): readonly Table[] {
  return [...fixedTables, ...new Map(records.map((record) => [record.table, recordTable(record)])).values()]
}

/** The tables followed by `row_total`, whose rows are never deleted, apart from claims that a repair reopens. */
export const countedTables = (tables: Iterable<Table>): Table[] =>
  [...tables].filter(({ name }) => name !== stateTable.name && name !== progressTable.name)

/** The tables of received rows, each row with its position on its page; pages, runs and states have none. */
export const rowTables = (tables: Iterable<Table>): Table[] =>
  [...tables].filter(
    ({ name, columns }) =>
      name !== quarantineTable.name && columns.some((column) => column.name === 'page_row'),
  )

export function createTableSql({ name, columns }: Table): string {
  const lines = columns.map((column) => `  ${identifier(column.name)} ${column.kind}`)
  return `create table landing.main.${identifier(name)} (\n${lines.join(',\n')}\n)`
}
