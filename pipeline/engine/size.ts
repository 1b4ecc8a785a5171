// Memory sizes as people and DuckDB write them: 8GB is 8 × 1000³ bytes, 8GiB is 8 × 1024³.
const UNITS: Readonly<Record<string, number>> = {
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/** Bytes; null for anything that is not a size. A number without a unit is refused, because its meaning is unclear. */
export function parseSize(text: string): number | null {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]i?b)\s*$/i.exec(text) ?? []
  const factor = UNITS[unit?.toLowerCase() ?? '']
  return factor === undefined ? null : Math.floor(Number(number) * factor)
}

/** For DuckDB: whole mebibytes, rounded down. */
export const mebibytes = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)}MiB`

/** For people: `23.4 GiB`, `512 MiB`. */
export function describeSize(bytes: number): string {
  const [unit, factor] = bytes < 2 ** 30 ? (['MiB', 2 ** 20] as const) : (['GiB', 2 ** 30] as const)
  return `${Math.round((bytes / factor) * 10) / 10} ${unit}`
}
