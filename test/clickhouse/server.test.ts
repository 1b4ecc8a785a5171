// What tieout says to a ClickHouse server, and what it says of one that refuses or is not there.
import { expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { TieoutError } from '../../models/error.ts'
import { Question } from '../../pipeline/clickhouse/query.ts'
import { Server } from '../../pipeline/clickhouse/server.ts'
import { clickHouseSource } from '../../pipeline/clickhouse/source.ts'
import { engineSettings } from '../../pipeline/engine/settings.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { answerThere } from '../../pipeline/reports/answer-there.ts'
import { type Asked, fakeServer, type Said, VERSION } from './fake-server.ts'

const PASSWORD = 'a-password-that-nobody-sees'
/** Where nothing was asked. */
const NOTHING: Asked = { statement: '', parameters: new URLSearchParams(), headers: {} }
const settingsOf = (url: string) => ({ url, database: 'tieout', user: 'books', password: PASSWORD })

async function errorOf(promise: Promise<unknown>): Promise<TieoutError> {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  )
  if (error instanceof TieoutError) return error
  throw new Error(`no TieoutError: ${String(error)}`)
}

/** Everything that a user could ever see of an error, its causes included. */
function allOf(error: unknown): string {
  const { message, stack, cause, details } = error as TieoutError
  return [message, stack, JSON.stringify(details), cause === undefined ? '' : allOf(cause)].join('\n')
}

test('a statement runs under the settings with which both engines give the same', async () => {
  const { url, asked } = await fakeServer(() => VERSION)
  const server = await Server.open(settingsOf(url))
  await server.run('create database x', { database: 'there' })
  await server.close()
  const { statement, parameters, headers } = asked.at(-1) ?? NOTHING
  expect(statement).toBe('create database x')
  expect(parameters.get('join_use_nulls')).toBe('1')
  expect(parameters.get('prefer_column_name_to_alias')).toBe('1')
  expect(headers['x-clickhouse-database']).toBe('there')
})

test('the password is sent only in a header', async () => {
  const { url, asked } = await fakeServer(() => VERSION)
  await (await Server.open(settingsOf(url))).close()
  const [first] = asked
  expect(first?.headers.authorization).toBe(`Basic ${Buffer.from(`books:${PASSWORD}`).toString('base64')}`)
  expect(`${first?.statement} ${first?.parameters}`).not.toContain(PASSWORD)
})

test('a server that refuses the credentials is a usage error that names the variables and no secret', async () => {
  const refusal: Said = {
    status: 403,
    code: '516',
    body: 'Code: 516. DB::Exception: books: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)',
  }
  const { url } = await fakeServer(() => refusal)
  const error = await errorOf(Server.open(settingsOf(url)))
  expect(error.exitCode).toBe(2)
  expect(error.describe()).toBe(
    [
      'The ClickHouse server refused the credentials.',
      `  where:    ${url}`,
      '  expected: the user of TIEOUT_CLICKHOUSE_USER with the password of TIEOUT_CLICKHOUSE_PASSWORD',
      '  found:    error 516 from the server',
      '  next:     Correct the two environment variables, or grant the user the missing rights.',
    ].join('\n'),
  )
  expect(allOf(error)).not.toContain(PASSWORD)
})

test('the server’s message about a statement is shown with the statement', async () => {
  const refusal: Said = {
    status: 404,
    code: '60',
    body: 'Code: 60. DB::Exception: Unknown table expression identifier x.y. (UNKNOWN_TABLE)',
  }
  const { url } = await fakeServer(({ statement }) =>
    statement.startsWith('select version') ? VERSION : refusal,
  )
  const server = await Server.open(settingsOf(url))
  const error = await errorOf(server.run('insert into x.y select 1'))
  await server.close()
  expect(error.describe()).toBe(
    [
      'The ClickHouse server failed to execute a statement.',
      `  where:    ${url}: insert into x.y select 1`,
      '  found:    Unknown table expression identifier x.y. ',
      '  next:     The published state is unchanged. Correct what the server reports, then run again.',
    ].join('\n'),
  )
  expect(allOf(error)).not.toContain(PASSWORD)
})

