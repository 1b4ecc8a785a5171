// The look of a printed report: landscape on A4 and Letter, where tables of exact amounts fit, in black and
// grey; on a screen light or dark, according to the reader's settings.
import { cssString } from './markup.ts'

/** How many columns can be aligned by their position in the table. */
const COLUMNS = 32

const RULES = [
  ':root{color-scheme:light dark;--ink:#16191d;--faint:#4a5058;--rule:#8a9098;--shade:#eceef0;--page:#fff;--bar:#565d66;--id:14rem}',
  '@media screen and (prefers-color-scheme:dark){:root{--ink:#e8ebee;--faint:#b3bac2;--rule:#6b737c;--shade:#22272d;--page:#101418;--bar:#a5adb6}}',
  'body{font:13px/1.45 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;margin:2rem auto;max-width:84rem;padding:0 1rem;color:var(--ink);background:var(--page)}',
  'h1{font-size:1.6rem;line-height:1.2;margin:0 0 .8rem}h2{font-size:1.2rem;border-bottom:2px solid var(--ink);margin:2rem 0 .6rem}h3{font-size:1rem;margin:1.2rem 0 .4rem}',
  'h1,h2,h3,h2+p,h2+p+p,caption{break-after:avoid;text-align:left}p,li,dd{max-width:60rem;overflow-wrap:anywhere}',
  'p.warning{font-weight:700;border:2px solid var(--ink);padding:.5rem .8rem}',
  'dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem}dt{font-weight:600}dd{margin:0}',
  'nav{break-after:page}nav ol{columns:3;padding-left:1.4rem}a{color:inherit}',
  '.wide{overflow-x:auto}',
  'table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4rem 0 1rem;font-size:.86em}',
  'caption{font-weight:600;padding:.3rem 0}',
  'th,td{padding:.18rem .5rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top;overflow-wrap:break-word}',
  'thead th{background:var(--shade);border-bottom:2px solid var(--ink);vertical-align:bottom}tbody th{font-weight:400}',
  'thead th{white-space:normal!important;overflow-wrap:break-word!important}.long{white-space:normal!important;overflow-wrap:anywhere;min-width:8rem}',
  ...Array.from({ length: COLUMNS }, (_, at) => {
    const nth = at + 1
    return `.r${nth} tr>:nth-child(${nth}){text-align:right;white-space:nowrap}.l${nth} tbody>tr>:nth-child(${nth}){word-break:break-all;min-width:var(--id);font-size:.87em}`
  }),
  'tfoot th,tfoot td{font-weight:700;border-top:2px solid var(--ink)}',
  'figure{margin:.6rem 0;break-inside:avoid}figcaption{font-weight:600}svg{width:100%;max-width:60rem;height:auto}',
  'svg rect{fill:var(--bar)}svg rect.loss{fill:var(--page);stroke:var(--bar)}svg line{stroke:var(--rule)}svg text{fill:var(--ink);font-size:10px}',
  'tr{break-inside:avoid}tbody tr:first-child{break-before:avoid}thead{display:table-header-group}tfoot{display:table-row-group}',
  '@media print{:root{--id:7rem}body{font-size:8.5pt;margin:0;padding:0;max-width:none}.wide{overflow:visible}table{font-size:6.4pt;line-height:1.3}th,td{padding:.5mm .9mm}.fold{white-space:normal!important;overflow-wrap:anywhere;min-width:13mm}h2{margin-top:7mm}}',
].join('\n')

/** The text on every page besides its number: who and what at the top, from which books at the bottom. */
export interface Running {
  readonly who: string
  readonly what: string
  readonly books: string
}

export function styleOf({ who, what, books }: Running): string {
  const box = (place: string, content: string): string =>
    `@${place}{content:${content};font:7pt system-ui,-apple-system,"DejaVu Sans",sans-serif;color:#333}`
  const boxes = [
    box('top-left', cssString(cut(who))),
    box('top-right', cssString(cut(what))),
    box('bottom-left', cssString(books)),
    box('bottom-right', '"page " counter(page) " of " counter(pages)'),
  ]
  return `${RULES}\n@page{size:landscape;margin:16mm 12mm 14mm;${boxes.join('')}}`
}

const RUNNING_LENGTH = 90

const cut = (text: string): string =>
  text.length > RUNNING_LENGTH ? `${text.slice(0, RUNNING_LENGTH - 1)}…` : text
