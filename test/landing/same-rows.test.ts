// Where the rows of an answer stand is read once: what the connectors take for rows lands as those rows, what they refuse
// would be one quarantined row if it stood in a journal, and quarantine keeps the text of the row itself.
import { expect, test } from 'vitest'
import { settings } from '../../connectors/endpoints/account.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { orderHistory } from '../../connectors/endpoints/trade.ts'
import { readEnvelope, readPage } from '../../connectors/envelope.ts'
import { placeOfRows, rowSpans } from '../../pipeline/landing/raw-row.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { rawPage } from './frames.ts'

/** Rows without an identity, so that each one is quarantined with its text. */
const SHAPES = [
  'null',
  '"soon"',
  '{}',
  '[]',
  '[{"a":1},{"a":2}]',
  '[7]',
  '{"list":null}',
  '{"list":[]}',
  '{"list":[{"a":1},{"a":2}]}',
  '{"list":[{"a":1}],"list":[{"a":1}]}',
  '{"list":{"a":1}}',
  '{"rows":[{"a":1}]}',
] as const

test('connectors, landing, quarantine and evidence find the same rows in every form of an answer', async () => {
  const endpoints = [taxRecords, orderHistory, settings]
  const cases = endpoints.flatMap((endpoint) => SHAPES.map((data) => ({ endpoint, data })))
  const landing = await landingIn(await emptyFolder())
  for (const [at, { endpoint, data }] of cases.entries()) {
    const text = `{"code":"00000","msg":"success","data":${data}}`
    await landing.land([rawPage(at + 1, text, { feed: endpoint.name, partition: '' })])
    const taken = readPage(endpoint, readEnvelope(Buffer.from(text))!.data)
    const isOne = typeof taken === 'string' || endpoint.rows === 'object'
    const rows = isOne ? [data] : taken.rows.map((row) => JSON.stringify(row))
    const spans = rowSpans(text, placeOfRows(text, endpoint.rows))
    expect(
      spans.map(({ start, end }) => text.slice(start, end)),
      `${endpoint.name} ${data}`,
    ).toEqual(rows)
    const quarantined = await ask(
      landing,
      `select raw from landing.quarantine where page_id = ${at + 1} order by page_row`,
    )
    expect(quarantined, `${endpoint.name} ${data}`).toEqual(rows.map((row) => [row]))
  }
})
