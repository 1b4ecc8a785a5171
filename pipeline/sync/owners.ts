// Whose each uid of the venue is. One account of the venue under two names would count every figure twice, so a uid belongs
// to one account of the configuration: the one under which the books have it, and before they have it under any, the one that
// is answered first. Nobody waits for anybody else's answer, which may be long in coming. And a name belongs to one uid: what
// the books claim to have under it was proven of that account alone.
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

  /** The uid of the account whose history the books have under a name, as the venue told it; undefined where they have none. */
  ofHistory(name: string): string | undefined {
    return this.#histories.get(name)
  }

  /** Whose the uid is: the account's that claims it, unless another one did before. */
  claim(uid: string, name: string): string {
    const owner = this.#names.get(uid) ?? name
    this.#names.set(uid, owner)
    return owner
  }
}

/** First the accounts under which the books have a uid already, then those for which the configuration states it, in its order. */
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
    // What the configuration has since corrected says nothing.
    if (told !== undefined && (uid === undefined || uid === told || history !== undefined))
      owners.claim(told, name)
  }
  for (const [name, uid] of stated)
    if (uid !== undefined && (owners.ofHistory(name) ?? uid) === uid) owners.claim(uid, name)
  return owners
}
