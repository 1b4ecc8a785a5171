// How the tables of a database are declared: a name and typed columns.

export type ColumnKind = 'VARCHAR' | 'BIGINT' | 'INTEGER' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'DECIMAL(38,18)'

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
}

/** A `name` alone is VARCHAR; `name: KIND` has the given type. */
export function table(name: string, columns: string): Table {
  return {
    name,
    columns: columns.split(/,(?!\d)/).map((column) => {
      const [columnName = '', kind = 'VARCHAR'] = column.trim().split(': ')
      return { name: columnName, kind: kind as ColumnKind }
    }),
  }
}
