// The command that imports what the venue does not provide: history from elsewhere, opening lots and prices; it also
// withdraws imports made by mistake. It builds and publishes the books, so that the next report reflects the change.

import { formatAmount } from '../../models/amount.ts'
import { closing } from '../../models/closing.ts'
import { type ExitCode, UsageError } from '../../models/error.ts'
import { counted } from '../../models/text.ts'
import { type Books, mustBeBooks, openBooksFor, readLanding } from '../books/books.ts'
import {
  type ImportOptions,
  type ImportOutcome,
  importInto,
  type ListedImport,
  listImports,
  type ReadImport,
  readImport,
  withdrawImport,
} from '../books/import.ts'
import type { GoneRows } from '../books/known.ts'
import { buildBooks } from '../books/night.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { endsInCell } from '../imports/csv.ts'
import { type ImportKind, importKinds } from '../imports/format.ts'
import { nodeDisk } from '../journal/disk.ts'
import { fitted, type Importance } from '../output/screen.ts'
import { printTable } from '../output/table.ts'
import { setIn } from '../output/wrap.ts'
import { describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { defineCommand, terminalOf } from './command.ts'

/** Lines that fit a terminal of 80 columns. */
const HEADERS = [
  'KIND is one of',
  '  trades  history from elsewhere, as',
  '          id,time,account,type,asset,quantity,currency,total,fee,fee_currency,',
  '          as Kraken, Coinbase, Binance, Koinly or CoinTracking export it, or any',
  '          other with --mapping',
  '  lots    opening lots, as id,time,account,asset,quantity,basis,currency',
  '  prices  time,asset,currency,price with or without source, the reference',
  '          rates of the ECB (eurofxref-hist.csv), as CoinGecko, CoinMarketCap,',
  '          Yahoo Finance, Kraken or Binance export them (with --asset and',
  '          --currency), or any other with --mapping',
].join('\n')

export const importCommand = defineCommand({
  example: ['$0 import trades kraken-ledgers.csv --account kraken', 'then: tieout report gains --year 2024'],
  options: (parser) =>
    parser
      .positional('kind', { choices: importKinds, describe: 'What the file contains' })
      .positional('file', { type: 'string', describe: 'CSV in UTF-8' })
      .option('account', {
        type: 'string',
        describe: 'Account for a file that names none, such as an exchange’s export',
        requiresArg: true,
      })
      .option('zone', {
        type: 'string',
        describe: 'Time zone (IANA name, or UTC+2) for a file that does not state one',
        requiresArg: true,
      })
      .option('mapping', {
        type: 'string',
        describe: 'YAML mapping for an export that tieout does not recognise',
        requiresArg: true,
      })
      .option('asset', {
        type: 'string',
        describe: 'Coin for a price file that does not name one',
        requiresArg: true,
      })
      .option('currency', {
        type: 'string',
        describe: 'Currency for a price file that does not name one',
        requiresArg: true,
      })
      .option('candle', {
        type: 'number',
        describe: 'Candle length in minutes, for a price file that does not state it',
        requiresArg: true,
      })
      .option('undo', {
        type: 'number',
        describe: 'Withdraw the import with this number; --list shows the numbers',
        requiresArg: true,
      })
      .option('list', {
        type: 'boolean',
        default: false,
        describe: 'Show the imports, including withdrawn ones',
      })
      .option('json', { type: 'boolean', default: false, describe: 'With --list: as JSON' })
      .option('build', {
        type: 'boolean',
        default: true,
        describe: 'Build and publish afterwards; --no-build leaves it to a later `build`',
      })
      .epilog(HEADERS),
  run: async (context, args): Promise<ExitCode> => {
    const config = optionalConfig(context)
    if (args.list) return list(context, args)
    const work = await workOf(context.dir, args)
    const books = await openBooksFor(context, config, {
      command: 'import',
      ...(args.undo === undefined ? {} : { existing: 'needed' as const }),
    })
    return await closing(books, async () => {
      // Even when --now lies in the past or follows the venue's clock, a file may contain all that has happened by this machine's.
      const now = Math.max(context.now(), context.clock.wall())
      context.advise(await work(books, { id: context.run, clock: context.clock, now }))
      if (!args.build) return 0
      const result = await buildBooks(context, config, books, { publishAnyway: false })
      context.advise(describeBreaks(result))
      if (result.published) return 0
      context.tell(NOT_PUBLISHED)
      return 1
    })
  },
})

const LIST_COLUMNS = [
  { name: 'id', kind: 'number' },
  { name: 'kind' },
  { name: 'file_name' },
  { name: 'row_count', kind: 'number' },
  { name: 'imported_at', kind: 'time' },
  { name: 'withdrawn_at', kind: 'time' },
] as const

/** Whether an import is still in effect is what a user looks for before withdrawing it. */
const LIST_IMPORTANCE: Importance = ['id', 'file_name', 'withdrawn_at', 'kind', 'imported_at', 'row_count']

/** A table of every import; given the width of a terminal, with the columns that fit. */
export function listed(imports: readonly ListedImport[], width: number | undefined): string {
  const rows = imports.map((one) => LIST_COLUMNS.map(({ name }) => one[name]))
  if (width === undefined) return printTable(LIST_COLUMNS, rows)
  const { table, leftOut } = fitted(LIST_COLUMNS, rows, { width, importance: LIST_IMPORTANCE })
  if (leftOut.length === 0) return table
  return `${table}\n${setIn(`Left out at ${width} columns (--json has all): ${leftOut.join(', ')}.`, width)}`
}

/** Prints every import, oldest first. */
async function list(
  context: CommandContext,
  {
    kind,
    undo,
    json,
  }: { readonly kind?: string | undefined; readonly undo?: number | undefined; readonly json: boolean },
): Promise<ExitCode> {
  if (kind !== undefined || undo !== undefined)
    throw new UsageError('--list cannot be combined with an import or --undo.', {
      expected: '`tieout import --list`, with or without --json',
      action: 'Omit the kind, the file and --undo.',
    })
  mustBeBooks(context.dir, 'needed')
  const landing = await readLanding(context.dir, engineSettings(optionalConfig(context).engine))
  const close = () => landing?.close()
  return await closing(close, async (): Promise<ExitCode> => {
    const imports = landing === null ? [] : await listImports(landing.connection)
    if (json) context.print(JSON.stringify(imports, null, 2))
    else if (imports.length === 0) context.print('Nothing has been imported.')
    else context.print(listed(imports, terminalOf(context).width))
    return 0
  })
}

type Work = (books: Books, run: Parameters<typeof importInto>[2]) => Promise<string>

/** The work that the arguments ask for. A file is read completely before the books are opened. */
async function workOf(
  dir: string,
  {
    kind,
    file,
    undo,
    ...options
  }: {
    readonly kind?: string | undefined
    readonly file?: string | undefined
    readonly undo?: number | undefined
  } & Omit<ImportOptions, 'dir'>,
): Promise<Work> {
  if (undo !== undefined && !Number.isSafeInteger(undo))
    throw new UsageError('There is no import with this number.', {
      where: `--undo ${undo}`,
      expected: 'a whole number, the id of an import',
      action: 'Run `tieout import --list` to see the ids.',
    })
  if (undo !== undefined && kind === undefined)
    return async (books, run) => {
      const withdrawn = await withdrawImport(books, undo, run)
      return `Withdrew the import ${undo} (${withdrawn.file}, ${counted(withdrawn.rows, 'row')}); the journal keeps the file.`
    }
  if (undo !== undefined || kind === undefined || file === undefined)
    throw new UsageError('It is not clear what to import.', {
      expected: 'a kind and a file, --undo with the id of an import, or --list',
      found: undo === undefined ? (kind ?? 'nothing') : `${kind} and --undo`,
      action: 'See `tieout import --help`.',
    })
  const { account, mapping, zone, asset, currency, candle } = options
  const told = { account, mapping, zone, asset, currency, candle }
  // A script with an unset variable passes '', and yargs turns `-` into it.
  if (file === '')
    throw new UsageError('The file to import has no name.', {
      where: `import ${kind}`,
      expected: 'a path; use /dev/stdin for standard input',
      action: 'Name the file.',
    })
  const read = await readImport(nodeDisk, kind as ImportKind, file, { dir, ...told })
  return async (books, run) =>
    describeImport(read, await importInto(books, read, run)) + describeEnd(read) + describeReading(read)
}

/** A missing final line end may be intended, or the file may have been cut off there, so that its last cell is wrong. */
const describeEnd = ({ file, rows }: ReadImport): string =>
  rows.length > 0 && endsInCell(file)
    ? `\nThe last line of ${file.name} has no line end. If the file was cut off, its last cell is incomplete: compare it with the original.`
    : ''

/** Which mapping read the export of a service, and which of its rows produced no row here. */
function describeReading({ kind, reading, aside }: ReadImport): string {
  if (reading === null) return ''
  const lines = aside.map(({ what, rows, left }) => {
    const over = left.map(({ asset, amount }) => `${asset} ${formatAmount(amount)}`).join(', ')
    return `\n  ${counted(rows, 'row')}: ${what}${over === '' ? '' : ` (left over: ${over})`}`
  })
  const why = kind === 'prices' ? '' : ', because they move nothing between accounts'
  const none = lines.length === 0 ? '' : `\nThese rows were not imported${why}:${lines.join('')}`
  return `\nRead as an export of ${reading.mapping.title ?? reading.mapping.name}.${none}`
}

function describeImport(
  { file: { name: file }, reading }: ReadImport,
  { rows, added, rounded, rebates, gone, alike = [], id }: ImportOutcome,
): string {
  if (rows === 0) return `${file} has no rows; nothing was imported.`
  if (added === 0) return `Nothing new: the books already contain all of ${file} (${counted(rows, 'row')}).`
  const known = rows - added
  const rest = known === 0 ? '' : `; the books already contained ${counted(known, 'row')} of it`
  const precise =
    rounded === 0
      ? ''
      : `\n${counted(rounded, 'cell')} had more than 18 decimals and ${rounded === 1 ? 'was' : 'were'} rounded half to even; the journal keeps the file unchanged.`
  const received =
    rebates === undefined
      ? ''
      : `\n${counted(rebates, 'fee is', 'fees are')} below zero and count${rebates === 1 ? 's' : ''} as received; ${paidFee(reading)}.`
  const apart = alike.map(
    ([found, before]) =>
      `\nThe account ${found} is not the account ${before}: each has its own lots and balances. If they are the same account, withdraw the import and use the earlier spelling.`,
  )
  const missing = gone === undefined ? '' : describeGone(gone)
  return `Imported ${counted(added, 'row')} of ${file}${rest}. To withdraw it: tieout import --undo ${id}${precise}${received}${missing}${apart.join('')}`
}

/** How the file writes a fee that was paid, shown to users whose negative fees were counted as received. */
const paidFee = (reading: ReadImport['reading']): string =>
  reading !== null && 'fee_sign' in reading.mapping && reading.mapping.fee_sign === 'minus'
    ? 'according to the mapping, a paid fee has a minus sign in this file'
    : 'a paid fee is written without a sign'

function describeGone({ count, imports }: GoneRows): string {
  const undo = imports.map((id) => `tieout import --undo ${id}`).join(', ')
  const [are, they, were] = count === 1 ? ['is', 'counts', 'it was'] : ['are', 'count', 'they were']
  return `\n${counted(count, 'row')} from earlier exports of the service ${are} missing from this file, although within its period, and still ${they}. If ${were} changed or removed at the service, the books now contain outdated rows beside this file: withdraw the earlier import (${undo}), and import the rest of it again.`
}
