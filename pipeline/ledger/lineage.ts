// Where each table comes from: what the shipped models read, step by step, down to the feeds of the venue,
// imported files, reference tables and the configuration. It is taken from the parse trees by which a build
// orders its models, so that it cannot differ from what a build does.
import { DuckDBInstance } from '@duckdb/node-api'
import { endpoints } from '../../connectors/catalogue.ts'
import { aboutDocs } from './about.ts'
import { BREAKS_READ, breaksDocs } from './breaks.ts'
import { docsOfStep } from './comments.ts'
import { describe, firstSentence } from './describe.ts'
import { feedRecords } from './feeds.ts'
import { generatedModels } from './generated.ts'
import { madeDocs } from './kept.ts'
import { type Documented, type Model, qualify, shippedModels } from './models.ts'
import { readsOf } from './parse-tree.ts'
import { GIVEN_TABLES } from './reference.ts'
import type { ExtraStep } from './tasks.ts'

/** One step on the way: what it does, in a sentence, and what it reads. */
export interface Origin {
  /** Qualified, as in the models. */
  readonly table: string
  readonly says: string
  readonly reads: readonly string[]
}

export type Lineage = ReadonlyMap<string, Origin>

/**
 * What every table of schema main is, in the shipped version; steps are those that a build adds to the
 * models.
 */
export function shippedTables(steps: readonly ExtraStep[]): Documented[] {
  return [...everyModel(), ...steps.flatMap(docsOfStep), breaksDocs, aboutDocs, madeDocs].filter(
    ({ table }) => table.startsWith('main.'),
  )
}

const everyModel = (): Model[] => [...generatedModels({ publishPersonalData: false }), ...shippedModels()]

export async function readLineage(steps: readonly ExtraStep[]): Promise<Lineage> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const models = everyModel()
    const origins: Origin[] = []
    for (const model of models)
      origins.push({ table: model.table, says: says(model.doc), reads: await readsOf(connection, model) })
    for (const step of steps)
      for (const { table, doc } of docsOfStep(step))
        origins.push({ table, says: says(doc), reads: step.reads.map(qualify) })
    const checks = models.map(({ table }) => table).filter((table) => table.startsWith('checks.'))
    origins.push({ table: 'main.breaks', says: says(breaksDocs.doc), reads: [...checks, ...BREAKS_READ] })
    for (const { table, doc } of [aboutDocs, madeDocs]) origins.push({ table, says: says(doc), reads: [] })
    return new Map(origins.map((origin) => [origin.table, origin]))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const says = (doc: string): string => firstSentence(describe(doc))

export interface LineageLine {
  readonly depth: number
  /** Qualified, or the name of a source. */
  readonly name: string
  readonly says: string
  /**
   * table: a published table, which has its own lineage; step: an intermediate one; source: nothing of ours
   * lies below.
   */
  readonly kind: 'table' | 'step' | 'source'
}

/**
 * What a table is built from, as the lines of a tree. A step is expanded where it first appears; a published
 * table is not, unless it contains only what has landed: then its feed is listed below it.
 */
export function lineageOf(lineage: Lineage, table: string): LineageLine[] {
  const opened = new Set<string>()
  const below = (name: string, depth: number): LineageLine[] =>
    feedsFirst(lineage.get(name)?.reads ?? []).flatMap((read): LineageLine[] => {
      const origin = lineage.get(read)
      if (origin === undefined) return [{ depth, ...sourceOf(read), kind: 'source' }]
      const isTable = read.startsWith('main.')
      const line: LineageLine = { depth, name: read, says: origin.says, kind: isTable ? 'table' : 'step' }
      if (opened.has(read)) return [{ ...line, says: 'As above.' }]
      opened.add(read)
      const isOpened = isTable ? origin.reads.every((each) => !lineage.has(each)) : true
      return [line, ...(isOpened ? below(read, depth + 1) : [])]
    })
  return distinct(below(table, 0))
}

