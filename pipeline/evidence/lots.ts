// The upper half of the explanation: from a disposal through the lots that it took to the events that brought
// them.
import type { Reader } from '../ledger/reader.ts'
import type { Period } from '../reports/period.ts'
import { placeOf, transactionStep } from './entries.ts'
import { ask, atInstant, inTurn, textOf, without } from './source.ts'
import { type Fields, type Step, step } from './step.ts'
import { importedValuationSteps } from './valuation.ts'

/** What the lots were matched from and into; the same ledger, unless another method was asked for. */
export interface LotBooks {
  /** Has `disposals`, and `lots` if it is not just the published ledger. */
  readonly matched: Reader
  readonly ledger: Reader
  /** How many parallel steps are followed. */
  readonly limit: number
  /** IANA name of the zone of the report's months. */
  readonly zone: string
  /** The filters of the report that the line belongs to. */
  readonly period: Period
}

/** The pieces of a disposal, each with its lot, and the event that disposed; null if there is none. */
export async function disposalStep(books: LotBooks, id: string): Promise<Step | null> {
  if (!books.matched.tables.has('disposals')) return null
  const pieces = await ask(
    books.matched,
    'select * from disposals where disposal_id = $id order by coin, acquired_at nulls last, lot_id nulls last',
    { id },
  )
  const [first] = pieces
  if (first === undefined) return null
  const common = alike(first, pieces)
  const shown = await inTurn(pieces.slice(0, books.limit), (piece) => pieceStep(books, piece, common))
  const events = await eventSteps(books, id, textOf(first.disposed_at))
  return step(
    'disposal',
    id,
    { ...common, pieces: pieces.length },
    {
      steps: [...events, ...shown],
      omitted: pieces.length - shown.length,
    },
  )
}

const OF_THE_DISPOSAL = ['account', 'coin', 'method', 'rules', 'disposed_at', 'currency']

/**
 * What all pieces have in common. One row of an import may sell a coin and pay its fee in another, under one
 * id.
 */
const alike = (first: Fields, pieces: readonly Fields[]): Fields =>
  Object.fromEntries(
    Object.entries(first).filter(
      ([name, cell]) => OF_THE_DISPOSAL.includes(name) && pieces.every((piece) => piece[name] === cell),
    ),
  )

/** Without what the disposal states for all its pieces, except for the coin, which each of them names. */
async function pieceStep(books: LotBooks, piece: Fields, common: Fields): Promise<Step> {
  const lotId = textOf(piece.lot_id)
  const steps = lotId === '' ? [] : await eventSteps(books, lotId, textOf(piece.acquired_at))
  const what = lotId === '' ? 'piece without a known lot' : 'piece of lot'
  const said = Object.keys(common).filter((name) => name !== 'coin')
  return step(what, lotId, without(piece, ...said, 'disposal_id', 'lot_id'), { steps })
}

/** A lot: what is left of it, what was disposed of, and the event that brought it; null if there is none. */
export async function lotStep(books: LotBooks, id: string): Promise<Step | null> {
  const { matched, limit } = books
  const open = matched.tables.has('lots')
    ? await ask(matched, 'select * from lots where lot_id = $id', { id })
    : []
  const disposed = matched.tables.has('disposals')
    ? await ask(
        matched,
        `select disposal_id, disposed_at, quantity, proceeds, cost_basis, gain from disposals
         where lot_id = $id order by disposed_at, disposal_id`,
        { id },
      )
    : []
  if (open.length === 0 && disposed.length === 0) return null
  const left = open.map((fields) => step('left of it', id, without(fields, 'lot_id')))
  const gone = disposed
    .slice(0, limit)
    .map((fields) => step('disposed of by', textOf(fields.disposal_id), without(fields, 'disposal_id')))
  const steps = [...(await eventSteps(books, id)), ...left, ...gone]
  return step(
    'lot',
    id,
    { pieces_left: open.length, disposals: disposed.length },
    {
      steps,
      omitted: disposed.length - gone.length,
    },
  )
}

/**
 * What happened: the lot events that have this id, and where they come from. `at` is the time that a piece or
 * a lot states; for a lot that moved or changed its basis it may differ from the time of the event.
 */
export async function eventSteps(books: LotBooks, id: string, at = ''): Promise<Step[]> {
  const { ledger, limit } = books
  if (!ledger.tables.has('lot_events')) return await originSteps(ledger, id, limit, at)
  const instant = atInstant('happened_at', at)
  const events = await ask(
    ledger,
    `select * from lot_events where event_id = $id${instant.sql} order by coin, place`,
    { id, ...instant.values },
  )
  if (events.length === 0 && at !== '') return await eventSteps(books, id)
  const origins = await originSteps(ledger, id, limit, at)
  return events.map((event, nth) =>
    step('event', id, without(event, 'event_id', 'place', ...onceMore(event)), {
      steps: nth === 0 ? origins : [],
    }),
  )
}

/** What a second reading takes from it, if that is nothing else. */
const onceMore = ({
  value,
  value_given: given,
  value_shared: shared,
  is_kept_back: isKeptBack,
}: Fields): string[] => [
  ...(value === given ? ['value_given'] : []),
  ...(value === shared ? ['value_shared'] : []),
  ...(isKeptBack === true ? [] : ['is_kept_back']),
]

/** Imported history that is carried over to an entry has that entry's id and one of these suffixes. */
const HANDED_OVER = /\/(before|handover)$/

async function originSteps(ledger: Reader, id: string, limit: number, at: string): Promise<Step[]> {
  const instant = atInstant('occurred_at', at)
  const [entry] = await ask(
    ledger,
    `select transaction_id, occurred_at from entries where entry_id = $id${instant.sql}`,
    { id: id.replace(HANDED_OVER, ''), ...instant.values },
  )
  if (entry === undefined && at !== '') return await originSteps(ledger, id, limit, '')
  if (entry === undefined) return await importedSteps(ledger, id)
  const transaction = await transactionStep(
    ledger,
    textOf(entry.transaction_id),
    limit,
    textOf(entry.occurred_at),
  )
  return transaction === null ? [] : [transaction]
}

/** Rows of the user's files that have this id. */
export async function importedSteps(ledger: Reader, id: string): Promise<Step[]> {
  const steps: Step[] = []
  for (const table of ['imported_trades', 'imported_lots']) {
    if (!ledger.tables.has(table)) continue
    const rows = await ask(ledger, `select * from ${table} where id = $id`, { id })
    if (rows.length === 0) continue
    const valuations = await importedValuationSteps(ledger, id)
    steps.push(
      ...rows.map((row) =>
        step('imported row', id, without(row, 'id', 'page_id', 'page_row', 'place'), {
          place: placeOf(row),
          steps: valuations,
        }),
      ),
    )
  }
  return steps
}
