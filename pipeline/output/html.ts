// One self-contained page for a report: no script, nothing loaded from elsewhere, every text escaped.
import type { Column } from './column.ts'
import { cellText, type Row } from './value.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

const STYLE = [
  'body{font:14px/1.45 system-ui,sans-serif;margin:2rem;color:#1b1f24;background:#fff}',
  'p.warning{font-weight:600;border-left:4px solid #bf8700;padding-left:.8rem}',
  'h1{font-size:1.3rem}ul.notes{color:#57606a;padding-left:1.2rem}',
  'table{border-collapse:collapse;font-variant-numeric:tabular-nums}',
  'th,td{padding:.25rem .6rem;border-bottom:1px solid #d8dee4;text-align:left;white-space:nowrap}',
  'th{position:sticky;top:0;background:#f6f8fa}td.r,th.r{text-align:right}',
  'tfoot td{font-weight:600;border-top:2px solid #57606a}',
  '@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th{background:#161b22}}',
].join('')

export interface HtmlReport {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: AsyncIterable<readonly Row[]>
  readonly totals: readonly Row[]
  /** What makes the figures incomplete. */
  readonly warnings?: readonly string[] | undefined
  readonly notes: readonly string[]
}

export async function* htmlText(report: HtmlReport): AsyncIterable<string> {
  const title = escapeHtml(report.title)
  const right = report.columns.map((column) => column.kind === 'amount' || column.kind === 'number')
  const cell = (tag: 'td' | 'th', content: unknown, index: number): string =>
    `<${tag}${right[index] === true ? ' class="r"' : ''}>${escapeHtml(cellText(content))}</${tag}>`
  const line = (row: Row): string =>
    `<tr>${row.map((content, index) => cell('td', content, index)).join('')}</tr>\n`

  yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>\n` +
    `<body><h1>${title}</h1>\n${(report.warnings ?? []).map((text) => `<p class="warning" role="note">${escapeHtml(text)}</p>\n`).join('')}<ul class="notes">${report.notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>\n` +
    `<table><thead><tr>${report.columns.map((column, index) => cell('th', column.title ?? column.name, index)).join('')}</tr></thead>\n<tbody>\n`
  for await (const batch of report.rows) yield batch.map(line).join('')
  yield '</tbody>\n'
  if (report.totals.length > 0) yield `<tfoot>\n${report.totals.map(line).join('')}</tfoot>\n`
  yield '</table></body></html>\n'
}
