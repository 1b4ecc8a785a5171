// The owner's own choice of lots, from CSV: for disposals under specific identification
// (`disposal_id,lot_id,quantity`), and for lots that leave the universal scope
// (`account,coin,lot_id,quantity`). Errors are reported with file, line and column.
import { basename } from 'node:path'
import { UsageError } from '../../models/error.ts'
import { LARGE_FILE_BYTES, readInputFile } from '../config/input-file.ts'
import { readCsv } from '../imports/csv.ts'
import { requireHeader, SeenOnce } from '../imports/format.ts'
import { RefusedCells } from '../imports/refusals.ts'
import { ImportRow } from '../imports/row.ts'
import type { Allocation, Selection, Selections } from '../lots/event.ts'

const SELECTION = ['disposal_id', 'lot_id', 'quantity']
/** The coin is needed only if one row disposed of several coins. */
const SELECTION_OF_COINS = ['disposal_id', 'coin', 'lot_id', 'quantity']
const ALLOCATION = ['account', 'coin', 'lot_id', 'quantity']

/** By disposal, the lots in the order of the file. UsageError with line and column. */
export function readSelection(file: string): Selections {
  const selections = new Map<string, Selection[]>()
  eachRow(file, [SELECTION, SELECTION_OF_COINS], (columns) => {
    const pairs = new SeenOnce(basename(file), 'lot_id')
    return (row) => {
      const id = row.id('disposal_id')
      const coin = columns.includes('coin') ? { coin: row.code('coin') } : {}
      const lot = { lotId: row.id('lot_id'), quantity: row.amount('quantity', 'above zero'), ...coin }
      pairs.add(`${lot.lotId} for ${[id, ...Object.values(coin)].join(' ')}`, row.line)
      const same = selections.get(id)
      if (same === undefined) selections.set(id, [lot])
      else same.push(lot)
    }
  })
  return selections
}

/** In the order of the file. UsageError with line and column. */
export function readAllocation(file: string): Allocation[] {
  const allocations: Allocation[] = []
  eachRow(file, [ALLOCATION], () => {
    const seen = new SeenOnce(basename(file), 'lot_id')
    return (row) => {
      const [account, coin, lotId] = [row.account(), row.code('coin'), row.id('lot_id')]
      seen.add(`${lotId} of ${coin} for ${account}`, row.line)
      allocations.push({ account, coin, lotId, quantity: row.amount('quantity', 'above zero') })
    }
  })
  return allocations
}

function eachRow(
  file: string,
  headers: readonly (readonly string[])[],
  begin: (columns: readonly string[]) => (row: ImportRow) => void,
): void {
  const bytes = bytesOf(file)
  const name = basename(file)
  try {
    readCsv({ name, bytes }, (header) => {
      const columns = requireHeader(name, header, headers)
      const take = begin(columns)
      return (line) => take(new ImportRow(name, columns, line))
    })
  } catch (error) {
    // Nothing is imported here, so the next step is a different one.
    const action = 'Correct the file and run the command again.'
    if (error instanceof RefusedCells) throw error.withAction(action)
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, { ...error.details, action })
  }
}

const bytesOf = (file: string): Uint8Array =>
  readInputFile(file, LARGE_FILE_BYTES, {
    message: 'The file cannot be read.',
    expected: 'a CSV file of lots',
  })
