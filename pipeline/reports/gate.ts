// Which statements of a user are allowed: those that only read. DuckDB's own parser and planner decide that,
// never the text: the statement type, the table functions in its parse tree, and the operators in its plan.
import { type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api'
import { UsageError } from '../../models/error.ts'
import { shortened } from '../../models/text.ts'
import type { Session } from '../ledger/session.ts'
import { type Explain, firstWord, splitExplain } from './explain-prefix.ts'
import { mustAsk } from './question.ts'
import { readingFunctions, readingOperators } from './reading.ts'

const expected = 'one statement that reads: select, with, from, values, describe, show, summarize, explain'

/**
 * The query's single statement, prepared; UsageError if it does anything but read. Nothing has been executed.
 */
export async function readingStatement(session: Session, query: string): Promise<DuckDBPreparedStatement> {
  const { explain, statement: text } = splitExplain(query)
  mustAsk(text, expected)
  const statement = await preparedSelect(session, text).catch(async (cause: unknown) => {
    throw meetsTheSeal(cause) ? await reachesForFiles(session, text, cause) : cause
  })
  await mustOnlyRead(session, text)
  // EXPLAIN ANALYZE executes what it explains, so the statement is examined alone and the EXPLAIN is added by
  // us.
  return explain === null ? statement : await explained(session, explain, text)
}

async function preparedSelect(session: Session, text: string): Promise<DuckDBPreparedStatement> {
  const statement = await prepareOne(session, text)
  if (statement.statementType !== StatementType.SELECT)
    throw notReading(StatementType[statement.statementType])
  if (statement.parameterCount > 0) {
    throw new UsageError('The query has parameters, and values for them cannot be given.', {
      found: `$${statement.parameterName(1)}`,
      action: 'Write the values into the query.',
    })
  }
  return statement
}

async function prepareOne(session: Session, text: string): Promise<DuckDBPreparedStatement> {
  const statements = await session
    .run(() => session.connection.extractStatements(text))
    .catch((cause: unknown) => {
      throw hasNoMessage(cause) ? noStatement(text, cause) : cause
    })
  if (statements.count > 1) {
    throw new UsageError('The query is more than one statement.', {
      expected,
      found: `${statements.count} statements`,
      action:
        'Run them one by one. A pivot is a single statement only if it lists its values: `on column in (…)`.',
    })
  }
  return await session.run(() => statements.prepare(0))
}

/**
 * DuckDB's message about some text that is no statement, such as a single letter beyond ASCII, cannot be read, and the
 * client then has only this one.
 */
const hasNoMessage = (cause: unknown): boolean =>
  cause instanceof Error && cause.message === 'Error in native callback'

const noStatement = (text: string, cause: unknown): UsageError =>
  new UsageError('The query is not an SQL statement.', {
    expected,
    found: shortened(text.trim(), 80),
    action: 'Correct the query, for example: `tieout sql "select * from balances"`.',
    cause,
  })

async function explained(session: Session, explain: Explain, text: string): Promise<DuckDBPreparedStatement> {
  const statement = await prepareOne(session, `${explain}\n${text}`)
  if (statement.statementType !== StatementType.EXPLAIN)
    throw notReading(StatementType[statement.statementType])
  return statement
}

/**
 * Both checks are needed. `query(…)` can plan a different statement each time, so the functions that a query
 * calls by name are taken from its parse tree; what lies behind a view or a macro is visible only in the
 * plan.
 */
async function mustOnlyRead(session: Session, text: string): Promise<void> {
  const tree = await parseTree(session, text)
  if (tree === null) throw notReading('a statement for which DuckDB gives no parse tree')
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
 * Whether the statement tried to reach a file although none may be reached. DuckDB looks for the file before
 * it reports the statement's type, and the class of its error is available only as the beginning of the
 * message.
 */
const meetsTheSeal = (cause: unknown): boolean =>
  cause instanceof Error && /^(Failed to extract statements: )?Permission Error: /.test(cause.message)

/**
 * A statement that is not a select is named by its first word, because DuckDB failed before reporting its
 * type.
 */
async function reachesForFiles(session: Session, text: string, cause: unknown): Promise<UsageError> {
  const tree = await parseTree(session, text)
  if (tree === null) return notReading(firstWord(text).toUpperCase(), cause)
  const called = tableFunctionsOf(tree).filter((name) => !readingFunctions.has(name.toLowerCase()))
  return new UsageError('The query reads a file; only the published ledger can be read here.', {
    expected: 'tables of the ledger',
    found:
      called.length === 0
        ? 'a file in place of a table'
        : `the table function${called.length === 1 ? '' : 's'} ${called.join(', ')}`,
    action:
      '`tieout tables` lists the tables. To read files as well, open the ledger in DuckDB itself (docs/elsewhere.md).',
    cause,
  })
}

function notReading(found: string | undefined, cause?: unknown): UsageError {
  return new UsageError('The statement does more than read, and the published ledger is read-only.', {
    expected,
    ...(found === undefined ? {} : { found }),
    action:
      'Query the ledger, or copy ledger.duckdb and change the copy in DuckDB. docs/sql.md lists what is allowed.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** DuckDB's parse tree of a select; null for any other statement. */
async function parseTree(session: Session, text: string): Promise<unknown> {
  const tree: unknown = JSON.parse(await answer(session, 'select json_serialize_sql($1::varchar)', [text]))
  return (tree as { error: boolean }).error ? null : tree
}

/** Table functions that the statement names anywhere. */
function tableFunctionsOf(tree: unknown): string[] {
  const names = new Set<string>()
  for (const node of nodesOf(tree)) {
    if (node.type === 'TABLE_FUNCTION') names.add((node.function as { function_name: string }).function_name)
  }
  return [...names]
}

/** The operators of DuckDB's plan; the operator of a table function carries the function's name. */
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

/** A function that is called for each row of a table is named in the plan only if DuckDB has its name. */
function inOutName(node: Readonly<Record<string, unknown>>): string {
  const name = (node.extra_info as { Name?: unknown } | undefined)?.Name
  return typeof name === 'string' ? name : 'INOUT_FUNCTION'
}

/** Every object of the JSON, in the order of its text. Iterative, because a query may nest deeper than the stack. */
function* nodesOf(json: unknown): Iterable<Readonly<Record<string, unknown>>> {
  const open: unknown[] = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield value as Record<string, unknown>
    for (const inner of Object.values(value).toReversed()) open.push(inner)
  }
}

/** The text in the last column of the statement's single row. */
async function answer(session: Session, sql: string, values: string[]): Promise<string> {
  const reader = await session.run(() => session.connection.runAndReadAll(sql, values))
  return String(reader.getRows()[0]?.at(-1))
}
