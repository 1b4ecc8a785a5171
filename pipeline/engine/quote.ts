// How names and texts stand in SQL that is put together: the one place where quotes are doubled.

/** A name of a table, a column or a database. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text as a literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
