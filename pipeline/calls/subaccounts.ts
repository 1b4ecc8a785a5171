// Sets up all sub-accounts of a broker: each gets a key that can only read, and is added to the configuration, so that
// the nightly run covers it. Whatever exists already is left as it is, so the command can be repeated at any time.
// Interface document, 4.1 and part 5: only an ND broker main account may create keys.
import type { Params } from '../../connectors/endpoint.ts'
import { createApiKey } from '../../connectors/endpoints/broker.ts'
import { NotApplicable, PermissionRefused } from '../../connectors/errors.ts'
import { validateParams } from '../../connectors/params.ts'
import { type ExitCode, TieoutError, UsageError } from '../../models/error.ts'
import type { Config } from '../config/config.ts'
import { type CommandContext, requiredConfig } from '../config/context.ts'
import { hasCredentials, keepSecret, subaccountName } from './keep-secret.ts'
import { type CallSession, withSession } from './session.ts'
import { sendWrite } from './write.ts'
import { addToYaml } from './yaml-file.ts'

export interface AddOptions {
  readonly uids: readonly string[]
  /** The broker's main account; not needed if it is the only one configured. */
  readonly account?: string | undefined
  /** Addresses that the keys are bound to; none for keys that any address may use. */
  readonly addresses: readonly string[]
  readonly write: boolean
  /** Generates a passphrase of 6 to 32 characters. */
  readonly newPassphrase: () => string
}

/** What a sub-account still needs: nothing, an entry in the configuration, or a key first. */
type Need = 'nothing' | 'account' | 'key'

/** What was done for a sub-account, or what would be. */
export interface Added {
  readonly uid: string
  /** Its name in the configuration. */
  readonly account: string
  /** What it needed. */
  readonly need: Need
  readonly done: boolean
}

const CONFIG_MODE = 0o600

/** Everything that reads orders, positions and balances; with a readonly key none of it can move anything. */
const PERMISSIONS = ['contract_order', 'contract_position', 'spot_trade', 'margin_trade']

/**
 * Adds the sub-accounts, or prints what it would do. Throws a UsageError for what the configuration or a rule does not
 * allow, NotABroker, and whatever a request throws; what was done before that stays done.
 */
export async function addSubaccounts(
  context: CommandContext,
  options: AddOptions,
  print: (line: string) => void = context.print,
): Promise<readonly Added[]> {
  const uids = [...new Set(options.uids)]
  const config = requiredConfig(context)
  for (const uid of uids) {
    keyParams(uid, options)
    refuseTakenName(context, config, uid)
  }
  if (!options.write) {
    const intended = uids.map((uid) => ({
      uid,
      account: subaccountName(uid),
      need: needOf(context, config, uid),
    }))
    for (const { uid, need } of intended) print(intention(uid, need))
    context.tell('Nothing was sent or changed. Add --write to do it.')
    return intended.map((one) => ({ ...one, done: false }))
  }
  const added: Added[] = []
  await withSession(context, 'add-subaccounts', options.account, async (session) => {
    for (const uid of uids) {
      const need = await addOne(context, session, uid, options)
      added.push({ uid, account: subaccountName(uid), need, done: true })
      print(`Sub-account ${uid} ${DONE[need]}${need === 'nothing' ? '' : ` as ${subaccountName(uid)}`}.`)
    }
  })
  context.tell(
    'These keys can read orders, positions and the older tax records. Unified tax records (4.19) need a tax API key, and ' +
      'account settings (4.14) need the permission UTA mgt., which the interface cannot grant. Create such keys on the ' +
      'venue’s site and add them to credentials.yaml.',
  )
  return added
}

const DONE: Readonly<Record<Need, string>> = {
  nothing: 'is already configured',
  account: 'is now configured',
  key: 'has a key and is configured',
}

async function addOne(
  context: CommandContext,
  session: CallSession,
  uid: string,
  options: AddOptions,
): Promise<Need> {
  const name = subaccountName(uid)
  const need = (await isKnown(session, uid)) ? 'nothing' : needOf(context, session.config, uid)
  if (need === 'key') {
    const params = keyParams(uid, options)
    const { keep } = keepSecret(context.dir, params, name)
    try {
      await sendWrite(session, createApiKey, params, keep)
    } catch (error) {
      if (error instanceof NotApplicable || error instanceof PermissionRefused)
        throw new NotABroker(session.access.name, error)
      throw error
    }
  }
  if (need !== 'nothing') {
    const account = { uid, credentials: 'file' }
    await addToYaml(context.configFile, ['accounts', name], account, CONFIG_MODE)
  }
  return need
}

/** The request for a key, by the rules of 4.1. */
function keyParams(uid: string, { addresses, newPassphrase }: AddOptions): Params {
  return validateParams(createApiKey, {
    subUid: uid,
    passphrase: newPassphrase(),
    label: 'tieout',
    ...(addresses.length === 0 ? {} : { ipList: addresses }),
    permType: 'readonly',
    permList: PERMISSIONS,
  })
}

function needOf({ dir }: CommandContext, { accounts }: Config, uid: string): Need {
  if (Object.values(accounts).some((account) => account.uid === uid)) return 'nothing'
  // The last run ended after creating the key and before adding the account.
  return hasCredentials(dir, subaccountName(uid)) ? 'account' : 'key'
}

/** Whether the venue has reported this uid for a configured account whose configuration does not state it. */
async function isKnown({ books, config }: CallSession, uid: string): Promise<boolean> {
  for (const name of Object.keys(config.accounts))
    if ((await books.landing.account(name))?.uid === uid) return true
  return false
}

function intention(uid: string, need: Need): string {
  const name = subaccountName(uid)
  if (need === 'nothing') return `Sub-account ${uid} is already configured.`
  const account = `adds it to tieout.yaml as ${name}`
  if (need === 'account') return `Sub-account ${uid}: already has credentials; ${account}.`
  return `Sub-account ${uid}: creates a read-only key, stores it in credentials.yaml, ${account}.`
}

function refuseTakenName({ configFile }: CommandContext, { accounts }: Config, uid: string): void {
  const name = subaccountName(uid)
  const taken = accounts[name]
  if (taken === undefined || taken.uid === uid) return
  throw new UsageError(`The configuration has another account named ${name}.`, {
    where: `${configFile}, accounts.${name}`,
    expected: `uid ${uid}`,
    found: taken.uid === undefined ? 'no uid' : `uid ${taken.uid}`,
    action: 'Rename that account, or add its uid. Nothing was sent.',
  })
}

/** The account that asks may not create keys for sub-accounts. */
export class NotABroker extends TieoutError {
  override readonly name = 'NotABroker'
  override readonly exitCode: ExitCode = 4

  constructor(account: string, cause: NotApplicable | PermissionRefused) {
    super('Only an ND broker main account can create keys for sub-accounts (interface document, 4.1).', {
      where: `account ${account}`,
      found: cause.details.found ?? cause.code,
      action:
        'Name the broker’s main account with --account. For any other parent account, create a read-only key for each ' +
        'sub-account on the venue’s site and add it to tieout.yaml.',
      cause,
    })
  }
}
