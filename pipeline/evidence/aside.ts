// Ids that no figure is based on any more, or ever was: rows of withdrawn imports and quarantined rows, with
// their bytes, which the journal keeps; and where else an id that now has no meaning may have been.

import { counted } from '../../models/text.ts'
import { placeOf } from '../imports/format.ts'
import { importFormats, isImportKind } from '../imports/formats.ts'
import { type Disk, nodeDisk } from '../journal/disk.ts'
import { erasedAt } from '../journal/erase.ts'
import { findFrames, findSetAside, type SetAside } from '../journal/find.ts'
import { readJournaledImport } from '../landing/import.ts'
import type { Reader } from '../ledger/reader.ts'
import { filingsWith } from './filing.ts'
import { ask, without } from './source.ts'
import { type Fields, type Step, step } from './step.ts'

/** Rows that have this id and are in no table, each with its position in the journal. */
export async function asideSteps(ledger: Reader, dir: string, id: string, limit: number): Promise<Step[]> {
  return [...(await withdrawnSteps(ledger, dir, id)), ...(await quarantinedSteps(ledger, id, limit))]
}

/** Whether the import in the frame was withdrawn, and when. */
export async function withdrawalOf(ledger: Reader, frame: number): Promise<Fields> {
  const [found] = await withdrawn(ledger, 'import_id = $frame', { frame })
  return found === undefined ? {} : { withdrawn_at: found.withdrawn_at ?? null }
}

const withdrawn = async (
  ledger: Reader,
  which: string,
  values: Readonly<Record<string, number>> = {},
): Promise<Fields[]> =>
  ledger.tables.has('imports')
    ? await ask(
        ledger,
        `select * from imports where withdrawn_at is not null and ${which} order by import_id`,
        values,
      )
    : []

/** Rows of withdrawn files, which the journal keeps; an id may be that of a part of one. */
async function withdrawnSteps(ledger: Reader, dir: string, id: string): Promise<Step[]> {
  const whole = id.replace(/^import\//, '')
  const ids = new Set([whole, whole.slice(0, Math.max(0, whole.lastIndexOf('/')))])
  const imports = new Map(
    (await withdrawn(ledger, "kind <> 'prices'")).map((one) => [Number(one.import_id), one]),
  )
  const steps: Step[] = []
  for await (const { seq, meta, body } of findFrames(dir, new Set(imports.keys()))) {
    if (meta.kind !== 'import' || !isImportKind(meta.imports)) continue
    const at = placeOf(importFormats[meta.imports], 'id')
    const fields = without(imports.get(seq) ?? {}, 'row_count', 'sha256')
    for (const [row, { values }] of readJournaledImport(seq, meta, body).rows.entries())
      if (ids.has(String(values[at])))
        steps.push(step('withdrawn row', String(values[at]), fields, { place: { frame: seq, row } }))
  }
  return steps
}

/** Received rows that contain the id as a value of its own. */
async function quarantinedSteps(ledger: Reader, id: string, limit: number): Promise<Step[]> {
  if (!ledger.tables.has('quarantine')) return []
  const rows = await ask(
    ledger,
    `select * from quarantine
     where contains(raw, $text) or regexp_matches(raw, '[\\[:,]\\s*' || regexp_escape($id) || '\\s*[\\],}]')
     order by page_id, page_row limit ${limit}`,
    { id, text: JSON.stringify(id) },
  )
  return rows.map((row) => {
    const place = { frame: Number(row.page_id), row: Number(row.page_row) }
    return step(
      'quarantined row',
      `${place.frame}:${place.row}`,
      without(row, 'page_id', 'page_row', 'raw'),
      { place },
    )
  })
}

/** What may have happened to an id that is nowhere; null if nothing was erased or set aside and no filing has it. */
export async function whereItMayHaveBeen(
  dir: string,
  id: string,
  disk: Disk = nodeDisk,
): Promise<string | null> {
  const erased = [...(await erasedAt(dir, disk)).keys()]
  const filings = await filingsWith(disk, dir, id)
  const aside = await findSetAside(dir, disk)
  const said = [
    ...(filings.length === 0
      ? []
      : [
          `It appears in the filing ${filings.join(', ')}: \`tieout report … --against\` shows what has changed since.`,
        ]),
    ...(erased.length === 0
      ? []
      : [
          `${counted(erased.length, 'frame')} of the journal (${erased.slice(-5).join(', ')}) ${erased.length === 1 ? 'was' : 'were'} erased; their contents are no longer in the books.`,
        ]),
    ...(aside.frames.length === 0 ? [] : [setAsideWords(aside)]),
  ]
  return said.length === 0 ? null : said.join(' ')
}

const NAMED = 5

function setAsideWords({ frames, files }: SetAside): string {
  const isOne = frames.length === 1
  const named = frames.slice(-NAMED).map(({ seq, was }) => {
    if (was === null) return `${seq} (nothing is known of it)`
    const of = [was.account, was.feed, was.partition].filter((word) => word !== undefined && word !== '')
    return `${seq} (${was.kind}${of.length === 0 ? '' : ` of ${of.join(' ')}`}, ${was.at})`
  })
  return (
    `${counted(frames.length, 'frame')} of the journal ${isOne ? 'was' : 'were'} damaged and set aside by a repair: ` +
    `${frames.length > NAMED ? 'the last are ' : ''}${named.join(', ')}. ${isOne ? 'Its' : 'Their'} contents are not in the ` +
    `books; the bytes are in ${files.map((file) => `journal/${file}`).join(', ')}.`
  )
}