test('an unreachable server ends a run with the code for running it again', async () => {
  const error = await errorOf(Server.open(settingsOf('http://127.0.0.1:1')))
  expect(error.exitCode).toBe(5)
  expect(error.message).toBe('The ClickHouse server does not answer.')
  expect(error.details.found).toBe('ECONNREFUSED')
  expect(allOf(error)).not.toContain(PASSWORD)
})

const published = (statement: string): Said | null => {
  if (statement.startsWith('select version')) return VERSION
  if (statement.includes('system.tables')) return { body: '["1"]\n' }
  if (statement.includes('"published"')) return { body: '["b20261101000000000"]\n' }
  if (statement.includes('system.columns')) return { body: '["balances","coin","Nullable(String)"]\n' }
  return null
}

const limits = { timeoutMs: 30_000, clock: systemClock }

test('a user’s query may only read, and only for its time', async () => {
  const body = [
    '["coin","quantity","number","at","is_open"]',
    `["Nullable(String)","Nullable(Decimal(38, 18))","Int64","DateTime64(6, 'UTC')","Bool"]`,
    '["BTC","1.5","9007199254740993","2026-01-31T12:00:00.123000Z",true]',
    '[null,null,"7","2026-01-31T12:00:00.123456Z",false]',
  ].join('\n')
  const { url, asked } = await fakeServer(({ statement }) => published(statement) ?? { body })
  const question = await Question.to(settingsOf(url), limits)
  const { columns, rows } = await question.rows('select * from balances;')
  expect(await allRows(rows)).toEqual([
    ['BTC', '1.5', '9007199254740993', '2026-01-31T12:00:00.123Z', true],
    [null, null, 7, '2026-01-31T12:00:00.123456Z', false],
  ])
  await question.close()
  expect(columns.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'coin text',
    'quantity amount',
    'number number',
    'at time',
    'is_open text',
  ])
  const { parameters, headers, statement } = asked.at(-1) ?? NOTHING
  expect(statement).toBe('select * from balances\nformat JSONCompactEachRowWithNamesAndTypes')
  expect([parameters.get('readonly'), parameters.get('max_execution_time')]).toEqual(['1', '30'])
  expect(headers['x-clickhouse-database']).toBe('tieout_b20261101000000000')
})

test('a query that the server refuses is answered with the list of tables', async () => {
  const refusal: Said = {
    status: 404,
    code: '47',
    body: 'Code: 47. DB::Exception: no such column. (UNKNOWN_IDENTIFIER)',
  }
  const { url } = await fakeServer(({ statement }) => published(statement) ?? refusal)
  const question = await Question.to(settingsOf(url), limits)
  const error = await errorOf(question.rows('select nothing'))
  await question.close()
  expect([error.exitCode, error.message, error.details.action]).toEqual([
    2,
    'The query was refused.',
    'Correct the query, in the SQL of ClickHouse. Tables: balances.',
  ])
  expect(error.details.where).toBe(`${url}, database tieout`)
})

test('two statements in one query are reported as such, as for the published file', async () => {
  const words =
    'Syntax error (Multi-statements are not allowed): failed at position 9 (;) (line 1, col 9): ; select 2. (SYNTAX_ERROR)'
  const refusal: Said = { status: 400, code: '62', body: `Code: 62. DB::Exception: ${words}` }
  const { url } = await fakeServer(({ statement }) => published(statement) ?? refusal)
  const question = await Question.to(settingsOf(url), limits)
  const error = await errorOf(question.rows('select 1; select 2'))
  await question.close()
  expect([error.exitCode, error.describe()]).toEqual([
    2,
    [
      'The query is more than one statement.',
      `  where:    ${url}, database tieout`,
      '  expected: one reading statement, in the SQL of ClickHouse',
      `  found:    ${words.replace(' (SYNTAX_ERROR)', '')}`,
      '  next:     Run the statements one by one.',
    ].join('\n'),
  ])
})

