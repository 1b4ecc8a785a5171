// Values of a DuckDB result as every format prints them: exact, in UTC, and without a float for money. The
// client's own JavaScript reader turns DECIMAL into a double and formats TIMESTAMPTZ in local time.
import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  DuckDBUnionValue,
  type DuckDBValue,
  type DuckDBValueConverter,
  DuckDBVariantValue,
  fromVariantValue,
} from '@duckdb/node-api'
import type { Cell, CellKind } from './cell.ts'

const WHOLE_NUMBERS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.BIGNUM,
])

export function cellKind(type: DuckDBType): CellKind {
  if (type.typeId === DuckDBTypeId.DECIMAL) return 'amount'
  if (type.typeId === DuckDBTypeId.TIMESTAMP_TZ) return 'time'
  if (type.typeId === DuckDBTypeId.DATE) return 'date'
  if (type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT) return 'number'
  return WHOLE_NUMBERS.has(type.typeId) ? 'number' : 'text'
}

/** Whether it is a struct with unnamed fields, or contains one. */
export function isNameless(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return isNameless(type.valueType)
  if (type instanceof DuckDBMapType) return isNameless(type.keyType) || isNameless(type.valueType)
  if (type instanceof DuckDBUnionType) return type.memberTypes.some(isNameless)
  if (!(type instanceof DuckDBStructType)) return false
  return type.entryNames.includes('') || type.entryTypes.some(isNameless)
}

/** Reads one value of a DuckDB result; nested values are read by the same rules. */
export const readValue: DuckDBValueConverter<Cell> = (value, type, read) => {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return wholeNumber(value)
  if (value instanceof DuckDBDecimalValue) return decimalText(value.value, value.scale)
  if (value instanceof DuckDBTimestampTZValue) return utcText(value.micros)
  return nested(value, type, read) ?? String(value)
}

/** A whole number as a number if a double holds it exactly, else as text. */
export function wholeNumber(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** Units of 10^-scale as plain decimal text: `-1.5`, `0`, `12`. */
function decimalText(units: bigint, scale: number): string {
  if (scale === 0) return String(units)
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  const whole = (units < 0n ? '-' : '') + digits.slice(0, -scale)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

const LAST_DATE_MS = 8_640_000_000_000_000

/**
 * Microseconds since 1970 as `2025-01-31T00:00:00.000Z`; with six decimals if milliseconds are not enough.
 */
function utcText(micros: bigint): string {
  let ms = Number(micros / 1000n)
  let excess = Number(micros % 1000n)
  if (excess < 0) {
    ms -= 1
    excess += 1000
  }
  // Infinity, and years that only DuckDB supports.
  if (Math.abs(ms) > LAST_DATE_MS) return String(new DuckDBTimestampValue(micros))
  const text = new Date(ms).toISOString()
  return excess === 0 ? text : `${text.slice(0, -1)}${String(excess).padStart(3, '0')}Z`
}

function nested(value: DuckDBValue, type: DuckDBType, read: DuckDBValueConverter<Cell>): Cell | undefined {
  if (value instanceof DuckDBListValue && type instanceof DuckDBListType)
    return value.items.map((item) => read(item, type.valueType, read))
  if (value instanceof DuckDBArrayValue && type instanceof DuckDBArrayType)
    return value.items.map((item) => read(item, type.valueType, read))
  if (value instanceof DuckDBStructValue && type instanceof DuckDBStructType)
    return Object.fromEntries(
      Object.entries(value.entries).map(([name, entry]) => [
        name,
        read(entry, type.typeForEntry(name), read),
      ]),
    )
  if (value instanceof DuckDBMapValue && type instanceof DuckDBMapType)
    return value.entries.map((entry) => ({
      key: read(entry.key, type.keyType, read),
      value: read(entry.value, type.valueType, read),
    }))
  if (value instanceof DuckDBUnionValue && type instanceof DuckDBUnionType)
    return read(value.value, type.memberTypeForTag(value.tag), read)
  if (value instanceof DuckDBVariantValue) return fromVariantValue(value, type, read) as Cell
  return undefined
}
