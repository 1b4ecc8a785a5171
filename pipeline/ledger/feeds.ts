// Which feed lands which record, from the catalogue, in the order of the interface document.
import { endpoints } from '../../connectors/catalogue.ts'
import { type ItemTable, itemTables } from './items.ts'
import type { PublishedRecord } from './records.ts'

/** Each record type once; a feed that lands the type of an earlier feed adds nothing. */
export const feedRecords: readonly PublishedRecord[] = endpoints
  .flatMap(({ name, item, window }) =>
    item === null
      ? []
      : [{ feed: name, record: item, isList: window === null && item.nature === 'snapshot' }],
  )
  .filter(({ record }, index, all) => all.findIndex((other) => other.record.table === record.table) === index)

/** The tables of the lists and objects inside these records. */
export const recordItems: readonly ItemTable[] = feedRecords.flatMap(itemTables)
