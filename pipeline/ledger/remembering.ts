// A ledger that many reports ask the same small queries for one document: each is run once.
import type { Row } from '../output/cell.ts'
import type { Ledger } from './ledger.ts'
import type { Reader, Values } from './reader.ts'

/**
 * Caches the rows of each `query`, also of databases beside it, as long as it is in use itself; `stream` runs
 * each time.
 */
export function remembering(ledger: Ledger): Ledger {
  return {
    ...ledger,
    query: remembered(ledger),
    scratch: async (fill) => {
      const beside = await ledger.scratch(fill)
      return { ...beside, query: remembered(beside) }
    },
  }
}

function remembered(reader: Reader): Reader['query'] {
  const answers = new Map<string, Promise<Row[]>>()
  return async (sql: string, values: Values = {}) => {
    const isPlain = Object.values(values).every((value) => value === null || typeof value !== 'object')
    if (!isPlain) return await reader.query(sql, values)
    const key = [sql, ...Object.entries(values).flatMap(([name, value]) => [name, typeof value, value])].join(
      '\0',
    )
    const answer = answers.get(key) ?? reader.query(sql, values)
    answers.set(key, answer)
    return await answer
  }
}
