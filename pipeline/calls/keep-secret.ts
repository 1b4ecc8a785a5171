// Stores the credentials of a created key (4.1 shows its secret only once) in a section of credentials.yaml, which only
// its owner can read. Whether the file can take them is checked before the key is created.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Params } from '../../connectors/endpoint.ts'
import type { Answer } from '../../connectors/venue.ts'
import { TieoutError, UsageError } from '../../models/error.ts'
import { systemWords } from '../../models/system-error.ts'
import { accountName } from '../config/config.ts'
import { readCredentials } from '../config/credentials.ts'
import { textsUnder } from './secrets.ts'
import { addToYaml } from './yaml-file.ts'

const OWNER_ONLY = 0o600

export interface SecretKeeper {
  /** Stores what the answer holds, before anything else is done with the answer. */
  readonly keep: (answer: Answer) => Promise<void>
  /** Where it was stored, for people. */
  readonly told: string
}

/** The name under which the credentials of a sub-account are stored if none is given. */
export const subaccountName = (uid: string): string => `sub-${uid}`

/** Throws a UsageError for a name that is not a valid account name or is taken, and for a file that cannot be used. */
export function keepSecret(dir: string, params: Params, saveAs: string | undefined): SecretKeeper {
  const { subUid, passphrase } = params as { subUid: string; passphrase: string }
  const name = saveAs ?? subaccountName(subUid)
  const checked = accountName.safeParse(name)
  if (!checked.success)
    throw new UsageError(`Credentials cannot be stored under the name ${name}.`, {
      where: '--save-as',
      expected: checked.error.issues[0]?.message ?? '',
      action: 'Choose another name. Nothing was sent.',
    })
  const file = join(dir, 'credentials.yaml')
  if (hasCredentials(dir, name))
    throw new UsageError(`There are already credentials named ${name}.`, {
      where: file,
      action: 'Choose another name with --save-as. Nothing was sent.',
    })
  const keep = async ({ envelope }: Answer): Promise<void> => {
    const [key] = textsUnder(envelope.data, ['apiKey'])
    const [secret] = textsUnder(envelope.data, ['secretKey'])
    if (key === undefined || secret === undefined)
      throw notKept(subUid, file, 'an answer without a key and a secret')
    try {
      await addToYaml(file, [name], { key, secret, passphrase }, OWNER_ONLY)
    } catch (cause) {
      throw notKept(subUid, file, reasonOf(cause), cause)
    }
  }
  return { keep, told: `Its credentials are stored in ${file} as ${name}; the secret is not shown anywhere.` }
}

/** Whether credentials.yaml has a section with this name. Throws a UsageError for a file that cannot be used. */
export function hasCredentials(dir: string, name: string): boolean {
  const file = join(dir, 'credentials.yaml')
  return existsSync(file) && Object.hasOwn(readCredentials(file), name)
}

/** Our own words or the system's, never the text of a file that holds secrets. */
function reasonOf(cause: unknown): string {
  if (cause instanceof TieoutError) return cause.message
  return typeof (cause as NodeJS.ErrnoException).code === 'string' ? systemWords(cause) : 'an error'
}

const notKept = (uid: string, file: string, found: string, cause?: unknown): TieoutError =>
  new TieoutError(`A key of sub-account ${uid} was created, but its secret could not be stored.`, {
    where: file,
    found,
    action: 'Delete the key on the venue’s site: its secret is shown only once. Then create it again.',
    ...(cause === undefined ? {} : { cause }),
  })
