// How names and strings are written in generated SQL: the one place where quotes are doubled.

/** A name of a table, a column or a database. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string as a literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
