// An explanation for people, indented step by step, and for scripts, as JSON with the same content.

import type { Cell } from '../output/cell.ts'
import { cellText } from '../output/cell.ts'
import { printable } from '../output/table.ts'
import type { Explanation } from './explain.ts'
import type { FrameEvidence, RowEvidence } from './frames.ts'
import type { Fields, Place, Step } from './step.ts'

/**
 * Lines for a terminal, without a trailing line break. What has been shown once is only named from then on.
 */
export function describeExplanation({ steps, frames }: Explanation): string {
  const printer = new Printer(frames)
  return steps.map((one) => printer.lines(one, '').join('\n')).join('\n\n')
}

/** Steps that are the same wherever they appear; a piece of a lot is a different one each time. */
const SAME: ReadonlySet<string> = new Set([
  'event',
  'trade',
  'transaction',
  'entry',
  'record',
  'imported row',
  'deal',
  'valuation',
])

class Printer {
  readonly #frames: Explanation['frames']
  readonly #shown = new Set<string>()

  constructor(frames: Explanation['frames']) {
    this.#frames = frames
  }

  lines(one: Step, indent: string): string[] {
    const title = `${indent}${one.what} ${one.id}`.trimEnd()
    const inner = `${indent}  `
    if (SAME.has(one.what) && this.#wasShown(JSON.stringify([one.what, one.id, one.fields, one.place])))
      return [`${title}  (above)`]
    return [
      title,
      ...fieldLines(one.fields, inner),
      ...(one.place === null ? [] : this.#placeLines(one.place, inner)),
      ...one.steps.flatMap((below) => this.lines(below, inner)),
      ...(one.omitted > 0 ? [`${inner}… and ${one.omitted} more; --limit shows them`] : []),
    ]
  }

  #wasShown(key: string): boolean {
    if (this.#shown.has(key)) return true
    this.#shown.add(key)
    return false
  }

  #placeLines({ frame, row }: Place, indent: string): string[] {
    const where = row === null ? `journal frame ${frame}` : `journal frame ${frame}, row ${row}`
    const evidence = this.#frames.get(frame) as FrameEvidence
    const inner = `${indent}  `
    const rows = row === null ? [] : rowLines(evidence, row, inner)
    if (this.#wasShown(`frame ${frame}`)) return [`${indent}${where}  (frame as above)`, ...rows]
    return [`${indent}${where}`, ...fieldLines(frameFields(evidence), inner), ...rows]
  }
}

function fieldLines(fields: Fields, indent: string): string[] {
  const width = Math.max(0, ...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields).map(
    ([name, cell]) => `${indent}${name.padEnd(width)}  ${printable(cellText(cell))}`,
  )
}

function frameFields({ meta, chain, bodySha256, bodyBytes, erasedAt }: FrameEvidence): Fields {
  const { request, at, ...rest } = meta
  const sent = request as { readonly method?: Cell; readonly path?: Cell } | undefined
  return {
    ...(sent === undefined ? {} : { request: `${sent.method} ${sent.path}` }),
    received_at: at ?? null,
    ...rest,
    chain: `${chain} (verified)`,
    ...(erasedAt === null ? {} : { erased_at: erasedAt }),
    body: bodySha256 === null ? ERASED : `${bodyBytes} bytes, SHA-256 ${bodySha256}`,
  }
}

const ERASED = 'erased: its bytes were removed on purpose; the chain is intact'

function rowLines(evidence: FrameEvidence, row: number, indent: string): string[] {
  const { text, bytes, isWithoutPersonalData } = evidence.rowAt(row) as RowEvidence
  if (text === null || bytes === null) return []
  const note = isWithoutPersonalData ? ', personal data shown as null' : ''
  return [`${indent}bytes ${bytes[0]} to ${bytes[1] - 1} of the body${note}:`, `${indent}${printable(text)}`]
}

/** The same as one object: steps within steps, each record with its evidence. */
export function explanationJson({ id, steps, frames }: Explanation): object {
  return { id, steps: steps.map((one) => stepJson(one, frames)) }
}

function stepJson({ what, id, fields, place, steps, omitted }: Step, frames: Explanation['frames']): object {
  return {
    what,
    id,
    fields,
    ...(place === null ? {} : { evidence: evidenceJson(place, frames) }),
    steps: steps.map((below) => stepJson(below, frames)),
    ...(omitted === 0 ? {} : { omitted }),
  }
}

function evidenceJson({ frame, row }: Place, frames: Explanation['frames']): object {
  const { meta, chain, bodySha256, bodyBytes, erasedAt, rowAt } = frames.get(frame) as FrameEvidence
  const received = row === null ? null : rowAt(row)
  return {
    frame,
    row,
    meta,
    chain,
    body_sha256: bodySha256,
    body_bytes: bodyBytes,
    erased: bodySha256 === null,
    erased_at: erasedAt,
    row_bytes: received?.bytes ?? null,
    row_text: received?.text ?? null,
    without_personal_data: received?.isWithoutPersonalData ?? false,
  }
}
