// Every view over HTTP, on the books of a demo: what the page shows is what the command line prints, to the last digit, and
// each view's own SQL, run elsewhere, answers the same.
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { engineSettings } from '../../pipeline/engine/settings.ts'
import { identityOf } from '../../pipeline/ledger/identity.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { answerFrom } from '../../pipeline/reports/answer.ts'
import { runQuery } from '../../pipeline/reports/sql.ts'
import type {
  About,
  Accounts,
  BalanceHistory,
  Breaks,
  ConsoleExamples,
  ConsoleLine,
  ConsoleSchema,
  Coverage,
  CoverageRuns,
  Dictionary,
  Entries,
  EntryFacets,
  EntryRow,
  FeedStatus,
  FilingDifference,
  Filings,
  Gains,
  Lots,
  MethodLine,
  NoteProgress,
  OneBreak,
  Overview,
  Proof,
  Rows,
  Runs,
} from '../../pipeline/serve/api.ts'
import { answerConsoleFrom } from '../../pipeline/serve/console-answer.ts'
import { openSealed } from '../../pipeline/serve/published.ts'
import { memoryTerminal } from '../reports/books.ts'
import { demoBooks } from '../support/demo.ts'
import { command } from '../support/in-process.ts'
import { type Serving, startServing } from './serving.ts'

let dir: string
let serving: Serving & { readonly end: () => Promise<void> }
beforeAll(async () => {
  dir = await demoBooks()
  await command(['report', 'gains', '--freeze', 'gains-then', '--format', 'json', '--dir', dir])
  serving = await startServing(dir)
})
afterAll(async () => {
  await serving.end()
  open?.close()
  rmSync(dir, { recursive: true, force: true })
})

type Json = Record<string, unknown>

const printed = async <T = Json[]>(...words: string[]): Promise<T> => {
  const { stdout, stderr, code } = await command([...words, '--dir', dir])
  if (code !== 0 && code !== 3) throw new Error(stderr)
  return JSON.parse(stdout) as T
}

/** The published ledger, sealed, until another one is published. */
let open: Ledger | null = null
async function sealed(): Promise<Ledger> {
  if (open !== null && open.identity === identityOf(open.file)) return open
  open?.close()
  open = await openLedger(dir, { sealed: true })
  return open
}

/** As `tieout sql` answers, without a process and a ledger of its own for each query. */
async function sql(query: string): Promise<Json[]> {
  const terminal = memoryTerminal()
  const ledger = await sealed()
  await runQuery(dir, query, {
    format: 'json',
    terminal,
    answer: (question, _stopping, deliver) => answerFrom(ledger, question, deliver),
  })
  return JSON.parse(terminal.text())
}

/** Rows of a view, and the same by its own SQL on the command line. */
async function mustBeItsSql<Row>({ rows, sql: text }: Rows<Row>, shown = rows.length): Promise<void> {
  expect((await sql(text)).slice(0, shown)).toEqual(rows)
}

