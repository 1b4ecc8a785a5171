// The lots engine over events in memory: their order and the pairing of transfers, which `step.ts` makes in SQL; a test
// holds the two to each other.
import { LotEngine, type LotOptions } from '../../pipeline/lots/engine.ts'
import type {
  BorrowedCoins,
  DisposalPiece,
  LotEvent,
  LotProblem,
  MovedPiece,
  OpenLot,
  ShortSalePiece,
  Twin,
} from '../../pipeline/lots/event.ts'
import { effectiveAtUs } from '../../pipeline/lots/transfers.ts'
import { matchingOf } from '../../pipeline/rules/matching.ts'

export interface LotResult {
  readonly disposals: DisposalPiece[]
  readonly lots: OpenLot[]
  readonly moved: MovedPiece[]
  readonly problems: LotProblem[]
  readonly shortSales: ShortSalePiece[]
  readonly borrowed: BorrowedCoins[]
}

/** All of it in memory, from events in any order, under the rules that the method implies. */
export function computeLots(events: readonly LotEvent[], options: LotOptions): LotResult {
  const result: LotResult = {
    disposals: [],
    lots: [],
    moved: [],
    problems: [],
    shortSales: [],
    borrowed: [],
  }
  const { law, calendar } = matchingOf({ method: options.method })
  const { gifts, lookAheadDays, shortSales } = law
  const engine = new LotEngine(
    { gifts, lookAheadDays, shortSales, timeZone: calendar.timeZone, ...options },
    {
      piece: (piece) => result.disposals.push(piece),
      lot: (lot) => result.lots.push(lot),
      moved: (piece) => result.moved.push(piece),
      problem: (problem) => result.problems.push(problem),
      shortSale: (piece) => result.shortSales.push(piece),
      borrowed: (coins) => result.borrowed.push(coins),
    },
  )
  for (const event of inOrder(events)) engine.apply(event)
  engine.finish()
  return result
}

/**
 * Events by coin, time and place, each leg of a transfer knowing the other.
 * A leg that went out stands right before the one that came in, also where its clock was ahead.
 */
export function inOrder(events: readonly LotEvent[]): LotEvent[] {
  return paired(events)
    .map((leg) => ({ event: leg.event, place: placeOf(leg) }))
    .sort((a, b) => compareKeys(a.place, b.place))
    .map(({ event }) => event)
}

type Key = readonly (bigint | number | string)[]

interface Paired {
  readonly event: LotEvent
  readonly twin: LotEvent | undefined
}

function compareKeys(a: Key, b: Key): number {
  for (const [at, left] of a.entries()) {
    const right = b[at]!
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

const byTime = (event: LotEvent): Key => [event.happenedAtUs, event.place, event.account, event.id]

/** Time and place of the event, or of its twin where the twin came in before it went out. */
function placeOf({ event, twin }: Paired): Key {
  const isEarly =
    event.kind === 'transfer_out' && twin !== undefined && compareKeys(byTime(twin), byTime(event)) < 0
  const at = isEarly ? twin : event
  return [event.coin, effectiveAtUs(event), at.place, isEarly ? 0 : 1, event.account, event.id]
}

/** The first leg out of a transfer belongs to the first leg in, the second to the second. */
function paired(events: readonly LotEvent[]): Paired[] {
  const legs = new Map<string, { readonly out: LotEvent[]; readonly in: LotEvent[] }>()
  for (const event of events) {
    if (event.transferId === undefined || !event.kind.startsWith('transfer')) continue
    const key = JSON.stringify([event.coin, event.transferId])
    const both = legs.get(key) ?? { out: [], in: [] }
    legs.set(key, both)
    both[event.kind === 'transfer_out' ? 'out' : 'in'].push(event)
  }
  const twins = new Map<LotEvent, LotEvent>()
  for (const both of legs.values()) {
    both.out.sort((a, b) => compareKeys(byTime(a), byTime(b)))
    both.in.sort((a, b) => compareKeys(byTime(a), byTime(b)))
    for (const [at, out] of both.out.entries()) {
      const into = both.in[at]
      if (into === undefined) break
      twins.set(out, into).set(into, out)
    }
  }
  return events.map((event) => {
    const twin = twins.get(event)
    return { event: twin === undefined ? event : { ...event, twin: twinOf(twin) }, twin }
  })
}

function twinOf({ id, account, happenedAtUs, quantity }: LotEvent): Twin {
  return { id, account, happenedAtUs, quantity }
}
