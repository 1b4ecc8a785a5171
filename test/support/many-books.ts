// One set of books for many tests: each test plants its data in a separate account, and everything is built at once. Building
// small books takes half a second whatever they contain, so a test that does not need separate books shares them.
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, type TestContext, it as vitestIt } from 'vitest'
import type { Break, BuildResult } from '../../pipeline/ledger/build.ts'
import { type Cells, type PageOptions, type TaxRow, TestBooks } from './books.ts'

/** What a build reports for the account of one test. */
export interface Told {
  /** Breaks of the account, and breaks without an account. The account is called `main` in all of them. */
  readonly openBreaks: readonly Break[]
}

interface Asking<Plant> {
  readonly plant: Plant
  readonly resolve: (told: Told) => void
  readonly reject: (cause: unknown) => void
}

/** How long a build waits for further requests to join it. */
const GATHERING_MS = 50

/** No name is a prefix of another. */
const accountOf = (place: number): string => `main.${String(place).padStart(3, '0')}`

/**
 * A function that plants and builds for the tests of a `describe.concurrent`, which call it at the same time. `plant` must
 * write only into the account that it is given.
 */
export function builtTogether<Plant>(
  options: NonNullable<Parameters<typeof TestBooks.open>[0]>,
  plant: (books: TestBooks, account: string, planted: Plant, uid: string) => Promise<unknown>,
  build: (books: TestBooks, accounts: readonly string[]) => Promise<BuildResult> = (books) => books.build(),
): (planted: Plant) => Promise<Told> {
  let waiting: Asking<Plant>[] = []
  const answer = async (): Promise<void> => {
    const asked = waiting
    waiting = []
    try {
      const books = await TestBooks.open(options)
      try {
        const accounts = asked.map((_, place) => accountOf(place))
        for (const [place, { plant: planted }] of asked.entries())
          await plant(books, accountOf(place), planted, String(1001 + place))
        const { openBreaks } = await build(books, accounts)
        for (const [place, { resolve }] of asked.entries())
          resolve({ openBreaks: breaksOf(openBreaks, accountOf(place)) })
      } finally {
        await books.close()
      }
    } catch (cause) {
      for (const { reject } of asked) reject(cause)
    }
  }
  return (planted) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void answer(), GATHERING_MS)
      waiting.push({ plant: planted, resolve, reject })
    })
}

const breaksOf = (breaks: readonly Break[], account: string): Break[] =>
  breaks
    .filter((one) => one.account === account || one.account === null)
    .map((one) => JSON.parse(JSON.stringify(one).replaceAll(account, 'main')) as Break)

/** What a test may do with shared books: as with `TestBooks`, except that nothing lands before they are built. */
export class SharedBooks {
  readonly #together: (asked: Wanted) => Promise<Built>
  readonly #planted: ((books: TestBooks, place: number) => Promise<unknown>)[] = []
  #built: Built | null = null

  constructor(together: (asked: Wanted) => Promise<Built>) {
    this.#together = together
  }

  /** `uid`: for rows that name it, which give the function of `page` the same one. */
  account = async (name: string, kind: 'unified' | 'classic' | 'unknown', uid?: string): Promise<void> => {
    const nth = this.#planted.length
    this.#plant((books, place) =>
      books.account(
        ownName(name, place),
        kind,
        uid === undefined ? `${1001 + place}${nth}` : ownName(uid, place),
      ),
    )
  }

  /** `rows`: may be made by a function that is given what turns a name, or a uid, into that of this test alone. */
  page = async (
    feed: string,
    rows: readonly Cells[] | ((own: (name: string) => string) => readonly Cells[]),
    options: PageOptions = {},
  ): Promise<void> =>
    this.#plant((books, place) => {
      const all = typeof rows === 'function' ? rows((name) => ownName(name, place)) : rows
      return books.page(feed, all, ownOptions(options, place))
    })

  tax = async (partition: string, rows: readonly TaxRow[], options: PageOptions = {}): Promise<void> =>
    this.#plant((books, place) => books.tax(partition, rows, ownOptions(options, place)))

  futures = async (partition: string, rows: readonly Cells[], options: PageOptions = {}): Promise<void> =>
    this.#plant((books, place) => books.futures(partition, rows, ownOptions(options, place)))

  statement = async (cells: Cells): Promise<void> =>
    this.#plant((books, place) =>
      books.statement({ ...cells, account: ownName(cells.account ?? 'main', place) }),
    )

  /** A row of an import: its account and its id are those of the test, whatever other tests call theirs. */
  insert = async (table: string, { account, id, ...cells }: Cells): Promise<void> =>
    this.#plant((books, place) =>
      books.insert(table, {
        ...cells,
        ...(account == null ? {} : { account: ownName(account, place) }),
        ...(id == null ? {} : { id: id.replace(/^[^:]*/, (name) => ownName(name, place)) }),
      }),
    )

  /** Everything planted so far. */
  build = async (): Promise<Built> => {
    const planted = [...this.#planted]
    this.#built = await this.#together({
      land: async (books, place) => {
        for (const one of planted) await one(books, place)
      },
    })
    return this.#built
  }

  /** The rows of the last build for the test's own accounts. */
  query = async (sql: string): Promise<(string | null)[][]> => {
    if (this.#built === null) throw new Error('Nothing has been built.')
    return await this.#built.query(sql)
  }

  #plant(one: (books: TestBooks, place: number) => Promise<unknown>): void {
    this.#planted.push(one)
  }
}