describe('amounts are those of the command line, and each view’s SQL answers what it shows', () => {
  test('accounts: balances and the trial balance', async () => {
    const { accounts, balances, trialBalance } = await serving.get<Accounts>('/api/accounts')
    expect(
      balances.rows.map(({ account, ledger, coin, quantity }) => ({ account, ledger, coin, quantity })),
    ).toEqual(
      await printed(
        'sql',
        'select account, ledger, coin, quantity from balances order by all',
        '--format',
        'json',
      ),
    )
    expect(balances.rows.length).toBeGreaterThan(10)
    await mustBeItsSql(accounts)
    await mustBeItsSql(balances)
    await mustBeItsSql(trialBalance)
  })

  test('the trial balance of all history closes with the balances', async () => {
    const { trialBalance } = await serving.get<Accounts>('/api/accounts?from=2000-01-01')
    const closing = trialBalance.rows.map(({ account, ledger, coin, closing: quantity }) => ({
      account,
      ledger,
      coin,
      quantity,
    }))
    expect(closing).toEqual(
      await sql(
        `select account, ledger, coin, quantity from balances
         where (account, ledger, coin) in (select (account, ledger, coin) from entries) order by all`,
      ),
    )
    expect(trialBalance.rows.every(({ opening }) => opening === '0')).toBe(true)
  })

  test('the trial balance of a day opens with the day before', async () => {
    const [day] = await sql('select (max(day) - 1)::varchar as day from balance_history')
    const { trialBalance, period } = await serving.get<Accounts>(
      `/api/accounts?from=${day?.day}&to=${day?.day}`,
    )
    expect(period).toEqual({ from: day?.day, to: day?.day })
    const opened = trialBalance.rows.map(({ account, ledger, coin, opening, closing }) => [
      `${account} ${ledger} ${coin}`,
      opening,
      closing,
    ])
    const expected = await sql(
      `select today.account || ' ' || today.ledger || ' ' || today.coin as wallet,
         coalesce(before.quantity, 0) as opening, today.quantity as closing
       from balance_history today left join balance_history before
         on before.account = today.account and before.ledger = today.ledger and before.coin = today.coin
         and before.day = today.day - 1
       where today.day = date '${day?.day}'`,
    )
    const byWallet = new Map(expected.map((row) => [row.wallet, [row.opening, row.closing]]))
    expect(opened.length).toBeGreaterThan(5)
    for (const [wallet, ...amounts] of opened)
      expect([wallet, amounts]).toEqual([wallet, byWallet.get(wallet)])
  })

  test('without days it is of the last month, and says so in its answer and in the name of its CSV', async () => {
    const [last] = await sql(
      'select date_trunc(\'month\', max(day))::date::varchar as "from", max(day)::varchar as "to" from balance_history',
    )
    const { trialBalance, period } = await serving.get<Accounts>('/api/accounts')
    expect(period).toEqual(last)
    const asked = await serving.get<Accounts>(`/api/accounts?from=${period.from}&to=${period.to}`)
    expect(asked.trialBalance.rows).toEqual(trialBalance.rows)
    const headers = { authorization: `Bearer ${serving.secret}` }
    const nameOf = async (view: string) =>
      (await serving.ask(`/api/csv/${view}`, { headers })).headers['content-disposition']
    expect(await nameOf('trial-balance')).toContain(
      `filename="trial-balance-from-${period.from}-to-${period.to}-`,
    )
    expect(await nameOf('entries?from=2026-01-05&coin=XRP')).toContain('"entries-from-2026-01-05-')
    expect(await nameOf('balances')).toMatch(/"balances-\d{4}-\d{2}-\d{2}\.csv"/)
  })

  test('the days of a wallet', async () => {
    const [wallet] = (await serving.get<Accounts>('/api/accounts')).balances.rows
    const query = new URLSearchParams({
      account: wallet?.account ?? '',
      ledger: wallet?.ledger ?? '',
      coin: wallet?.coin ?? '',
    })
    const { history } = await serving.get<BalanceHistory>(`/api/accounts/history?${query}`)
    expect(history.rows.at(-1)?.quantity).toBe(wallet?.quantity)
    await mustBeItsSql(history)
  })

  test('the overview', async () => {
    const found = await serving.get<Overview>('/api/overview')
    for (const rows of [found.netWorth, found.pnl, found.breaks, found.lastRun] as Rows<unknown>[])
      await mustBeItsSql(rows)
    expect(await sql('select day, sum(value) as value from net_worth group by day order by day')).toEqual(
      found.netWorth.rows.map(({ day, value }) => ({ day, value })),
    )
    const status = await printed<{ lastGoodRunAt: string; feeds: Json[] }>('status', '--json')
    expect(found.lastGoodRunAt).toBe(status.lastGoodRunAt)
    const first = status.feeds.map(({ forgetsAt }) => forgetsAt).filter((at) => at !== null)
    expect(found.forgetsNext?.forgetsAt).toBe(first.toSorted()[0])
    expect(found.feedCount).toBe(status.feeds.length)
    expect(found.feedCount).toBeGreaterThan(found.coverage.rows.length)
    const [{ account } = {}] = status.feeds
    const own = await serving.get<Overview>(`/api/overview?account=${account}`)
    expect(own.feedCount).toBe(status.feeds.filter((one) => one.account === account).length)
  })

  test('lots and gains', async () => {
    const { lots, holdings, unknownBasis, matching } = await serving.get<Lots>('/api/lots')
    for (const rows of [holdings, unknownBasis] as Rows<unknown>[]) await mustBeItsSql(rows)
    await mustBeItsSql(lots)
    expect(matching).toMatchObject({ method: 'fifo', scope: 'account', rules: 'generic' })
    const { totals, years } = await serving.get<Gains>('/api/gains')
    await mustBeItsSql(totals)
    expect(years.length).toBeGreaterThan(0)
    const pieces = await allPages<Gains>('/api/gains', ({ pieces: page }) => page)
    const reported = await printed('report', 'gains', '--format', 'json')
    const keyed = (rows: readonly object[]): string[] =>
      rows.map((row) => JSON.stringify(Object.entries({ ...row, rowid: undefined }).toSorted())).toSorted()
    expect(keyed(pieces)).toEqual(keyed(reported))
  })

  test('methods side by side', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    const { text } = await serving.ask('/api/gains/methods?methods=fifo,hifo', { headers })
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as MethodLine)
    expect(lines.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'complete'])
    const last = lines.at(-1)
    if (last?.kind !== 'complete') throw new Error('not complete')
    const names = last.columns.map(({ name }) => name)
    expect(last.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))).toEqual(
      await printed('report', 'gains', '--methods', 'fifo,hifo', '--format', 'json'),
    )
  })

  test('coverage', async () => {
    const { intervals, feeds } = await serving.get<Coverage>('/api/coverage')
    await mustBeItsSql(intervals)
    const status = await printed<{ feeds: Json[] }>('status', '--json')
    const lasting = ({ behindMs: _, ...feed }: Json): Json => feed
    expect((feeds.rows as unknown as Json[]).map(lasting)).toEqual(status.feeds.map(lasting))
  })

  test('the runs that received a feed', async () => {
    const { feeds } = await serving.get<Coverage>('/api/coverage')
    const { account, feed, partition } = feeds.rows.find((one) => one.feed === 'tax.records') as FeedStatus
    const of = new URLSearchParams({ account, feed, partition })
    const { runs } = await serving.get<CoverageRuns>(`/api/coverage/runs?${of}`)
    await mustBeItsSql(runs)
    expect(runs.rows.length).toBeGreaterThan(0)
    const late = await serving.get<CoverageRuns>(`/api/coverage/runs?${of}&from=2999-01-01`)
    expect(late.runs.rows).toEqual([])
  })

  test('runs and breaks', async () => {
    const { runs } = await serving.get<Runs>('/api/runs')
    await mustBeItsSql(runs)
    const { breaks, counts, unpublished } = await serving.get<Breaks>('/api/breaks?status=all')
    await mustBeItsSql(breaks)
    await mustBeItsSql(counts)
    expect(unpublished).toBeNull()
    const reported = await printed('report', 'breaks', '--format', 'json')
    const open = (await serving.get<Breaks>('/api/breaks')).breaks.rows
    expect(open.length).toBeLessThan(breaks.rows.length)
    expect(new Set(open.map(({ break_id }) => break_id))).toEqual(
      new Set(reported.map(({ break_id }) => break_id)),
    )
  })

  test('proof is what `explain` prints', async () => {
    const { pieces } = await serving.get<Gains>('/api/gains')
    const { entries } = await serving.get<Entries>('/api/entries')
    for (const id of [pieces.rows[0]?.disposal_id, pieces.rows[0]?.lot_id, entries.rows[0]?.entry_id]) {
      const found = await serving.get<Proof>(`/api/proof?id=${encodeURIComponent(String(id))}`)
      const { id: named, steps } = await printed<Json>('explain', String(id), '--json')
      expect([found.id, found.steps]).toEqual([named, steps])
      expect(JSON.stringify(found.steps)).toContain('"row_text":"')
    }
  })

  test('proof by another method is what `explain` prints with it', async () => {
    const { pieces } = await serving.get<Gains>('/api/gains')
    const id = String(pieces.rows[0]?.disposal_id)
    const found = await serving.get<Proof>(`/api/proof?id=${encodeURIComponent(id)}&method=lifo`)
    expect(found.steps).toEqual((await printed<Json>('explain', id, '--method', 'lifo', '--json')).steps)
    expect(found.command).toBe(`tieout explain ${id} --method lifo`)
  })

  test('an id that nothing has is refused with what is near', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    const { status, text } = await serving.ask('/api/proof?id=nothing', { headers })
    expect([status, JSON.parse(text).error.name]).toEqual([400, 'UsageError'])
  })

  test('filings: those there are, and what differs', async () => {
    const { filings } = await serving.get<Filings>('/api/filings')
    expect(filings).toMatchObject([{ name: 'gains-then', report: 'gains', problem: null }])
    const found = await serving.get<FilingDifference>('/api/filings/gains-then')
    expect(found.rows).toEqual(
      await printed('report', 'gains', '--against', 'gains-then', '--format', 'json'),
    )
    expect(found.notes).toContain('No line differs.')
  })

  test('the dictionary has every table and column, with a meaning', async () => {
    const { tables } = await serving.get<Dictionary>('/api/dictionary')
    const found = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    expect(found.toSorted()).toEqual(
      (
        await sql(
          `select table_name || '.' || column_name as name from duckdb_columns()
           where schema_name = 'main' and not internal`,
        )
      )
        .map(({ name }) => name)
        .toSorted(),
    )
    expect(tables.filter(({ says, grain }) => says === '' || grain === '')).toEqual([])
    expect(tables.flatMap(({ columns }) => columns.filter(({ says }) => says === ''))).toEqual([])
    const balances = tables.find(({ name }) => name === 'balances')
    expect(balances?.madeFrom.map(({ name }) => name)).toContain('entries')
    expect(tables.find(({ name }) => name === 'entries')?.usedBy).toContain('balances')
  })
})

