// ClickHouse's engine behind the part of its HTTP interface that tieout speaks: the npm package brings the engine without a
// server. One request after the other, each in a session of its own, so that no setting outlives it.
// Arguments: folder of the data. Prints the port that it listens on.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Session } from 'chdb'

const folder = process.argv[2]
const held = new Session(folder)
// They go with the folder, however this process ends.
const uploads = await mkdtemp(join(folder, 'uploads-'))

/** What the interface takes besides settings. */
const NO_SETTINGS = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'default_format',
  'wait_end_of_query',
])

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** The engine reads no body: what is inserted becomes a file, and the insertion a select from it. */
async function statementOf(request, given) {
  if (given === null) return { statement: await bodyOf(request), file: null }
  const insert = /^\s*(insert into \S+ \(([^)]*)\)) format (\w+)\s*$/i.exec(given)
  if (insert === null) return { statement: `${given}\n${await bodyOf(request)}`, file: null }
  const file = join(uploads, `${process.hrtime.bigint()}`)
  await pipeline(request, createWriteStream(file))
  const [, into, columns, format] = insert
  return { statement: `${into} select ${columns} from file(${quoted(file)}, ${format})`, file }
}

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  const { statement, file } = await statementOf(request, searchParams.get('query'))
  const session = new Session(folder)
  try {
    // The header counts before the parameter.
    const database = request.headers['x-clickhouse-database'] ?? searchParams.get('database')
    if (database !== null && database !== 'default') session.query(`use \`${database}\``)
    const settings = [...searchParams].filter(([name]) => !NO_SETTINGS.has(name))
    // The last word is that nothing may be changed any more.
    settings.sort(([a], [b]) => Number(a === 'readonly') - Number(b === 'readonly'))
    const set = settings.map(([name, value]) => `${name} = ${quoted(value)}`)
    if (set.length > 0) session.query(`set ${set.join(', ')}`)
    const named = /\bformat\s+(\w+)\s*$/i.exec(statement)?.[1] ?? 'TabSeparated'
    response.setHeader('x-clickhouse-format', named)
    // As a whole: the parts of a streamed answer would each be a file of their own.
    response.end(Buffer.from((await session.queryAsync(statement, { format: named })).bytes()))
  } catch (error) {
    const said = String(error.message).replace(/^Query failed: /, '')
    response.setHeader('x-clickhouse-exception-code', /^Code: (\d+)/.exec(said)?.[1] ?? '1001')
    response.statusCode = 500
    response.end(said)
  } finally {
    session.close()
    if (file !== null) await rm(file, { force: true })
  }
}

let turn = Promise.resolve()
const server = createServer((request, response) => {
  turn = turn.then(() => answer(request, response)).catch((error) => response.destroy(error))
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => {
  held.close()
  process.exit()
})