const feedsFirst = (tables: readonly string[]): string[] =>
  tables.toSorted((a, b) => Number(isOfFeed(b)) - Number(isOfFeed(a)))

/** Several landing tables are one source, such as the log of requests. */
function distinct(lines: readonly LineageLine[]): LineageLine[] {
  return lines.filter(
    ({ kind, name, depth }, place) =>
      kind !== 'source' ||
      !lines.slice(parentOf(lines, place) + 1, place).some((one) => one.name === name && one.depth === depth),
  )
}

const parentOf = (lines: readonly LineageLine[], place: number): number =>
  lines.slice(0, place).findLastIndex(({ depth }) => depth < (lines[place]?.depth ?? 0))

/** Everything that a table ultimately comes from, each source once, in alphabetical order. */
export function sourcesOf(lineage: Lineage, table: string): string[] {
  const seen = new Set<string>()
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const origin = lineage.get(name)
    if (origin === undefined) found.add(sourceOf(name).name)
    else origin.reads.forEach(visit)
  }
  visit(table)
  return [...found].sort()
}

const feedOfTable = new Map(feedRecords.map(({ feed, record }) => [record.table, feed]))

const isOfFeed = (table: string): boolean =>
  table.startsWith('landing.') && feedOfTable.has(table.slice('landing.'.length))

/** The source of a table that no model builds. */
function sourceOf(table: string): { name: string; says: string } {
  const [schema, name = ''] = table.split('.')
  const feed = schema === 'landing' ? feedOfTable.get(name) : undefined
  if (feed !== undefined) {
    const endpoint = endpoints.find((one) => one.name === feed)
    return { name: `feed ${feed} (${endpoint?.section})`, says: endpoint?.doc ?? '' }
  }
  const source = SOURCES[table]
  if (source !== undefined) return source
  if (GIVEN_TABLES.includes(table))
    return {
      name: `data/${name}.csv`,
      says: 'Reference table; one in the folder of the books takes precedence.',
    }
  throw new RangeError(`There is no description of ${table}.`)
}

const source = (name: string, text: string) => ({ name, says: text })
const requests = source(
  'the log of requests',
  'What was asked and answered, when, and which ranges are complete.',
)
const received = source(
  'what landing noted',
  'Rows that were quarantined, and undocumented parts of answers.',
)
const imported = (kind: string) =>
  source(`import of ${kind}`, `\`tieout import ${kind}\`: a file of the user.`)
const fetched = source(
  'sources of prices',
  '`prices: sources:`: candles of the venue, reference rates of the ECB.',
)
const settings = source('configuration', '`tieout.yaml`.')

const SOURCES: Readonly<Record<string, { name: string; says: string }>> = {
  'landing.pages': requests,
  'landing.covered': requests,
  'landing.progress': requests,
  'landing.statements': requests,
  'landing.runs': requests,
  'landing.accounts': source('feed account.settings (4.14)', 'What each run found out about an account.'),
  'landing.quarantine': received,
  'landing.drift': received,
  'landing.writes': source('calls that write', '`tieout call … --write`, and their outcomes.'),
  'landing.notes': source('notes', '`tieout explain-break`: the user’s explanation of a break.'),
  'landing.imports': source('imported files', '`tieout import`: which files were taken in, and when.'),
  'landing.import_withdrawals': source(
    'withdrawn imports',
    '`tieout import --undo`: which of them no longer count.',
  ),
  'landing.imported_trades': imported('trades'),
  'landing.imported_lots': imported('lots'),
  'landing.imported_prices': imported('prices'),
  'landing.fetched_prices': fetched,
  'landing.price_pages': fetched,
  'staging.price_order': settings,
  'staging.counterparty_key': source(
    'counterparties.key',
    'The random key under which names of counterparties become pseudonyms.',
  ),
  'staging.settings': settings,
  'staging.account_choices': settings,
  'staging.named_feeds': settings,
  'staging.previous_breaks': source('the ledger before', 'Breaks as in the last published ledger.'),
}