test('times of any zone are requested as instants, lists have cells of their type, no number has a single name', async () => {
  const body = [
    '["at","second","days","sums","n"]',
    `["DateTime64(6, 'Europe/Berlin')","DateTime('UTC')","Array(Nullable(DateTime64(6, 'UTC')))","Array(Decimal(38, 18))","Array(Float64)"]`,
    '["2026-01-31T12:00:00.000000Z","2026-01-31T12:00:00Z",["2026-01-31T12:00:00.123456Z",null],["1.5"],["nan","inf","-inf",0.5]]',
  ].join('\n')
  const { url, asked } = await fakeServer(({ statement }) => published(statement) ?? { body })
  const question = await Question.to(settingsOf(url), limits)
  const { rows } = await question.rows('select * from x')
  expect(await allRows(rows)).toEqual([
    [
      '2026-01-31T12:00:00.000Z',
      '2026-01-31T12:00:00.000Z',
      ['2026-01-31T12:00:00.123456Z', null],
      ['1.5'],
      ['NaN', 'Infinity', '-Infinity', 0.5],
    ],
  ])
  await question.close()
  expect(asked.at(-1)?.parameters.get('date_time_output_format')).toBe('iso')
})

/** Asks for all rows of a table of which the first row comes, and then this. */
async function errorBehindOneRow(rest: Said): Promise<TieoutError> {
  const said = { ...rest, body: `["n"]\n["Int64"]\n["1"]\n${rest.body ?? ''}` }
  const { url } = await fakeServer(({ statement }) => published(statement) ?? said)
  const question = await Question.to(settingsOf(url), { ...limits, timeoutMs: 300 })
  const { rows } = await question.rows('select n from much')
  return await errorOf(allRows(rows)).finally(() => question.close())
}

test('an empty query is reported as such, and sends nothing', async () => {
  const { url, asked } = await fakeServer(() => VERSION)
  const answering = answerThere(settingsOf(url))(
    { dir: '', query: ' -- nothing\n;', format: 'csv', engine: engineSettings(), timeoutMs: 1_000 },
    { clock: systemClock },
    () => Promise.resolve(),
  )
  expect((await errorOf(answering)).message).toBe('The query is empty.')
  expect(asked).toEqual([])
})

test('an answer that breaks off is an error with the server’s words, not a short answer', async () => {
  const before = await errorBehindOneRow({ body: 'Code: 241. DB::Exception: Memory limit exceeded' })
  expect([before.message, before.details.found]).toEqual(['The query was refused.', 'Memory limit exceeded'])
  // Since ClickHouse 25.11.
  const framed = (words: string): Said => ({
    body: `\r\n__exception__\r\nabcdefghijklmnop\r\n${words}\n${words.length + 1} abcdefghijklmnop\r\n__exception__\r\n`,
    end: 'broken off',
  })
  const since = await errorBehindOneRow(framed('Code: 241. DB::Exception: Memory limit exceeded'))
  expect([since.message, since.details.found]).toEqual(['The query was refused.', 'Memory limit exceeded'])
  const late = await errorBehindOneRow(framed('Code: 159. DB::Exception: Timeout exceeded'))
  expect(late.message).toBe('The query took too long and was stopped.')
})

test('a server that goes away in the middle of its answer counts as not answering', async () => {
  const error = await errorBehindOneRow({ end: 'broken off' })
  expect([error.exitCode, error.message, error.details.found]).toEqual([
    5,
    'The ClickHouse server does not answer.',
    'ECONNRESET',
  ])
})

test('a server that falls silent is not waited for longer than the query may take', async () => {
  const within = await errorBehindOneRow({ end: 'never' })
  expect(within.describe()).toContain(
    'The query took too long and was stopped.\n  expected: an answer within 0.3 s',
  )
  const { url } = await fakeServer(() => ({ end: 'never' }))
  const before = await errorOf(Question.to(settingsOf(url), { ...limits, timeoutMs: 50 }))
  expect(before.message).toBe('The query took too long and was stopped.')
})

test('what a report waits for ends like its own queries when it is stopped', async () => {
  const stop = new AbortController()
  const { url } = await fakeServer(({ statement }) => {
    if (statement.startsWith('select version')) return VERSION
    setTimeout(() => stop.abort(), 20)
    return { body: '["', end: 'never' }
  })
  const error = await errorOf(clickHouseSource(settingsOf(url)).open(stop.signal))
  expect([error.exitCode, error.message]).toEqual([5, 'The query was stopped.'])
})

test('of a page that answers in place of the server, one line is shown', async () => {
  const { url } = await fakeServer(() => ({ status: 502, body: '<html>\n<h1>Bad Gateway</h1>\n</html>' }))
  expect((await errorOf(Server.open(settingsOf(url)))).details.found).toBe('<html>')
})