interface Wanted {
  readonly land: (books: TestBooks, place: number) => Promise<void>
}

interface Built extends Told {
  readonly published: boolean
  readonly query: (sql: string) => Promise<(string | null)[][]>
}

/** A character that never occurs in what the venue sends. */
const endOf = (place: number): string => `~${String(place).padStart(3, '0')}`

const ownName = (name: string, place: number): string => name + endOf(place)

const ownOptions = (options: PageOptions, place: number): PageOptions => ({
  ...options,
  account: ownName(options.account ?? 'main', place),
})

/**
 * Books for the tests of `describe.concurrent`; each test sees in `books` only what it plants itself. `it` passes them to it.
 * `state` creates an object that each test gets its own copy of; `build` also plants what belongs to no account.
 */
export function sharedBooks(
  options: NonNullable<Parameters<typeof TestBooks.open>[0]>,
  begin: (books: SharedBooks) => Promise<unknown> = async () => undefined,
  build: (books: TestBooks) => Promise<BuildResult> = (books) => books.build(),
) {
  const running = new AsyncLocalStorage<{
    readonly books: SharedBooks
    readonly own: Map<unknown, unknown>
  }>()
  const current = () => running.getStore() ?? nobodysBooks()
  const kept: TestBooks[] = []
  afterAll(async () => {
    for (const books of kept) await books.close()
  })
  let waiting: { asked: Wanted; resolve: (built: Built) => void; reject: (cause: unknown) => void }[] = []
  const answer = async (): Promise<void> => {
    const all = waiting
    waiting = []
    try {
      const books = await TestBooks.open(options)
      kept.push(books)
      for (const [place, { asked }] of all.entries()) await asked.land(books, place)
      const { openBreaks, published } = await build(books)
      for (const [place, { resolve }] of all.entries()) {
        const ours = openBreaks.filter(({ account }) => account === null || account.includes(endOf(place)))
        resolve({
          openBreaks: JSON.parse(JSON.stringify(ours).replaceAll(endOf(place), '')) as Break[],
          published,
          query: (sql) => ownRows(books, place, sql),
        })
      }
    } catch (cause) {
      for (const { reject } of all) reject(cause)
    }
  }
  const together = (asked: Wanted): Promise<Built> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void answer(), GATHERING_MS)
      waiting.push({ asked, resolve, reject })
    })
  const within = async (test: () => unknown): Promise<void> => {
    const books = new SharedBooks(together)
    await running.run({ books, own: new Map() }, async () => {
      await begin(books)
      await test()
    })
  }
  const shared = new Proxy({} as SharedBooks, {
    get: (_, name) => current().books[name as keyof SharedBooks],
  })
  const it = Object.assign(
    (name: string, test: (context: TestContext) => unknown): void =>
      void vitestIt(name, (context) => within(() => test(context))),
    {
      each:
        <Case extends unknown[] | [unknown] | object>(cases: readonly Case[]) =>
        (name: string, test: (...words: Case extends readonly unknown[] ? Case : [Case]) => unknown): void =>
          void vitestIt.each(cases as readonly unknown[])(name, (...words: unknown[]) =>
            within(() => test(...(words as never))),
          ),
    },
  )
  const state =
    <T>(make: () => T): (() => T) =>
    () => {
      const { own } = current()
      if (!own.has(make)) own.set(make, make())
      return own.get(make) as T
    }
  return { it, books: shared, state }
}

function nobodysBooks(): never {
  throw new Error('These books are those of a test that `it` of `sharedBooks` began.')
}

/** Queries views that contain only the accounts of one test, under the names that the test uses. */
async function ownRows(books: TestBooks, place: number, sql: string): Promise<(string | null)[][]> {
  const end = endOf(place)
  const views: string[] = []
  for (const name of new Set([...sql.matchAll(/\b(?:from|join) ([a-z_]\w*)/g)].map(([, table]) => table))) {
    const columns = (
      await books.query(`select column_name from duckdb_columns() where table_name = '${name}'`)
    ).flat()
    if (columns.length === 0) continue
    const where = columns.includes('account') ? `where contains(account, '${end}')` : ''
    views.push(`${name} as (select * from main.${name} ${where})`)
  }
  const own = sql.replace(/'([a-z]+)(?=['/])/g, (text, name) =>
    name === 'main' || name === 'old' ? `'${name}${end}` : text,
  )
  if (/^\s*with\b/.test(own)) throw new Error('A query of shared books begins with its select.')
  const rows = await books.query(`${views.length === 0 ? '' : `with ${views.join(', ')} `}${own}`)
  return rows.map((row) => row.map((cell) => cell?.replaceAll(end, '') ?? null))
}
