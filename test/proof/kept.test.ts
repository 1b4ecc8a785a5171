// Night after night by the commands themselves, some of them killed, with imports, notes, erasures and another configuration
// in between; and a change in each of the tables that have landed: the published ledger is always the one that a full build
// makes. Six nights by default, in which everything happens once; NIGHTS=30 for a month.
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { verifyLedger } from '../../pipeline/books/verify-ledger.ts'
import { askPublished } from '../../pipeline/ledger/kept.ts'
import { isSame, type Rows } from '../../pipeline/ledger/rows.ts'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { openedBooks } from '../support/build-only.ts'
import { type Running, startTieout, temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const SPEED = 2_000
const START = Date.parse('2026-06-30T00:00:00Z')
const NIGHTS = Number(process.env.NIGHTS ?? 6)

let venue: Sandbox
/** Books of one night. */
let whole: string

beforeAll(async () => {
  venue = await startSandbox({ seed: 11, days: 5, now: new Date(START), speed: SPEED })
  whole = mkdtempSync(join(tmpdir(), 'tieout-kept-'))
  // One unified account and the classic one: each feed that has rows at all has some in these two.
  const accounts = venue.accounts.filter(({ name }) => ['parent', 'classic'].includes(name))
  await configureBooks(whole, { ...venue, accounts }, { speed: SPEED, since: '2026-06-20' })
  expect([0, 3]).toContain((await command(['nightly', '--dir', whole, '--now', at(0)])).code)
}, 300_000)

afterAll(async () => {
  await venue.close()
  rmSync(whole, { recursive: true, force: true })
})

/** Minutes apart: the sandbox's past ends with its now. */
const at = (night: number): string => new Date(START + night * 60_000).toISOString()

function copied(): string {
  const dir = temporaryFolder()
  cpSync(whole, dir, { recursive: true })
  return dir
}

const ledger = (dir: string): string => join(dir, 'ledger.duckdb')

/**
 * What is wrong with the published ledger: by its own record, by the checks, and compared with a full build, which then takes
 * its place if `publish` is true.
 */
async function differences(dir: string, now: string, { publish }: { publish: boolean }): Promise<string[]> {
  const { context, books, build } = await openedBooks(dir, { now, threads: 1 })
  try {
    const { problems } = await verifyLedger(context, books, false)
    const published = await publishedRows(dir)
    const { found, openBreaks } = await build({ full: true, publish })
    const errors = openBreaks.filter(({ severity }) => severity === 'error')
    return [
      ...problems,
      ...errors.map(({ checkName, explanation }) => `${checkName}: ${explanation}`),
      ...differing(found, published),
    ]
  } finally {
    await books.close()
  }
}

/** The tables whose rows are not the wanted ones, or that only one side has. */
const differing = (wanted: ReadonlyMap<string, Rows>, published: ReadonlyMap<string, Rows>): string[] =>
  [...new Set([...wanted.keys(), ...published.keys()])].filter(
    (table) => isCompared(table) && !isSame(wanted.get(table), published.get(table)),
  )

async function ask(path: string, sql: string): Promise<string[][]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson() as string[][]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const trades = (night: number): string =>
  [
    'id,time,account,type,asset,quantity,currency,total,fee,fee_currency',
    `b${night},2026-01-${String(night + 1).padStart(2, '0')}T00:00:00Z,elsewhere,buy,BTC,1,USD,100,1,USD`,
    '',
  ].join('\n')

const journalBytes = (dir: string): number =>
  readdirSync(join(dir, 'journal')).reduce((sum, name) => sum + statSync(join(dir, 'journal', name)).size, 0)

/** Another moment of the run each time: while it fetches or lands, or while it builds or publishes. */
async function untilMoment({ child }: Running, dir: string, night: number): Promise<void> {
  const before = journalBytes(dir)
  const isFetching = () => journalBytes(dir) > before
  const isBuilding = () => readdirSync(join(dir, 'tmp')).some((name) => /^ledger-.*\.duckdb$/.test(name))
  const isThere = night % 2 === 0 ? isBuilding : isFetching
  while (child.exitCode === null && !isThere()) await systemClock.sleep(1)
  await systemClock.sleep((night * 577) % 400)
}

/** What happens besides the night itself, in turn. */
const EVENTS: readonly ((dir: string, night: number) => Promise<void>)[] = [
  async () => undefined,
  async (dir, night) => {
    const file = join(dir, `elsewhere-${night}.csv`)
    writeFileSync(file, trades(night))
    // The night builds it.
    const words = ['import', 'trades', file, '--no-build', '--dir', dir, '--now', at(night)]
    expect((await command(words)).code).toBe(0)
  },
  async (dir, night) => {
    const [[chosen] = []] = await ask(
      ledger(dir),
      "select break_id from breaks where severity <> 'error' order by break_id",
    )
    if (chosen === undefined) throw new Error('There is no break to explain.')
    const words = ['explain-break', chosen, '--note', `night ${night}`, '--dir', dir, '--now', at(night)]
    expect((await command(words)).code).toBe(0)
  },
  async (dir, night) => {
    appendFileSync(join(dir, 'tieout.yaml'), `# night ${night}\n`)
    const text = readFileSync(join(dir, 'tieout.yaml'), 'utf8')
    const other = /^reports:.*$/m.test(text)
      ? text.replace(/^reports:.*$/m, `reports: { method: ${night % 2 === 0 ? 'fifo' : 'hifo'} }`)
      : `${text}reports: { method: hifo }\n`
    writeFileSync(join(dir, 'tieout.yaml'), other)
  },
  async (dir, night) => {
    const frames = await ask(ledger(dir), 'select min(page_id) from p2p_orders')
    const frame = frames[0]?.[0]
    expect(frame).toEqual(expect.any(String))
    const erased = await command(['erase', String(frame), '--yes', '--dir', dir, '--now', at(night)])
    expect([0, 3]).toContain(erased.code)
  },
]

test(
  `${NIGHTS} nights in a row, one in three of them killed, arrive at the same ledger as a full build`,
  async () => {
    const dir = copied()
    let kept = 0
    let size = 0
    for (let night = 1; night <= NIGHTS; night += 1) {
      await EVENTS[night % EVENTS.length]?.(dir, night)
      if (night % 3 === 0) {
        const run = await startTieout(['nightly', '--dir', dir, '--now', at(night)])
        await untilMoment(run, dir, night)
        run.child.kill('SIGKILL')
        await run.ended
      }
      const run = await command(['nightly', '--dir', dir, '--now', at(night), '--log-level', 'info'])
      expect([night, run.code === 0 || run.code === 3]).toEqual([night, true])
      size = statSync(ledger(dir)).size
      const wrong = await differences(dir, at(night), { publish: night === NIGHTS })
      expect([night, wrong]).toEqual([night, []])
      kept += run.stderr.match(/"kept":true/g)?.length ?? 0
    }
    expect(kept).toBeGreaterThan(NIGHTS * 40)
    // The journal, landed once more, leads to it as well.
    const verify = ['verify', '--rebuild', '--json', '--dir', dir, '--now', at(NIGHTS)]
    const { stdout, stderr } = await command(verify)
    const { problems } = JSON.parse(stdout === '' ? stderr : stdout) as { problems: string[] }
    expect(problems.filter((text) => text.startsWith('ledger:'))).toEqual([])
    // As large as a full build. A little that is free is left where it is.
    expect(size).toBeLessThan(1.3 * statSync(ledger(dir)).size + 4 * 2 ** 20)
  },
  // Long enough for a machine that is busy with other things.
  60_000 + NIGHTS * 300_000,
)

test('a change in any landed table reaches everything that depends on it', async () => {
  const dir = copied()
  const { books, build } = await openedBooks(dir, { now: at(1), threads: 1 })
  try {
    const { connection } = books.landing
    const landed = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
    const tables = await landed(
      `select table_name, list(column_name || '|' || data_type) from duckdb_columns() where database_name = 'landing' and schema_name = 'main' and not internal group by table_name order by table_name`,
    )
    await connection.run("attach ':memory:' as unchanged")
    const restore = async (table: string): Promise<void> => {
      await connection.run(`delete from landing.main."${table}"`)
      await connection.run(`insert into landing.main."${table}" from unchanged."${table}"`)
    }
    const before = await publishedRows(whole)
    const changes: Change[] = []
    for (const [name, columns] of tables) {
      const table = String(name)
      const [[count] = []] = await landed(`select count(*) from landing.main."${table}"`)
      const amounts = (columns as string[])
        .map((text) => text.split('|') as [string, string])
        .flatMap(([name, type]) => (type.startsWith('DECIMAL') ? [`"${name}" = "${name}" * 2`] : []))
      if (Number(count) === 0 || amounts.length === 0) continue
      // The same has landed and been published as before the last change.
      cpSync(ledger(whole), ledger(dir))
      await connection.run(`create table unchanged."${table}" as from landing.main."${table}"`)
      const change = `update landing.main."${table}" set ${amounts.join(', ')}`
      await connection.run(change)
      const { tables: built } = await build()
      expect([table, built.some(({ kept }) => kept)]).toEqual([table, true])
      const published = await publishedRows(dir)
      expect([table, [...published.keys()].sort()]).toEqual([table, [...before.keys()].sort()])
      const reached = [...published].filter(([name, rows]) => !isSame(rows, before.get(name)))
      changes.push({ table, change, reached: new Map(reached) })
      await restore(table)
    }
    expect(changes.length).toBeGreaterThan(8)
    let compared: string[] | undefined
    for (const group of apart(changes)) {
      for (const { change } of group) await connection.run(change)
      // The checks are compared with nothing; the first build says which tables there are.
      const { found } = await build({
        publish: false,
        ...(compared === undefined ? { full: true } : { only: compared }),
      })
      compared ??= [...found.keys()].filter(isCompared)
      const published = new Map([...before, ...group.flatMap(({ reached }) => [...reached])])
      const changed = group.map(({ table }) => table)
      expect([changed, differing(found, published)]).toEqual([changed, []])
      for (const { table } of group) await restore(table)
    }
  } finally {
    await books.close()
  }
}, 1_800_000)

interface Change {
  /** The landed table. */
  readonly table: string
  readonly change: string
  /** The published tables that this change alone has changed, as a build that keeps the others left them. */
  readonly reached: ReadonlyMap<string, Rows>
}

/**
 * Changes in groups, each for one full build: no published table is reached by two changes of a group, so that after all of them
 * each table must be as the one that reaches it left it, and as before if none does. A table that one of them should have
 * reached as well, and has not, is different from both.
 */
function apart(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = []
  for (const change of changes) {
    const isApart = (group: Change[]): boolean =>
      group.every(({ reached }) => [...reached.keys()].every((table) => !change.reached.has(table)))
    const group = groups.find(isApart)
    if (group === undefined) groups.push([change])
    else group.push(change)
  }
  return groups
}

/** Published, and not written anew by every build with its own time. */
const isCompared = (table: string): boolean =>
  table.startsWith('main.') && !['main.about', 'main.breaks', 'main.made_tables'].includes(table)

/** Count and hash of the rows of each published table. */
async function publishedRows(dir: string): Promise<Map<string, Rows>> {
  const instance = await DuckDBInstance.create(ledger(dir), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson() as string[][]
    const tables = await query(
      `select 'main.' || table_name from duckdb_tables() where schema_name = 'main'
       union all select 'main.' || view_name from duckdb_views() where schema_name = 'main' and not internal`,
    )
    const rows = await askPublished(query, tables.flat().filter(isCompared))
    expect(rows.size).toBeGreaterThan(60)
    return rows
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
