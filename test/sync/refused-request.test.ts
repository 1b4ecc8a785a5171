// A request that the venue refuses as wrong would be refused again tomorrow: its feed fails, the others go on, and the run
// shows the request. What was not had makes no run a good one.
import { expect, test } from 'vitest'
import { command } from '../support/in-process.ts'
import { excluded, refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

const TAX = '/api/v3/tax/records'
const ORDERS = '/api/v3/trade/history-orders'
const FUTURES = '/api/v2/tax/future-record'
const SINCE = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)

test.each([
  ['40020', 'The venue refused a parameter', 'ParameterRefused'],
  ['40704', 'The venue refused the time range', 'TimeRangeRefused'],
])(
  'code %s: the run is incomplete and shows the request of each feed',
  async (code, words, name) => {
    const wrong = () => refused(code, 400)
    const venue = await traderVenue({ ...TRADER, ...excluded(400), [TAX]: wrong, [ORDERS]: wrong })
    const feeds = '[tax.records, trade.orderHistory, tax.futuresRecords]'
    const dir = traderBooks(venue.baseUrl, `{ since: ${SINCE}, feeds: ${feeds} }`)

    const synced = await command(['sync', '--dir', dir, '--json'])

    expect(synced.code).toBe(5)
    for (const [feed, path] of [
      ['tax.records', TAX],
      ['trade.orderHistory', ORDERS],
    ]) {
      expect(synced.stderr).toContain(`${words}: ${feed} for account trader.`)
      expect(synced.stderr).toContain(`GET ${path}?`)
    }
    expect(synced.stderr).toContain(`HTTP 400, code ${code}, refused`)
    expect(JSON.parse(synced.stdout)).toMatchObject({
      incomplete: true,
      failures: [
        { account: 'trader', class: name },
        { account: 'trader', class: name },
      ],
    })
    expect(venue.arrived).toContain(FUTURES)

    await command(['build', '--dir', dir])
    const asked = 'select outcome from runs union all select distinct status from coverage where feed = '
    const { stdout } = await command(['sql', `${asked}'tax.records'`, '--dir', dir, '--format', 'json'])
    expect(JSON.parse(stdout)).toEqual([{ outcome: 'incomplete' }, { outcome: 'failed' }])
  },
  240_000,
)
