// JSON: one array of objects with the column names as keys, one object per line, written as the rows arrive.
// Amounts and times are text, so that no reader rounds them.
import type { Column, RowBatches } from './column.ts'

export async function* jsonText(columns: readonly Column[], rows: RowBatches): AsyncIterable<string> {
  const keys = columns.map((column) => JSON.stringify(column.name))
  let before = '['
  for await (const batch of rows) {
    let text = ''
    for (const row of batch) {
      const members = keys.map((key, index) => `${key}:${JSON.stringify(row[index] ?? null)}`)
      text += `${before}\n{${members.join(',')}}`
      before = ','
    }
    yield text
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
