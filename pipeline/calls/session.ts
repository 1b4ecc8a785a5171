// What a call works with: the books with their lock, the venue, and one account of the configuration. The lock keeps a
// call from using the same rate budgets as a nightly run at the same time.

import { type AccountAccess, secretsOfAccount } from '../../connectors/access.ts'
import type { AccountClient, Venue } from '../../connectors/venue.ts'
import type { Clock } from '../../models/clock.ts'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { type Books, openBooksFor } from '../books/books.ts'
import { openConfiguredVenue } from '../books/night.ts'
import type { Config } from '../config/config.ts'
import { type CommandContext, requiredConfig } from '../config/context.ts'
import { readAccounts } from '../config/credentials.ts'

export interface CallSession {
  readonly books: Books
  readonly config: Config
  readonly venue: Venue
  readonly access: AccountAccess
  readonly client: AccountClient
  readonly clock: Clock
  readonly tell: (text: string) => void
  /** Identifies what this process journals. */
  readonly run: string
  /** Credentials of all accounts: never to be journaled or shown. */
  readonly secrets: readonly string[]
}

/**
 * Opens the books and the venue for one account, does the work, and closes them. Throws a UsageError if the
 * configuration, the account or the lock does not allow it.
 */
export async function withSession<Result>(
  context: CommandContext,
  command: string,
  account: string | undefined,
  work: (session: CallSession) => Promise<Result>,
): Promise<Result> {
  const config = requiredConfig(context)
  const accounts = readAccounts(config, context.dir, process.env)
  const access = chooseAccount(accounts, account)
  const { clock, tell } = context
  const secrets = accounts.flatMap(secretsOfAccount)
  const venue = openConfiguredVenue(context, config, secrets)
  return await closing(venue, async () => {
    const books = await openBooksFor(context, config, { command })
    return await closing(books, async () => {
      const client = venue.account(access)
      return await work({ books, config, venue, access, client, clock, tell, run: context.run, secrets })
    })
  })
}

/** The account named, or the only one there is. */
function chooseAccount(accounts: readonly AccountAccess[], name: string | undefined): AccountAccess {
  const only = accounts.length === 1 ? accounts[0] : undefined
  const chosen = name === undefined ? only : accounts.find((access) => access.name === name)
  if (chosen !== undefined) return chosen
  const names = accounts.map((access) => access.name).join(', ')
  throw new UsageError(
    name === undefined
      ? 'Several accounts are configured.'
      : `There is no account ${name} in the configuration.`,
    { where: '--account', expected: `one of ${names}`, action: 'Name the account with --account.' },
  )
}
