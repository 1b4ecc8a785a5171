// One self-contained document for a report, to be printed or read on a screen: no script, nothing loaded from
// elsewhere, every text escaped. Tables are streamed, so that a long one is never held in memory.
import { type Bars, barChart } from './bars.ts'
import { cellText, type Row } from './cell.ts'
import { clockIn } from './clock.ts'
import { asBatches, type Column, type RowBatches } from './column.ts'
import { type Running, styleOf } from './html-style.ts'
import { type Attributes, type Child, h, type Markup, written } from './markup.ts'

export interface Table {
  readonly caption: string
  readonly columns: readonly Column[]
  readonly rows: RowBatches
  readonly totals?: readonly Row[]
}

export interface Content {
  readonly words?: readonly string[]
  readonly bars?: readonly Bars[]
  readonly tables?: readonly Table[]
  /** Terms with their meanings, or facts with their names. */
  readonly terms?: readonly (readonly [string, string])[]
}

export interface Section {
  readonly title: string
  /** Read once the sections before it have been written. */
  readonly content: () => Promise<Content>
}

export interface HtmlReport {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: RowBatches
  readonly totals: readonly Row[]
  /** What makes the figures incomplete. */
  readonly warnings?: readonly string[] | undefined
  /** What it was asked for and made from, by name. */
  readonly facts?: readonly (readonly [string, string])[] | undefined
  readonly notes: readonly string[]
  /** What the document has instead of the report's single table. */
  readonly sections?: readonly Section[] | undefined
  /** IANA name of the zone in which times are printed; UTC if absent. */
  readonly zone?: string | undefined
  /** Printed on every page; the title if absent. */
  readonly running?: Running | undefined
}

export async function* htmlText(report: HtmlReport): AsyncIterable<string> {
  yield '<!doctype html>\n'
  yield* written(documentOf(report))
  yield '\n'
}

function documentOf(report: HtmlReport): Markup {
  const { title, warnings = [], facts = [], notes, sections, zone = 'UTC' } = report
  const running = report.running ?? { who: title, what: '', books: '' }
  return h(
    'html',
    { lang: 'en' },
    h(
      'head',
      {},
      h('meta', { charset: 'utf-8' }),
      h('meta', {
        'http-equiv': 'Content-Security-Policy',
        content: "default-src 'none'; style-src 'unsafe-inline'",
      }),
      h('meta', { name: 'viewport', content: 'width=device-width' }),
      h('title', {}, title),
      h('style', {}, styleOf(running)),
    ),
    '\n',
    h(
      'body',
      {},
      h(
        'header',
        {},
        h('h1', {}, title),
        '\n',
        warnings.map((text) => h('p', { class: 'warning', role: 'note' }, withCode(text))),
        facts.length === 0 ? null : list(facts),
        notes.length === 0
          ? null
          : h(
              'ul',
              { class: 'notes' },
              notes.map((note) => h('li', {}, withCode(note))),
            ),
      ),
      '\n',
      sections === undefined ? null : contents(sections),
      h('main', {}, sections === undefined ? ownTable(report, zone) : inTurn(sections, zone)),
    ),
  )
}

/** A sentence in which words between backticks are commands to type or column names. */
const withCode = (text: string): Child =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : h('code', {}, part)))

const list = (terms: readonly (readonly [string, string])[]): Markup =>
  h(
    'dl',
    {},
    terms.map(([name, text]) => [h('dt', {}, name), h('dd', {}, withCode(text)), '\n']),
  )

const sectionId = (at: number): string => `section-${at + 1}`

const contents = (sections: readonly Section[]): Markup =>
  h(
    'nav',
    { 'aria-label': 'Contents' },
    h(
      'ol',
      {},
      sections.map(({ title }, at) => h('li', {}, h('a', { href: `#${sectionId(at)}` }, title))),
    ),
  )

async function* inTurn(sections: readonly Section[], zone: string): AsyncIterable<Child> {
  for (const [at, { title, content }] of sections.entries()) {
    const id = sectionId(at)
    const { words = [], bars = [], tables = [], terms = [] } = await content()
    yield [
      '\n',
      h(
        'section',
        { 'aria-labelledby': id },
        h('h2', { id }, `${at + 1}. ${title}`),
        words.map((text) => h('p', {}, withCode(text))),
        bars
          .filter((chart) => chart.bars.length > 0)
          .map((chart, nth) => barChart(chart, `${id}-chart-${nth + 1}`)),
        terms.length === 0 ? null : list(terms),
        tables.map((table, nth) => tableOf(table, `${id}-table-${nth + 1}`, zone)),
      ),
    ]
  }
}

