// Whose each uid of the venue is. One account of the venue under two names would count every figure twice, so a uid belongs
// to one account of the configuration: the one under which the books have it, and before they have it under any, the one that
// is answered first. Nobody waits for anybody else's answer, which may be long in coming.
import type { AccountAccess } from '../../connectors/access.ts'
import type { Config } from '../config/config.ts'
import type { Landing } from '../landing/landing.ts'

export class UidOwners {
  readonly #names = new Map<string, string>()

  /** Whose the uid is: the account's that claims it, unless another one did before. */
  claim(uid: string, name: string): string {
    const owner = this.#names.get(uid) ?? name
    this.#names.set(uid, owner)
    return owner
  }
}

/** First the accounts under which the books have a uid already, then those for which the configuration states it, in its order. */
export async function uidOwners(
  landing: Pick<Landing, 'uids'>,
  config: Config,
  asked: readonly AccountAccess[],
): Promise<UidOwners> {
  const owners = new UidOwners()
  const stated = new Map<string, string | undefined>([
    ...Object.entries(config.accounts).map(([name, { uid }]) => [name, uid] as const),
    ...asked.map(({ name, uid }) => [name, uid] as const),
  ])
  const known = await landing.uids()
  for (const [name, uid] of stated) {
    const told = known.get(name)
    // What the configuration has since corrected says nothing.
    if (told !== undefined && (uid === undefined || uid === told)) owners.claim(told, name)
  }
  for (const [name, uid] of stated) if (uid !== undefined) owners.claim(uid, name)
  return owners
}