describe('the ledger', () => {
  test('pages hold every entry once, newest first, with balances that follow from each other', async () => {
    const rows = await allPages<Entries, EntryRow>('/api/entries', ({ entries }) => entries)
    const all = await sql('select entry_id from entries order by occurred_at desc, place desc, entry_id desc')
    expect(rows.map(({ entry_id }) => entry_id)).toEqual(all.map(({ entry_id }) => entry_id))
    const balances = new Map(
      (await serving.get<Accounts>('/api/accounts')).balances.rows.map((row) => [
        `${row.account} ${row.ledger} ${row.coin}`,
        row.quantity,
      ]),
    )
    const units = (text: string): bigint => {
      const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
      return BigInt(whole + fraction.padEnd(18, '0')) * (text.startsWith('-') ? -1n : 1n)
    }
    const next = new Map([...balances].map(([wallet, quantity]) => [wallet, units(quantity)]))
    for (const row of rows) {
      const wallet = `${row.account} ${row.ledger} ${row.coin}`
      expect([row.entry_id, units(row.balance)]).toEqual([row.entry_id, next.get(wallet)])
      next.set(wallet, units(row.balance) - units(row.amount))
    }
    // Before its first entry a wallet held nothing.
    for (const row of rows)
      next.delete(
        next.get(`${row.account} ${row.ledger} ${row.coin}`) === 0n
          ? `${row.account} ${row.ledger} ${row.coin}`
          : '',
      )
    const moved = new Set(rows.map((row) => `${row.account} ${row.ledger} ${row.coin}`))
    expect([...next.keys()].filter((wallet) => moved.has(wallet))).toEqual([])
  })

  test('filters narrow pages, counts, facets and CSV alike, and the balance stays that of the wallet', async () => {
    const all = await allPages<Entries, EntryRow>('/api/entries', ({ entries }) => entries)
    const balanceOf = new Map(all.map(({ entry_id, balance }) => [entry_id, balance]))
    const kind = all[0]?.kind ?? ''
    const account = all[0]?.account ?? ''
    const query = `account=${account}&kind=${kind},fee`
    const rows = await allPages<Entries, EntryRow>(`/api/entries?${query}`, ({ entries }) => entries)
    const chosen = all.filter((row) => row.account === account && [kind, 'fee'].includes(row.kind))
    expect(rows.map(({ entry_id, balance }) => [entry_id, balance])).toEqual(
      chosen.map(({ entry_id }) => [entry_id, balanceOf.get(entry_id)]),
    )
    const { count, facets } = await serving.get<EntryFacets>(`/api/entries/facets?${query}`)
    expect(count.rows).toEqual([{ count: chosen.length }])
    // A facet is counted without its own filter.
    expect(facets.rows.filter(({ facet }) => facet === 'account').length).toBeGreaterThan(1)
    await mustBeItsSql(count)
    const headers = { authorization: `Bearer ${serving.secret}` }
    const { text, headers: sent } = await serving.ask(`/api/csv/entries?${query}`, { headers })
    expect(
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(rows.map(({ entry_id }) => entry_id))
    expect(sent['content-disposition']).toMatch(/^attachment; filename="entries-\d{4}-\d{2}-\d{2}\.csv"$/)
  })

  test('by id: of the entry, of the transaction and of the venue', async () => {
    const [row] = (await serving.get<Entries>('/api/entries')).entries.rows
    for (const id of [row?.entry_id, row?.transaction_id, row?.source_id]) {
      const { entries } = await serving.get<Entries>(`/api/entries?id=${encodeURIComponent(String(id))}`)
      expect(entries.rows.map(({ entry_id }) => entry_id)).toContain(row?.entry_id)
      await mustBeItsSql(entries)
    }
  })

  test('words of an address stay values', async () => {
    const { entries } = await serving.get<Entries>(
      `/api/entries?account=${encodeURIComponent("x' or 1=1 --")}&id=${encodeURIComponent("'; drop table entries")}`,
    )
    expect([entries.rows, entries.next]).toEqual([[], null])
    await mustBeItsSql(entries)
  })

  test('what no filter means is refused', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    for (const path of [
      '/api/entries?from=yesterday',
      '/api/entries?cursor=x',
      '/api/gains?known=maybe',
      '/api/gains?year=12',
    ])
      expect([path, (await serving.ask(path, { headers })).status]).toEqual([path, 400])
  })

  test('each CSV has the rows of its view', async () => {
    const headers = { authorization: `Bearer ${serving.secret}` }
    for (const view of [
      'net-worth',
      'pnl',
      'break-counts',
      'accounts',
      'balances',
      'trial-balance',
      'entry-facets',
      'lots',
      'holdings',
      'unknown-basis',
      'gains',
      'gain-totals',
      'breaks',
      'coverage',
      'runs',
      'filing?name=gains-then',
    ]) {
      const { status, text } = await serving.ask(`/api/csv/${view}`, { headers })
      expect([view, status, text.endsWith('\n')]).toEqual([view, 200, true])
      // By which the page finds its next rows; it is no column of the books.
      expect([view, text.split('\n')[0]?.split(',').includes('rowid')]).toEqual([view, false])
    }
  })
})

