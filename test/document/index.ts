// All endpoints of the interface document as the tests restate them, in the order of its sections: see stated.ts.
import { account } from './account.ts'
import { broker } from './broker.ts'
import { convert } from './convert.ts'
import { futures } from './futures.ts'
import { loan } from './loan.ts'
import { market } from './market.ts'
import { p2p } from './p2p.ts'
import { spot } from './spot.ts'
import type { Stated, StatedRecord } from './stated.ts'
import { tax } from './tax.ts'
import { trade } from './trade.ts'
import { wallet } from './wallet.ts'

const place = ({ section }: Stated): number => Number(section.split('.')[1])

/** By name. */
export const stated: readonly (readonly [name: string, Stated])[] = Object.entries({
  ...account,
  ...broker,
  ...convert,
  ...futures,
  ...loan,
  ...market,
  ...p2p,
  ...spot,
  ...tax,
  ...trade,
  ...wallet,
}).sort(([, one], [, other]) => place(one) - place(other))

export function statedAt(section: string): Stated {
  const found = stated.find(([, each]) => each.section === section)
  if (found === undefined)
    throw new RangeError(`The document has no section ${section} here: add it to test/document.`)
  return found[1]
}

/** Those whose answers land. */
export const statedRecords: readonly (readonly [name: string, Stated, StatedRecord])[] = stated.flatMap(
  ([name, each]) => (each.record === undefined ? [] : [[name, each, each.record] as const]),
)
