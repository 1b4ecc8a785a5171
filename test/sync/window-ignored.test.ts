// Something that answers whatever is asked, such as a cache that heeds no query: the same full page for every window.
import { expect, test } from 'vitest'
import { command } from '../support/in-process.ts'
import { excluded, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const PATH = '/api/v3/tax/records'

test('a venue that ignores the window is given up, with the range pending and the reason said', async () => {
  const ts = Date.now() - 3_600_000
  const page = Array.from({ length: 500 }, (_, place) => ({
    ...{ id: String(900_000 - place), coin: 'USDT', spotTaxType: 'transfer_in', amount: '1', fee: '0' },
    ...{ balance: '1', ts: String(ts - place * 1_000) },
  }))
  const venue = await traderVenue({ ...TRADER, ...excluded(400), [PATH]: () => page })
  const since = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
  const dir = traderBooks(venue.baseUrl, `{ since: ${since}, feeds: [tax.records] }`)

  const { code, stderr } = await command(['sync', '--dir', dir])

  expect(code).toBe(5)
  expect(stderr).toContain('The venue ignores the times that it is asked for: tax.records.')
  expect(stderr).toContain('10 full pages in a row without a row of their window')
  const asked = venue.arrived.filter((path) => path === PATH).length
  expect(asked).toBeLessThan(100)
}, 120_000)
