// Which account each uid of the venue belongs to. One account of the venue under two names would count every figure
// twice, so a uid belongs to one account of the configuration: the one under which the books already have it, or else
// the first to be answered. No account waits for another's answer, which may take long. A name also belongs to one uid:
// the coverage that the books record under it was proven for that account alone.
import type { AccountAccess } from '../../connectors/access.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import type { Config } from '../config/config.ts'
import type { Landing } from '../landing/landing.ts'

export class UidOwners {
  readonly #names = new Map<string, string>()
  readonly #histories: ReadonlyMap<string, string>

  constructor(histories: ReadonlyMap<string, string>) {
    this.#histories = histories
  }

  /**
   * The uid of the account whose history the books have under a name, as reported by the venue; undefined if they have
   * none.
   */
  ofHistory(name: string): string | undefined {
    return this.#histories.get(name)
  }

  /** The owner of the uid: the account that claims it, unless another one did so before. */
  claim(uid: string, name: string): string {
    const owner = this.#names.get(uid) ?? name
    this.#names.set(uid, owner)
    return owner
  }
}

/**
 * First the accounts under which the books already have a uid, then those for which the configuration states it, in its
 * order.
 */
export async function uidOwners(
  landing: Pick<Landing, 'uids' | 'uidsOfHistory'>,
  config: Config,
  asked: readonly AccountAccess[],
  settings: Endpoint,
): Promise<UidOwners> {
  const owners = new UidOwners(await landing.uidsOfHistory(settings.name))
  const stated = new Map<string, string | undefined>([
    ...Object.entries(config.accounts).map(([name, { uid }]) => [name, uid] as const),
    ...asked.map(({ name, uid }) => [name, uid] as const),
  ])
  const known = await landing.uids()
  for (const [name, uid] of stated) {
    const history = owners.ofHistory(name)
    const told = history ?? known.get(name)
    // An entry that the configuration has since corrected is ignored.
    if (told !== undefined && (uid === undefined || uid === told || history !== undefined))
      owners.claim(told, name)
  }
  for (const [name, uid] of stated)
    if (uid !== undefined && (owners.ofHistory(name) ?? uid) === uid) owners.claim(uid, name)
  return owners
}
