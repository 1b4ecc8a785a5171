// From what was taken to what is reported: pieces of a disposal with their shares of the proceeds, and open
// lots. The proceeds and the fees of the pieces sum to those of the disposal; if cost or proceeds are unknown,
// there is no gain.
import type { DisposalPiece, EventId, OpenLot } from './event.ts'
import type { Taken } from './parcel.ts'
import { costOf, type Parcel, quantityOf } from './parcel.ts'
import { shareUpTo } from './share.ts'

/** One disposal as reported: a sale, the sales of a merged day, or a network fee. */
export interface Disposal {
  readonly account: string
  readonly coin: string
  readonly kind: DisposalPiece['kind']
  readonly id: EventId
  readonly disposedAtUs: bigint
  readonly quantity: bigint
  readonly proceeds: bigint | null
  /** The fees that the proceeds are net of. */
  readonly fees: bigint
}

/** One piece for each parcel, in their order, and one for what is missing. */
export function piecesOf(disposal: Disposal, taken: Taken): DisposalPiece[] {
  const pieces: DisposalPiece[] = []
  let done = 0n
  const share = (quantity: bigint): Money | null => {
    if (disposal.proceeds === null) return null
    const [from, to] = [done, done + quantity]
    done = to
    const of = (amount: bigint): bigint =>
      shareUpTo(amount, to, disposal.quantity) - shareUpTo(amount, from, disposal.quantity)
    return { proceeds: of(disposal.proceeds), fees: disposal.fees === 0n ? 0n : of(disposal.fees) }
  }
  for (const parcel of taken.parcels) {
    const quantity = quantityOf(parcel)
    pieces.push(pieceOf(disposal, quantity, share(quantity), parcel))
  }
  if (taken.missing > 0n) pieces.push(pieceOf(disposal, taken.missing, share(taken.missing), null))
  return pieces
}

interface Money {
  readonly proceeds: bigint
  readonly fees: bigint
}

function pieceOf(
  disposal: Disposal,
  quantity: bigint,
  money: Money | null,
  parcel: Parcel | null,
): DisposalPiece {
  const proceeds = money === null ? null : money.proceeds
  const costBasis = parcel === null ? null : costOf(parcel)
  return {
    account: disposal.account,
    coin: disposal.coin,
    kind: disposal.kind,
    disposedAtUs: disposal.disposedAtUs,
    acquiredAtUs: parcel === null ? null : parcel.lot.acquiredAtUs,
    quantity,
    proceeds,
    fees: money === null ? null : money.fees,
    costBasis,
    deniedLoss: null,
    gain: proceeds === null || costBasis === null ? null : proceeds - costBasis,
    disposalId: disposal.id,
    lotId: parcel === null ? null : parcel.lot.id,
    basis: parcel === null ? 'missing' : costBasis === null ? 'unvalued' : 'known',
  }
}

/** What is left of a parcel; `account` if lots are held by account, else where the lot was acquired. */
export function openLot(parcel: Parcel, coin: string, account: string | null): OpenLot {
  return {
    account: account ?? parcel.lot.account,
    coin,
    acquiredAtUs: parcel.lot.acquiredAtUs,
    quantityLeft: quantityOf(parcel),
    costBasisLeft: costOf(parcel),
    lotId: parcel.lot.id,
  }
}
