// What a user's statement may be: one that reads. DuckDB's own parser and planner say what it is, never its text:
// its type, the functions that its parse tree calls in place of tables, and the operators of its plan.
import { type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import type { Session } from '../ledger/session.ts'
import { type Explain, firstWord, splitExplain } from './explain-prefix.ts'
import { mustAsk } from './question.ts'
import { readingFunctions, readingOperators } from './reading.ts'

const expected = 'one statement that reads: select, with, from, values, describe, show, summarize, explain'

/** The one statement of the query, prepared; UsageError when it does anything but read. Nothing of it has run. */
export async function readingStatement(session: Session, query: string): Promise<DuckDBPreparedStatement> {
  mustAsk(query, expected)
  const { explain, statement: text } = splitExplain(query)
  const statement = await preparedSelect(session, text).catch(async (cause: unknown) => {
    throw meetsTheSeal(cause) ? await reachesForFiles(session, text, cause) : cause
  })
  await mustOnlyRead(session, text)
  // EXPLAIN ANALYZE executes what it explains, so that is looked at as if it stood alone, and then explained by us.
  return explain === null ? statement : await explained(session, explain, text)
}

async function preparedSelect(session: Session, text: string): Promise<DuckDBPreparedStatement> {
  const statement = await prepareOne(session, text)
  if (statement.statementType !== StatementType.SELECT)
    throw notReading(StatementType[statement.statementType])
  if (statement.parameterCount > 0) {
    throw new UsageError('The query has places for values that it was not given.', {
      found: `$${statement.parameterName(1)}`,
      action: 'Write the value into the query.',
    })
  }
  return statement
}

async function prepareOne(session: Session, text: string): Promise<DuckDBPreparedStatement> {
  const statements = await session.run(() => session.connection.extractStatements(text))
  if (statements.count > 1) {
    throw new UsageError('The query is more than one statement.', {
      expected,
      found: `${statements.count} statements`,
      action:
        'Run them one by one. A pivot is one statement only when it lists its values: `on column in (…)`.',
    })
  }
  return await session.run(() => statements.prepare(0))
}

async function explained(session: Session, explain: Explain, text: string): Promise<DuckDBPreparedStatement> {
  const statement = await prepareOne(session, `${explain}\n${text}`)
  if (statement.statementType !== StatementType.EXPLAIN)
    throw notReading(StatementType[statement.statementType])
  return statement
}

/**
 * Both looks are needed. `query(…)` may be another statement each time it is planned, so what a query calls by name
 * is taken from its parse tree; what stands behind a view or a macro is seen in the plan alone.
 */
async function mustOnlyRead(session: Session, text: string): Promise<void> {
  const tree = await parseTree(session, text)
  if (tree === null) throw notReading('a statement whose parse tree DuckDB does not tell')
  for (const name of tableFunctionsOf(tree)) {
    if (readingFunctions.has(name.toLowerCase())) continue
    throw notReading(`the table function ${name}`)
  }
  for (const name of await plannedOperators(session, text)) {
    if (readingOperators.has(name) || readingFunctions.has(name.toLowerCase())) continue
    throw notReading(`the step ${name} in the plan of the query`)
  }
}

/**
 * Whether the statement was to touch a file where there is none to be touched. DuckDB looks for the file before it tells of
 * what type the statement is, and hands out the class of its error in no other way than as the beginning of the message.
 */
const meetsTheSeal = (cause: unknown): boolean =>
  cause instanceof Error && /^(Failed to extract statements: )?Permission Error: /.test(cause.message)

/** What is no select is told by its first word, since DuckDB did not come to tell its type. */
async function reachesForFiles(session: Session, text: string, cause: unknown): Promise<UsageError> {
  const tree = await parseTree(session, text)
  if (tree === null) return notReading(firstWord(text).toUpperCase(), cause)
  const called = tableFunctionsOf(tree).filter((name) => !readingFunctions.has(name.toLowerCase()))
  return new UsageError(
    'The query reads a file, and there is nothing to read here but the published ledger.',
    {
      expected: 'tables of the ledger',
      found: called.length === 0 ? 'a file in place of a table' : `the table function ${called.join(', ')}`,
      action:
        '`tieout tables` lists the tables. To read files beside them, open the ledger with DuckDB itself: docs/elsewhere.md.',
      cause,
    },
  )
}

function notReading(found: string | undefined, cause?: unknown): UsageError {
  return new UsageError('The statement does not only read, and the published ledger is for reading.', {
    expected,
    ...(found === undefined ? {} : { found }),
    action:
      'Query the ledger, or copy ledger.duckdb and change the copy with DuckDB. docs/sql.md has what may be asked.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** DuckDB's parse tree of a select; null for any other statement. */
async function parseTree(session: Session, text: string): Promise<unknown> {
  const tree: unknown = JSON.parse(await answer(session, 'select json_serialize_sql($1::varchar)', [text]))
  return (tree as { error: boolean }).error ? null : tree
}

/** Table functions that the statement names, wherever in it they stand. */
function tableFunctionsOf(tree: unknown): string[] {
  const names = new Set<string>()
  for (const node of nodesOf(tree)) {
    if (node.type === 'TABLE_FUNCTION') names.add((node.function as { function_name: string }).function_name)
  }
  return [...names]
}

/** The operators with which DuckDB would answer; a table function's operator bears its name. */
async function plannedOperators(session: Session, text: string): Promise<ReadonlySet<string>> {
  const plan: unknown = JSON.parse(await answer(session, `explain (format json)\n${text}`, []))
  const names = new Set<string>()
  for (const node of nodesOf(plan)) {
    if (!Array.isArray(node.children)) continue
    const name = String(node.name).trim()
    names.add(name === 'INOUT_FUNCTION' ? inOutName(node) : name)
  }
  return names
}

/** A function that is called for each row of a table stands in the plan as such only where DuckDB has its name. */
function inOutName(node: Readonly<Record<string, unknown>>): string {
  const name = (node.extra_info as { Name?: unknown } | undefined)?.Name
  return typeof name === 'string' ? name : 'INOUT_FUNCTION'
}

/** Every object of the JSON. Not by recursion: a query may nest deeper than the stack. */
function* nodesOf(json: unknown): Iterable<Readonly<Record<string, unknown>>> {
  const open: unknown[] = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield value as Record<string, unknown>
    for (const inner of Object.values(value)) open.push(inner)
  }
}

/** The text in the last column of the one row that the statement answers. */
async function answer(session: Session, sql: string, values: string[]): Promise<string> {
  const reader = await session.run(() => session.connection.runAndReadAll(sql, values))
  return String(reader.getRows()[0]?.at(-1))
}
