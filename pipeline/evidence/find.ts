// What an id means: the same text may be a disposal, a lot, an entry, a transaction, a trade, a break, an id
// of the venue or of a user's file, a line of a report, or a position in the journal. Every meaning is
// followed.
import { UsageError } from '../../models/error.ts'
import { identifier } from '../engine/quote.ts'
import { feedRecords } from '../ledger/feeds.ts'
import type { Reader } from '../ledger/reader.ts'
import { whereItMayHaveBeen, withdrawalOf } from './aside.ts'
import { entryStep, idSql, recordSteps, transactionStep } from './entries.ts'
import { lineSteps } from './lines.ts'
import { disposalStep, importedSteps, type LotBooks, lotStep } from './lots.ts'
import { ask, inTurn, textOf, without } from './source.ts'
import { type Step, step } from './step.ts'

/** Every meaning of the id, each followed down to its records; empty if the books do not know it. */
export async function meaningsOf(books: LotBooks, id: string): Promise<Step[]> {
  const { ledger, limit } = books
  const found: (Step | null)[] = [
    await breakStep(books, id),
    await disposalStep(books, id),
    await lotStep(books, id),
    await transactionStep(ledger, id, limit),
  ]
  const steps = found.filter((one) => one !== null)
  const imported = await importedSteps(ledger, id)
  // A disposal or a lot already has its entry below it.
  const own = steps.length > 0 ? steps : [...(await entrySteps(ledger, id)), ...imported]
  // Ids of a user's file may equal those of the venue, as in its own exports; ids that tieout creates never
  // do.
  if (own.length > 0 && imported.length === 0) return own
  const records = await recordSteps(ledger, id)
  if (records.length > 0) return [...own, ...records, ...(await entriesOfRecord(books, id))]
  if (own.length > 0) return own
  const parts = await importedPartSteps(ledger, id)
  if (parts.length > 0) return parts
  return [...(await lineSteps(books, id)), ...(await placeSteps(ledger, id))]
}

/**
 * What a part of an imported row changed in a balance, by its entry_id; for a part that was only valued, the
 * row.
 */
async function importedPartSteps(ledger: Reader, id: string): Promise<Step[]> {
  const partId = id.replace(/^import\//, '')
  const entries = ledger.tables.has('imported_entries')
    ? await ask(ledger, 'select * from imported_entries where entry_id = $partId', { partId })
    : []
  if (entries.length === 0) {
    const valued = ledger.tables.has('valuations')
      ? await ask(ledger, 'select entry_id from valuations where entry_id = $id', { id: `import/${partId}` })
      : []
    return valued.length === 0 ? [] : await importedSteps(ledger, partId.slice(0, partId.lastIndexOf('/')))
  }
  return await inTurn(entries, async (entry) => {
    const row = await importedSteps(ledger, textOf(entry.imported_id))
    return step('entry', partId, without(entry, 'entry_id', 'imported_id'), { steps: row })
  })
}

async function entrySteps(ledger: Reader, id: string): Promise<Step[]> {
  const entryId = id.replace(/\/(wallet|counter)$/, '')
  const entries = await ask(ledger, 'select * from entries where entry_id = $entryId', { entryId })
  return await inTurn(entries, (entry) => entryStep(ledger, entry))
}

/** What the books made from a record: its entries, without repeating the record below them. */
async function entriesOfRecord({ ledger, limit }: LotBooks, sourceId: string): Promise<Step[]> {
  const entries = await ask(ledger, 'select * from entries where source_id = $sourceId order by entry_id', {
    sourceId,
  })
  return await inTurn(entries.slice(0, limit), async (entry) => {
    const { what, id, fields } = await entryStep(ledger, entry)
    return step(what, id, { ...fields, transaction_id: entry.transaction_id ?? null })
  })
}

async function breakStep(books: LotBooks, id: string): Promise<Step | null> {
  const [found] = await ask(books.ledger, 'select * from breaks where break_id = $id', { id })
  if (found === undefined) return null
  const named = evidenceOf(textOf(found.evidence))
  const shown = named.slice(0, books.limit)
  const steps = (await inTurn(shown, (each) => meaningsOf(books, each))).flat()
  return step('break', id, without(found, 'break_id'), { steps, omitted: named.length - shown.length })
}

/** The ids of the evidence, as the checks write them: a JSON list of texts. */
function evidenceOf(text: string): string[] {
  if (!text.startsWith('[')) return text === '' ? [] : [text]
  return (JSON.parse(text) as unknown[]).map(String)
}

/** `frame:row`, as in the evidence of quarantined rows, or a frame alone. */
async function placeSteps(ledger: Reader, id: string): Promise<Step[]> {
  const place = /^(?<frame>[1-9]\d{0,14})(:(?<row>\d{1,9}))?$/.exec(id)?.groups
  if (place === undefined) return []
  const frame = Number(place.frame)
  const row = place.row === undefined ? null : Number(place.row)
  const aside = ledger.tables.has('quarantine')
    ? await ask(ledger, 'select field, reason from quarantine where page_id = $frame and page_row = $row', {
        frame,
        row,
      })
    : []
  const fields = { ...aside[0], ...(await withdrawalOf(ledger, frame)) }
  return [step('frame', id, fields, { place: { frame, row } })]
}

const NEAR = 5
const NEAR_DISTANCE_MAX = 3

/** UsageError with the closest ids of the ledger for one that it does not know. */
export async function unknownId(ledger: Reader, dir: string, id: string): Promise<UsageError> {
  const lists = [
    'select entry_id as id from entries',
    'select transaction_id from entries',
    ...list(ledger, 'trades', 'trade_id'),
    ...list(ledger, 'disposals', 'disposal_id'),
    ...list(ledger, 'lots', 'lot_id'),
    ...list(ledger, 'imported_trades', 'id'),
    ...list(ledger, 'imported_lots', 'id'),
    'select break_id from breaks',
    ...feedRecords.flatMap(({ record }) =>
      record.key.length === 0 ? [] : list(ledger, record.table, idSql(record)),
    ),
  ]
  const near = await ledger.query(
    `with ids as (${lists.join(' union all ')}),
     near as (
       select distinct id, contains(id, $id) as has_it,
         case when abs(length(id) - length($id)) <= ${NEAR_DISTANCE_MAX} then levenshtein(id, $id) else 1000 end as distance
       from ids where id is not null
     )
     select id from near where has_it or distance <= ${NEAR_DISTANCE_MAX}
     order by distance, length(id), id limit ${NEAR}`,
    { id },
  )
  const elsewhere = await whereItMayHaveBeen(dir, id)
  return new UsageError('The books do not contain this id.', {
    where: id,
    expected:
      near.length === 0
        ? 'an id from a report, a table or the venue'
        : `one of the closest ids: ${near.map(([one]) => one).join(', ')}`,
    ...(elsewhere === null ? {} : { found: elsewhere }),
    action: 'Copy the id from the column disposal_id, lot_id, entry_id, line_id or break_id of a report.',
  })
}

const list = (ledger: Reader, table: string, sql: string): string[] =>
  ledger.tables.has(table) ? [`select ${sql} from ${identifier(table)}`] : []
