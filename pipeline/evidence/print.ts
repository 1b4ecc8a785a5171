// An explanation for people, indented step by step, and for scripts, as JSON of the same content.
import type { Cell } from '../output/value.ts'
import { cellText } from '../output/value.ts'
import type { Explanation } from './explain.ts'
import type { FrameEvidence } from './frames.ts'
import type { Fields, Place, Step } from './step.ts'

/** Lines for a terminal, without a line break at the end. */
export function describeExplanation({ steps, frames }: Explanation): string {
  return steps.map((one) => linesOf(one, frames, '').join('\n')).join('\n\n')
}

function linesOf(one: Step, frames: Explanation['frames'], indent: string): string[] {
  const inner = `${indent}  `
  return [
    `${indent}${one.what} ${one.id}`.trimEnd(),
    ...fieldLines(one.fields, inner),
    ...(one.place === null ? [] : placeLines(one.place, frames, inner)),
    ...one.steps.flatMap((below) => linesOf(below, frames, inner)),
    ...(one.omitted > 0 ? [`${inner}… and ${one.omitted} more; --limit shows them`] : []),
  ]
}

function fieldLines(fields: Fields, indent: string): string[] {
  const width = Math.max(0, ...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields).map(([name, cell]) => `${indent}${name.padEnd(width)}  ${cellText(cell)}`)
}

function placeLines({ frame, row }: Place, frames: Explanation['frames'], indent: string): string[] {
  const evidence = frames.get(frame)
  if (evidence === undefined) return [`${indent}frame ${frame}: the journal has no such frame`]
  const where = row === null ? `frame ${frame}` : `frame ${frame}, row ${row}`
  return [`${indent}journal ${where}`, ...evidenceLines(evidence, row, `${indent}  `)]
}

function evidenceLines(evidence: FrameEvidence, row: number | null, indent: string): string[] {
  const { meta, chain, bodySha256, bodyBytes } = evidence
  const request = meta.request as { readonly method?: Cell; readonly path?: Cell } | undefined
  const { request: _, at, ...rest } = meta
  const told: Fields = {
    ...(request === undefined ? {} : { request: `${request.method} ${request.path}` }),
    received_at: at ?? null,
    ...rest,
    chain: `${chain} (verified)`,
    body:
      bodySha256 === null
        ? 'struck: its bytes are gone, the chain holds'
        : `${bodyBytes} bytes, SHA-256 ${bodySha256}`,
  }
  return [...fieldLines(told, indent), ...(row === null ? [] : rowLines(evidence, row, indent))]
}

function rowLines(evidence: FrameEvidence, row: number, indent: string): string[] {
  const { text, bytes, isWithoutPersonalData } = evidence.rowAt(row)
  if (text === null || bytes === null) return []
  const note = isWithoutPersonalData ? ', data about people shown as null' : ''
  return [`${indent}bytes ${bytes[0]} to ${bytes[1] - 1} of the body${note}:`, `${indent}${text}`]
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
  const evidence = frames.get(frame)
  if (evidence === undefined) return { frame, row, missing: true }
  const { meta, chain, bodySha256, bodyBytes, rowAt } = evidence
  const { text, bytes, isWithoutPersonalData } =
    row === null ? { text: null, bytes: null, isWithoutPersonalData: false } : rowAt(row)
  return {
    frame,
    row,
    meta,
    chain,
    body_sha256: bodySha256,
    body_bytes: bodyBytes,
    struck: bodySha256 === null,
    row_bytes: bytes,
    row_text: text,
    without_personal_data: isWithoutPersonalData,
  }
}
