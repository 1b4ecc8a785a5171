// Every view over HTTP, on the books of a demo: what the page shows is what the command line prints, to the last digit, and
// each view's own SQL, run elsewhere, answers the same.
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { engineSettings } from '../../pipeline/engine/settings.ts'
import { openJournal } from '../../pipeline/journal/journal.ts'
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
  FeedStatus,
  FilingDifference,
  Filings,
  Gains,
  Lots,
  MethodLine,
  Overview,
  Proof,
  Rows,
  Runs,
} from '../../pipeline/serve/api.ts'
import { answerConsoleFrom } from '../../pipeline/serve/console-answer.ts'
import { openSealed } from '../../pipeline/serve/published.ts'
import { commandOf } from '../../pipeline/serve/views/proof.ts'
import { command } from '../support/in-process.ts'
import { note } from '../support/journal.ts'
import { type Json, servedDemo } from './served-demo.ts'

const demo = servedDemo((dir) =>
  command(['report', 'gains', '--freeze', 'gains-then', '--format', 'json', '--dir', dir]),
)

describe('amounts are those of the command line, and each view’s SQL answers what it shows', () => {
  test('accounts: balances and the trial balance', async () => {
    const { accounts, balances, trialBalance } = await demo.serving.get<Accounts>('/api/accounts')
    expect(
      balances.rows.map(({ account, ledger, coin, quantity }) => ({ account, ledger, coin, quantity })),
    ).toEqual(
      await demo.printed(
        'sql',
        'select account, ledger, coin, quantity from balances order by all',
        '--format',
        'json',
      ),
    )
    expect(balances.rows.length).toBeGreaterThan(10)
    await demo.mustBeItsSql(accounts)
    await demo.mustBeItsSql(balances)
    await demo.mustBeItsSql(trialBalance)
  })

  test('the trial balance of the whole history closes with the balances', async () => {
    const { trialBalance } = await demo.serving.get<Accounts>('/api/accounts?from=2000-01-01')
    const closing = trialBalance.rows.map(({ account, ledger, coin, closing: quantity }) => ({
      account,
      ledger,
      coin,
      quantity,
    }))
    expect(closing).toEqual(
      await demo.sql(
        `select account, ledger, coin, quantity from balances
         where (account, ledger, coin) in (select (account, ledger, coin) from entries) order by all`,
      ),
    )
    expect(trialBalance.rows.every(({ opening }) => opening === '0')).toBe(true)
  })

  test('the trial balance of a day opens with the previous day’s closing balance', async () => {
    const [day] = await demo.sql('select (max(day) - 1)::varchar as day from balance_history')
    const { trialBalance, period } = await demo.serving.get<Accounts>(
      `/api/accounts?from=${day?.day}&to=${day?.day}`,
    )
    expect(period).toEqual({ from: day?.day, to: day?.day })
    const opened = trialBalance.rows.map(({ account, ledger, coin, opening, closing }) => [
      `${account} ${ledger} ${coin}`,
      opening,
      closing,
    ])
    const expected = await demo.sql(
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

  test('without days it covers the last month, and its answer and the name of its CSV say so', async () => {
    const [last] = await demo.sql(
      'select date_trunc(\'month\', max(day))::date::varchar as "from", max(day)::varchar as "to" from balance_history',
    )
    const { trialBalance, period } = await demo.serving.get<Accounts>('/api/accounts')
    expect(period).toEqual(last)
    const asked = await demo.serving.get<Accounts>(`/api/accounts?from=${period.from}&to=${period.to}`)
    expect(asked.trialBalance.rows).toEqual(trialBalance.rows)
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    const nameOf = async (view: string) =>
      (await demo.serving.ask(`/api/csv/${view}`, { headers })).headers['content-disposition']
    expect(await nameOf('trial-balance')).toContain(
      `filename="trial-balance-from-${period.from}-to-${period.to}-`,
    )
    expect(await nameOf('entries?from=2026-01-05&coin=XRP')).toContain('"entries-from-2026-01-05-')
    expect(await nameOf('balances')).toMatch(/"balances-\d{4}-\d{2}-\d{2}\.csv"/)
  })

  test('the daily history of a wallet', async () => {
    const [wallet] = (await demo.serving.get<Accounts>('/api/accounts')).balances.rows
    const query = new URLSearchParams({
      account: wallet?.account ?? '',
      ledger: wallet?.ledger ?? '',
      coin: wallet?.coin ?? '',
    })
    const { history } = await demo.serving.get<BalanceHistory>(`/api/accounts/history?${query}`)
    expect(history.rows.at(-1)?.quantity).toBe(wallet?.quantity)
    await demo.mustBeItsSql(history)
  })

  test('the overview', async () => {
    const found = await demo.serving.get<Overview>('/api/overview')
    for (const rows of [found.netWorth, found.pnl, found.breaks, found.lastRun] as Rows<unknown>[])
      await demo.mustBeItsSql(rows)
    expect(
      await demo.sql('select day, sum(value) as value from net_worth group by day order by day'),
    ).toEqual(found.netWorth.rows.map(({ day, value }) => ({ day, value })))
    const status = await demo.printed<{ lastGoodRunAt: string; feeds: Json[]; breaks: Json }>(
      'status',
      '--json',
    )
    expect(found.lastGoodRunAt).toBe(status.lastGoodRunAt)
    const first = status.feeds.map(({ forgetsAt }) => forgetsAt).filter((at) => at !== null)
    expect(found.forgetsNext?.forgetsAt).toBe(first.toSorted()[0])
    expect(found.feedCount).toBe(status.feeds.length)
    expect(found.feedCount).toBeGreaterThan(found.coverage.rows.length)
    const [{ account } = {}] = status.feeds
    const own = await demo.serving.get<Overview>(`/api/overview?account=${account}`)
    expect(own.feedCount).toBe(status.feeds.filter((one) => one.account === account).length)
    const { notice } = status.breaks
    const none = `no open breaks (${notice} notices)`
    const tied = { meaning: 'good', text: `Ties out: ${none}.` }
    expect([found.verdict, own.verdict]).toEqual([tied, tied])
    expect(found.unpublished).toBeNull()
    // As of a `sync` without a build.
    const journal = await openJournal(demo.dir, { mode: 'append', clock: systemClock })
    await journal.append(note('later'))
    await journal.close()
    const { verdict } = await demo.serving.get<Overview>('/api/overview')
    expect(verdict).toEqual({
      meaning: 'doubtful',
      text: `The ledger is behind the journal by 1 frame; as built, it has ${none}.`,
    })
  })

  test('lots and gains', async () => {
    const { lots, holdings, unknownBasis, matching } = await demo.serving.get<Lots>('/api/lots')
    for (const rows of [holdings, unknownBasis] as Rows<unknown>[]) await demo.mustBeItsSql(rows)
    await demo.mustBeItsSql(lots)
    expect(matching).toMatchObject({ method: 'fifo', scope: 'account', rules: 'generic' })
    const { totals, together, years } = await demo.serving.get<Gains>('/api/gains')
    await demo.mustBeItsSql(totals)
    await demo.mustBeItsSql(together)
    expect(years.length).toBeGreaterThan(0)
    const pieces = await demo.allPages<Gains>('/api/gains', ({ pieces: page }) => page)
    const reported = await demo.printed('report', 'gains', '--format', 'json')
    const keyed = (rows: readonly object[]): string[] =>
      rows.map((row) => JSON.stringify(Object.entries({ ...row, rowid: undefined }).toSorted())).toSorted()
    expect(keyed(pieces)).toEqual(keyed(reported))
  })

  test('methods side by side', async () => {
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    const { text } = await demo.serving.ask('/api/gains/methods?methods=fifo,hifo', { headers })
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as MethodLine)
    expect(lines.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'complete'])
    const last = lines.at(-1)
    if (last?.kind !== 'complete') throw new Error('not complete')
    const names = last.columns.map(({ name }) => name)
    expect(last.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))).toEqual(
      await demo.printed('report', 'gains', '--methods', 'fifo,hifo', '--format', 'json'),
    )
  })

  test('coverage', async () => {
    const { intervals, feeds } = await demo.serving.get<Coverage>('/api/coverage')
    await demo.mustBeItsSql(intervals)
    const status = await demo.printed<{ feeds: Json[] }>('status', '--json')
    const lasting = ({ behindMs: _, ...feed }: Json): Json => feed
    expect((feeds.rows as unknown as Json[]).map(lasting)).toEqual(status.feeds.map(lasting))
  })

  test('the runs that received a feed', async () => {
    const { feeds } = await demo.serving.get<Coverage>('/api/coverage')
    const { account, feed, partition } = feeds.rows.find((one) => one.feed === 'tax.records') as FeedStatus
    const of = new URLSearchParams({ account, feed, partition })
    const { runs } = await demo.serving.get<CoverageRuns>(`/api/coverage/runs?${of}`)
    await demo.mustBeItsSql(runs)
    expect(runs.rows.length).toBeGreaterThan(0)
    const late = await demo.serving.get<CoverageRuns>(`/api/coverage/runs?${of}&from=2999-01-01`)
    expect(late.runs.rows).toEqual([])
  })

  test('runs and breaks', async () => {
    const { runs } = await demo.serving.get<Runs>('/api/runs')
    await demo.mustBeItsSql(runs)
    const { breaks, counts, unpublished } = await demo.serving.get<Breaks>('/api/breaks?status=all')
    await demo.mustBeItsSql(breaks)
    await demo.mustBeItsSql(counts)
    expect(unpublished).toBeNull()
    const reported = await demo.printed('report', 'breaks', '--format', 'json')
    const open = (await demo.serving.get<Breaks>('/api/breaks')).breaks.rows
    expect(open.length).toBeLessThan(breaks.rows.length)
    expect(new Set(open.map(({ break_id }) => break_id))).toEqual(
      new Set(reported.map(({ break_id }) => break_id)),
    )
    // The one of the demo is of no account, and so concerns each.
    const of = await demo.serving.get<Breaks>('/api/breaks?account=broker')
    await demo.mustBeItsSql(of.breaks)
    const reportedOf = await demo.printed('report', 'breaks', '--account', 'broker', '--format', 'json')
    expect(of.breaks.rows.map(({ break_id }) => break_id)).toEqual(reportedOf.map(({ break_id }) => break_id))
    expect(of.breaks.rows).toMatchObject([{ account: null }])
    const overview = await demo.serving.get<Overview>('/api/overview?account=broker')
    await demo.mustBeItsSql(overview.breaks)
    expect(overview.breaks.rows).toMatchObject([{ severity: 'notice', count: 1 }])
  })

  test('proof is what `explain` prints', async () => {
    const { pieces } = await demo.serving.get<Gains>('/api/gains')
    const { entries } = await demo.serving.get<Entries>('/api/entries')
    for (const id of [pieces.rows[0]?.disposal_id, pieces.rows[0]?.lot_id, entries.rows[0]?.entry_id]) {
      const found = await demo.serving.get<Proof>(`/api/proof?id=${encodeURIComponent(String(id))}`)
      const { id: named, steps } = await demo.printed<Json>('explain', String(id), '--json')
      expect([found.id, found.steps]).toEqual([named, steps])
      expect(JSON.stringify(found.steps)).toContain('"row_text":"')
    }
  })

  test('proof by another method is what `explain` prints with it', async () => {
    const { pieces } = await demo.serving.get<Gains>('/api/gains')
    const id = String(pieces.rows[0]?.disposal_id)
    const found = await demo.serving.get<Proof>(`/api/proof?id=${encodeURIComponent(id)}&method=lifo`)
    expect(found.steps).toEqual((await demo.printed<Json>('explain', id, '--method', 'lifo', '--json')).steps)
    expect(found.command).toBe(`tieout explain ${id} --method lifo --dir ${demo.dir}`)
  })

  test('the command that prints a proof does not take an id that begins with a dash for an option', () => {
    expect(commandOf('-5 x', { method: 'lifo' }, ' --dir /books')).toBe(
      "tieout explain --method lifo --dir /books -- '-5 x'",
    )
  })

  test('an unknown id is refused with near matches', async () => {
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    const { status, text } = await demo.serving.ask('/api/proof?id=nothing', { headers })
    expect([status, JSON.parse(text).error.name]).toEqual([400, 'UsageError'])
  })

  test('filings: the list, and the differences', async () => {
    const { filings } = await demo.serving.get<Filings>('/api/filings')
    expect(filings).toMatchObject([{ name: 'gains-then', report: 'gains', problem: null }])
    const found = await demo.serving.get<FilingDifference>('/api/filings/gains-then')
    expect(found.rows).toEqual(
      await demo.printed('report', 'gains', '--against', 'gains-then', '--format', 'json'),
    )
    expect(found.notes).toContain('No line differs.')
  })

  test('the dictionary has every table and column, with a meaning', async () => {
    const { tables } = await demo.serving.get<Dictionary>('/api/dictionary')
    const found = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    expect(found.toSorted()).toEqual(
      (
        await demo.sql(
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

test('about and the schema of the console', async () => {
  const about = await demo.serving.get<About>('/api/about')
  expect(about).toMatchObject({ dir: demo.dir, isReadOnly: false, currency: 'USDT' })
  expect(about.accounts).toContain('parent')
  const { tables, keywords } = await demo.serving.get<ConsoleSchema>('/api/console/schema')
  expect(tables.find(({ name }) => name === 'entries')?.columns[0]).toMatchObject({
    name: 'entry_id',
    type: 'VARCHAR',
  })
  expect(keywords).toContain('select')
})

test('each example of the console runs unchanged', async () => {
  const { examples } = await demo.serving.get<ConsoleExamples>('/api/console/examples')
  expect(new Set(examples.map(({ title }) => title)).size).toBe(20)
  const stopping = { clock: systemClock, signal: new AbortController().signal }
  const limits = { engine: engineSettings(), timeoutMs: 30_000, rowsMax: 10_000, bytesMax: 16e6 }
  const edition = await openSealed(demo.dir, { ...limits, ...stopping })
  onTestFinished(() => edition.ledger.close())
  const inProcess = async (text: string): Promise<ConsoleLine[]> => {
    const lines: ConsoleLine[] = []
    await answerConsoleFrom(
      edition,
      { ...limits, dir: demo.dir, sql: text, known: edition.stamp },
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
        ? await demo.serving.lines<ConsoleLine>('/api/console/run', { id: `example-${at}`, sql: text })
        : await inProcess(text)
    expect([title, lines.at(-1)]).toMatchObject([title, { kind: 'end', how: 'complete' }])
  }
})
