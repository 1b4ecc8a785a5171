// Books of many tests in one: what each of them plants stands in an account of its own, and all of it is built at once. A
// build of small books takes half a second whatever is in them, so a test that needs no books of its own shares them.
import type { Break, BuildResult } from '../../pipeline/ledger/build.ts'
import { TestBooks } from './books.ts'

/** What a build tells of the account of one test. */
export interface Told {
  /** Breaks of the account, and those of none in particular. The account is called `main` in all of them. */
  readonly openBreaks: readonly Break[]
}

interface Asking<Plant> {
  readonly plant: Plant
  readonly resolve: (told: Told) => void
  readonly reject: (cause: unknown) => void
}

/** How long a build waits for others that are wanted as well. */
const GATHERING_MS = 50

/** No name is the beginning of another one. */
const accountOf = (place: number): string => `main.${String(place).padStart(3, '0')}`

/**
 * A function that plants and builds for the tests of a `describe.concurrent`, which ask at the same time. `plant` writes into
 * the account that it is given, and into no other.
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