test('about and the schema of the console', async () => {
  const about = await serving.get<About>('/api/about')
  expect(about).toMatchObject({ dir, isReadOnly: false, currency: 'USDT' })
  expect(about.accounts).toContain('parent')
  const { tables, keywords } = await serving.get<ConsoleSchema>('/api/console/schema')
  expect(tables.find(({ name }) => name === 'entries')?.columns[0]).toMatchObject({
    name: 'entry_id',
    type: 'VARCHAR',
  })
  expect(keywords).toContain('select')
})

test('each example of the console runs as it stands', async () => {
  const { examples } = await serving.get<ConsoleExamples>('/api/console/examples')
  expect(new Set(examples.map(({ title }) => title)).size).toBe(20)
  const stopping = { clock: systemClock, signal: new AbortController().signal }
  const limits = { engine: engineSettings(), timeoutMs: 30_000, rowsMax: 10_000, bytesMax: 16e6 }
  const edition = await openSealed(dir, { ...limits, ...stopping })
  onTestFinished(() => edition.ledger.close())
  const inProcess = async (text: string): Promise<ConsoleLine[]> => {
    const lines: ConsoleLine[] = []
    await answerConsoleFrom(
      edition,
      { ...limits, dir, sql: text, known: edition.stamp },
      stopping.clock,
      async (pieces) => {
        for await (const piece of pieces) lines.push(JSON.parse(String(piece)) as ConsoleLine)
      },
    )
    return lines
  }
  // The first by the console, the others by what answers in its process.
  for (const [at, { title, sql: text }] of examples.entries()) {
    const lines =
      at === 0
        ? await serving.lines<ConsoleLine>('/api/console/run', { id: `example-${at}`, sql: text })
        : await inProcess(text)
    expect([title, lines.at(-1)]).toMatchObject([title, { kind: 'end', how: 'complete' }])
  }
})