const ownTable = ({ title, columns, rows, totals }: HtmlReport, zone: string): Child =>
  tableOf({ caption: title, columns, rows, totals }, 'report', zone)

/** A heading that describes it; a table without rows becomes a sentence. */
async function* tableOf(
  { caption, columns, rows, totals = [] }: Table,
  id: string,
  zone: string,
): AsyncIterable<Child> {
  const batches = rows[Symbol.asyncIterator]()
  let first = await batches.next()
  while (first.done !== true && first.value.length === 0) first = await batches.next()
  if (first.done === true && totals.length === 0) {
    yield h('p', {}, `${caption}: none.`)
    return
  }
  const shown = columns.map(shownAs)
  const clock = clockIn(zone)
  yield h(
    'div',
    { class: 'wide', role: 'group', tabindex: '0', 'aria-labelledby': id },
    h(
      'table',
      alignments(shown),
      h('caption', { id }, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map((column) => h('th', { scope: 'col' }, headingOf(column, zone))),
        ),
      ),
      h('tbody', {}, '\n', linesOf(first, batches, shown, clock)),
      totals.length === 0
        ? null
        : h(
            'tfoot',
            {},
            '\n',
            totals.map((row) => line(row, shown, clock)),
          ),
    ),
  )
}

async function* linesOf(
  first: IteratorResult<readonly Row[]>,
  batches: AsyncIterator<readonly Row[]>,
  shown: readonly Shown[],
  clock: Clock,
): AsyncIterable<Child> {
  for (let batch = first; batch.done !== true; batch = await batches.next())
    yield batch.value.map((row) => line(row, shown, clock))
}

type Clock = ReturnType<typeof clockIn>

type Shown = 'amount' | 'time' | 'id' | 'words' | 'text'

function shownAs({ name, kind }: Column): Shown {
  if (kind === 'amount' || kind === 'number') return 'amount'
  if (kind === 'time') return 'time'
  if (/(_id|_hash|^id|^evidence)$/.test(name)) return 'id'
  // The project's own sentences; what was received is shown as it is.
  return /^(explanation|reason|\w+_because)$/.test(name) ? 'words' : 'text'
}

/** A column heading for people. */
export const headingOf = ({ name, title, kind }: Column, zone: string): string =>
  (title ?? name.replaceAll('_', ' ')) + (kind === 'time' ? ` (${zone})` : '')

/** Classes by column position, so that cells need no class of their own. */
function alignments(shown: readonly Shown[]): Attributes {
  const places = shown.flatMap((how, at) =>
    how === 'amount' ? [`r${at + 1}`] : how === 'id' ? [`l${at + 1}`] : [],
  )
  return places.length === 0 ? {} : { class: places.join(' ') }
}

/** Longer ids may be broken, so that a table stays on its page. */
const AMOUNT_LENGTH = 26

/** How many digits fit side by side on paper. */
const PAGE_DIGITS = 180

/**
 * On paper the amounts of wide tables are broken earlier: anything beyond the edge of a page is not printed.
 */
const printedLength = (shown: readonly Shown[]): number =>
  Math.min(AMOUNT_LENGTH, PAGE_DIGITS / shown.filter((how) => how === 'amount').length)

function breaking(length: number, printed: number): Attributes {
  if (length <= printed) return {}
  return { class: length > AMOUNT_LENGTH ? 'long fold' : 'fold' }
}

function line(row: Row, shown: readonly Shown[], clock: Clock): Child {
  const printed = printedLength(shown)
  return [
    h(
      'tr',
      {},
      row.map((content, at) => {
        const how = shown[at]
        const text = how === 'time' ? clock(cellText(content)) : cellText(content)
        const attributes = how === 'amount' ? breaking(text.length, printed) : {}
        const shownText = how === 'words' ? withCode(text) : text
        return at === 0 ? h('th', { scope: 'row', ...attributes }, shownText) : h('td', attributes, shownText)
      }),
    ),
    '\n',
  ]
}

/** A table of rows that are in memory. */
export const tableWith = (
  caption: string,
  columns: readonly Column[],
  rows: readonly Row[],
  totals: readonly Row[] = [],
): Table => ({ caption, columns, rows: asBatches(rows), totals })
