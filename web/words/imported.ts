// Accounts that are known only from imported files: their rows are no entries of the venue.

/** Their wallet. */
export const IMPORT = 'IMPORT'

/** The statement of their rows, the newest first, for the console. */
export function importedSql(chosen: {
  readonly account?: string | undefined
  readonly coin?: string | undefined
}): string {
  const conditions = [
    ['account', chosen.account],
    ['coin', chosen.coin],
  ].flatMap(([column, given = '']) => {
    // Several names separated by commas, or one that contains a comma.
    const texts = [...new Set([...given.split(','), given])].filter((text) => text !== '')
    return texts.length === 0 ? [] : [`${column} in (${texts.map(quoted).join(', ')})`]
  })
  const where = conditions.length === 0 ? '' : `\nwhere ${conditions.join('\n  and ')}`
  return `select *\nfrom imported_entries${where}\norder by occurred_at desc, entry_id`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
