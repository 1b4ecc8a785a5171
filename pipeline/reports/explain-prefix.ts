// Splits a leading EXPLAIN off a statement, so that the statement can be examined alone. The prefix that is
// put back is written by us: no part of the user's prefix, and in particular no comment, reaches DuckDB.

/** `explain`, or `explain analyze`, with its format. */
export type Explain = `explain (${string})`

export interface Split {
  /** Null when the query explains nothing. */
  readonly explain: Explain | null
  readonly statement: string
}

const EXPLAIN = /explain\b/iy
const ANALYZE = /analy[sz]e\b/iy
const OPTIONS = /\(\s*((?:analy[sz]e|format)\b[\w\s,]*)\)/iy

/** Splits the query into what it explains and how; unknown options are left for DuckDB to refuse. */
export function splitExplain(query: string): Split {
  const start = afterSpace(query, 0)
  const word = matchAt(EXPLAIN, query, start)
  if (word === null) return { explain: null, statement: query }
  let at = afterSpace(query, start + word[0].length)
  const analyze = matchAt(ANALYZE, query, at)
  if (analyze !== null) at = afterSpace(query, at + analyze[0].length)
  const options = matchAt(OPTIONS, query, at)
  if (options !== null) at += options[0].length
  const given = [
    ...(analyze === null ? [] : ['analyze']),
    ...(options === null ? [] : [options[1] as string]),
  ]
  return { explain: `explain (${given.join(', ') || 'format text'})`, statement: query.slice(at) }
}

/** The first word of a statement; empty if it does not begin with a word. */
export const firstWord = (statement: string): string =>
  matchAt(/[a-z]+/iy, statement, afterSpace(statement, 0))?.[0] ?? ''

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const SPACE = /(?:\s+|--[^\n]*)*/y

/** Where the next word begins, past whitespace and comments; block comments nest. */
function afterSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    at += matchAt(SPACE, text, at)?.[0].length ?? 0
    if (!text.startsWith('/*', at)) return at
    at = afterComment(text, at)
  }
}

function afterComment(text: string, from: number): number {
  let depth = 0
  let at = from
  do {
    const mark = text.slice(at, at + 2)
    depth += mark === '/*' ? 1 : mark === '*/' ? -1 : 0
    at += mark === '/*' || mark === '*/' ? 2 : 1
  } while (depth > 0 && at < text.length)
  return at
}
