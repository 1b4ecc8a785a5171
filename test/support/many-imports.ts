// Imports of many tests in one: the rows of each stand in an account, in coins and under ids of its own, those in one money
// are imported and built at once, and the ledger is opened once. A build of small books takes half a second whatever is in
// them.
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, it as vitestIt } from 'vitest'
import type { Break } from '../../pipeline/ledger/build.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import type { ReportName, ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { type Cells, gainLine, ImportedBooks, reportRows } from './imports.ts'

/** How long a build waits for others that are wanted as well. */
const GATHERING_MS = 50

/** What is no coin of a test alone: all rows of one books are reckoned in one of these. */
const MONEY = ['USD', 'EUR', 'GBP', 'CAD', 'USDT']

/** Nothing that a test writes has such a sign; of a coin, whose name has no other signs than letters and digits. */
const endOf = (place: number): string => `~${String(place).padStart(3, '0')}`
const coinEndOf = (place: number): string => `XYZ${String(place).padStart(3, '0')}`

interface Built {
  readonly openBreaks: readonly Break[]
  readonly ledger: Ledger
  readonly place: number
}

interface Waiting {
  readonly rows: readonly string[]
  readonly resolve: (built: Built) => void
  readonly reject: (cause: unknown) => void
}

/** What a test may do with imports that it shares: like those of `ImportedBooks`, but nothing is imported after the build. */
export class SharedImports {
  readonly #together: (rows: readonly string[]) => Promise<Built>
  readonly #rows: string[] = []
  #built: Promise<Built> | null = null

  constructor(together: (rows: readonly string[]) => Promise<Built>) {
    this.#together = together
  }

  trades = async (...rows: readonly string[]): Promise<void> => {
    if (this.#built !== null) throw new Error('These books have been built.')
    this.#rows.push(...rows)
  }

  /** With the breaks of the accounts of the test, and those of no account. */
  build = (): Promise<Built> => {
    this.#built ??= this.#together(this.#rows)
    return this.#built
  }

  report = async (name: ReportName, options: ReportOptions = {}): Promise<Cells[]> => {
    const { ledger, place } = await this.build()
    const { account } = options
    const own = account === undefined ? options : { ...options, account: account + endOf(place) }
    return ownRows(await reportRows(ledger, name, own), place)
  }

  read = this.report

  gains = async (options: ReportOptions = {}): Promise<string[]> =>
    (await this.report('gains', options)).map(gainLine)

  /** The rows that tell of the test: each of them must have an account, a coin or an id. */
  query = async (sql: string): Promise<unknown[][]> => {
    const { ledger, place } = await this.build()
    return ownRows(await ledger.query(sql), place) as unknown[][]
  }
}

function ownRows<Row extends object>(rows: readonly Row[], place: number): Row[] {
  return rows.flatMap((row) => {
    const text = JSON.stringify(row)
    if (!/~\d{3}|XYZ\d{3}/.test(text)) throw new Error(`Whose row is this? ${text}`)
    if (!text.includes(endOf(place)) && !text.includes(coinEndOf(place))) return []
    const values = Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? plain(cell, place) : cell,
    ])
    return [Array.isArray(row) ? values.map(([, cell]) => cell) : Object.fromEntries(values)] as Row[]
  })
}

const plain = (text: string, place: number): string =>
  text.replaceAll(endOf(place), '').replaceAll(coinEndOf(place), '')

/** A row of trades as the test writes it, under names of its own. */
function ownTrade(row: string, place: number): string {
  const [id = '', time, account, type, asset = '', quantity, currency = '', total, fee, feeCurrency = ''] =
    row.split(',')
  const coin = (name: string): string =>
    name === '' || MONEY.includes(name) ? name : name + coinEndOf(place)
  const [stem, ...leg] = id.split(':')
  return [
    [stem + endOf(place), ...leg].join(':'),
    ...[time, account + endOf(place), type, coin(asset), quantity, coin(currency), total, fee],
    coin(feeCurrency),
  ].join(',')
}

/** The money in which the rows are; what is in several is built apart from what is in one. */
const moneyOf = (rows: readonly string[]): string =>
  [...new Set(rows.flatMap((row) => row.split(',')).filter((cell) => MONEY.includes(cell)))].sort().join(' ')

/** Books for the tests of `describe.concurrent`, each of which finds in `books` what it imports itself; `it` gives them to it. */
export function sharedImports() {
  const running = new AsyncLocalStorage<SharedImports>()
  const opened: { readonly books: ImportedBooks; readonly ledger: Ledger }[] = []
  afterAll(() => {
    for (const { books, ledger } of opened) {
      ledger.close()
      books.close()
    }
  })
  const buildAll = async (all: readonly Waiting[]): Promise<void> => {
    try {
      const books = new ImportedBooks()
      await books.trades(...all.flatMap(({ rows }, place) => rows.map((row) => ownTrade(row, place))))
      const { openBreaks } = await books.build()
      const ledger = await openLedger(books.dir)
      opened.push({ books, ledger })
      for (const [place, { resolve }] of all.entries()) {
        const ours = openBreaks.filter(({ account }) => account === null || account.endsWith(endOf(place)))
        const told = JSON.parse(plain(JSON.stringify(ours), place)) as Break[]
        resolve({ openBreaks: told, ledger, place })
      }
    } catch (cause) {
      for (const { reject } of all) reject(cause)
    }
  }
  let waiting: Waiting[] = []
  const answer = async (): Promise<void> => {
    const all = waiting
    waiting = []
    for (const money of new Set(all.map(({ rows }) => moneyOf(rows))))
      await buildAll(all.filter(({ rows }) => moneyOf(rows) === money))
  }
  const together = (rows: readonly string[]): Promise<Built> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void answer(), GATHERING_MS)
      waiting.push({ rows, resolve, reject })
    })
  const it = (name: string, test: () => unknown, timeout?: number): void =>
    void vitestIt(
      name,
      async () => {
        await running.run(new SharedImports(together), async () => await test())
      },
      timeout,
    )
  const books = new Proxy({} as SharedImports, {
    get: (_, name) => {
      const own = running.getStore()
      if (own === undefined)
        throw new Error('These books are those of a test that `it` of `sharedImports` began.')
      return own[name as keyof SharedImports]
    },
  })
  return { it, books }
}