describe('a note on a break', () => {
  const ended = async (breakId: string): Promise<NoteProgress> => {
    for (;;) {
      const note = await serving.get<NoteProgress | null>('/api/notes/current')
      if (note?.breakId === breakId && !['building', 'noted'].includes(note.state)) return note
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  test('is accepted, published and followed by events; the ledger that it makes is noticed, and no list mixes two', async () => {
    const [found] = (await serving.get<Breaks>('/api/breaks')).breaks.rows
    const id = String(found?.break_id)
    const first = await serving.get<Entries>('/api/entries')
    const answer = await serving.post(`/api/breaks/${id}/note`, { note: 'Known to the owner.' })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([202, { breakId: id, state: 'building' }])
    expect((await serving.post(`/api/breaks/${id}/note`, { note: 'Twice.' })).status).toBe(409)
    expect(await ended(id)).toMatchObject({ state: 'published', error: null })
    for (;;) {
      const { stamp } = await serving.get<About>('/api/about')
      if (stamp.publication !== first.stamp.publication) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const one = await serving.get<OneBreak>(`/api/breaks/${id}`)
    expect(one.break.rows).toMatchObject([{ status: 'explained', note: 'Known to the owner.' }])
    expect(one.notes.rows).toMatchObject([
      { note: 'Known to the owner.', is_withdrawn: false, is_of_these_figures: true },
    ])
    await mustBeItsSql(one.notes)
    const headers = { authorization: `Bearer ${serving.secret}` }
    const stale = await serving.ask(`/api/entries?cursor=${first.entries.next}`, { headers })
    expect([stale.status, JSON.parse(stale.text).error.name]).toEqual([409, 'Republished'])
  })

  test('is taken back', async () => {
    const [found] = (await serving.get<Breaks>('/api/breaks?status=explained')).breaks.rows
    const id = String(found?.break_id)
    expect((await serving.post(`/api/breaks/${id}/note`, { note: null })).status).toBe(202)
    expect(await ended(id)).toMatchObject({ state: 'published' })
  })

  test('that says nothing, or is of no break, is refused', async () => {
    const [found] = (await serving.get<Breaks>('/api/breaks')).breaks.rows
    expect((await serving.post(`/api/breaks/${found?.break_id}/note`, { note: ' ' })).status).toBe(400)
    expect((await serving.post(`/api/breaks/${found?.break_id}/note`, { note: 5 })).status).toBe(400)
    expect((await serving.post('/api/breaks/none/note', { note: 'x' })).status).toBe(404)
  })
})

test('a page of a republished ledger is never mixed with one of the ledger before', async () => {
  const next = join(dir, 'next.duckdb')
  const instance = await DuckDBInstance.create(next)
  const connection = await instance.connect()
  await connection.run(`attach '${join(dir, 'ledger.duckdb')}' as old (read_only)`)
  await connection.run('copy from database old to next')
  await connection.run('update runs set requests = 424242')
  connection.closeSync()
  instance.closeSync()
  const seen = new Map<string, Set<number>>()
  const look = async (): Promise<void> => {
    for (const { stamp, runs } of await Promise.all([1, 2, 3].map(() => serving.get<Runs>('/api/runs')))) {
      const requests = seen.get(stamp.publication) ?? new Set()
      seen.set(stamp.publication, requests.add(runs.rows[0]?.requests ?? 0))
    }
  }
  await look()
  renameSync(next, join(dir, 'ledger.duckdb'))
  while (![...seen.values()].some((requests) => requests.has(424_242))) await look()
  expect([...seen.values()].every(({ size }) => size === 1)).toBe(true)
  expect(seen.size).toBeGreaterThan(1)
})

/** All rows of a list, page by page. */
async function allPages<Answer, Row = object>(
  path: string,
  pageOf: (answer: Answer) => { readonly rows: readonly unknown[]; readonly next: string | null },
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const joint: string = path.includes('?') ? '&' : '?'
    const { rows: found, next }: { readonly rows: readonly unknown[]; readonly next: string | null } = pageOf(
      await serving.get<Answer>(`${path}${joint}cursor=${cursor}`),
    )
    rows.push(...(found as Row[]))
    cursor = next
  }
  return rows
}
