// Imported books of many tests in one: the accounts, coins and ids of each test are marked, tests that trade in the same
// currency are imported as one file, and everything is built at once. Each test sees only its own rows, with its names as it
// wrote them. Building small books takes the same time whatever they contain (many-books.ts).
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, it as vitestIt } from 'vitest'
import type { Break } from '../../pipeline/ledger/build.ts'
import type { ReportName, ReportOptions } from '../../pipeline/reports/catalogue.ts'
import { type Cells, gainLine, ImportedBooks } from './imports.ts'

/** How long a build waits for further requests to join it. */
const GATHERING_MS = 50

/** The one that a test trades in determines the reporting currency of its books, so each has separate books. */
const MONEY: ReadonlySet<string> = new Set(['CAD', 'EUR', 'GBP', 'USD'])

/** The same in upper and lower case, unlike anything that a test writes, and not a prefix of another. */
const markOf = (place: number): string => `Q${String(place).padStart(3, '0')}Q`

/** A row of trades whose account, coins and id are the marked ones. */
function marked(row: string, mark: string): string {
  const [
    id = '',
    time,
    account = '',
    type,
    asset = '',
    quantity,
    currency = '',
    total,
    fee,
    feeCurrency = '',
  ] = row.split(',')
  const coin = (name: string): string => (name === '' || MONEY.has(name) ? name : name + mark)
  return [
    ...[mark + id, time, account + mark, type, coin(asset), quantity, coin(currency), total, fee],
    coin(feeCurrency),
  ].join(',')
}

const moneyOf = (rows: readonly string[]): string =>
  [...new Set(rows.flatMap((row) => row.split(',').filter((cell) => MONEY.has(cell))))].sort().join(' ')

interface Built {
  readonly books: ImportedBooks
  readonly openBreaks: readonly Break[]
}

/** What a test may do with shared books: as with `ImportedBooks`, except that nothing is imported once they are built. */
class SharedImports {
  readonly #mark: string
  readonly #together: (rows: readonly string[]) => Promise<Built>
  #rows: readonly string[] = []
  #built: Promise<Built> | null = null

  constructor(mark: string, together: (rows: readonly string[]) => Promise<Built>) {
    this.#mark = mark
    this.#together = together
  }

  trades = async (...rows: readonly string[]): Promise<void> => {
    if (this.#built !== null) throw new Error('Books that are shared are built once.')
    this.#rows = [...this.#rows, ...rows]
  }

  build = async (): Promise<{ readonly openBreaks: readonly Break[] }> => {
    this.#built ??= this.#together(this.#rows.map((row) => marked(row, this.#mark)))
    const { openBreaks } = await this.#built
    return { openBreaks: this.#own(openBreaks, ({ account }) => account === null) }
  }

  read = async (name: ReportName, { account, ...options }: ReportOptions = {}): Promise<Cells[]> => {
    await this.build()
    const { books } = await this.#theirs()
    const own = account === undefined ? options : { ...options, account: account + this.#mark }
    return this.#own(await books.read(name, own))
  }

  report = this.read

  gains = async (options: ReportOptions = {}): Promise<string[]> =>
    (await this.read('gains', options)).map(gainLine)

  /** Only for rows in which some cell is a name; a count or sum over all rows would include those of all tests. */
  query = async (sql: string): Promise<unknown[][]> => {
    if (/\b(count|sum|min|max|limit)\b/.test(sql)) throw new Error('Shared books answer row by row.')
    const { books } = await this.#theirs()
    return this.#own(await books.query(sql))
  }

  #theirs(): Promise<Built> {
    if (this.#built === null) throw new Error('Nothing has been built.')
    return this.#built
  }

  /** The rows with the test's mark, with the mark removed. */
  #own<Row>(rows: readonly Row[], isOfAll: (row: Row) => boolean = () => false): Row[] {
    return rows
      .map((row) => [row, JSON.stringify(row)] as const)
      .filter(([row, text]) => text.includes(this.#mark) || isOfAll(row))
      .map(([, text]) => JSON.parse(text.replaceAll(this.#mark, '')) as Row)
  }
}

/**
 * Books for the tests of `describe.concurrent`; each test sees in `books` only what it imports itself. `it` passes them to it.
 * `only` as in `ImportedBooks`.
 */
export function sharedImports({ only }: { readonly only?: readonly string[] | undefined } = {}) {
  const running = new AsyncLocalStorage<SharedImports>()
  const kept: ImportedBooks[] = []
  afterAll(() => {
    for (const books of kept) books.close()
  })
  interface Asking {
    readonly rows: readonly string[]
    readonly resolve: (built: Built) => void
    readonly reject: (cause: unknown) => void
  }
  let waiting: Asking[] = []
  const buildOf = async (asked: readonly Asking[]): Promise<void> => {
    try {
      const books = new ImportedBooks({}, { only })
      kept.push(books)
      await books.trades(...asked.flatMap(({ rows }) => rows))
      const { openBreaks } = await books.build()
      for (const { resolve } of asked) resolve({ books, openBreaks })
    } catch (cause) {
      for (const { reject } of asked) reject(cause)
    }
  }
  const answer = async (): Promise<void> => {
    const all = waiting
    waiting = []
    for (const money of new Set(all.map(({ rows }) => moneyOf(rows))))
      await buildOf(all.filter(({ rows }) => moneyOf(rows) === money))
  }
  const together = (rows: readonly string[]): Promise<Built> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void answer(), GATHERING_MS)
      waiting.push({ rows, resolve, reject })
    })
  let tests = 0
  const it = (name: string, test: () => unknown): void => {
    tests += 1
    const mark = markOf(tests)
    vitestIt(name, () => running.run(new SharedImports(mark, together), test))
  }
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
